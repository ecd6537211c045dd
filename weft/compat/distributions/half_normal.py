"""PyTorch's place for HalfNormal."""
from weft.distributions.halves import *  # noqa: F403
