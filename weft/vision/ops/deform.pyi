"""Convolutions whose kernels look where they are told."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Ints
from weft.nn.module import Module as Module
from weft.nn.parameter import Parameter
from weft.tensor.tensor import Tensor

def deform_conv2d(input: Any, offset: int, weight: Tensor, bias: Tensor | None = None, stride: Ints = (1, 1), padding: Any = (0, 0), dilation: Ints = (1, 1), mask: Tensor | None = None) -> Any: ...
class DeformConv2d(Module):
    bias: Any
    weight: Parameter
    padding: Any
    dilation: Any
    kernel_size: Any
    stride: Any
    in_channels: Any
    out_channels: Any
    groups: int
    def __init__(self, in_channels: Any, out_channels: Any, kernel_size: Ints, stride: Ints = 1, padding: Any = 0, dilation: Ints = 1, groups: int = 1, bias: bool = True) -> None: ...
    def reset_parameters(self) -> None: ...
    def forward(self, input: Any, offset: int, mask: Tensor | None = None) -> Tensor: ...
    def extra_repr(self) -> str: ...

