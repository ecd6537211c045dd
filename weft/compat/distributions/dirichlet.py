"""PyTorch's place for Dirichlet."""
from weft.distributions.gammas import *  # noqa: F403
