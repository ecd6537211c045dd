"""NAdam: Adam with Nesterov's momentum."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Params
from weft.optim.rule import Rule as Rule
from weft.tensor.tensor import Tensor

class NAdam(Rule):
    scalars: Any
    def __init__(self, params: Params, lr: float | Tensor = 0.002, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999), eps: float = 1e-08, weight_decay: float = 0, momentum_decay: float = 0.004, decoupled_weight_decay: bool = False, *, foreach: bool | None = None, maximize: bool = False, capturable: bool = False, differentiable: bool = False) -> None: ...
    def start(self, p: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None: ...
    def update(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None: ...

