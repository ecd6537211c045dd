"""The Bernoulli's density, made a distribution of the whole interval from 0 to 1."""
import math

import weft
from weft.distributions import constraints
from weft.distributions.distribution import Elementwise, ExponentialFamily
from weft.distributions.utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs, probs_to_logits
from weft.nn.functional import binary_cross_entropy_with_logits

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(Elementwise, ExponentialFamily):
    """Numbers from 0 to 1 with a density in proportion to probs**x (1 - probs)**(1 - x).

    Its formulas are 0 / 0 at probs = 1/2: between `lims` their Taylor series takes their place.

    >>> import weft
    >>> weft.distributions.ContinuousBernoulli(0.25).mean
    tensor(0.4102)
    """
    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0
    stddev = property(lambda self: self.variance.sqrt())

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        if probs is not None:
            self.probs, = broadcast_all(probs)
            if validate_args is not None and not self.arg_constraints["probs"].check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = clamp_probs(self.probs)
        else:
            self.logits, = broadcast_all(logits)
        self._lims = lims
        super().__init__(self._param.shape, validate_args=validate_args)

    def _expanded(self, batch_shape, new=None):
        new = super()._expanded(batch_shape, new)
        new._lims = self._lims
        return new

    @property
    def _param(self):
        return self.__dict__["probs"] if "probs" in self.__dict__ else self.logits

    @lazy_property
    def logits(self):
        """The log-odds of `probs`.

        >>> import weft
        >>> weft.distributions.ContinuousBernoulli(0.5).logits
        tensor(0.)
        """
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self):
        """The parameter in (0, 1): no probability, the Bernoulli's name for it.

        >>> import weft
        >>> weft.distributions.ContinuousBernoulli(logits=0.0).probs
        tensor(0.5000)
        """
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    @property
    def param_shape(self):
        """The shape of the parameter.

        >>> import weft
        >>> weft.distributions.ContinuousBernoulli(weft.ones(3) / 4).param_shape
        torch.Size([3])
        """
        return self._param.shape

    def _away(self):
        """Where probs is far enough from 1/2 for the formulas."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _safe_probs(self):
        """probs, with a number that the formulas can take where their result isn't used."""
        return weft.where(self._away(), self.probs, self._lims[0] * weft.ones_like(self.probs))

    def _cont_bern_log_norm(self):
        p = self._safe_probs()
        low = weft.where(p <= 0.5, p, weft.zeros_like(p))
        high = weft.where(p >= 0.5, p, weft.ones_like(p))
        gap = weft.where(p <= 0.5, weft.log1p(-2.0 * low), weft.log(2.0 * high - 1.0))
        exact = weft.log(weft.abs(weft.log1p(-p) - weft.log(p))) - gap
        x = (self.probs - 0.5) ** 2
        return weft.where(self._away(), exact, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self):
        p = self._safe_probs()
        exact = p / (2.0 * p - 1.0) + 1.0 / (weft.log1p(-p) - weft.log(p))
        x = self.probs - 0.5
        return weft.where(self._away(), exact, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x ** 2) * x)

    @property
    def variance(self):
        p = self._safe_probs()
        exact = p * (p - 1.0) / (1.0 - 2.0 * p) ** 2 + 1.0 / (weft.log1p(-p) - weft.log(p)) ** 2
        x = (self.probs - 0.5) ** 2
        return weft.where(self._away(), exact, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def rsample(self, sample_shape=()):
        return self.icdf(weft.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value):
        self._check_value(value)
        logits, value = broadcast_all(self.logits, value)
        return self._cont_bern_log_norm() - binary_cross_entropy_with_logits(logits, value, reduction="none")

    def cdf(self, value):
        self._check_value(value)
        p = self._safe_probs()
        exact = (p ** value * (1.0 - p) ** (1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        inside = weft.where(self._away(), exact, value)
        return weft.where(value <= 0.0, weft.zeros_like(value),
                          weft.where(value >= 1.0, weft.ones_like(value), inside))

    def icdf(self, value):
        p = self._safe_probs()
        exact = (weft.log1p(-p + value * (2.0 * p - 1.0)) - weft.log1p(-p)) / (weft.log(p) - weft.log1p(-p))
        return weft.where(self._away(), exact, value)

    def entropy(self):
        no, yes = weft.log1p(-self.probs), weft.log(self.probs)
        return self.mean * (no - yes) - self._cont_bern_log_norm() - no

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        away = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        safe = weft.where(away, x, (self._lims[0] - 0.5) * weft.ones_like(x))
        exact = weft.log(weft.abs(weft.expm1(safe))) - weft.log(weft.abs(safe))
        return weft.where(away, exact, 0.5 * x + x ** 2 / 24.0 - x ** 4 / 2880.0)
