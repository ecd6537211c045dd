"""Convolution layers."""
# made by tools/stubs.py
from typing import Any
from weft._typing import DType, Device, Ints
from weft.nn.module import Module as Module
from weft.nn.parameter import Parameter
from weft.tensor.tensor import Tensor

def to_tuple(value: Tensor, n: int | float | str) -> Any: ...
class _ConvNd(Module):
    in_channels: int
    out_channels: int
    groups: int
    padding_mode: str
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    padding: str | tuple[int, ...]
    output_padding: tuple[int, ...]
    transposed: bool
    bias: Parameter
    weight: Parameter
    def reset_parameters(self) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def extra_repr(self) -> str: ...

class _Conv(_ConvNd):
    def __init__(self, in_channels: int, out_channels: int, kernel_size: Ints, stride: Ints = 1, padding: Ints | str = 0, dilation: Ints = 1, groups: int = 1, bias: bool = True, padding_mode: str = 'zeros', device: Device | None = None, dtype: DType | None = None) -> None: ...

class Conv1d(_Conv):
    ...

class Conv2d(_Conv):
    ...

class Conv3d(_Conv):
    ...

class _ConvTransposeNd(_ConvNd):
    transposed: bool
    def __init__(self, in_channels: int, out_channels: int, kernel_size: Ints, stride: Ints = 1, padding: Ints | str = 0, output_padding: Ints = 0, groups: int = 1, bias: bool = True, dilation: Ints = 1, padding_mode: str = 'zeros', device: Device | None = None, dtype: DType | None = None) -> None: ...
    def forward(self, input: Tensor, output_size: Ints | tuple[int | None, ...] | None = None) -> Tensor: ...

class ConvTranspose1d(_ConvTransposeNd):
    ...

class ConvTranspose2d(_ConvTransposeNd):
    ...

class ConvTranspose3d(_ConvTransposeNd):
    ...

