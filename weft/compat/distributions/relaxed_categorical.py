"""PyTorch's place for RelaxedOneHotCategorical."""
from weft.distributions.relaxed import *  # noqa: F403
