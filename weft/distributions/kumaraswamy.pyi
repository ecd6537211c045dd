"""The Kumaraswamy distribution: like a Beta, with a distribution function in closed form."""
# made by tools/stubs.py
from weft._typing import TensorLike
from weft.distributions.composed import TransformedDistribution as TransformedDistribution
from weft.distributions.constraints import Constraint
from weft.tensor.tensor import Tensor

class Kumaraswamy(TransformedDistribution):
    arg_constraints: dict[str, Constraint]
    support: Constraint
    concentration1: Tensor
    concentration0: Tensor
    def __init__(self, concentration1: TensorLike, concentration0: TensorLike, validate_args: bool | None = None) -> None: ...
    @property
    def mean(self) -> Tensor: ...
    @property
    def variance(self) -> Tensor: ...
    @property
    def mode(self) -> Tensor: ...
    def entropy(self) -> Tensor: ...

