"""Adadelta: steps in the units of the parameters, without a rate to choose."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Params
from weft.optim.rule import Rule as Rule
from weft.tensor.tensor import Tensor

class Adadelta(Rule):
    def __init__(self, params: Params, lr: float | Tensor = 1.0, rho: float = 0.9, eps: float = 1e-06, weight_decay: float = 0, foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False, differentiable: bool = False) -> None: ...
    def start(self, p: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None: ...
    def update(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None: ...

