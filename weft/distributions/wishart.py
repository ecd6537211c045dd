"""Random positive definite matrices: sums of squares of normal vectors."""
import math
import warnings
from numbers import Number

import weft
from weft.core.size import Size
from weft.distributions import constraints
from weft.distributions.distribution import ExponentialFamily
from weft.distributions.gammas import Chi2
from weft.distributions.multivariate import _tril_of_precision
from weft.distributions.utils import lazy_property

__all__ = ["Wishart"]


class Wishart(ExponentialFamily):
    """The sum of `df` outer products of normal vectors with a covariance, its inverse, or its lower Cholesky factor.

    >>> import weft
    >>> weft.distributions.Wishart(weft.tensor(3.0), weft.eye(2)).mean
    tensor([[3., 0.],
            [0., 3.]])
    """
    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    _layout = {"df": 0, "covariance_matrix": 2, "precision_matrix": 2, "scale_tril": 2, "_unbroadcasted_scale_tril": 2}

    @property
    def arg_constraints(self):
        """Parameter -> the constraint that it must meet.

        >>> import weft
        >>> weft.distributions.Wishart(weft.tensor(3.0), weft.eye(2)).arg_constraints["df"]
        GreaterThan(lower_bound=1)
        """
        return {"covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
                "scale_tril": constraints.lower_cholesky, "df": constraints.greater_than(self.event_shape[-1] - 1)}

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        given = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        given = {name: value for name, value in given.items() if value is not None}
        if len(given) != 1:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        (name, matrix), = given.items()
        if matrix.dim() < 2:
            raise ValueError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")
        if isinstance(df, Number):
            batch, self.df = matrix.shape[:-2], weft.tensor(df, dtype=matrix.dtype)
        else:
            batch = weft.broadcast_shapes(matrix.shape[:-2], df.shape)
            self.df = df.expand(batch)
        size = matrix.shape[-1]
        if (self.df <= size - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}.")
        if (self.df < size).any():
            warnings.warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < "
                          "ndim.", stacklevel=2)
        self.__dict__[name] = matrix.expand(batch + matrix.shape[-2:])
        super().__init__(batch, matrix.shape[-2:], validate_args=validate_args)
        made = {"scale_tril": lambda m: m, "covariance_matrix": weft.linalg.cholesky,
                "precision_matrix": _tril_of_precision}[name]
        self._unbroadcasted_scale_tril = made(matrix)

    def _whole(self):
        return self._batch_shape + self._event_shape

    @lazy_property
    def scale_tril(self):
        """The lower triangular factor of the covariance matrix.

        >>> import weft
        >>> weft.distributions.Wishart(weft.tensor(3.0), weft.eye(2) * 4).scale_tril
        tensor([[2., 0.],
                [0., 2.]])
        """
        return self._unbroadcasted_scale_tril.expand(self._whole())

    @lazy_property
    def covariance_matrix(self):
        """The covariance matrix of the normal vectors.

        >>> import weft
        >>> weft.distributions.Wishart(weft.tensor(3.0), scale_tril=weft.eye(2) * 2).covariance_matrix
        tensor([[4., 0.],
                [0., 4.]])
        """
        return (self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT).expand(self._whole())

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance matrix.

        >>> import weft
        >>> weft.distributions.Wishart(weft.tensor(3.0), weft.eye(2) * 4).precision_matrix
        tensor([[0.2500, 0.0000],
                [0.0000, 0.2500]])
        """
        identity = weft.eye(self._event_shape[-1], dtype=self._unbroadcasted_scale_tril.dtype)
        return weft.cholesky_solve(identity, self._unbroadcasted_scale_tril).expand(self._whole())

    def _times(self, factor, matrix):
        """A factor for each of the batch, times its matrix."""
        return factor.reshape(self._batch_shape + (1, 1)) * matrix

    mean = property(lambda self: self._times(self.df, self.covariance_matrix))

    @property
    def mode(self):
        above = self.df - self._event_shape[-1] - 1
        return self._times(weft.where(above <= 0, math.nan, above), self.covariance_matrix)

    @property
    def variance(self):
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        return self._times(self.df, covariance.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def _draw(self, sample_shape):
        """Bartlett's decomposition: the lower factor has roots of chi-squares on its diagonal, normals below."""
        size, dtype = self._event_shape[-1], self._unbroadcasted_scale_tril.dtype
        less = weft.arange(size, dtype=dtype).expand(self._batch_shape + (size,))
        roots = Chi2(self.df.unsqueeze(-1) - less).rsample(sample_shape).sqrt()
        noise = roots.clamp(min=weft.finfo(roots.dtype).eps).diag_embed()
        rows, columns = weft.tril_indices(size, size, offset=-1)
        below = weft.randn(Size(sample_shape) + self._batch_shape + (size * (size - 1) // 2,), dtype=noise.dtype)
        noise[..., rows, columns] = below
        lower = self._unbroadcasted_scale_tril @ noise
        return lower @ lower.mT

    def _bad(self, sample):
        """For each sample, whether one of its batch is singular."""
        bad = ~self.support.check(sample)
        return bad.flatten(bad.dim() - len(self._batch_shape)).any(-1) if self._batch_shape else bad

    def rsample(self, sample_shape=(), max_try_correction=None):
        shape, tries = Size(sample_shape), 10 if max_try_correction is None else max_try_correction
        sample = self._draw(shape)
        if not tries:
            return sample
        sample = self._draw((shape.numel(),))           # PyTorch draws again where nothing was wrong: a seed is to
        for _ in range(tries - 1):                      # give the same samples here
            bad = self._bad(sample)
            if not bad.any():
                break
            warnings.warn("Singular sample detected.", stacklevel=2)
            sample = sample.index_put((bad,), self._draw((int(bad.sum()),)))
        return sample.reshape(shape + self._whole())

    def log_prob(self, value):
        self._check_value(value)
        df, size, lower = self.df, self._event_shape[-1], self._unbroadcasted_scale_tril
        trace = weft.cholesky_solve(value, lower).diagonal(dim1=-2, dim2=-1).sum(-1)
        return (-df * self._half_log_det() - weft.mvlgamma(df / 2, p=size)
                + (df - size - 1) / 2 * weft.linalg.slogdet(value).logabsdet - trace / 2)

    def _half_log_det(self):
        """Half the log-determinant of twice the covariance."""
        return (self._event_shape[-1] * math.log(2) / 2
                + self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1))

    def entropy(self):
        df, size = self.df, self._event_shape[-1]
        digammas = weft.digamma((df / 2).unsqueeze(-1) - weft.arange(size, dtype=df.dtype) / 2).sum(-1)
        return ((size + 1) * self._half_log_det() + weft.mvlgamma(df / 2, p=size) - (df - size - 1) / 2 * digammas
                + df * size / 2)

    @property
    def _natural_params(self):
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x, y):
        size = self._event_shape[-1]
        half = y + (size + 1) / 2
        return (half * (size * math.log(2) - weft.linalg.slogdet(-2 * x).logabsdet)
                + weft.mvlgamma(half, p=size))
