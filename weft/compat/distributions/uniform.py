"""PyTorch's place for Uniform."""
from weft.distributions.continuous import *  # noqa: F403
