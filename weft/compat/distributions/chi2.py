"""PyTorch's place for Chi2."""
from weft.distributions.gammas import *  # noqa: F403
