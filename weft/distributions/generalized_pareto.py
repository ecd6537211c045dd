"""Tails: what lies beyond a threshold."""
import math

import weft
from weft.distributions import constraints
from weft.distributions.distribution import Elementwise

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Elementwise):
    """The excess over `loc` of rare large values: exponential for concentration 0, heavier above, bounded below.

    >>> import weft
    >>> weft.distributions.GeneralizedPareto(0.0, 1.0, 0.5).cdf(weft.tensor(2.0))
    tensor(0.7500)
    """
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True
    mode = property(lambda self: self.loc)

    def __init__(self, loc, scale, concentration, validate_args=None):
        self._take(validate_args, loc=loc, scale=scale, concentration=concentration)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        bounded = self.concentration < 0
        return constraints.interval(self.loc, weft.where(bounded, self.loc - self.scale / self.concentration, math.inf))

    def _exponential(self):
        """Where the concentration is 0, and one that its formulas can take there, where they aren't used."""
        flat = weft.isclose(self.concentration, weft.zeros_like(self.concentration))
        return flat, weft.where(flat, weft.ones_like(self.concentration), self.concentration)

    def rsample(self, sample_shape=()):
        return self.icdf(weft.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def log_prob(self, value):
        self._check_value(value)
        z = (value - self.loc) / self.scale
        flat, shape = self._exponential()
        power = 1 / shape + weft.ones_like(z)
        return -self.scale.log() - weft.where(flat, z, weft.where(power == 0, power, power * weft.log1p(shape * z)))

    def log_survival_function(self, value):
        """The logarithm of the probability of a draw above a value.

        >>> import weft
        >>> weft.distributions.GeneralizedPareto(0.0, 1.0, 0.0).log_survival_function(weft.tensor(2.0))
        tensor(-2.)
        """
        self._check_value(value)
        z = (value - self.loc) / self.scale
        flat, shape = self._exponential()
        return weft.where(flat, -z, -weft.log1p(shape * z) / shape)

    def log_cdf(self, value):
        """The logarithm of the probability of a draw up to a value.

        >>> import weft
        >>> weft.distributions.GeneralizedPareto(0.0, 1.0, 0.5).log_cdf(weft.tensor(2.0)).exp()
        tensor(0.7500)
        """
        return weft.log1p(-weft.exp(self.log_survival_function(value)))

    def cdf(self, value):
        return weft.exp(self.log_cdf(value))

    def icdf(self, value):
        flat, shape = self._exponential()
        above = weft.log1p(-value)
        return weft.where(flat, self.loc - self.scale * above,
                          self.loc + self.scale / shape * weft.expm1(-shape * above))

    @property
    def mean(self):
        finite = self.concentration < 1
        found = self.loc + self.scale / (1 - weft.where(finite, self.concentration, 0.5))
        return weft.where(finite, found, math.nan)

    @property
    def variance(self):
        finite = self.concentration < 0.5
        shape = weft.where(finite, self.concentration, 0.25)
        return weft.where(finite, self.scale ** 2 / ((1 - shape) ** 2 * (1 - 2 * shape)), math.nan)

    def entropy(self):
        return self.scale.log() + self.concentration + 1
