"""Several schedules on one optimizer: one after another (SequentialLR) or all at once (ChainedScheduler)."""
# made by tools/stubs.py
from collections.abc import Sequence
from typing import Any
from weft._typing import StateDict
from weft.optim.lr_scheduler.base import LRScheduler as LRScheduler
from weft.optim.optimizer import Optimizer

class _Together(LRScheduler):
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state_dict: StateDict) -> None: ...

class SequentialLR(_Together):
    optimizer: Optimizer
    last_epoch: Any
    def __init__(self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int], last_epoch: int = -1) -> None: ...
    def recursive_undo(self, sched: Any = None) -> None: ...
    def step(self) -> None: ...

class ChainedScheduler(_Together):
    optimizer: Optimizer
    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None: ...
    def step(self) -> None: ...

