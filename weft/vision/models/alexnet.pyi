"""AlexNet (Krizhevsky 2014)."""
# made by tools/stubs.py
from typing import Any
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class AlexNet(Module):
    classifier: Module
    avgpool: Any
    features: Module
    def __init__(self, num_classes: int = 1000, dropout: float = 0.5) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

def alexnet(*, weights: Tensor | None = None, progress: bool = True, **kwargs: Any) -> Any: ...
