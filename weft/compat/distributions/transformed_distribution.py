"""PyTorch's place for TransformedDistribution."""
from weft.distributions.composed import *  # noqa: F403
