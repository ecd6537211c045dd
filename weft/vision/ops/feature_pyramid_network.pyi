"""Feature pyramids: maps of several sizes, the coarse ones' knowledge added to the fine ones (Lin et al. 2017)."""
# made by tools/stubs.py
from collections.abc import Sequence
from typing import Any
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class ExtraFPNBlock(Module):
    def forward(self, results: Any, x: Any, names: Sequence[str]) -> Tensor: ...

class LastLevelMaxPool(ExtraFPNBlock):
    def forward(self, results: Any, x: Any, names: Sequence[str]) -> Tensor: ...

class LastLevelP6P7(ExtraFPNBlock):
    use_P5: Any
    p7: Any
    p6: Any
    def __init__(self, in_channels: Any, out_channels: Any) -> None: ...
    def forward(self, results: Any, x: Any, names: Sequence[str]) -> Tensor: ...

class FeaturePyramidNetwork(Module):
    extra_blocks: Any
    inner_blocks: Module
    layer_blocks: Module
    def __init__(self, in_channels_list: Any, out_channels: Any, extra_blocks: Any = None, norm_layer: Any = None) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

