"""Transforms of size, place and form (v1)."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Ints
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor
from weft.vision.transforms._compose import Chance as Chance

class Resize(Module):
    size: Any
    max_size: Any
    interpolation: Any
    antialias: bool
    def __init__(self, size: Any, interpolation: Any = ..., max_size: Any = None, antialias: bool = True) -> None: ...
    def forward(self, img: Any) -> Tensor: ...

class CenterCrop(Module):
    size: Any
    def __init__(self, size: Any) -> None: ...
    def forward(self, img: Any) -> Tensor: ...

class FiveCrop(CenterCrop):
    def forward(self, img: Any) -> Tensor: ...

class TenCrop(CenterCrop):
    vertical_flip: bool
    def __init__(self, size: Any, vertical_flip: bool = False) -> None: ...
    def forward(self, img: Any) -> Tensor: ...

class Pad(Module):
    padding: Any
    fill: Any
    padding_mode: str
    def __init__(self, padding: Any, fill: Any = 0, padding_mode: str = 'constant') -> None: ...
    def forward(self, img: Any) -> Tensor: ...

class RandomCrop(Module):
    padding: Any
    pad_if_needed: bool
    fill: Any
    padding_mode: str
    size: Any
    def __init__(self, size: Any, padding: Any = None, pad_if_needed: bool = False, fill: Any = 0, padding_mode: str = 'constant') -> None: ...
    @staticmethod
    def get_params(img: Any, output_size: Ints) -> Any: ...
    def forward(self, img: Any) -> Tensor: ...

class RandomHorizontalFlip(Chance):
    ...

class RandomVerticalFlip(Chance):
    ...

class RandomResizedCrop(Module):
    scale: Any
    ratio: Any
    interpolation: Any
    antialias: bool
    size: Any
    def __init__(self, size: Any, scale: Any = (0.08, 1.0), ratio: Any = (0.75, 1.3333333333333333), interpolation: Any = ..., antialias: bool = True) -> None: ...
    @staticmethod
    def get_params(img: Any, scale: Any, ratio: Any) -> Any: ...
    def forward(self, img: Any) -> Tensor: ...

def channel_fill(img: Any, fill: Any) -> Any: ...
class RandomRotation(Module):
    interpolation: Any
    resample: Any
    center: Any
    expand: bool
    fill: Any
    degrees: Any
    def __init__(self, degrees: Any, interpolation: Any = ..., expand: bool = False, center: Any = None, fill: Any = 0) -> None: ...
    @staticmethod
    def get_params(degrees: Any) -> float: ...
    def forward(self, img: Any) -> Tensor: ...

class RandomAffine(Module):
    fill: Any
    fillcolor: Any
    interpolation: Any
    resample: Any
    shear: Any
    translate: Any
    scale: Any
    center: Any
    degrees: Any
    def __init__(self, degrees: Any, translate: Any = None, scale: Any = None, shear: Any = None, interpolation: Any = ..., fill: Any = 0, center: Any = None) -> None: ...
    @staticmethod
    def get_params(degrees: Any, translate: Any, scale_ranges: Any, shears: Any, img_size: Any) -> Any: ...
    def forward(self, img: Any) -> Tensor: ...

class RandomPerspective(Module):
    fill: Any
    distortion_scale: float
    p: Any
    interpolation: Any
    def __init__(self, distortion_scale: float = 0.5, p: Any = 0.5, interpolation: Any = ..., fill: Any = 0) -> None: ...
    @staticmethod
    def get_params(width: int, height: int, distortion_scale: Any) -> Any: ...
    def forward(self, img: Any) -> Tensor: ...

class ElasticTransform(Module):
    fill: list[Any]
    interpolation: Any
    alpha: Any
    sigma: Any
    def __init__(self, alpha: Any = 50.0, sigma: Any = 5.0, interpolation: Any = ..., fill: Any = 0) -> None: ...
    @staticmethod
    def get_params(alpha: Any, sigma: Any, size: Any) -> Any: ...
    def forward(self, tensor: Any) -> Tensor: ...

class RandomErasing(Module):
    p: Any
    scale: Any
    ratio: Any
    value: Any
    inplace: bool
    def __init__(self, p: Any = 0.5, scale: Any = (0.02, 0.33), ratio: Any = (0.3, 3.3), value: Any = 0, inplace: bool = False) -> None: ...
    @staticmethod
    def get_params(img: Any, scale: Any, ratio: Any, value: Any = None) -> Any: ...
    def forward(self, img: Any) -> Tensor: ...

