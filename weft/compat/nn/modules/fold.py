"""PyTorch's place for these."""
from weft.nn.modules.shaping import Fold as Fold
from weft.nn.modules.shaping import Unfold as Unfold
