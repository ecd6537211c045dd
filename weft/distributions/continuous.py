"""Distributions of single real numbers, sampled by shifting and scaling what the random stream gives."""
import math

import weft
from weft.distributions import constraints
from weft.distributions.distribution import Elementwise, ExponentialFamily
from weft.distributions.utils import _standard_normal

__all__ = ["Normal", "Uniform", "Exponential", "Laplace", "Cauchy"]

_LOC_SCALE = {"loc": constraints.real, "scale": constraints.positive}


class Normal(Elementwise, ExponentialFamily):
    """The normal distribution with mean `loc` and standard deviation `scale`.

    >>> import weft
    >>> weft.distributions.Normal(0., 1.).log_prob(weft.tensor(0.))
    tensor(-0.9189)
    """
    arg_constraints = _LOC_SCALE
    support = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0
    mean = mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale.pow(2))

    def __init__(self, loc, scale, validate_args=None):
        self._take(validate_args, loc=loc, scale=scale)

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with weft.no_grad():
            return weft.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape=()):
        return self.loc + _standard_normal(self._extended_shape(sample_shape), self.loc.dtype) * self.scale

    def log_prob(self, value):
        self._check_value(value)
        return -((value - self.loc) ** 2) / (2 * self.scale ** 2) - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value):
        self._check_value(value)
        return 0.5 * (1 + weft.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value):
        return self.loc + self.scale * weft.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self):
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

    @property
    def _natural_params(self):
        return self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()

    def _log_normalizer(self, x, y):
        return -0.25 * x.pow(2) / y + 0.5 * weft.log(-math.pi / y)


class Uniform(Elementwise):
    """All numbers of [low, high), equally likely.

    >>> import weft
    >>> d = weft.distributions.Uniform(0.0, 2.0)
    >>> d.log_prob(weft.tensor(0.5))
    tensor(-0.6931)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = {"low": constraints.real, "high": constraints.real}
    has_rsample = True
    mean = property(lambda self: (self.high + self.low) / 2)
    mode = property(lambda self: math.nan * self.high)
    stddev = property(lambda self: (self.high - self.low) / 12 ** 0.5)
    variance = property(lambda self: (self.high - self.low).pow(2) / 12)

    def __init__(self, low, high, validate_args=None):
        self._take(validate_args, low=low, high=high)

    def _check_arguments(self):
        super()._check_arguments()
        if not (self.low < self.high).all():
            raise ValueError("Uniform is not defined when low>= high")

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.interval(self.low, self.high)

    def rsample(self, sample_shape=()):
        return self.low + weft.rand(self._extended_shape(sample_shape), dtype=self.low.dtype) * (self.high - self.low)

    def log_prob(self, value):
        self._check_value(value)
        inside = (self.low.le(value) & self.high.gt(value)).to(self.low.dtype)
        return inside.log() - (self.high - self.low).log()

    def cdf(self, value):
        self._check_value(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value):
        return value * (self.high - self.low) + self.low

    def entropy(self):
        return (self.high - self.low).log()


class Exponential(Elementwise, ExponentialFamily):
    """The waiting time of a Poisson process with `rate` events per unit.

    >>> import weft
    >>> d = weft.distributions.Exponential(2.0)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-1.3069)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    mean = stddev = property(lambda self: self.rate.reciprocal())
    mode = property(lambda self: weft.zeros_like(self.rate))
    variance = property(lambda self: self.rate.pow(-2))

    def __init__(self, rate, validate_args=None):
        self._take(validate_args, rate=rate)

    def rsample(self, sample_shape=()):
        return weft.empty(self._extended_shape(sample_shape), dtype=self.rate.dtype).exponential_() / self.rate

    def log_prob(self, value):
        self._check_value(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value):
        self._check_value(value)
        return 1 - weft.exp(-self.rate * value)

    def icdf(self, value):
        return -weft.log1p(-value) / self.rate

    def entropy(self):
        return 1.0 - self.rate.log()

    @property
    def _natural_params(self):
        return (-self.rate,)

    def _log_normalizer(self, x):
        return -weft.log(-x)


class Laplace(Elementwise):
    """Two exponentials back to back around `loc`.

    >>> import weft
    >>> d = weft.distributions.Laplace(0.0, 1.0)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-1.6931)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = _LOC_SCALE
    support = constraints.real
    has_rsample = True
    mean = mode = property(lambda self: self.loc)
    variance = property(lambda self: 2 * self.scale.pow(2))
    stddev = property(lambda self: 2 ** 0.5 * self.scale)

    def __init__(self, loc, scale, validate_args=None):
        self._take(validate_args, loc=loc, scale=scale)

    def rsample(self, sample_shape=()):
        u = weft.empty(self._extended_shape(sample_shape), dtype=self.loc.dtype)
        u.uniform_(weft.finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * weft.log1p(-u.abs())

    def log_prob(self, value):
        self._check_value(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value):
        self._check_value(value)
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * weft.expm1(-away.abs() / self.scale)

    def icdf(self, value):
        term = value - 0.5
        return self.loc - self.scale * term.sign() * weft.log1p(-2 * term.abs())

    def entropy(self):
        return 1 + (2 * self.scale).log()


class Cauchy(Elementwise):
    """The ratio of two centred normals, scaled and shifted: without a mean.

    >>> import weft
    >>> d = weft.distributions.Cauchy(0.0, 1.0)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-1.8379)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = _LOC_SCALE
    support = constraints.real
    has_rsample = True
    mean = property(lambda self: self._constant(math.nan, self.loc))
    mode = property(lambda self: self.loc)
    variance = property(lambda self: self._constant(math.inf, self.loc))

    def __init__(self, loc, scale, validate_args=None):
        self._take(validate_args, loc=loc, scale=scale)

    def rsample(self, sample_shape=()):
        return self.loc + weft.empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).cauchy_() * self.scale

    def log_prob(self, value):
        self._check_value(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value):
        self._check_value(value)
        return weft.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value):
        return weft.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self):
        return math.log(4 * math.pi) + self.scale.log()
