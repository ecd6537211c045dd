"""Angles: the normal distribution of the circle."""
# made by tools/stubs.py
from collections.abc import Sequence
from weft._typing import TensorLike
from weft.distributions.constraints import Constraint
from weft.distributions.distribution import Elementwise as Elementwise
from weft.tensor.tensor import Tensor

class VonMises(Elementwise):
    arg_constraints: dict[str, Constraint]
    support: Constraint
    @property
    def mean(self) -> Tensor: ...
    @property
    def mode(self) -> Tensor: ...
    def __init__(self, loc: TensorLike, concentration: TensorLike, validate_args: bool | None = None) -> None: ...
    def log_prob(self, value: Tensor) -> Tensor: ...
    @property
    def variance(self) -> Tensor: ...
    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor: ...

