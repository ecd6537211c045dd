"""PyTorch's place for Normal."""
from weft.distributions.continuous import *  # noqa: F403
