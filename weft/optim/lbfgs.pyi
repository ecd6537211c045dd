"""L-BFGS: a quasi-Newton method for full batches; calls the closure several times in one step."""
# made by tools/stubs.py
from typing import Any, Callable
from weft._typing import Params
from weft.optim.optimizer import Optimizer as Optimizer
from weft.tensor.tensor import Tensor

class LBFGS(Optimizer):
    flat: bool
    def __init__(self, params: Params, lr: float | Tensor = 1, max_iter: int = 20, max_eval: int | None = None, tolerance_grad: float = 1e-07, tolerance_change: float = 1e-09, history_size: int = 100, line_search_fn: str | None = None) -> None: ...
    def step(self, closure: Callable[[], Any]) -> Any: ...

