"""AdamW: Adam whose weight decay is not part of the gradients."""
# made by tools/stubs.py
from weft._typing import Params
from weft.optim.adam import Adam as Adam
from weft.tensor.tensor import Tensor

class AdamW(Adam):
    def __init__(self, params: Params, lr: float | Tensor = 0.001, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999), eps: float = 1e-08, weight_decay: float = 0.01, amsgrad: bool = False, *, maximize: bool = False, foreach: bool | None = None, capturable: bool = False, differentiable: bool = False, fused: bool | None = None) -> None: ...

