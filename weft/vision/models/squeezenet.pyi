"""SqueezeNet (Iandola et al. 2016)."""
# made by tools/stubs.py
from typing import Any
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class Fire(Module):
    expand3x3_activation: Any
    expand3x3: Any
    expand1x1_activation: Any
    expand1x1: Any
    squeeze: Any
    squeeze_activation: Any
    inplanes: Any
    def __init__(self, inplanes: Any, squeeze_planes: Any, expand1x1_planes: Any, expand3x3_planes: Any) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class SqueezeNet(Module):
    classifier: Module
    features: Module
    num_classes: int
    def __init__(self, version: str = '1_0', num_classes: int = 1000, dropout: float = 0.5) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

def squeezenet1_0(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def squeezenet1_1(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
