"""Layers that torchvision's models are made of."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Ints
from weft.nn.module import Module as Module
from weft.nn.modules.container import Sequential as Sequential
from weft.tensor.tensor import Tensor

class ConvNormActivation(Sequential):
    out_channels: Any
    def __init__(self, in_channels: Any, out_channels: Any, kernel_size: Ints = 3, stride: Ints = 1, padding: Any = None, groups: int = 1, norm_layer: Any = ..., activation_layer: Any = ..., dilation: Ints = 1, inplace: bool = True, bias: Tensor | None = None, conv_layer: Any = ...) -> None: ...

class Conv2dNormActivation(ConvNormActivation):
    def __init__(self, in_channels: Any, out_channels: Any, kernel_size: Ints = 3, stride: Ints = 1, padding: Any = None, groups: int = 1, norm_layer: Any = ..., activation_layer: Any = ..., dilation: Ints = 1, inplace: bool = True, bias: Tensor | None = None) -> None: ...

class Conv3dNormActivation(ConvNormActivation):
    def __init__(self, in_channels: Any, out_channels: Any, kernel_size: Ints = 3, stride: Ints = 1, padding: Any = None, groups: int = 1, norm_layer: Any = ..., activation_layer: Any = ..., dilation: Ints = 1, inplace: bool = True, bias: Tensor | None = None) -> None: ...

class SqueezeExcitation(Module):
    activation: Any
    scale_activation: Any
    fc2: Any
    fc1: Any
    avgpool: Any
    def __init__(self, input_channels: Any, squeeze_channels: Any, activation: Any = ..., scale_activation: Any = ...) -> None: ...
    def forward(self, input: Any) -> Tensor: ...

class MLP(Sequential):
    def __init__(self, in_channels: Any, hidden_channels: Any, norm_layer: Any = None, activation_layer: Any = ..., inplace: bool | None = None, bias: bool = True, dropout: float = 0.0) -> None: ...

class Permute(Module):
    dims: Ints
    def __init__(self, dims: Ints) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class FrozenBatchNorm2d(Module):
    running_var: Tensor
    running_mean: Tensor
    bias: Tensor
    weight: Tensor
    eps: float
    def __init__(self, num_features: Any, eps: float = 1e-05) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

def stochastic_depth(input: Any, p: Any, mode: Any, training: bool = True) -> Any: ...
class StochasticDepth(Module):
    p: Any
    mode: Any
    def __init__(self, p: Any, mode: Any) -> None: ...
    def forward(self, input: Any) -> Tensor: ...

def drop_block2d(input: Any, p: Any, block_size: Any, inplace: bool = False, eps: float = 1e-06, training: bool = True) -> Any: ...
def drop_block3d(input: Any, p: Any, block_size: Any, inplace: bool = False, eps: float = 1e-06, training: bool = True) -> Any: ...
class DropBlock2d(Module):
    p: Any
    block_size: Any
    inplace: bool
    eps: float
    def __init__(self, p: Any, block_size: Any, inplace: bool = False, eps: float = 1e-06) -> None: ...
    def forward(self, input: Any) -> Tensor: ...

class DropBlock3d(DropBlock2d):
    ...

