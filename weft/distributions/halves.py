"""Absolute values of distributions that are centred at 0."""
import math

import weft
from weft.distributions import constraints
from weft.distributions.composed import TransformedDistribution
from weft.distributions.continuous import Cauchy, Normal
from weft.distributions.transforms import AbsTransform

__all__ = ["HalfNormal", "HalfCauchy"]


class _Half(TransformedDistribution):
    """The absolute value of a distribution centred at 0 (`_whole`)."""
    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    mode = property(lambda self: weft.zeros_like(self.scale))

    def __init__(self, scale, validate_args=None):
        super().__init__(self._whole(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def scale(self):
        """The scale of the distribution whose absolute value it is.

        >>> import weft
        >>> weft.distributions.HalfCauchy(2.0).scale
        tensor(2.)
        """
        return self.base_dist.scale

    def log_prob(self, value):
        self._check_value(value)
        return weft.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value):
        self._check_value(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value):
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """The absolute value of a normal with mean 0.

    >>> import weft
    >>> d = weft.distributions.HalfNormal(1.0)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-0.7258)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    _whole = Normal
    mean = property(lambda self: self.scale * math.sqrt(2 / math.pi))
    variance = property(lambda self: self.scale.pow(2) * (1 - 2 / math.pi))


class HalfCauchy(_Half):
    """The absolute value of a Cauchy around 0.

    >>> import weft
    >>> d = weft.distributions.HalfCauchy(1.0)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-1.1447)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    _whole = Cauchy
    mean = property(lambda self: self._constant(math.inf, self.scale))
    variance = property(lambda self: self._constant(math.inf, self.scale))

    def log_prob(self, value):
        self._check_value(value)
        value = weft.as_tensor(value, dtype=self.scale.dtype)
        return weft.where(value >= 0, math.log(2 / math.pi) - self.scale.log() - (value / self.scale).pow(2).log1p(),
                          -math.inf)
