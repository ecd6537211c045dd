"""The Kumaraswamy distribution: like a Beta, with a distribution function in closed form."""
import math

import weft
from weft.distributions import constraints
from weft.distributions.composed import _FromUniform
from weft.distributions.continuous import Uniform
from weft.distributions.transforms import AffineTransform, PowerTransform
from weft.distributions.utils import broadcast_all, euler_constant

__all__ = ["Kumaraswamy"]


class Kumaraswamy(_FromUniform):
    """Numbers from 0 to 1: (1 - u**(1 / concentration0))**(1 / concentration1) of a uniform u.

    >>> import weft
    >>> weft.distributions.Kumaraswamy(1.0, 2.0).mean
    tensor(0.3333)
    """
    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval

    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base = Uniform(weft.full_like(self.concentration0, 0), weft.full_like(self.concentration0, 1),
                       validate_args=validate_args)
        super().__init__(base, [PowerTransform(exponent=self.concentration0.reciprocal()),
                                AffineTransform(loc=1.0, scale=-1.0),
                                PowerTransform(exponent=self.concentration1.reciprocal())],
                         validate_args=validate_args)

    def _moment(self, n):
        power = 1 + n / self.concentration1
        b = self.concentration0
        return b * weft.exp(weft.lgamma(power) + weft.lgamma(b) - weft.lgamma(power + b))

    mean = property(lambda self: self._moment(1))
    variance = property(lambda self: self._moment(2) - self.mean ** 2)

    @property
    def mode(self):
        a, b = self.concentration1, self.concentration0
        found = (b.reciprocal() * (-b).log1p() - (-b * a).log1p()).exp()         # PyTorch's formula
        return weft.where((b < 1) | (a < 1), math.nan, found)

    def entropy(self):
        a, b = self.concentration1, self.concentration0
        harmonic = weft.digamma(b + 1) + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - a.log() - b.log()
