"""SparseAdam: Adam that touches only the rows that have a gradient."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Params
from weft.optim.rule import Rule as Rule
from weft.tensor.tensor import Tensor

class SparseAdam(Rule):
    scalars: Any
    def __init__(self, params: Params, lr: float | Tensor = 0.001, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999), eps: float = 1e-08, maximize: bool = False) -> None: ...
    def start(self, p: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None: ...
    def update(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None: ...
    def update_rows(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None: ...

