"""PyTorch's place for Pareto."""
from weft.distributions.composed import *  # noqa: F403
