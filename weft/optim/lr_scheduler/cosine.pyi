"""Schedules that go down along half a cosine: CosineAnnealingLR, CosineAnnealingWarmRestarts."""
# made by tools/stubs.py
from weft.optim.lr_scheduler.base import LRScheduler as LRScheduler
from weft.optim.optimizer import Optimizer

class CosineAnnealingLR(LRScheduler):
    T_max: int
    eta_min: float
    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None: ...
    def get_lr(self) -> list[float]: ...

class CosineAnnealingWarmRestarts(LRScheduler):
    T_cur: int
    T_0: int
    T_i: int
    T_mult: int
    eta_min: float
    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1) -> None: ...
    def get_lr(self) -> list[float]: ...
    def step(self, epoch: float | None = None) -> None: ...

