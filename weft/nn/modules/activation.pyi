"""Activations as layers."""
# made by tools/stubs.py
from typing import Any
from weft._typing import DType, Device, Number
from weft.nn.module import Module as Module
from weft.nn.modules.layer import FunctionLayer as FunctionLayer
from weft.nn.parameter import Parameter
from weft.tensor.tensor import Tensor

class ReLU(FunctionLayer):
    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...

class SiLU(FunctionLayer):
    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...

class Mish(FunctionLayer):
    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...

class ELU(FunctionLayer):
    alpha: Number
    inplace: bool
    def __init__(self, alpha: Number = 1.0, inplace: bool = False) -> None: ...

class CELU(FunctionLayer):
    alpha: Number
    inplace: bool
    def __init__(self, alpha: Number = 1.0, inplace: bool = False) -> None: ...

class SELU(FunctionLayer):
    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...

class GELU(FunctionLayer):
    approximate: str
    def __init__(self, approximate: str = 'none') -> None: ...

class GLU(FunctionLayer):
    dim: int
    def __init__(self, dim: int = -1) -> None: ...

class LeakyReLU(FunctionLayer):
    negative_slope: float
    inplace: bool
    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None: ...

class Hardsigmoid(FunctionLayer):
    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...

class Hardswish(FunctionLayer):
    inplace: bool
    def __init__(self, inplace: bool = False) -> None: ...

class Threshold(FunctionLayer):
    threshold: float
    value: Tensor
    inplace: bool
    def __init__(self, threshold: float, value: Tensor, inplace: bool = False) -> None: ...

class Softplus(FunctionLayer):
    beta: Number
    threshold: float
    def __init__(self, beta: Number = 1.0, threshold: float = 20.0) -> None: ...

class Softmin(FunctionLayer):
    dim: int | None
    def __init__(self, dim: int | None = None) -> None: ...

class RReLU(FunctionLayer):
    lower: float
    upper: float
    inplace: bool
    def __init__(self, lower: float = 0.125, upper: float = ..., inplace: bool = False) -> None: ...

class Sigmoid(FunctionLayer):
    ...

class Tanh(FunctionLayer):
    ...

class LogSigmoid(FunctionLayer):
    ...

class Softsign(FunctionLayer):
    ...

class Tanhshrink(FunctionLayer):
    ...

class _Shrink(FunctionLayer):
    def extra_repr(self) -> str: ...

class Hardshrink(_Shrink, FunctionLayer):
    lambd: float
    def __init__(self, lambd: float = 0.5) -> None: ...

class Softshrink(_Shrink, FunctionLayer):
    lambd: float
    def __init__(self, lambd: float = 0.5) -> None: ...

class Hardtanh(Module):
    inplace: bool
    max_val: Any
    min_val: Any
    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False, min_value: float | None = None, max_value: float | None = None) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def extra_repr(self) -> str: ...

class ReLU6(Hardtanh):
    def __init__(self, inplace: bool = False) -> None: ...
    def extra_repr(self) -> str: ...

class PReLU(Module):
    weight: Parameter
    num_parameters: int
    init: float
    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Device | None = None, dtype: DType | None = None) -> None: ...
    def reset_parameters(self) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def extra_repr(self) -> str: ...

class _OverDim(Module):
    dim: int | None
    def __init__(self, dim: int | None = None) -> None: ...
    def extra_repr(self) -> str: ...

class Softmax(_OverDim):
    def forward(self, input: Tensor) -> Tensor: ...

class LogSoftmax(_OverDim):
    def forward(self, input: Tensor) -> Tensor: ...

class Softmax2d(Module):
    def forward(self, input: Tensor) -> Tensor: ...

