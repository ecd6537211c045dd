"""Random correlation matrices, as their lower factors."""
import math

import weft
from weft.distributions import constraints
from weft.distributions.distribution import Distribution
from weft.distributions.gammas import Beta
from weft.distributions.utils import broadcast_all

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Lower factors L of correlation matrices L @ L.T, with a density like det(L @ L.T)**(concentration - 1).

    Drawn row by row, by the onion method (Lewandowski, Kurowicka and Joe, 2009): the squared length of what lies
    below the diagonal is a Beta, its direction is uniform.

    >>> import weft
    >>> lower = weft.distributions.LKJCholesky(3, 0.5).sample()
    >>> weft.allclose((lower @ lower.T).diagonal(), weft.ones(3))
    True
    """
    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    _layout = {"concentration": 0}

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        self.concentration, = broadcast_all(concentration)
        before = weft.arange(dim - 1, dtype=self.concentration.dtype)
        before = weft.cat([before.new_zeros((1,)), before])                    # the first row has nothing to draw
        self._beta = Beta(before + 0.5, (self.concentration + 0.5 * (dim - 2)).unsqueeze(-1) - 0.5 * before)
        super().__init__(self.concentration.shape, (dim, dim), validate_args=validate_args)

    def _expanded(self, batch_shape, new=None):
        new = super()._expanded(batch_shape, new)
        new.dim, new._beta = self.dim, self._beta.expand(batch_shape + (self.dim,))
        return new

    def sample(self, sample_shape=()):
        with weft.no_grad():
            squared = self._beta.sample(sample_shape).unsqueeze(-1)
            direction = weft.randn(self._extended_shape(sample_shape), dtype=squared.dtype).tril(-1)
            direction = direction / direction.norm(dim=-1, keepdim=True)
            direction[..., 0, :].fill_(0.0)
            below = weft.sqrt(squared) * direction
            rest = (1 - (below ** 2).sum(-1)).clamp(min=weft.finfo(below.dtype).tiny).sqrt()
            return below + weft.diag_embed(rest)

    def log_prob(self, value):
        self._check_value(value)
        powers = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - weft.arange(2, self.dim + 1)
        shape = (powers * value.diagonal(dim1=-1, dim2=-2)[..., 1:].log()).sum(-1)
        rows = self.dim - 1
        alpha = self.concentration + 0.5 * rows
        return shape - (0.5 * rows * math.log(math.pi) + weft.mvlgamma(alpha - 0.5, rows) - weft.lgamma(alpha) * rows)
