"""PyTorch's place for Poisson."""
from weft.distributions.discrete import *  # noqa: F403
