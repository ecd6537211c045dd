"""Where values may lie: `constraint.check(value)` says for each event whether it does."""
# made by tools/stubs.py
from collections.abc import Sequence
from typing import Any, Callable
from weft.tensor.tensor import Tensor

class Constraint:
    is_discrete: bool
    event_dim: int
    def check(self, value: Tensor) -> Tensor: ...

class _Dependent(Constraint):
    is_discrete: bool
    event_dim: int
    def __init__(self, *, is_discrete: bool = False, event_dim: int = 0) -> None: ...
    def __call__(self, *, is_discrete: bool | None = None, event_dim: int | None = None) -> Tensor: ...
    def check(self, x: Tensor) -> Tensor: ...

class _DependentProperty(property, _Dependent):
    is_discrete: bool
    event_dim: int
    def __init__(self, fn: Callable[..., Any] | None = None, *, is_discrete: bool = False, event_dim: int = 0) -> None: ...
    def __call__(self, fn: Callable[..., Any]) -> Tensor: ...

def is_dependent(constraint: Constraint) -> bool: ...
class _Bounds(Constraint):
    fields: Any
    def __init__(self, *bounds: Any, **named: Any) -> None: ...

class interval(_Bounds):
    fields: Any
    def check(self, value: Tensor) -> Tensor: ...

class half_open_interval(interval):
    def check(self, value: Tensor) -> Tensor: ...

class integer_interval(interval):
    is_discrete: bool
    def check(self, value: Tensor) -> Tensor: ...

class greater_than(_Bounds):
    fields: Any
    def check(self, value: Tensor) -> Tensor: ...

class greater_than_eq(greater_than):
    def check(self, value: Tensor) -> Tensor: ...

class integer_greater_than(greater_than):
    is_discrete: bool
    def check(self, value: Tensor) -> Tensor: ...

class less_than(_Bounds):
    fields: Any
    def check(self, value: Tensor) -> Tensor: ...

class multinomial(_Bounds):
    fields: Any
    is_discrete: bool
    event_dim: int
    def check(self, value: Tensor) -> Tensor: ...

class independent(Constraint):
    event_dim: int
    is_discrete: bool
    base_constraint: Constraint
    reinterpreted_batch_ndims: int
    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None: ...
    def check(self, value: Tensor) -> Tensor: ...

class MixtureSameFamilyConstraint(Constraint):
    is_discrete: bool
    event_dim: int
    base_constraint: Constraint
    def __init__(self, base_constraint: Constraint) -> None: ...
    def check(self, value: Tensor) -> Tensor: ...

class cat(Constraint):
    event_dim: int
    is_discrete: bool
    lengths: Any
    cseq: Any
    dim: int
    def __init__(self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None) -> None: ...
    def check(self, value: Tensor) -> Tensor: ...

class stack(Constraint):
    event_dim: int
    is_discrete: bool
    cseq: Any
    dim: int
    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None: ...
    def check(self, value: Tensor) -> Tensor: ...

dependent: Constraint
dependent_property = _DependentProperty
boolean: Constraint
one_hot: Constraint
real: Constraint
real_vector: independent
positive: greater_than
nonnegative: greater_than_eq
unit_interval: interval
nonnegative_integer: integer_greater_than
positive_integer: integer_greater_than
simplex: Constraint
square: Constraint
symmetric: Constraint
lower_triangular: Constraint
lower_cholesky: Constraint
corr_cholesky: Constraint
positive_semidefinite: Constraint
positive_definite: Constraint
