"""PyTorch's place for Independent."""
from weft.distributions.composed import *  # noqa: F403
