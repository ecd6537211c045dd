"""All parameters as one vector, and back."""
# made by tools/stubs.py
from collections.abc import Iterable
from weft.tensor.tensor import Tensor

def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor: ...
def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None: ...
