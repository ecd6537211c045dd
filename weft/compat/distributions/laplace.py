"""PyTorch's place for Laplace."""
from weft.distributions.continuous import *  # noqa: F403
