"""PyTorch's place for Chi2."""
from weft.distributions._beside import beside as __getattr__  # noqa: F401
from weft.distributions.gammas import *  # noqa: F403
