"""Rprop: steps that grow while the gradient keeps its sign and shrink when it turns."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Params
from weft.optim.rule import Rule as Rule
from weft.tensor.tensor import Tensor

class Rprop(Rule):
    def __init__(self, params: Params, lr: float | Tensor = 0.01, etas: tuple[float, float] = (0.5, 1.2), step_sizes: tuple[float, float] = (1e-06, 50), *, capturable: bool = False, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False) -> None: ...
    def start(self, p: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None: ...
    def update(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None: ...

