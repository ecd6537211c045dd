"""PyTorch's place for HalfCauchy."""
from weft.distributions.halves import *  # noqa: F403
