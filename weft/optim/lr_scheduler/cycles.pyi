"""Schedules that go up and down again, the momentum the other way: CyclicLR, OneCycleLR."""
# made by tools/stubs.py
from typing import Any, Callable
from weft._typing import Floats, StateDict
from weft.optim.lr_scheduler.base import LRScheduler as LRScheduler
from weft.optim.optimizer import Optimizer
from weft.tensor.tensor import Tensor

class _Cycle(LRScheduler):
    ...

class CyclicLR(_Cycle):
    base_lrs: Any
    base_momentums: Any
    max_momentums: Any
    scale_mode: str
    mode: str
    gamma: float
    total_size: Any
    step_ratio: Any
    max_lrs: Any
    optimizer: Optimizer
    def __init__(self, optimizer: Optimizer, base_lr: Floats, max_lr: Floats, step_size_up: int = 2000, step_size_down: int | None = None, mode: str = 'triangular', gamma: float = 1.0, scale_fn: Callable[[float], float] | None = None, scale_mode: str = 'cycle', cycle_momentum: bool = True, base_momentum: Floats = 0.8, max_momentum: Floats = 0.9, last_epoch: int = -1) -> None: ...
    def scale_fn(self, x: Tensor) -> Any: ...
    def get_lr(self) -> list[float]: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state_dict: StateDict) -> None: ...

class OneCycleLR(_Cycle):
    optimizer: Optimizer
    total_steps: Any
    def __init__(self, optimizer: Optimizer, max_lr: Floats, total_steps: int | None = None, epochs: int | None = None, steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = 'cos', cycle_momentum: bool = True, base_momentum: Floats = 0.85, max_momentum: Floats = 0.95, div_factor: float = 25.0, final_div_factor: float = 10000.0, three_phase: bool = False, last_epoch: int = -1) -> None: ...
    def get_lr(self) -> list[float]: ...

