"""Values for samples: what a tuple of ints and the makers of weft/ops/core/samples.py mean, in weft or in PyTorch."""
import numpy as np

import weft
from weft.ops.core.samples import Make


class Maker:
    """Makes the values of one sample in one library (`weft`, or `torch`), from one random stream."""

    def __init__(self, rng, dtype=np.float64, library=weft, low=0.3, high=0.9):
        self.rng, self.dtype, self.library, self.low, self.high = rng, dtype, library, low, high

    def tensor(self, array, **options):
        return self.library.tensor(array, **options)

    def shaped(self, shape, low, high):
        return self.tensor(np.asarray(self.rng.uniform(low, high, size=shape)).astype(self.dtype))

    def ints(self, shape, below, start, dtype):
        return self.tensor(np.asarray(self.rng.integers(start, below, size=shape)).astype(dtype))

    def bools(self, shape):
        made = np.asarray(self.rng.integers(0, 2, size=shape)).astype(bool)
        if made.size > 1:
            made.flat[0], made.flat[1] = True, False
        return self.tensor(made)

    def complexes(self, shape):
        return self.tensor(self.rng.uniform(0.3, 0.9, shape) + 1j * self.rng.uniform(0.3, 0.9, shape))

    def floats(self, shape, low, high):
        return self.shaped(shape, low, high)

    def fixed(self, shape, matrix):
        return self.matrix(shape, matrix) if matrix else self.shaped(shape, 0.3, 0.9)

    def matrix(self, shape, kind):
        a = self.rng.uniform(-1, 1, size=shape) + np.eye(shape[-1]) * 2
        a = {"regular": a, "symmetric": a + a.swapaxes(-1, -2),
             "positive": a @ a.swapaxes(-1, -2) + np.eye(shape[-1]), "lower": np.tril(a), "upper": np.triu(a)}[kind]
        return self.tensor(a.astype(self.dtype))

    def data(self, shape, values, dtype):
        return self.tensor(values, dtype=getattr(self.library, dtype) if dtype else None)

    def size(self, shape):
        return shape

    def given(self, shape, value):
        return value

    def built(self, shape, function):
        return function(self.library)

    def make(self, value):
        """A sample's argument: a tuple of ints is a random tensor of that shape, a list or tuple of such is one of
        tensors, a `Make` is what it says, anything else itself.
        """
        if isinstance(value, Make):
            return getattr(self, value.kind)(value.shape, **value.options)
        if isinstance(value, tuple) and all(isinstance(n, int) and not isinstance(n, bool) for n in value):
            return self.shaped(value, self.low, self.high)
        if isinstance(value, (list, tuple)) and value and all(isinstance(v, (tuple, Make)) for v in value):
            return type(value)(self.make(v) for v in value)
        return value


def build(value, rng, dtype=np.float64):
    """An op's argument."""
    return Maker(rng, dtype).make(value)
