"""Datasets: what can be indexed or iterated, and how datasets are put together."""
import bisect
import itertools
import math
import warnings
from collections.abc import Iterable
from typing import Generic, TypeVar

import numpy as np

from weft.ops.random.generators import default_generator
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import wrap

__all__ = ["Dataset", "IterableDataset", "TensorDataset", "StackDataset", "ConcatDataset", "ChainDataset", "Subset",
           "random_split"]

T = TypeVar("T", covariant=True)


class Dataset(Generic[T]):
    """Samples by key: a subclass has `__getitem__`, mostly `__len__`, and may have `__getitems__(keys)`, a list of
    samples at once.

    >>> import weft
    >>> class Squares(weft.utils.data.Dataset):
    ...     def __getitem__(self, index):
    ...         return index ** 2
    >>> Squares()[3]
    9
    """

    def __getitem__(self, index):
        raise NotImplementedError(f"{type(self).__name__} is a Dataset without __getitem__\n  fix: write "
                                  f"__getitem__(self, index)")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T], Iterable[T]):
    """Samples as a stream: a subclass has `__iter__`. With workers, each iterates a copy; `get_worker_info()` tells
    them apart.

    >>> import weft
    >>> class Count(weft.utils.data.IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(3))
    >>> list(Count())
    [0, 1, 2]
    """

    def __add__(self, other):
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """The rows of tensors of one length.

    >>> import weft
    >>> weft.utils.data.TensorDataset(weft.arange(3), weft.ones(3, 2))[1]
    (tensor(1), tensor([1., 1.]))
    """

    def __init__(self, *tensors):
        sizes = [t.size(0) for t in tensors]
        if any(n != sizes[0] for n in sizes):
            raise AssertionError(f"Size mismatch between tensors: their first dimensions are {sizes}")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].size(0)

    def _collated(self, indices):
        """What the default collation makes of these rows, taken at once; None if that isn't so simple."""
        if type(self).__getitem__ is not TensorDataset.__getitem__ or hasattr(self, "__getitems__"):
            return None
        rows = np.array(indices)
        if rows.ndim != 1 or rows.dtype.kind != "i" or not rows.size:
            return None
        return [_take(tensor, rows) for tensor in self.tensors]


def _take(tensor, rows):
    if tensor.requires_grad or tensor._on_meta or tensor._form.dtype.kind == "V":
        return tensor[wrap(rows)]
    return wrap(tensor._array.take(rows, 0))


class StackDataset(Dataset):
    """Datasets side by side: a sample is a tuple, or a dict for those given by name, of their samples.

    >>> import weft
    >>> weft.utils.data.StackDataset(range(3), range(3, 6))[0]
    (0, 3)
    """

    def __init__(self, *args, **kwargs):
        if args and kwargs:
            raise ValueError("StackDataset takes datasets either by position, for tuples, or by name, for dicts, not "
                             "both")
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets = args or kwargs
        parts = self._parts()
        self._length = len(parts[0])
        if any(len(part) != self._length for part in parts):
            raise ValueError(f"Size mismatch between datasets: {[len(part) for part in parts]}")

    def _parts(self):
        return list(self.datasets.values()) if isinstance(self.datasets, dict) else list(self.datasets)

    def _joined(self, samples):
        return dict(zip(self.datasets, samples)) if isinstance(self.datasets, dict) else tuple(samples)

    def __getitem__(self, index):
        return self._joined([part[index] for part in self._parts()])

    def __getitems__(self, indices):
        columns = [_column(part, indices) for part in self._parts()]
        return [self._joined(samples) for samples in zip(*columns)]

    def __len__(self):
        return self._length


def _column(dataset, indices):
    """One dataset's samples, by its own batched access if it has one."""
    if not callable(getattr(dataset, "__getitems__", None)):
        return [dataset[i] for i in indices]
    found = dataset.__getitems__(indices)
    if len(found) != len(indices):
        raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(found)}: "
                         f"{type(dataset).__name__}.__getitems__ must give one sample for each index")
    return found


