"""Inception v3 (Szegedy et al. 2015)."""
# made by tools/stubs.py
from typing import Any
from typing_extensions import Self
from weft._typing import Ints
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class InceptionOutputs(tuple[Any, ...]):
    logits: Any
    aux_logits: Any
    def __new__(cls, logits: Tensor, aux_logits: Any) -> Self: ...

class BasicConv2d(Module):
    bn: Any
    conv: Any
    def __init__(self, in_channels: Any, out_channels: Any, **kwargs: Any) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

def conv(i: Any, o: Any, k: int, stride: Ints = 1) -> Any: ...
def chain(module: Module, prefix: str, x: Any, *suffixes: Any) -> Any: ...
class InceptionA(Module):
    branch_pool: Any
    branch3x3dbl_1: Any
    branch3x3dbl_2: Any
    branch3x3dbl_3: Any
    branch5x5_1: Any
    branch5x5_2: Any
    branch1x1: Any
    def __init__(self, i: Any, pool_features: Any) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class InceptionB(Module):
    branch3x3dbl_3: Any
    branch3x3dbl_1: Any
    branch3x3dbl_2: Any
    branch3x3: Any
    def __init__(self, i: Any) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class InceptionC(Module):
    branch_pool: Any
    branch7x7dbl_4: Any
    branch7x7dbl_5: Any
    branch7x7dbl_1: Any
    branch7x7dbl_2: Any
    branch7x7dbl_3: Any
    branch7x7_1: Any
    branch7x7_2: Any
    branch7x7_3: Any
    branch1x1: Any
    def __init__(self, i: Any, c: Any) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class InceptionD(Module):
    branch7x7x3_3: Any
    branch7x7x3_4: Any
    branch7x7x3_1: Any
    branch7x7x3_2: Any
    branch3x3_1: Any
    branch3x3_2: Any
    def __init__(self, i: Any) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class InceptionE(Module):
    branch_pool: Any
    branch3x3dbl_3a: Any
    branch3x3dbl_3b: Any
    branch3x3dbl_1: Any
    branch3x3dbl_2: Any
    branch3x3_2b: Any
    branch3x3_1: Any
    branch3x3_2a: Any
    branch1x1: Any
    def __init__(self, i: Any) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class InceptionAux(Module):
    fc: Module
    conv1: Any
    conv0: Any
    def __init__(self, i: Any, num_classes: int) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

def from_imagenet(x: Any) -> Any: ...
class Inception3(Module):
    fc: Module
    avgpool: Any
    dropout: Module
    Mixed_7a: Any
    Mixed_7b: Any
    Mixed_7c: Any
    AuxLogits: Any
    Mixed_6b: Any
    Mixed_6c: Any
    Mixed_6d: Any
    Mixed_6e: Any
    Mixed_6a: Any
    Mixed_5b: Any
    Mixed_5c: Any
    Mixed_5d: Any
    maxpool2: Any
    Conv2d_4a_3x3: Any
    Conv2d_3b_1x1: Any
    maxpool1: Any
    Conv2d_2b_3x3: Any
    Conv2d_2a_3x3: Any
    Conv2d_1a_3x3: Any
    aux_logits: bool
    transform_input: bool
    def __init__(self, num_classes: int = 1000, aux_logits: bool = True, transform_input: bool = False, inception_blocks: Any = None, init_weights: Any = None, dropout: float = 0.5) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

def inception_v3(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
