"""Invertible maps with the log of their derivative: what flows and transformed distributions are made of."""
import math

import weft
from weft.distributions import constraints
from weft.distributions.transform import CatTransform as CatTransform
from weft.distributions.transform import ComposeTransform as ComposeTransform
from weft.distributions.transform import IndependentTransform as IndependentTransform
from weft.distributions.transform import ReshapeTransform as ReshapeTransform
from weft.distributions.transform import StackTransform as StackTransform
from weft.distributions.transform import Transform as Transform
from weft.distributions.transform import _InverseTransform as _InverseTransform
from weft.distributions.transform import identity_transform as identity_transform
from weft.distributions.utils import _sum_rightmost, broadcast_all, tril_matrix_to_vec, vec_to_tril_matrix
from weft.nn.functional import softplus
from weft.tensor.tensor import Tensor

__all__ = ["Transform", "ComposeTransform", "IndependentTransform", "ReshapeTransform", "identity_transform",
           "ExpTransform", "PowerTransform", "SigmoidTransform", "SoftplusTransform", "TanhTransform", "AbsTransform",
           "AffineTransform", "CorrCholeskyTransform", "SoftmaxTransform", "StickBreakingTransform",
           "LowerCholeskyTransform", "PositiveDefiniteTransform", "CatTransform", "StackTransform",
           "CumulativeDistributionTransform"]


class _Growing(Transform):
    """A bijective map of single numbers that grows, without parameters."""
    bijective = True
    sign = 1

    def __eq__(self, other):
        return type(self) is type(other)

    __hash__ = object.__hash__


class ExpTransform(_Growing):
    """y = e**x.

    >>> import weft
    >>> weft.distributions.ExpTransform()(weft.tensor(0.0))
    tensor(1.)
    """
    codomain = constraints.positive
    def _call(self, x): return x.exp()
    def _inverse(self, y): return y.log()
    def log_abs_det_jacobian(self, x, y): return x


class SigmoidTransform(_Growing):
    """y = 1 / (1 + e**-x).

    >>> import weft
    >>> weft.distributions.SigmoidTransform()(weft.tensor(0.0))
    tensor(0.5000)
    """
    codomain = constraints.unit_interval

    def _call(self, x):
        return _clipped_sigmoid(x)

    def _inverse(self, y):
        info = weft.finfo(y.dtype)
        y = y.clamp(min=info.tiny, max=1 - info.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):
        return -softplus(-x) - softplus(x)


class SoftplusTransform(_Growing):
    """y = log(1 + e**x).

    >>> import weft
    >>> weft.distributions.SoftplusTransform()(weft.tensor(0.0))
    tensor(0.6931)
    """
    codomain = constraints.positive
    def _call(self, x): return softplus(x)
    def _inverse(self, y): return (-y).expm1().neg().log() + y
    def log_abs_det_jacobian(self, x, y): return -softplus(-x)


class TanhTransform(_Growing):
    """y = tanh(x).

    >>> import weft
    >>> weft.distributions.TanhTransform()(weft.tensor(0.0))
    tensor(0.)
    """
    codomain = constraints.interval(-1.0, 1.0)
    def _call(self, x): return x.tanh()
    def _inverse(self, y): return weft.atanh(y)
    def log_abs_det_jacobian(self, x, y): return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(Transform):
    """y = |x|.

    >>> import weft
    >>> weft.distributions.AbsTransform()(weft.tensor(-2.0))
    tensor(2.)
    """
    codomain = constraints.positive
    def __eq__(self, other): return isinstance(other, AbsTransform)
    __hash__ = object.__hash__
    def _call(self, x): return x.abs()
    def _inverse(self, y): return y


