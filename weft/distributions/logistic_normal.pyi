"""Points of the simplex from a normal vector."""
# made by tools/stubs.py
from weft._typing import TensorLike
from weft.distributions.composed import TransformedDistribution as TransformedDistribution
from weft.distributions.constraints import Constraint
from weft.tensor.tensor import Tensor

class LogisticNormal(TransformedDistribution):
    arg_constraints: dict[str, Constraint]
    support: Constraint
    has_rsample: bool
    def __init__(self, loc: TensorLike, scale: TensorLike, validate_args: bool | None = None) -> None: ...
    @property
    def loc(self) -> Tensor: ...
    @property
    def scale(self) -> Tensor: ...

