"""PyTorch's place for these."""
from weft.nn.modules.shaping import Flatten as Flatten
from weft.nn.modules.shaping import Unflatten as Unflatten
