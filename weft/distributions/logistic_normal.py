"""Points of the simplex from a normal vector."""
from weft.distributions import constraints
from weft.distributions.composed import TransformedDistribution
from weft.distributions.continuous import Normal
from weft.distributions.transforms import StickBreakingTransform

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """A normal vector of length n, broken into n + 1 shares that sum to 1.

    >>> import weft
    >>> weft.distributions.LogisticNormal(weft.zeros(3), weft.ones(3)).sample((2,)).shape
    torch.Size([2, 4])
    """
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base if base.batch_shape else base.expand((1,)), StickBreakingTransform(),
                         validate_args=validate_args)

    @property
    def loc(self):
        """The mean of the normal vector.

        >>> import weft
        >>> weft.distributions.LogisticNormal(weft.zeros(2), weft.ones(2)).loc
        tensor([0., 0.])
        """
        return self.base_dist.base_dist.loc

    @property
    def scale(self):
        """The standard deviation of the normal vector.

        >>> import weft
        >>> weft.distributions.LogisticNormal(weft.zeros(2), weft.ones(2)).scale
        tensor([1., 1.])
        """
        return self.base_dist.base_dist.scale
