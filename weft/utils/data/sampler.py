"""Samplers: the order in which a loader asks for samples. For one seed the orders are PyTorch's."""
import itertools
from itertools import chain, repeat
from typing import Generic, TypeVar

import numpy as np

from weft.core import random as draw
from weft.ops.random.generators import Generator, source
from weft.tensor.names import FUNCTIONS

__all__ = ["BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler",
           "WeightedRandomSampler"]

T = TypeVar("T", covariant=True)


def new_seed(generator=None):
    """A random seed in [0, 2**63)."""
    return int(draw.randint(source(generator, "DataLoader"), (), np.dtype(np.int64)))


def permutation(n, generator):
    """0 .. n - 1 in a random order, as a list."""
    return draw.randperm(source(generator, "randperm"), n).tolist()


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


class Sampler(Generic[T]):
    """An order of keys, or of lists of keys: a subclass has `__iter__`, and `__len__` if the loader's length is wanted.


    >>> import weft
    >>> class Backwards(weft.utils.data.Sampler):
    ...     def __iter__(self):
    ...         return iter((2, 1, 0))
    >>> list(Backwards())
    [2, 1, 0]
    """

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} is a Sampler without __iter__\n  fix: write __iter__, which "
                                  f"gives indices")


class SequentialSampler(Sampler[int]):
    """0, 1, 2, ...

    >>> import weft
    >>> list(weft.utils.data.SequentialSampler(range(3)))
    [0, 1, 2]
    """

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """All indices in a random order, or `num_samples` of them, with or without repetitions.

    >>> import weft
    >>> sorted(weft.utils.data.RandomSampler(range(3)))
    [0, 1, 2]
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self):
        """How many an epoch has; the dataset's length, which may change, if not given.

        >>> import weft
        >>> weft.utils.data.RandomSampler([1, 2, 3], replacement=True, num_samples=10).num_samples
        10
        """
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        n, generator = len(self.data_source), self.generator
        if generator is None:
            generator = Generator().manual_seed(new_seed())
        whole, rest = divmod(self.num_samples, 32 if self.replacement else n)
        if not self.replacement:
            for _ in range(whole):
                yield from permutation(n, generator)
            yield from permutation(n, generator)[:rest]      # drawn even if none is taken, as in PyTorch
            return
        for size in chain(repeat(32, whole), (rest,)):       # num_samples may be 10**10, for a loader without an end
            yield from FUNCTIONS["randint"](0, n, (size,), generator=generator).tolist()

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Given indices in a random order.

    >>> import weft
    >>> sorted(weft.utils.data.SubsetRandomSampler([4, 5]))
    [4, 5]
    """

    def __init__(self, indices, generator=None):
        self.indices = indices
        self.generator = generator

    def __iter__(self):
        for i in permutation(len(self.indices), self.generator):
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """`num_samples` indices, each as likely as its weight says; the weights need not sum up to 1.

    >>> import weft
    >>> list(weft.utils.data.WeightedRandomSampler([0.0, 1.0], 3))
    [1, 1, 1]
    """

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        if not is_count(num_samples):
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        weights = FUNCTIONS["as_tensor"](weights, dtype=np.dtype(np.float64))
        if weights.ndim != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(weights.shape)}")
        self.weights = weights
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self):
        yield from FUNCTIONS["multinomial"](self.weights, self.num_samples, self.replacement,
                                            generator=self.generator).tolist()

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Another sampler's indices, `batch_size` at a time.

    >>> import weft
    >>> list(weft.utils.data.BatchSampler(range(5), 2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler, batch_size, drop_last):
        if not is_count(batch_size):
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self):
        return (len(self.sampler) + (0 if self.drop_last else self.batch_size - 1)) // self.batch_size
