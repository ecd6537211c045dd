"""Dropout layers."""
# made by tools/stubs.py
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class _DropoutNd(Module):
    p: float
    inplace: bool
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def extra_repr(self) -> str: ...

class Dropout(_DropoutNd):
    ...

class Dropout1d(_DropoutNd):
    ...

class Dropout2d(_DropoutNd):
    ...

class Dropout3d(_DropoutNd):
    ...

class AlphaDropout(_DropoutNd):
    def forward(self, input: Tensor) -> Tensor: ...

class FeatureAlphaDropout(_DropoutNd):
    def forward(self, input: Tensor) -> Tensor: ...