class ConcatDataset(Dataset[T]):
    """Datasets one after another.

    >>> import weft
    >>> data = weft.utils.data.TensorDataset(weft.arange(2))
    >>> len(weft.utils.data.ConcatDataset([data, data]))
    4
    """

    @staticmethod
    def cumsum(sequence):
        """The lengths of the datasets, summed up from the first.

        >>> import weft
        >>> weft.utils.data.ConcatDataset.cumsum([[1, 2], [3, 4, 5]])
        [2, 5]
        """
        return list(itertools.accumulate(len(part) for part in sequence))

    def __init__(self, datasets):
        super().__init__()
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(part, IterableDataset) for part in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset: chain those with ChainDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx):
        if idx < 0:
            if -idx > len(self):
                raise ValueError(f"absolute value of index should not exceed dataset length: {idx}, of {len(self)} "
                                 f"samples")
            idx += len(self)
        part = bisect.bisect_right(self.cumulative_sizes, idx)
        return self.datasets[part][idx - (self.cumulative_sizes[part - 1] if part else 0)]

    @property
    def cummulative_sizes(self):
        """The old spelling of cumulative_sizes.

        >>> import weft
        >>> parts = weft.utils.data.ConcatDataset([[1, 2], [3, 4, 5]])
        >>> parts.cummulative_sizes
        [2, 5]
        """
        warnings.warn("`cummulative_sizes` is now spelled `cumulative_sizes`", FutureWarning, stacklevel=2)
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """Iterable datasets one after another.

    >>> import weft
    >>> class Count(weft.utils.data.IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(2))
    >>> list(weft.utils.data.ChainDataset([Count(), Count()]))
    [0, 1, 0, 1]
    """

    def __init__(self, datasets):
        super().__init__()
        self.datasets = datasets

    def _checked(self):
        for part in self.datasets:
            if not isinstance(part, IterableDataset):
                raise AssertionError(f"ChainDataset only supports IterableDataset, got {type(part).__name__}")
            yield part

    def __iter__(self):
        for part in self._checked():
            yield from part

    def __len__(self):
        return sum(len(part) for part in self._checked())


class Subset(Dataset[T]):
    """Some samples of a dataset, by their indices.

    >>> import weft
    >>> list(weft.utils.data.Subset(range(10), [1, 3]))
    [1, 3]
    """

    def __init__(self, dataset, indices):
        own = type(self)
        if own.__getitem__ is not Subset.__getitem__ and own.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(f"{own.__name__} overrides __getitem__ but not __getitems__, which the "
                                      f"DataLoader calls\n"
                                      "  fix: also write  def __getitems__(self, indices): return [self[i] for i in "
                                      "indices]")
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx):
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices):
        inner = [self.indices[i] for i in indices]
        if callable(getattr(self.dataset, "__getitems__", None)):
            return self.dataset.__getitems__(inner)
        return [self.dataset[i] for i in inner]

    def __len__(self):
        return len(self.indices)

    def _collated(self, indices):
        """As TensorDataset._collated, if this is a part of one."""
        whole = getattr(self.dataset, "_collated", None)
        if (whole is None or type(self).__getitems__ is not Subset.__getitems__
            or not isinstance(self.dataset, (TensorDataset, Subset))):
            return None
        return whole([self.indices[i] for i in indices])


def random_split(dataset, lengths, generator=default_generator):
    """Cut a dataset at random into parts of these lengths, or of these fractions if they sum up to 1.

    What rounding down leaves of fractions goes to the first parts, one sample each.

    >>> import weft
    >>> [len(part) for part in weft.utils.data.random_split(range(10), [0.8, 0.2])]
    [8, 2]
    """
    total = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _from_fractions(lengths, total)
    if sum(lengths) != total:
        raise ValueError(f"Sum of input lengths does not equal the length of the input dataset! {sum(lengths)}, not "
                         f"{total}")
    order = FUNCTIONS["randperm"](total, generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - n:end]) for end, n in zip(ends, lengths)]


def _from_fractions(fractions, total):
    for i, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    lengths = [math.floor(total * fraction) for fraction in fractions]
    for i in range(total - sum(lengths)):
        lengths[i % len(lengths)] += 1
    for i, n in enumerate(lengths):
        if n == 0:
            warnings.warn(f"Length of split at index {i} is 0. This might result in an empty dataset.", stacklevel=3)
    return lengths
