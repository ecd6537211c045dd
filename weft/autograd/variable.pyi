"""`Variable`, from the time before tensors and variables became one."""
# made by tools/stubs.py
from collections.abc import Sequence
from typing import Any, Callable
from weft.tensor.tensor import Tensor

class _Engine:
    @staticmethod
    def queue_callback(callback: Callable[..., Any]) -> None: ...
    @staticmethod
    def run_backward(roots: Any, grads: Any, keep: Any, create: Any, inputs: Tensor | Sequence[Tensor] | None = None, accumulate: bool = True) -> Any: ...

class _VariableMeta(type):
    def __call__(cls, data: Any = None, requires_grad: bool = False, volatile: Any = None) -> Any: ...

class Variable:
    ...

VariableMeta = _VariableMeta
