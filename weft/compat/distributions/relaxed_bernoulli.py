"""PyTorch's place for RelaxedBernoulli."""
from weft.distributions.relaxed import *  # noqa: F403
