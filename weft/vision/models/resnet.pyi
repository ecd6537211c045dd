"""ResNet, ResNeXt and Wide ResNet (He et al. 2015, Xie et al. 2017, Zagoruyko and Komodakis 2016)."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Ints
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

def conv3x3(in_planes: Any, out_planes: Any, stride: Ints = 1, groups: int = 1, dilation: Ints = 1) -> Any: ...
def conv1x1(in_planes: Any, out_planes: Any, stride: Ints = 1) -> Any: ...
class BasicBlock(Module):
    expansion: int
    downsample: Any
    stride: Ints
    conv2: Any
    bn2: Any
    relu: Any
    conv1: Any
    bn1: Any
    def __init__(self, inplanes: Any, planes: Any, stride: Ints = 1, downsample: Any = None, groups: int = 1, base_width: int = 64, dilation: Ints = 1, norm_layer: Any = None) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class Bottleneck(Module):
    expansion: int
    downsample: Any
    stride: Ints
    relu: Any
    conv3: Any
    bn3: Any
    conv2: Any
    bn2: Any
    conv1: Any
    bn1: Any
    def __init__(self, inplanes: Any, planes: Any, stride: Ints = 1, downsample: Any = None, groups: int = 1, base_width: int = 64, dilation: Ints = 1, norm_layer: Any = None) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class ResNet(Module):
    fc: Module
    avgpool: Any
    layer4: Any
    layer3: Any
    layer2: Any
    layer1: Any
    maxpool: Any
    relu: Any
    bn1: Any
    conv1: Any
    inplanes: int
    dilation: int
    groups: int
    base_width: int
    def __init__(self, block: Any, layers: Any, num_classes: int = 1000, zero_init_residual: bool = False, groups: int = 1, width_per_group: int = 64, replace_stride_with_dilation: Any = None, norm_layer: Any = None) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

def resnet18(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def resnet34(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def resnet50(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def resnet101(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def resnet152(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def resnext50_32x4d(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def resnext101_32x8d(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def resnext101_64x4d(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def wide_resnet50_2(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
def wide_resnet101_2(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
