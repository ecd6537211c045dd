"""PyTorch's place for OneHotCategorical."""
from weft.distributions.discrete import *  # noqa: F403
