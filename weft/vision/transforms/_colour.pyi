"""Transforms of colour and sharpness (v1)."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Ints
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor
from weft.vision.transforms._compose import Chance as Chance

class ColorJitter(Module):
    hue: Any
    saturation: Any
    contrast: Any
    brightness: Any
    def __init__(self, brightness: Any = 0, contrast: Any = 0, saturation: Any = 0, hue: Any = 0) -> None: ...
    @staticmethod
    def get_params(brightness: Any, contrast: Any, saturation: Any, hue: Any) -> Any: ...
    def forward(self, img: Any) -> Tensor: ...

class Grayscale(Module):
    num_output_channels: int
    def __init__(self, num_output_channels: int = 1) -> None: ...
    def forward(self, img: Any) -> Tensor: ...

class RandomGrayscale(Chance):
    def __init__(self, p: Any = 0.1) -> None: ...
    def forward(self, img: Any) -> Tensor: ...

class GaussianBlur(Module):
    sigma: Any
    kernel_size: Any
    def __init__(self, kernel_size: Ints, sigma: Any = (0.1, 2.0)) -> None: ...
    @staticmethod
    def get_params(sigma_min: Any, sigma_max: Any) -> Any: ...
    def forward(self, img: Any) -> Tensor: ...

class RandomInvert(Chance):
    ...

class RandomAutocontrast(Chance):
    ...

class RandomEqualize(Chance):
    ...

class RandomPosterize(Chance):
    bits: int
    def __init__(self, bits: int, p: Any = 0.5) -> None: ...

class RandomSolarize(Chance):
    threshold: float
    def __init__(self, threshold: float, p: Any = 0.5) -> None: ...

class RandomAdjustSharpness(Chance):
    sharpness_factor: Any
    def __init__(self, sharpness_factor: Any, p: Any = 0.5) -> None: ...

