"""MobileNet v2 (Sandler et al. 2018)."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Ints
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class InvertedResidual(Module):
    conv: Module
    stride: Ints
    use_res_connect: Any
    out_channels: Any
    def __init__(self, inp: Any, oup: Any, stride: Ints, expand_ratio: Any, norm_layer: Any = None) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class MobileNetV2(Module):
    classifier: Module
    features: Module
    last_channel: Any
    def __init__(self, num_classes: int = 1000, width_mult: float = 1.0, inverted_residual_setting: Any = None, round_nearest: int = 8, block: Any = None, norm_layer: Any = None, dropout: float = 0.2) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

def mobilenet_v2(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
