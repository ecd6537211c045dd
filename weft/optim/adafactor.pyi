"""Adafactor: the mean square of a matrix kept as a column and a row."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Params
from weft.optim.rule import Rule as Rule
from weft.tensor.tensor import Tensor

class Adafactor(Rule):
    def __init__(self, params: Params, lr: float | Tensor = 0.01, beta2_decay: float = -0.8, eps: float = ..., d: float = 1.0, weight_decay: float = 0.0, *, foreach: bool | None = None, maximize: bool = False) -> None: ...
    def start(self, p: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None: ...
    def update(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None: ...

