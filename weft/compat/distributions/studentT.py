"""PyTorch's place for StudentT."""
from weft.distributions.gammas import *  # noqa: F403
