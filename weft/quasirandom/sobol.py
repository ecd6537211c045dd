"""Sobol's sequence."""
import numpy as np

import weft
from weft.quasirandom.directions import MAXBIT, MAXDIM, directions

__all__ = ["SobolEngine"]


class SobolEngine:
    """Sobol's sequence of points in [0, 1)**dimension, as it is or scrambled (a random lower matrix and shift for each
    dimension), the same points as PyTorch's.

    >>> import weft
    >>> weft.quasirandom.SobolEngine(2).draw(4)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500],
            [0.2500, 0.7500]])
    """
    MAXBIT = MAXBIT
    MAXDIM = MAXDIM

    def __init__(self, dimension, scramble=False, seed=None):
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}], "
                             f"not {dimension}")
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        self.sobolstate = weft.from_numpy(directions(dimension))                # (dimension, MAXBIT)
        if scramble:
            self._scramble()
        else:
            self.shift = weft.zeros(dimension, dtype=weft.long)
        self.quasi = self.shift.clone()
        self._first_point = (self.quasi / 2 ** self.MAXBIT).reshape(1, -1)
        self.num_generated = 0

    def draw(self, n=1, out=None, dtype=None):
        """The next n points: (n, dimension).

        >>> import weft
        >>> weft.quasirandom.SobolEngine(3, scramble=True, seed=0).draw(2).shape
        torch.Size([2, 3])
        """
        dtype = weft.get_default_dtype() if dtype is None else dtype
        whole = self._next(n - (self.num_generated == 0))
        result = weft.from_numpy(whole).to(dtype).mul_(2.0 ** -self.MAXBIT)
        if self.num_generated == 0:
            result = weft.cat([self._first_point.to(dtype), result], dim=-2)
        self.num_generated += n
        if out is None:
            return result
        out.resize_as_(result).copy_(result)
        return out

    def _next(self, n):
        """The next n points after the one in `quasi`, as whole numbers: the i-th differs by the direction whose number
        is that of the lowest 0 of i in binary (Gray's code).
        """
        index = np.arange(n, dtype=np.int64) + max(self.num_generated - 1, 0)
        lowest = np.log2(~index & (index + 1)).astype(np.int64)
        state = self.sobolstate.numpy()
        steps = np.concatenate([self.quasi.numpy()[None], state.T[lowest]])
        points = np.bitwise_xor.accumulate(steps, axis=0)
        self.quasi = weft.from_numpy(points[-1].copy())
        return points[1:]

    def draw_base2(self, m, out=None, dtype=None):
        """The next 2**m points, which must make a power of 2 with those already drawn.

        >>> import weft
        >>> weft.quasirandom.SobolEngine(1).draw_base2(2).flatten()
        tensor([0.0000, 0.5000, 0.7500, 0.2500])
        """
        total = self.num_generated + 2 ** m
        if total & (total - 1):
            raise ValueError(f"The balance properties of Sobol' points require n to be a power of 2. "
                             f"{self.num_generated} points have been previously generated, then: "
                             f"n={self.num_generated}+2**{m}={total}. If you still want to do this, please use "
                             "'SobolEngine.draw()' instead.")
        return self.draw(n=2 ** m, out=out, dtype=dtype)

    def reset(self):
        """Start again at the first point.

        >>> import weft
        >>> engine = weft.quasirandom.SobolEngine(2)
        >>> (engine.draw(3) == engine.reset().draw(3)).all()
        tensor(True)
        """
        self.quasi = self.shift.clone()
        self.num_generated = 0
        return self

    def fast_forward(self, n):
        """Leave out the next n points.

        >>> import weft
        >>> weft.quasirandom.SobolEngine(2).fast_forward(2).draw(1)
        tensor([[0.7500, 0.2500]])
        """
        start = max(self.num_generated - 1, 0)
        end = start + n - (self.num_generated == 0)
        changed = (start ^ start >> 1) ^ (end ^ end >> 1)                       # bits of Gray's code
        state, quasi = self.sobolstate.numpy(), self.quasi.numpy().copy()
        for bit in range(self.MAXBIT):
            if changed >> bit & 1:
                quasi ^= state[:, bit]
        self.quasi = weft.from_numpy(quasi)
        self.num_generated += n
        return self

    def _scramble(self):
        generator = None if self.seed is None else weft.Generator().manual_seed(self.seed)
        shift = weft.randint(2, (self.dimension, self.MAXBIT), generator=generator)
        self.shift = weft.mv(shift, 2 ** weft.arange(self.MAXBIT))
        lower = weft.randint(2, (self.dimension, self.MAXBIT, self.MAXBIT), generator=generator).tril().numpy().copy()
        lower[:, range(self.MAXBIT), range(self.MAXBIT)] = 1
        places = np.arange(self.MAXBIT - 1, -1, -1)                             # the highest bit first
        bits = self.sobolstate.numpy()[:, None, :] >> places[:, None] & 1       # (dimension, bit, number)
        mixed = np.einsum("dpk,dkj->dpj", lower, bits) & 1                      # sums modulo 2
        self.sobolstate = weft.from_numpy((mixed << places[:, None]).sum(1))

    def __repr__(self):
        shown = [f"dimension={self.dimension}"]
        shown += ["scramble=True"] if self.scramble else []
        shown += [f"seed={self.seed}"] if self.seed is not None else []
        return f"{type(self).__name__}({', '.join(shown)})"
