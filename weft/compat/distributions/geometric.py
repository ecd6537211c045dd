"""PyTorch's place for Geometric."""
from weft.distributions.discrete import *  # noqa: F403
