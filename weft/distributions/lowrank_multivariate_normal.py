"""Normal vectors whose covariance is a few directions and a diagonal."""
import math

import weft
from weft.distributions import constraints
from weft.distributions.distribution import Distribution
from weft.distributions.multivariate import _squared_lengths
from weft.distributions.utils import _standard_normal, lazy_property

__all__ = ["LowRankMultivariateNormal"]


def _plus_identity(matrix):
    return matrix + weft.eye(matrix.shape[-1], dtype=matrix.dtype)


class LowRankMultivariateNormal(Distribution):
    """A normal vector with the covariance cov_factor @ cov_factor.T + diag(cov_diag), of which only matrices of the
    factor's rank are ever decomposed (Woodbury's identity).

    Shapes: loc and cov_diag (..., n), cov_factor (..., n, rank).

    >>> import weft
    >>> d = weft.distributions.LowRankMultivariateNormal(weft.zeros(2), weft.tensor([[1.0], [0.0]]), weft.ones(2))
    >>> d.covariance_matrix
    tensor([[2., 0.],
            [0., 1.]])
    """
    arg_constraints = {"loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
                       "cov_diag": constraints.independent(constraints.positive, 1)}
    support = constraints.real_vector
    has_rsample = True
    _layout = {"loc": 1, "cov_factor": 2, "cov_diag": 1}
    mean = mode = property(lambda self: self.loc)

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
        if cov_diag.shape[-1:] != event:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
        try:
            column, self.cov_factor, diag = weft.broadcast_tensors(loc.unsqueeze(-1), cov_factor,
                                                                   cov_diag.unsqueeze(-1))
        except RuntimeError as error:
            raise ValueError(f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, "
                             f"cov_diag {cov_diag.shape}") from error
        self.loc, self.cov_diag = column[..., 0], diag[..., 0]
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = weft.linalg.cholesky(_plus_identity(self._scaled_factor() @ cov_factor))
        super().__init__(self.loc.shape[:-1], event, validate_args=validate_args)

    def _expanded(self, batch_shape, new=None):
        new = super()._expanded(batch_shape, new)
        for name in ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"):
            setattr(new, name, getattr(self, name))
        return new

    def _scaled_factor(self):
        return self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)      # (..., rank, n)

    def _reduced(self):
        """The matrix A for which the precision is 1 / cov_diag - A.T @ A: (..., rank, n)."""
        return weft.linalg.solve_triangular(self._capacitance_tril, self._scaled_factor(), upper=False)

    def _square(self):
        return self._batch_shape + self._event_shape + self._event_shape

    @lazy_property
    def variance(self):
        """The diagonal of the covariance matrix.

        >>> import weft
        >>> d = weft.distributions
        >>> d.LowRankMultivariateNormal(weft.zeros(2), weft.tensor([[1.0], [0.0]]), weft.ones(2)).variance
        tensor([2., 1.])
        """
        return (self._unbroadcasted_cov_factor.pow(2).sum(-1)
                + self._unbroadcasted_cov_diag).expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        """The lower triangular factor of the covariance matrix.

        >>> import weft
        >>> d = weft.distributions
        >>> d.LowRankMultivariateNormal(weft.zeros(2), weft.zeros(2, 1), weft.tensor([4.0, 1.0])).scale_tril
        tensor([[2., 0.],
                [0., 1.]])
        """
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        factor = self._unbroadcasted_cov_factor / root
        return (root * weft.linalg.cholesky(_plus_identity(factor @ factor.mT))).expand(self._square())

    @lazy_property
    def covariance_matrix(self):
        """The covariance matrix.

        >>> import weft
        >>> d = weft.distributions
        >>> d.LowRankMultivariateNormal(weft.zeros(2), weft.ones(2, 1), weft.ones(2)).covariance_matrix
        tensor([[2., 1.],
                [1., 2.]])
        """
        factor = self._unbroadcasted_cov_factor
        return (factor @ factor.mT + weft.diag_embed(self._unbroadcasted_cov_diag)).expand(self._square())

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance matrix.

        >>> import weft
        >>> d = weft.distributions
        >>> d.LowRankMultivariateNormal(weft.zeros(2), weft.zeros(2, 1), weft.tensor([4.0, 1.0])).precision_matrix
        tensor([[0.2500, 0.0000],
                [0.0000, 1.0000]])
        """
        reduced = self._reduced()
        inverse = weft.diag_embed(self._unbroadcasted_cov_diag.reciprocal())
        return (inverse - reduced.mT @ reduced).expand(self._square())

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        along = _standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc.dtype)
        apart = _standard_normal(shape, self.loc.dtype)
        return (self.loc + (self._unbroadcasted_cov_factor @ along.unsqueeze(-1)).squeeze(-1)
                + self._unbroadcasted_cov_diag.sqrt() * apart)

    def _log_det(self):
        return (2 * self._capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
                + self._unbroadcasted_cov_diag.log().sum(-1))

    def _distance(self, away):
        """away.T @ precision @ away."""
        inside = (self._scaled_factor() @ away.unsqueeze(-1)).squeeze(-1)
        return ((away.pow(2) / self._unbroadcasted_cov_diag).sum(-1)
                - _squared_lengths(self._capacitance_tril, inside))

    def log_prob(self, value):
        self._check_value(value)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + self._log_det() + self._distance(value - self.loc))

    def entropy(self):
        found = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return found.expand(self._batch_shape)
