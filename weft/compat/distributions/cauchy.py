"""PyTorch's place for Cauchy."""
from weft.distributions._beside import beside as __getattr__  # noqa: F401
from weft.distributions.continuous import *  # noqa: F403
