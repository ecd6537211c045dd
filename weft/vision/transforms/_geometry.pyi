"""Transforms of size, place and form (v1)."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Ints, Number, TensorLike
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor
from weft.vision.transforms._compose import Chance as Chance

class Resize(Module):
    size: Ints
    max_size: Any
    interpolation: Any
    antialias: bool
    def __init__(self, size: Ints, interpolation: str = ..., max_size: Any = None, antialias: bool = True) -> None: ...
    def forward(self, img: Any) -> Tensor: ...

class CenterCrop(Module):
    size: Any
    def __init__(self, size: Ints) -> None: ...
    def forward(self, img: Any) -> Tensor: ...

class FiveCrop(CenterCrop):
    def forward(self, img: Any) -> Tensor: ...

class TenCrop(CenterCrop):
    vertical_flip: bool
    def __init__(self, size: Ints, vertical_flip: bool = False) -> None: ...
    def forward(self, img: Any) -> Tensor: ...

class Pad(Module):
    padding: Ints | str
    fill: int
    padding_mode: str
    def __init__(self, padding: Ints | str, fill: int = 0, padding_mode: str = 'constant') -> None: ...
    def forward(self, img: Any) -> Tensor: ...

class RandomCrop(Module):
    padding: Ints | str | None
    pad_if_needed: bool
    fill: int
    padding_mode: str
    size: Any
    def __init__(self, size: Ints, padding: Ints | str | None = None, pad_if_needed: bool = False, fill: int = 0, padding_mode: str = 'constant') -> None: ...
    @staticmethod
    def get_params(img: Any, output_size: Ints) -> Any: ...
    def forward(self, img: Any) -> Tensor: ...

class RandomHorizontalFlip(Chance):
    ...

class RandomVerticalFlip(Chance):
    ...

class RandomResizedCrop(Module):
    scale: float
    ratio: tuple[float, ...]
    interpolation: Any
    antialias: bool
    size: Any
    def __init__(self, size: Ints, scale: float = (0.08, 1.0), ratio: tuple[float, ...] = (0.75, 1.3333333333333333), interpolation: str = ..., antialias: bool = True) -> None: ...
    @staticmethod
    def get_params(img: Any, scale: float, ratio: Any) -> Any: ...
    def forward(self, img: Any) -> Tensor: ...

def channel_fill(img: Any, fill: Any) -> Any: ...
class RandomRotation(Module):
    interpolation: Any
    resample: Any
    center: Any
    expand: bool
    fill: int
    degrees: Any
    def __init__(self, degrees: Any, interpolation: str = ..., expand: bool = False, center: Any = None, fill: int = 0) -> None: ...
    @staticmethod
    def get_params(degrees: Any) -> float: ...
    def forward(self, img: Any) -> Tensor: ...

class RandomAffine(Module):
    fill: int
    fillcolor: int
    interpolation: Any
    resample: Any
    shear: Any
    translate: Any
    scale: float | None
    center: Any
    degrees: Any
    def __init__(self, degrees: Any, translate: Any = None, scale: float | None = None, shear: Any = None, interpolation: str = ..., fill: int = 0, center: Any = None) -> None: ...
    @staticmethod
    def get_params(degrees: Any, translate: Any, scale_ranges: Any, shears: Any, img_size: Any) -> Any: ...
    def forward(self, img: Any) -> Tensor: ...

class RandomPerspective(Module):
    fill: int
    distortion_scale: float
    p: float
    interpolation: Any
    def __init__(self, distortion_scale: float = 0.5, p: float = 0.5, interpolation: str = ..., fill: int = 0) -> None: ...
    @staticmethod
    def get_params(width: int, height: Any, distortion_scale: Any) -> Any: ...
    def forward(self, img: Any) -> Tensor: ...

class ElasticTransform(Module):
    fill: list[Any]
    interpolation: Any
    alpha: Any
    sigma: Any
    def __init__(self, alpha: Number = 50.0, sigma: float = 5.0, interpolation: str = ..., fill: int = 0) -> None: ...
    @staticmethod
    def get_params(alpha: Number, sigma: float, size: Ints) -> Any: ...
    def forward(self, tensor: Tensor) -> Tensor: ...

class RandomErasing(Module):
    p: float
    scale: float
    ratio: tuple[float, ...]
    value: TensorLike
    inplace: bool
    def __init__(self, p: float = 0.5, scale: float = (0.02, 0.33), ratio: tuple[float, ...] = (0.3, 3.3), value: TensorLike = 0, inplace: bool = False) -> None: ...
    @staticmethod
    def get_params(img: Any, scale: float, ratio: Any, value: TensorLike | None = None) -> Any: ...
    def forward(self, img: Any) -> Tensor: ...

