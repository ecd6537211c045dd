"""Schedules given by a function of the step: LambdaLR, MultiplicativeLR."""
# made by tools/stubs.py
from collections.abc import Sequence
from typing import Any, Callable
from weft._typing import StateDict
from weft.optim.lr_scheduler.base import LRScheduler as LRScheduler
from weft.optim.optimizer import Optimizer

def state_of(function: Callable[..., Any]) -> Any: ...
class _ByFunction(LRScheduler):
    lr_lambdas: list[Any]
    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]], last_epoch: int = -1) -> None: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state_dict: StateDict) -> None: ...

class LambdaLR(_ByFunction):
    def get_lr(self) -> list[float]: ...

class MultiplicativeLR(_ByFunction):
    def get_lr(self) -> list[float]: ...

