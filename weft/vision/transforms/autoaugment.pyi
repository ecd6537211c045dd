"""AutoAugment, RandAugment, TrivialAugmentWide and AugMix (v1)."""
# made by tools/stubs.py
from typing import Any
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

from weft.vision.transforms._augment import AutoAugmentPolicy as AutoAugmentPolicy
class AutoAugment(Module):
    policies: Any
    policy: Any
    interpolation: Any
    fill: Any
    def __init__(self, policy: Any = ..., interpolation: Any = ..., fill: Any = None) -> None: ...
    @staticmethod
    def get_params(transform_num: Any) -> Any: ...
    def forward(self, img: Any) -> Tensor: ...

class RandAugment(Module):
    interpolation: Any
    fill: Any
    num_ops: int
    magnitude: int
    num_magnitude_bins: int
    def __init__(self, num_ops: int = 2, magnitude: int = 9, num_magnitude_bins: int = 31, interpolation: Any = ..., fill: Any = None) -> None: ...
    def forward(self, img: Any) -> Tensor: ...

class TrivialAugmentWide(Module):
    num_magnitude_bins: int
    interpolation: Any
    fill: Any
    def __init__(self, num_magnitude_bins: int = 31, interpolation: Any = ..., fill: Any = None) -> None: ...
    def forward(self, img: Any) -> Tensor: ...

class AugMix(Module):
    all_ops: bool
    interpolation: Any
    fill: Any
    severity: int
    mixture_width: int
    chain_depth: int
    alpha: Any
    def __init__(self, severity: int = 3, mixture_width: int = 3, chain_depth: int = -1, alpha: Any = 1.0, all_ops: bool = True, interpolation: Any = ..., fill: Any = None) -> None: ...
    def forward(self, orig_img: Any) -> Tensor: ...

