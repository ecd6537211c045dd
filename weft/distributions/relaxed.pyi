"""Continuous stand-ins for discrete distributions, with a temperature: samples that gradients pass through."""
# made by tools/stubs.py
from collections.abc import Sequence
from typing import Any
from typing_extensions import Self
from weft._typing import TensorLike
from weft.core.size import Size
from weft.distributions.composed import TransformedDistribution as TransformedDistribution
from weft.distributions.constraints import Constraint
from weft.distributions.distribution import Distribution as Distribution, Elementwise as Elementwise
from weft.tensor.tensor import Tensor

class LogitRelaxedBernoulli(Elementwise):
    support: Constraint
    has_rsample: bool
    temperature: TensorLike
    def __init__(self, temperature: TensorLike, probs: TensorLike | None = None, logits: TensorLike | None = None, validate_args: bool | None = None) -> None: ...
    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self: ...
    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor: ...
    def log_prob(self, value: Tensor) -> Tensor: ...

class _Relaxed(TransformedDistribution):
    has_rsample: bool
    @property
    def temperature(self) -> Tensor: ...
    @property
    def logits(self) -> Tensor: ...
    @property
    def probs(self) -> Tensor: ...

class RelaxedBernoulli(_Relaxed):
    arg_constraints: dict[str, Constraint]
    support: Constraint
    def __init__(self, temperature: TensorLike, probs: TensorLike | None = None, logits: TensorLike | None = None, validate_args: bool | None = None) -> None: ...

class ExpRelaxedCategorical(Distribution):
    arg_constraints: dict[str, Constraint]
    support: Constraint
    has_rsample: bool
    temperature: TensorLike
    def __init__(self, temperature: TensorLike, probs: TensorLike | None = None, logits: TensorLike | None = None, validate_args: bool | None = None) -> None: ...
    @property
    def logits(self) -> Tensor: ...
    @property
    def probs(self) -> Tensor: ...
    @property
    def param_shape(self) -> Size: ...
    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Self: ...
    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor: ...
    def log_prob(self, value: Tensor) -> Tensor: ...

class RelaxedOneHotCategorical(_Relaxed):
    arg_constraints: dict[str, Constraint]
    support: Constraint
    def __init__(self, temperature: TensorLike, probs: TensorLike | None = None, logits: TensorLike | None = None, validate_args: bool | None = None) -> None: ...

