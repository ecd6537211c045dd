"""PyTorch's place for Categorical."""
from weft.distributions.discrete import *  # noqa: F403
