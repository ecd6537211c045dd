"""All parameters as one vector, and back."""
# made by tools/stubs.py
from collections.abc import Iterable
from typing import Any
from weft.tensor.tensor import Tensor

def parameters_to_vector(parameters: Iterable[Tensor]) -> Any: ...
def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None: ...
