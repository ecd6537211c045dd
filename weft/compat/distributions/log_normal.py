"""PyTorch's place for LogNormal."""
from weft.distributions.composed import *  # noqa: F403
