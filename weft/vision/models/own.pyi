"""LeNet, U-Net and a small YOLO: models that torchvision doesn't have."""
# made by tools/stubs.py
from typing import Any
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class LeNet(Module):
    classifier: Module
    features: Module
    def __init__(self, num_classes: int = 10, in_channels: int = 1) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class UNet(Module):
    last: Any
    join: Module
    up: Module
    down: Module
    first: Any
    def __init__(self, in_channels: int = 3, num_classes: int = 2, width: int = 64, depth: int = 4) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class YOLO(Module):
    STRIDE: int
    head: Any
    backbone: Module
    anchors: Tensor
    num_classes: int
    score_thresh: float
    nms_thresh: float
    def __init__(self, num_classes: int, width: int = 16, anchors: Any = ..., score_thresh: float = 0.3, nms_thresh: float = 0.5) -> None: ...
    def forward(self, pictures: Any, targets: Tensor | None = None) -> Tensor: ...

