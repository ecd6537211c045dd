"""Regions pooled from the level of a pyramid that fits their size."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Ints
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class MultiScaleRoIAlign(Module):
    canonical_scale: int
    canonical_level: int
    featmap_names: Any
    output_size: Any
    sampling_ratio: Any
    def __init__(self, featmap_names: Any, output_size: Ints, sampling_ratio: Any, *, canonical_scale: int = 224, canonical_level: int = 4) -> None: ...
    def forward(self, x: Any, boxes: Any, image_shapes: Any) -> Tensor: ...

