"""PyTorch's place for Bernoulli."""
from weft.distributions.discrete import *  # noqa: F403
