"""PyTorch's place for FisherSnedecor."""
from weft.distributions.gammas import *  # noqa: F403
