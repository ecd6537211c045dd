"""MobileNet v3 (Howard et al. 2019)."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Ints
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class InvertedResidualConfig:
    use_se: Any
    use_hs: Any
    stride: Ints
    dilation: Ints
    out_channels: Any
    expanded_channels: Any
    kernel: Any
    input_channels: Any
    def __init__(self, input_channels: Any, kernel: Any, expanded_channels: Any, out_channels: Any, use_se: Any, activation: Any, stride: Ints, dilation: Ints, width_mult: Any) -> None: ...
    @staticmethod
    def adjust_channels(channels: Any, width_mult: Any) -> Any: ...

class InvertedResidual(Module):
    out_channels: Any
    block: Module
    use_res_connect: Any
    def __init__(self, cnf: Any, norm_layer: Any, se_layer: Any = ...) -> None: ...
    def forward(self, input: Any) -> Tensor: ...

class MobileNetV3(Module):
    classifier: Module
    avgpool: Any
    features: Module
    def __init__(self, inverted_residual_setting: Any, last_channel: Any, num_classes: int = 1000, block: Any = None, norm_layer: Any = None, dropout: float = 0.2, **kwargs: Any) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

def make(text: str, last_channel: Any, width_mult: float = 1.0, reduced_tail: bool = False, dilated: bool = False, **kwargs: Any) -> Any: ...
def mobilenet_v3_large(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def mobilenet_v3_small(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
