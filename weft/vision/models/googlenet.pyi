"""GoogLeNet (Szegedy et al. 2014), with batch normalisation."""
# made by tools/stubs.py
from typing import Any
from typing_extensions import Self
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class GoogLeNetOutputs(tuple[Any, ...]):
    logits: Any
    aux_logits2: Any
    aux_logits1: Any
    def __new__(cls, logits: Tensor, aux_logits2: Any, aux_logits1: Any) -> Self: ...

class Inception(Module):
    branch4: Module
    branch3: Module
    branch2: Module
    branch1: Any
    def __init__(self, i: Any, one: Any, three_in: Any, three: Any, five_in: Any, five: Any, pool: Any) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class InceptionAux(Module):
    dropout: Module
    fc1: Module
    fc2: Module
    conv: Any
    def __init__(self, i: Any, num_classes: int, dropout: float = 0.7) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class GoogLeNet(Module):
    fc: Module
    avgpool: Any
    dropout: Module
    aux2: Any
    aux1: Any
    maxpool4: Any
    maxpool3: Any
    maxpool2: Any
    conv2: Any
    conv3: Any
    maxpool1: Any
    conv1: Any
    aux_logits: bool
    transform_input: bool
    def __init__(self, num_classes: int = 1000, aux_logits: bool = True, transform_input: bool = False, init_weights: Any = None, blocks: Any = None, dropout: float = 0.2, dropout_aux: float = 0.7) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

def googlenet(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
