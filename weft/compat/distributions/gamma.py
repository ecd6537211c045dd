"""PyTorch's place for Gamma."""
from weft.distributions.gammas import *  # noqa: F403
