"""How pixels are looked up between pixels."""
# made by tools/stubs.py
from enum import Enum as Enum
from typing import Any

class InterpolationMode(Enum):
    NEAREST = 'nearest'
    NEAREST_EXACT = 'nearest-exact'
    BILINEAR = 'bilinear'
    BICUBIC = 'bicubic'
    BOX = 'box'
    HAMMING = 'hamming'
    LANCZOS = 'lanczos'

def mode_of(interpolation: Any) -> Any: ...
