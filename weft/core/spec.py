# compiled
"""What a tensor is apart from its values: shape, element type, and how it lies in memory.

A body's `shape` rule takes what its `forward` takes, with a `Spec` in the place of each array, and gives the `Spec` of
the result (or `(shape, dtype)` for one that is contiguous; a tuple of them for several outputs). It does no work on
values, so a meta tensor, a tensor whose value is still owed, and a plan that is laid out ahead all cost nothing.
"""
import math

import numpy as np

from weft.core.layout import check_rank, contiguous_format, order_of, preserve_format
from weft.core.size import broadcast_shapes, wrap_dims


class Spec:
    """Shape, NumPy dtype and strides in bytes; reads like an array wherever the values don't matter.

    `of` is the Spec of the input whose memory it shares, None for memory of its own; `offset`, in bytes, is where in
    that memory it begins (without one: where `of` does). A rule that gives back the very Spec that it was given says
    that the op gives back that input itself.
    """

    __slots__ = ("shape", "dtype", "strides", "of", "offset")

    def __init__(self, shape, dtype, strides=None, of=None, offset=None):
        self.shape, self.dtype = tuple(shape), np.dtype(dtype)
        self.strides = dense_strides(self.shape, self.dtype.itemsize) if strides is None else tuple(strides)
        self.of = of
        self.offset = offset if offset is not None else 0 if of is None else of.offset

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return math.prod(self.shape)

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    @property
    def flags(self):
        return self

    @property
    def c_contiguous(self):
        """Whether the elements lie one after the other, the last dimension innermost."""
        if not self.size:
            return True
        return all([n == 1 or s == d for n, s, d in zip(self.shape, self.strides,
                                                        dense_strides(self.shape, self.dtype.itemsize))])

    def __len__(self):
        return self.shape[0]

    def __eq__(self, other):
        return (isinstance(other, Spec) and self.shape == other.shape and self.dtype == other.dtype
                and self.strides == other.strides)

    __hash__ = None

    def __repr__(self):
        laid = "" if self.c_contiguous else f", strides={self.strides}"
        return f"Spec({self.shape}, {self.dtype}{laid})"

    def __array__(self, *args, **kwargs):
        raise TypeError("a Spec has no values: a shape rule must not ask for them")


def dense_strides(shape, itemsize):
    """The strides in bytes of a contiguous array."""
    strides, step = [], itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= n if n > 1 else 1
    strides.reverse()
    return tuple(strides)


def reach_of(shape, strides):
    """How far the last element lies from the first, in the strides' unit."""
    return sum([(n - 1) * s for n, s in zip(shape, strides)])


MOST = 2 ** 60      # numbers of elements from here on overflow when they are counted in bytes


def window_fault(shape, strides, offset, count):
    """Why a window (all in elements) doesn't lie within memory of `count` elements, in words; None where it does.

    Whoever makes a view out of numbers asks here: as_strided, set_, what reads files.
    """
    if len(shape) != len(strides):
        return f"{len(shape)} sizes and {len(strides)} strides: mismatch in length of strides and shape"
    if min(shape, default=0) < 0:
        return f"negative size in {list(shape)}"
    if min(strides, default=0) < 0:
        return f"Negative strides are not supported at the moment, got strides: {list(strides)}"
    if offset < 0:
        return f"Tensor: invalid storage offset {offset}"
    last = offset + reach_of(shape, strides)
    if 0 not in shape and last >= count:
        return f"it reaches element {last} of a storage of {count}"
    if math.prod([max(n, 1) for n in shape]) >= MOST or max(offset, max(strides, default=0)) >= MOST:
        return "Storage size calculation overflowed"
    return None


def ordered(shape, dtype, order):
    """Dense, with the dimensions in memory in this order, the outermost first."""
    dtype = np.dtype(dtype)
    inner = dense_strides([shape[d] for d in order], dtype.itemsize)
    strides = [0] * len(shape)
    for place, d in enumerate(order):
        strides[d] = inner[place]
    return Spec(shape, dtype, strides)


def like(x, dtype=None):
    """Of the same shape and memory order, dense: what `empty_like` and most elementwise ops give."""
    dtype = x.dtype if dtype is None else np.dtype(dtype)
    if x.c_contiguous:
        return Spec(x.shape, dtype)
    return ordered(x.shape, dtype, order_of(x.shape, x.strides))


def formatted(x, dtype, format):
    """Of x's shape in a memory format; None and preserve_format keep the order of x (as `layout.empty_format`)."""
    if format is None or format is preserve_format:
        return like(x, dtype)
    if format is contiguous_format:
        return Spec(x.shape, dtype)
    check_rank(x, format)
    return ordered(x.shape, dtype, (0, *range(2, x.ndim), 1))


def reduced(x, dim, keepdim, dtype=None):
    """x with the dimensions `dim` (None or (): all) taken away, or kept with length 1."""
    every = dim is None or isinstance(dim, (tuple, list)) and not dim
    dims = range(x.ndim) if every else wrap_dims(dim, x.ndim)
    shape = [1 if d in dims else n for d, n in enumerate(x.shape) if keepdim or d not in dims]
    return Spec(shape, x.dtype if dtype is None else dtype)


def broadcast(specs, dtype):
    """What an elementwise op of these operands gives; the memory order is that of the operands, the first first."""
    shape = tuple(broadcast_shapes(*[s.shape for s in specs]))
    if all([s.c_contiguous for s in specs]):
        return Spec(shape, dtype)
    return ordered(shape, dtype, common_order(shape, specs))


def common_order(shape, specs):
    """PyTorch's order of an elementwise result's dimensions in memory, the outermost first."""
    ndim = len(shape)
    steps = [[0] * (ndim - s.ndim) + [0 if n == 1 else step for n, step in zip(s.shape, s.strides)] for s in specs]
    order = list(range(ndim))[::-1]         # the innermost first
    for i in range(1, ndim):
        at = i
        for before in range(i - 1, -1, -1):
            swap = _compare(order[before], order[at], steps, shape)
            if swap > 0:
                order[before], order[at] = order[at], order[before]
                at = before
            elif swap < 0:
                break
    return order[::-1]


def _compare(a, b, steps, shape):
    """1 when dimension a lies outside b, -1 inside, 0 when no operand says."""
    for step in steps:
        if step[a] == 0 or step[b] == 0:
            continue
        if step[a] != step[b]:
            return 1 if step[a] > step[b] else -1
        if shape[a] > shape[b]:
            return 1
    return 0


def stand_in(shape, np_dtype):
    """An array of any shape in the memory of one element: what a tensor without values holds."""
    return np.ndarray(tuple(shape), np_dtype, np.zeros(1, np_dtype), 0, (0,) * len(shape))


def ghost(spec):
    """An array with the strides of a Spec but without its memory: for view ops, which never look at values."""
    return np.lib.stride_tricks.as_strided(np.zeros(1, spec.dtype), spec.shape, spec.strides, writeable=False)
