"""PyTorch's place for StudentT."""
from weft.distributions._beside import beside as __getattr__  # noqa: F401
from weft.distributions.gammas import *  # noqa: F403
