"""From a constraint to a transform of all real numbers into it: `biject_to` one to one, `transform_to` as it suits"""
# made by tools/stubs.py
from typing import Any
from weft.distributions.constraints import Constraint
from weft.tensor.tensor import Tensor

class ConstraintRegistry:
    def __init__(self) -> None: ...
    def register(self, constraint: Constraint, factory: Any = None) -> Any: ...
    def __call__(self, constraint: Constraint) -> Tensor: ...

biject_to: ConstraintRegistry
transform_to: ConstraintRegistry
