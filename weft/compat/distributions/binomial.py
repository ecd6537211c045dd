"""PyTorch's place for Binomial."""
from weft.distributions.discrete import *  # noqa: F403
