"""The gamma distribution and its family; samples have gradients by implicit differentiation of the distribution
function.
"""
import math

import weft
from weft.core.size import Size
from weft.distributions import constraints
from weft.distributions.distribution import Distribution, Elementwise, ExponentialFamily
from weft.distributions.utils import _standard_normal, broadcast_all
from weft.ops.random.gamma import _sample_dirichlet, _standard_gamma

__all__ = ["Gamma", "Chi2", "Dirichlet", "Beta", "StudentT", "FisherSnedecor"]


class Gamma(Elementwise, ExponentialFamily):
    """The waiting time for `concentration` events at a `rate`.

    >>> import weft
    >>> d = weft.distributions.Gamma(2.0, 1.0)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-1.)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance = property(lambda self: self.concentration / self.rate.pow(2))

    def __init__(self, concentration, rate, validate_args=None):
        self._take(validate_args, concentration=concentration, rate=rate)

    def rsample(self, sample_shape=()):
        drawn = _standard_gamma(self.concentration.expand(self._extended_shape(sample_shape))) / self.rate
        drawn.data.clamp_(min=weft.finfo(drawn.dtype).tiny)        # nothing to the gradient
        return drawn

    def log_prob(self, value):
        value = weft.as_tensor(value, dtype=self.rate.dtype)
        self._check_value(value)
        a, rate = self.concentration, self.rate
        return weft.xlogy(a, rate) + weft.xlogy(a - 1, value) - rate * value - a.lgamma()

    def entropy(self):
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1.0 - a) * a.digamma()

    def cdf(self, value):
        self._check_value(value)
        return weft.special.gammainc(self.concentration, self.rate * value)

    @property
    def _natural_params(self):
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x, y):
        return weft.lgamma(x + 1) + (x + 1) * weft.log(-y.reciprocal())


class Chi2(Gamma):
    """The sum of `df` squared standard normals.

    >>> import weft
    >>> d = weft.distributions.Chi2(3.0)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-1.4189)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = {"df": constraints.positive}
    _layout = {"concentration": 0, "rate": 0}

    def __init__(self, df, validate_args=None):
        df, = broadcast_all(df)
        self.concentration, self.rate = 0.5 * df, weft.full_like(df, 0.5)
        Distribution.__init__(self, df.shape, validate_args=validate_args)

    @property
    def df(self):
        """The degrees of freedom.

        >>> import weft
        >>> weft.distributions.Chi2(weft.tensor([4.0])).df
        tensor([4.])
        """
        return self.concentration * 2


