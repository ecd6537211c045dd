"""PyTorch's place for HalfCauchy."""
from weft.distributions._beside import beside as __getattr__  # noqa: F401
from weft.distributions.halves import *  # noqa: F403
