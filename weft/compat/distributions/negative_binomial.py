"""PyTorch's place for NegativeBinomial."""
from weft.distributions.discrete import *  # noqa: F403
