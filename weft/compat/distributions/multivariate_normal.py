"""PyTorch's place for MultivariateNormal."""
from weft.distributions._beside import beside as __getattr__  # noqa: F401
from weft.distributions.multivariate import *  # noqa: F403
from weft.distributions.multivariate import _squared_lengths as _batch_mahalanobis  # noqa: F401
from weft.distributions.multivariate import _tril_of_precision as _precision_to_scale_tril  # noqa: F401


def _batch_mv(bmat, bvec):
    """The products of a batch of matrices with a batch of vectors."""
    return (bmat @ bvec.unsqueeze(-1)).squeeze(-1)
