"""One over a gamma."""
import math

import weft
from weft.distributions import constraints
from weft.distributions.composed import TransformedDistribution
from weft.distributions.gammas import Gamma
from weft.distributions.transforms import PowerTransform

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """One over a gamma.

    >>> import weft
    >>> d = weft.distributions.InverseGamma(2.0, 1.0)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-1.)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration, rate, validate_args=None):
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    @property
    def concentration(self):
        """The concentration of the gamma.

        >>> import weft
        >>> weft.distributions.InverseGamma(2.0, 1.0).concentration
        tensor(2.)
        """
        return self.base_dist.concentration

    @property
    def rate(self):
        """The rate of the gamma.

        >>> import weft
        >>> weft.distributions.InverseGamma(2.0, 1.0).rate
        tensor(1.)
        """
        return self.base_dist.rate

    @property
    def mean(self):
        return weft.where(self.concentration > 1, self.rate / (self.concentration - 1), math.inf)

    mode = property(lambda self: self.rate / (self.concentration + 1))

    @property
    def variance(self):
        a = self.concentration
        return weft.where(a > 2, self.rate.square() / ((a - 1).square() * (a - 2)), math.inf)

    def entropy(self):
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1.0 + a) * a.digamma()
