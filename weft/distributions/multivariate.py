"""The normal distribution of vectors."""
import math

import weft
from weft.distributions import constraints
from weft.distributions.distribution import Distribution
from weft.distributions.utils import _standard_normal, lazy_property

__all__ = ["MultivariateNormal"]


def _tril_of_precision(precision):
    """The lower factor of the covariance whose inverse is given: a Cholesky factor of the flipped matrix, turned back.
    """
    flipped = weft.linalg.cholesky(precision.flip(-2, -1))
    inverse = flipped.flip(-2, -1).mT
    return weft.linalg.solve_triangular(inverse, weft.eye(precision.shape[-1], dtype=precision.dtype), upper=False)


def _squared_lengths(tril, away):
    """The squared length of tril^-1 @ away, for each vector: (..., n, n) and (..., n) to (...)."""
    # samples become columns where one factor serves them all
    if tril.dim() == 2:
        solved = weft.linalg.solve_triangular(tril, away.reshape(-1, away.shape[-1]).mT, upper=False)
        return solved.pow(2).sum(-2).reshape(away.shape[:-1])
    return weft.linalg.solve_triangular(tril, away.unsqueeze(-1), upper=False).squeeze(-1).pow(2).sum(-1)


class MultivariateNormal(Distribution):
    """A normal vector with mean `loc` and a covariance, its inverse (the precision), or its lower Cholesky factor.

    >>> import weft
    >>> weft.distributions.MultivariateNormal(weft.zeros(2), weft.eye(2)).log_prob(weft.zeros(2))
    tensor(-1.8379)
    """
    arg_constraints = {"loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
                       "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky}
    support = constraints.real_vector
    has_rsample = True
    _layout = {"loc": 1, "covariance_matrix": 2, "precision_matrix": 2, "scale_tril": 2}

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        given = {name: value for name, value in given.items() if value is not None}
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        (name, matrix), = given.items()
        if matrix.dim() < 2:
            raise ValueError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")
        batch = weft.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self.__dict__[name] = matrix.expand(batch + matrix.shape[-2:])
        self.loc = loc.expand(batch + loc.shape[-1:])
        super().__init__(batch, loc.shape[-1:], validate_args=validate_args)
        made = {"scale_tril": lambda m: m, "covariance_matrix": weft.linalg.cholesky,
                "precision_matrix": _tril_of_precision}[name]
        self._unbroadcasted_scale_tril = made(matrix)

    def _expanded(self, batch_shape, new=None):
        new = super()._expanded(batch_shape, new)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        return new

    def _square(self):
        return self._batch_shape + self._event_shape + self._event_shape

    @lazy_property
    def scale_tril(self):
        """The lower triangular factor of the covariance matrix.

        >>> import weft
        >>> weft.distributions.MultivariateNormal(weft.zeros(2), weft.eye(2) * 4).scale_tril
        tensor([[2., 0.],
                [0., 2.]])
        """
        return self._unbroadcasted_scale_tril.expand(self._square())

    @lazy_property
    def covariance_matrix(self):
        """The covariance matrix.

        >>> import weft
        >>> scale = weft.tensor([[2.0, 0.0], [0.0, 1.0]])
        >>> weft.distributions.MultivariateNormal(weft.zeros(2), scale_tril=scale).covariance_matrix
        tensor([[4., 0.],
                [0., 1.]])
        """
        return (self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT).expand(self._square())

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance matrix.

        >>> import weft
        >>> weft.distributions.MultivariateNormal(weft.zeros(2), weft.eye(2) * 4).precision_matrix
        tensor([[0.2500, 0.0000],
                [0.0000, 0.2500]])
        """
        return weft.cholesky_inverse(self._unbroadcasted_scale_tril).expand(self._square())

    mean = mode = property(lambda self: self.loc)
    variance = property(lambda self: self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape
                                                                                          + self._event_shape))

    def rsample(self, sample_shape=()):
        eps = _standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + (self._unbroadcasted_scale_tril @ eps.unsqueeze(-1)).squeeze(-1)

    def _half_log_det(self):
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def log_prob(self, value):
        self._check_value(value)
        solved = _squared_lengths(self._unbroadcasted_scale_tril, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + solved) - self._half_log_det()

    def entropy(self):
        return (0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi))
                + self._half_log_det()).expand(self._batch_shape)