class PowerTransform(Transform):
    """y = x**exponent, for positive x.

    >>> import weft
    >>> weft.distributions.PowerTransform(weft.tensor(2.0))(weft.tensor(3.0))
    tensor(9.)
    """
    domain = codomain = constraints.positive
    bijective = True

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size)
        self.exponent, = broadcast_all(exponent)

    def with_cache(self, cache_size=1):
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size)

    sign = property(lambda self: self.exponent.sign())

    def __eq__(self, other):
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all())

    __hash__ = object.__hash__
    def _call(self, x): return x.pow(self.exponent)
    def _inverse(self, y): return y.pow(1 / self.exponent)
    def log_abs_det_jacobian(self, x, y): return (self.exponent * y / x).abs().log()
    def forward_shape(self, shape): return weft.broadcast_shapes(shape, self.exponent.shape)
    inverse_shape = forward_shape


class AffineTransform(Transform):
    """y = loc + scale * x; the last `event_dim` dimensions are one event.

    >>> import weft
    >>> weft.distributions.AffineTransform(1.0, 2.0)(weft.tensor(3.0))
    tensor(7.)
    """
    bijective = True

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    event_dim = property(lambda self: self._event_dim)

    @property
    def domain(self):
        """The constraint of inputs, and of outputs.

        >>> import weft
        >>> weft.distributions.AffineTransform(0.0, 2.0).codomain
        Real()
        """
        return constraints.independent(constraints.real, self._event_dim) if self._event_dim else constraints.real

    codomain = domain

    def with_cache(self, cache_size=1):
        return (self if self._cache_size == cache_size else AffineTransform(self.loc, self.scale, self._event_dim,
                                                                            cache_size))

    def __eq__(self, other):
        def same(a, b):
            return bool((weft.as_tensor(a) == weft.as_tensor(b)).all())
        return isinstance(other, AffineTransform) and same(self.loc, other.loc) and same(self.scale, other.scale)

    __hash__ = object.__hash__

    @property
    def sign(self):
        return self.scale.sign() if isinstance(self.scale, Tensor) else (self.scale > 0) - (self.scale < 0)

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        logs = (self.scale.abs().log() if isinstance(self.scale, Tensor)
                else weft.full_like(x, math.log(abs(self.scale))))
        if self._event_dim:
            logs = (logs.expand(weft.broadcast_shapes(logs.shape, x.shape[x.dim() - self._event_dim:]))
                    if isinstance(self.scale, Tensor) else logs)
            logs = _sum_rightmost(logs, self._event_dim)
        return logs.expand(x.shape[:x.dim() - self._event_dim])

    def forward_shape(self, shape):
        return weft.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


class SoftmaxTransform(Transform):
    """Real vectors to the simplex: e**x, scaled to sum to 1 (not one to one).

    >>> import weft
    >>> weft.distributions.SoftmaxTransform()(weft.zeros(2))
    tensor([0.5000, 0.5000])
    """
    domain, codomain = constraints.real_vector, constraints.simplex
    def __eq__(self, other): return isinstance(other, SoftmaxTransform)
    __hash__ = object.__hash__

    def _call(self, x):
        p = (x - x.max(-1, True)[0]).exp()
        return p / p.sum(-1, True)

    def _inverse(self, y):
        return y.log()


class StickBreakingTransform(_Growing):
    """Real vectors of length n to the simplex of n + 1: each takes its share of what is left of a stick.

    >>> import weft
    >>> weft.distributions.StickBreakingTransform()(weft.zeros(2))
    tensor([0.3333, 0.3333, 0.3333])
    """
    domain, codomain = constraints.real_vector, constraints.simplex
    sign = property(lambda self: Transform.sign.fget(self))

    def _offset(self, x):
        return x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)

    def _call(self, x):
        z = _clipped_sigmoid(x - self._offset(x).log())
        rest = (1 - z).cumprod(-1)
        return weft.nn.functional.pad(z, [0, 1], value=1) * weft.nn.functional.pad(rest, [1, 0], value=1)

    def _inverse(self, y):
        cropped = y[..., :-1]
        rest = (1 - cropped.cumsum(-1)).clamp(min=weft.finfo(y.dtype).tiny)
        return cropped.log() - rest.log() + self._offset(cropped).log()

    def log_abs_det_jacobian(self, x, y):
        x = x - self._offset(x).log()
        return (-x + weft.nn.functional.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape):
        return weft.Size(shape[:-1]) + (shape[-1] + 1,)

    def inverse_shape(self, shape):
        return weft.Size(shape[:-1]) + (shape[-1] - 1,)


