"""AutoAugment, RandAugment, TrivialAugmentWide and AugMix (v2): the same as v1's, drawn in v2's order."""
# made by tools/stubs.py
from typing import Any
from weft.tensor.tensor import Tensor
from weft.vision.transforms.v2._base import Transform as Transform

class _Auto(Transform):
    interpolation: Any
    fill: Any
    def __init__(self, interpolation: Any, fill: Any) -> None: ...
    def forward(self, *inputs: Any) -> Tensor: ...

class AutoAugment(_Auto):
    policy: Any
    def __init__(self, policy: Any = ..., interpolation: Any = ..., fill: Any = None) -> None: ...

class RandAugment(_Auto):
    num_ops: int
    magnitude: int
    num_magnitude_bins: int
    def __init__(self, num_ops: int = 2, magnitude: int = 9, num_magnitude_bins: int = 31, interpolation: Any = ..., fill: Any = None) -> None: ...

class TrivialAugmentWide(_Auto):
    num_magnitude_bins: int
    def __init__(self, num_magnitude_bins: int = 31, interpolation: Any = ..., fill: Any = None) -> None: ...

class AugMix(_Auto):
    alpha: Any
    all_ops: bool
    severity: int
    mixture_width: int
    chain_depth: int
    def __init__(self, severity: int = 3, mixture_width: int = 3, chain_depth: int = -1, alpha: Any = 1.0, all_ops: bool = True, interpolation: Any = ..., fill: Any = None) -> None: ...

