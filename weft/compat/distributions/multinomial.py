"""PyTorch's place for Multinomial."""
from weft.distributions.discrete import *  # noqa: F403
