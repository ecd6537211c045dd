"""PyTorch's place for ExponentialFamily."""
from weft.distributions._beside import beside as __getattr__  # noqa: F401
from weft.distributions.distribution import *  # noqa: F403