def _clipped_sigmoid(x):
    """The sigmoid, kept from 0 and 1; also a name of PyTorch's."""
    info = weft.finfo(x.dtype)
    return x.sigmoid().clamp(min=info.tiny, max=1 - info.eps)


class LowerCholeskyTransform(Transform):
    """Any matrix to a lower triangle with a positive diagonal.

    >>> import weft
    >>> weft.distributions.LowerCholeskyTransform()(weft.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    domain, codomain = constraints.independent(constraints.real, 2), constraints.lower_cholesky
    def __eq__(self, other): return isinstance(other, LowerCholeskyTransform)
    __hash__ = object.__hash__
    def _call(self, x): return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()
    def _inverse(self, y): return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Transform):
    """Any matrix to a positive definite one: the product of its lower factor with itself.

    >>> import weft
    >>> weft.distributions.PositiveDefiniteTransform()(weft.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    domain, codomain = constraints.independent(constraints.real, 2), constraints.positive_definite
    def __eq__(self, other): return isinstance(other, PositiveDefiniteTransform)
    __hash__ = object.__hash__

    def _call(self, x):
        lower = LowerCholeskyTransform()(x)
        return lower @ lower.mT

    def _inverse(self, y):
        return LowerCholeskyTransform().inv(weft.linalg.cholesky(y))


class CorrCholeskyTransform(Transform):
    """Real vectors of length n (n - 1) / 2 to the lower factors of correlation matrices of n rows.

    Each number below the diagonal takes, as tanh of it, its share of what the row's length 1 has left.

    >>> import weft
    >>> weft.distributions.CorrCholeskyTransform()(weft.zeros(1))
    tensor([[1., 0.],
            [0., 1.]])
    """
    domain, codomain = constraints.real_vector, constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        eps = weft.finfo(x.dtype).eps
        shares = vec_to_tril_matrix(x.tanh().clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - shares ** 2).sqrt().cumprod(-1)
        shares = shares + weft.eye(shares.shape[-1], dtype=shares.dtype)       # the diagonal takes all the rest
        return shares * weft.nn.functional.pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y):
        left = weft.nn.functional.pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1)
        share = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (share.log1p() - share.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x, y, intermediates=None):
        left = tril_matrix_to_vec(1 - (y * y).cumsum(-1), diag=-2)
        return 0.5 * left.log().sum(-1) - 2 * (x + softplus(-2 * x) - math.log(2.0)).sum(-1)

    def forward_shape(self, shape):
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        n = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != shape[-1]:
            raise ValueError(f"Input is not a flattened lower-diagonal number: {shape[-1]}")
        return shape[:-1] + (n, n)

    def inverse_shape(self, shape):
        if len(shape) < 2:
            raise ValueError("Too few dimensions on input")
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return shape[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)


class CumulativeDistributionTransform(Transform):
    """The distribution function of a distribution: its draws become uniform ones.

    >>> import weft
    >>> d = weft.distributions
    >>> d.CumulativeDistributionTransform(d.Uniform(0.0, 4.0))(weft.tensor(1.0))
    tensor(0.2500)
    """
    bijective = True
    codomain = constraints.unit_interval
    sign = 1

    def __init__(self, distribution, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self):
        """The constraint of inputs.

        >>> import weft
        >>> d = weft.distributions
        >>> d.CumulativeDistributionTransform(d.Normal(0.0, 1.0)).domain
        Real()
        """
        return self.distribution.support

    def _call(self, x): return self.distribution.cdf(x)
    def _inverse(self, y): return self.distribution.icdf(y)
    def log_abs_det_jacobian(self, x, y): return self.distribution.log_prob(x)

    def with_cache(self, cache_size=1):
        return (self if self._cache_size == cache_size
                else CumulativeDistributionTransform(self.distribution, cache_size=cache_size))
