"""ReduceLROnPlateau: a smaller rate when a measure stops getting better."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Floats, StateDict
from weft.optim.lr_scheduler.base import LRScheduler as LRScheduler
from weft.optim.optimizer import Optimizer

class ReduceLROnPlateau(LRScheduler):
    last_epoch: int
    patience: int
    cooldown: int
    eps: float
    min_lrs: Any
    default_min_lr: Any
    factor: float
    optimizer: Optimizer
    def __init__(self, optimizer: Optimizer, mode: str = 'min', factor: float = 0.1, patience: int = 10, threshold: float = 0.0001, threshold_mode: str = 'rel', cooldown: int = 0, min_lr: Floats = 0, eps: float = 1e-08) -> None: ...
    def step(self, metrics: Any, epoch: int | None = None) -> None: ...
    @property
    def in_cooldown(self) -> bool: ...
    def load_state_dict(self, state_dict: StateDict) -> None: ...

