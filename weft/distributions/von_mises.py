"""Angles: the normal distribution of the circle."""
import math

import weft
from weft.distributions import constraints
from weft.distributions.distribution import Elementwise
from weft.distributions.utils import lazy_property

__all__ = ["VonMises"]


class VonMises(Elementwise):
    """Angles around `loc`, the closer to it the greater the concentration.

    >>> import weft
    >>> weft.distributions.VonMises(weft.tensor(0.0), weft.tensor(1.0)).variance
    tensor(0.5536)
    """
    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    mean = mode = property(lambda self: self.loc)

    def __init__(self, loc, concentration, validate_args=None):
        self._take(validate_args, loc=loc, concentration=concentration)

    def log_prob(self, value):
        self._check_value(value)
        size = self.concentration
        log_bessel = weft.special.i0e(size).log() + size           # log I0, without overflow
        return size * weft.cos(value - self.loc) - math.log(2 * math.pi) - log_bessel

    @lazy_property
    def variance(self):
        """The circular variance: 1 minus the mean of the cosine.

        >>> import weft
        >>> weft.distributions.VonMises(weft.tensor(0.0), weft.tensor(1.0)).variance
        tensor(0.5536)
        """
        return 1 - weft.special.i1e(self.concentration) / weft.special.i0e(self.concentration)

    def sample(self, sample_shape=()):
        with weft.no_grad():
            drawn = self._rejected(self._extended_shape(sample_shape))
            return ((drawn + math.pi + self.loc.double()) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    def _rejected(self, shape):
        """Angles around 0 by rejection from a wrapped Cauchy (Best and Fisher, 1979), in double precision: with less it
        would accept nothing for small concentrations.
        """
        size = self.concentration.double()
        tau = 1 + (1 + 4 * size ** 2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * size)
        r = weft.where(size < 1e-5, 1 / size + size, (1 + rho ** 2) / (2 * rho))
        drawn, done = weft.zeros(shape, dtype=weft.float64), weft.zeros(shape, dtype=weft.bool)
        while not done.all():
            place, keep, side = weft.rand((3, *shape), dtype=weft.float64).unbind()
            z = weft.cos(math.pi * place)
            cosine = (1 + r * z) / (r + z)
            c = size * (r - cosine)
            taken = ((c * (2 - c) - keep) > 0) | ((c / keep).log() + 1 - c >= 0)
            drawn = weft.where(taken, (side - 0.5).sign() * cosine.acos(), drawn)
            done = done | taken
        return drawn
