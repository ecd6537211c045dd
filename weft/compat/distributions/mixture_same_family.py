"""PyTorch's place for MixtureSameFamily."""
from weft.distributions.composed import *  # noqa: F403
