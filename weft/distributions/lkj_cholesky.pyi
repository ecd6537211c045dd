"""Random correlation matrices, as their lower factors."""
# made by tools/stubs.py
from collections.abc import Sequence
from typing import Any
from weft._typing import TensorLike
from weft.distributions.constraints import Constraint
from weft.distributions.distribution import Distribution as Distribution
from weft.tensor.tensor import Tensor

class LKJCholesky(Distribution):
    arg_constraints: dict[str, Constraint]
    support: Constraint
    concentration: Any
    dim: int
    def __init__(self, dim: int, concentration: TensorLike = 1.0, validate_args: bool | None = None) -> None: ...
    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor: ...
    def log_prob(self, value: Tensor) -> Tensor: ...

