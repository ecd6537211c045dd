"""What detectors without proposals share."""
# made by tools/stubs.py
from typing import Any
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class OneStage(Module):
    def forward(self, images: Any, targets: Tensor | None = None) -> Tensor: ...

def best_pairs(scores: Any, threshold: float, most: Any) -> Any: ...
