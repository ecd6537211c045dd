"""kl_divergence(p, q): a table of formulas by the two classes; the nearest classes' formula is taken."""
# made by tools/stubs.py
from typing import Any, Callable
from weft.distributions.distribution import Distribution
from weft.tensor.tensor import Tensor

def register_kl(type_p: type[Distribution], type_q: type[Distribution]) -> Callable[..., Any]: ...
def kl_divergence(p: Distribution, q: Distribution) -> Tensor: ...
