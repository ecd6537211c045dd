"""PyTorch's place for Weibull."""
from weft.distributions.composed import *  # noqa: F403
