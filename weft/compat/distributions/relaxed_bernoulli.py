"""PyTorch's place for RelaxedBernoulli."""
from weft.distributions._beside import beside as __getattr__  # noqa: F401
from weft.distributions.relaxed import *  # noqa: F403
