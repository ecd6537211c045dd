"""Schedules that multiply the rate by a factor: StepLR, MultiStepLR, ConstantLR, LinearLR, ExponentialLR, PolynomialLR."""
# made by tools/stubs.py
from collections.abc import Sequence
from typing import Any
from weft.optim.lr_scheduler.base import LRScheduler as LRScheduler
from weft.optim.optimizer import Optimizer

class _Factor(LRScheduler):
    def get_lr(self) -> list[float]: ...

class StepLR(_Factor):
    step_size: int
    gamma: float
    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None: ...

class MultiStepLR(_Factor):
    milestones: Any
    gamma: float
    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1) -> None: ...

class ConstantLR(_Factor):
    factor: float
    total_iters: int
    def __init__(self, optimizer: Optimizer, factor: float = ..., total_iters: int = 5, last_epoch: int = -1) -> None: ...

class LinearLR(_Factor):
    start_factor: float
    end_factor: float
    total_iters: int
    def __init__(self, optimizer: Optimizer, start_factor: float = ..., end_factor: float = 1.0, total_iters: int = 5, last_epoch: int = -1) -> None: ...

class ExponentialLR(_Factor):
    gamma: float
    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None: ...

class PolynomialLR(_Factor):
    total_iters: int
    power: float
    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None: ...

