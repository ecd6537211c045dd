"""PyTorch's place for Cauchy."""
from weft.distributions.continuous import *  # noqa: F403
