"""PyTorch's place for Exponential."""
from weft.distributions.continuous import *  # noqa: F403
