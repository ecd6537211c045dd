"""ConvNeXt (Liu et al. 2022)."""
# made by tools/stubs.py
from typing import Any
from weft.nn.module import Module as Module
from weft.nn.modules.norm import LayerNorm as LayerNorm
from weft.nn.parameter import Parameter
from weft.tensor.tensor import Tensor

class LayerNorm2d(LayerNorm):
    def forward(self, x: Any) -> Tensor: ...

class CNBlock(Module):
    stochastic_depth: Any
    layer_scale: Parameter
    block: Module
    def __init__(self, dim: int, layer_scale: Any, stochastic_depth_prob: Any, norm_layer: Any = None) -> None: ...
    def forward(self, input: Any) -> Tensor: ...

class CNBlockConfig:
    input_channels: Any
    out_channels: Any
    num_layers: Any
    def __init__(self, input_channels: Any, out_channels: Any, num_layers: Any) -> None: ...

class ConvNeXt(Module):
    classifier: Module
    avgpool: Any
    features: Module
    def __init__(self, block_setting: Any, stochastic_depth_prob: float = 0.0, layer_scale: float = 1e-06, num_classes: int = 1000, block: Any = None, norm_layer: Any = None, **kwargs: Any) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

def convnext_tiny(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def convnext_small(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def convnext_base(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def convnext_large(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
