"""PyTorch's place for Gumbel."""
from weft.distributions.composed import *  # noqa: F403
