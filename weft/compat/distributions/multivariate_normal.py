"""PyTorch's place for MultivariateNormal."""
from weft.distributions.multivariate import *  # noqa: F403
