"""PyTorch's place for Weibull."""
from weft.distributions._beside import beside as __getattr__  # noqa: F401
from weft.distributions.composed import *  # noqa: F403