class Dirichlet(ExponentialFamily):
    """Points of the simplex: gammas scaled to sum to 1.

    >>> import weft
    >>> d = weft.distributions.Dirichlet(weft.tensor([1.0, 2.0]))
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3, 2])
    >>> d.batch_shape, d.event_shape
    (torch.Size([]), torch.Size([2]))
    """
    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    _layout = {"concentration": 1}

    def __init__(self, concentration, validate_args=None):
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape=()):
        return _sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        self._check_value(value)
        a = self.concentration
        return weft.xlogy(a - 1.0, value).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    mean = property(lambda self: self.concentration / self.concentration.sum(-1, True))

    @property
    def mode(self):
        above = (self.concentration - 1).clamp(min=0.0)
        inside = above / above.sum(-1, True)
        corner = weft.nn.functional.one_hot(inside.argmax(-1), above.shape[-1]).to(above.dtype)
        return weft.where((self.concentration < 1).all(-1, keepdim=True), corner, inside)

    @property
    def variance(self):
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self):
        a, total = self.concentration, self.concentration.sum(-1)
        return a.lgamma().sum(-1) - total.lgamma() - (a.size(-1)
                                                      - total) * total.digamma() - ((a - 1.0) * a.digamma()).sum(-1)

    @property
    def _natural_params(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()


class Beta(ExponentialFamily):
    """Numbers between 0 and 1: the first of two parts of a Dirichlet.

    >>> import weft
    >>> d = weft.distributions.Beta(2.0, 3.0)
    >>> d.log_prob(weft.tensor(0.5))
    tensor(0.4055)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        self._dirichlet = Dirichlet(weft.stack(broadcast_all(concentration1, concentration0), -1),
                                    validate_args=validate_args)
        super().__init__(self._dirichlet.batch_shape, validate_args=validate_args)

    @property
    def concentration1(self):
        """The first parameter, alpha.

        >>> import weft
        >>> weft.distributions.Beta(2.0, 3.0).concentration1
        tensor(2.)
        """
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self):
        """The second parameter, beta.

        >>> import weft
        >>> weft.distributions.Beta(2.0, 3.0).concentration0
        tensor(3.)
        """
        return self._dirichlet.concentration[..., 1]

    mean = property(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))
    mode = property(lambda self: self._dirichlet.mode[..., 0])
    variance = property(lambda self: self._dirichlet.variance[..., 0])

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(Size(batch_shape), _instance)
        new._dirichlet = self._dirichlet.expand(batch_shape)
        return new

    def rsample(self, sample_shape=()):
        return self._dirichlet.rsample(sample_shape)[..., 0]

    def log_prob(self, value):
        self._check_value(value)
        return self._dirichlet.log_prob(weft.stack([value, 1.0 - value], -1))

    def entropy(self):
        return self._dirichlet.entropy()

    @property
    def _natural_params(self):
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x, y):
        return x.lgamma() + y.lgamma() - (x + y).lgamma()


class StudentT(Elementwise):
    """A normal divided by the root of a chi-squared over `df`, scaled and shifted.

    >>> import weft
    >>> d = weft.distributions.StudentT(3.0)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-1.5763)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self._take(validate_args, df=df, loc=loc, scale=scale)

    mean = property(lambda self: weft.where(self.df > 1, self.loc, math.nan))
    mode = property(lambda self: self.loc)

    @property
    def variance(self):
        df, square = self.df, self.scale.pow(2)
        found = weft.where(df > 2, square * df / (df - 2), math.inf)
        return weft.where(df > 1, found, math.nan)

    def rsample(self, sample_shape=()):
        x = _standard_normal(self._extended_shape(sample_shape), self.df.dtype)
        z = Chi2(self.df, validate_args=False).rsample(sample_shape)
        return self.loc + self.scale * x * weft.rsqrt(z / self.df)

    def log_prob(self, value):
        self._check_value(value)
        y, df = (value - self.loc) / self.scale, self.df
        z = self.scale.log() + 0.5 * df.log() + 0.5 * math.log(math.pi) + (0.5
                                                                           * df).lgamma() - (0.5 * (df + 1.0)).lgamma()
        return -0.5 * (df + 1.0) * weft.log1p(y ** 2.0 / df) - z

    def entropy(self):
        df = self.df
        beta = (0.5 * df).lgamma() + math.lgamma(0.5) - (0.5 * (1 + df)).lgamma()
        return self.scale.log() + 0.5 * (df + 1) * ((0.5 * (df + 1)).digamma()
                                                    - (0.5 * df).digamma()) + 0.5 * df.log() + beta


class FisherSnedecor(Elementwise):
    """The ratio of two chi-squareds, each over its degrees of freedom.

    >>> import weft
    >>> d = weft.distributions.FisherSnedecor(3.0, 4.0)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-1.0684)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1, df2, validate_args=None):
        self._take(validate_args, df1=df1, df2=df2)

    mean = property(lambda self: weft.where(self.df2 > 2, self.df2 / (self.df2 - 2), math.nan))

    @property
    def mode(self):
        found = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return weft.where(self.df1 > 2, found, math.nan)

    @property
    def variance(self):
        a, b = self.df1, self.df2
        return weft.where(b > 4, 2 * b.pow(2) * (a + b - 2) / (a * (b - 2).pow(2) * (b - 4)), math.nan)

    def rsample(self, sample_shape=()):
        tiny = weft.finfo(self.df1.dtype).tiny
        upper = Gamma(self.df1 * 0.5, self.df1, validate_args=False).rsample(sample_shape)
        lower = Gamma(self.df2 * 0.5, self.df2, validate_args=False).rsample(sample_shape).clamp(min=tiny)
        return (upper / lower).clamp(min=tiny)

    def log_prob(self, value):
        self._check_value(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        ways = (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma()
        return ways + half1 * ratio.log() + (half1 - 1) * value.log() - (half1 + half2) * weft.log1p(ratio * value)
