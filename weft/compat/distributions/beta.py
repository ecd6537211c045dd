"""PyTorch's place for Beta."""
from weft.distributions.gammas import *  # noqa: F403
