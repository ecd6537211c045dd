"""PyTorch's place for Geometric."""
from weft.distributions._beside import beside as __getattr__  # noqa: F401
from weft.distributions.discrete import *  # noqa: F403
