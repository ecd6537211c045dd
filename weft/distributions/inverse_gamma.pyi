"""One over a gamma."""
# made by tools/stubs.py
from typing import Any
from weft._typing import TensorLike
from weft.distributions.composed import TransformedDistribution as TransformedDistribution
from weft.distributions.constraints import Constraint
from weft.tensor.tensor import Tensor

class InverseGamma(TransformedDistribution):
    arg_constraints: dict[str, Constraint]
    support: Constraint
    has_rsample: bool
    def __init__(self, concentration: TensorLike, rate: TensorLike, validate_args: bool | None = None) -> None: ...
    @property
    def concentration(self) -> Any: ...
    @property
    def rate(self) -> Any: ...
    @property
    def mean(self) -> Tensor: ...
    @property
    def mode(self) -> Tensor: ...
    @property
    def variance(self) -> Tensor: ...
    def entropy(self) -> Tensor: ...

