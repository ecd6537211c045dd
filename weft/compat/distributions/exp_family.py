"""PyTorch's place for ExponentialFamily."""
from weft.distributions.distribution import *  # noqa: F403
