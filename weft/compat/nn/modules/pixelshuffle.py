"""PyTorch's place for these."""
from weft.nn.modules.shaping import PixelShuffle as PixelShuffle
from weft.nn.modules.shaping import PixelUnshuffle as PixelUnshuffle
