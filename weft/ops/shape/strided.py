"""Views by strides: any window on a tensor's memory, sliding windows; and copies in a wanted memory order."""
import operator

import numpy as np

from weft.core.errors import fail
from weft.core.layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    empty_format,
    is_channels_last,
    preserve_format,
)
from weft.core.spec import MOST, Spec, formatted, reach_of, window_fault
from weft.kernels import fast
from weft.kernels.native import strided
from weft.ops.core.registry import MAYBE_VIEW, VIEW, op
from weft.ops.core.samples import given, size
from weft.ops.index.arrays import copied
from weft.ops.shape.slices import along, take_slice
from weft.ops.shape.view import array_of, at
from weft.tensor.layout import memory_span, storage_offset
from weft.tensor.tensor import describe

# memory geometry, in elements

def may_overlap(shape, strides):
    """Whether two elements may share a place in memory."""
    extent = 1
    for s, n in sorted([(s, n) for n, s in zip(shape, strides) if n > 1]):
        if s < extent:
            return True
        extent += s * (n - 1)
    return False


def places(shape, strides, start):
    """The place in flat memory of each element."""
    index = np.full((), start, np.int64)
    for n, s in zip(shape, strides):
        index = index[..., None] + np.arange(n) * s
    return index


def lay(values, flat, shape, strides, start, average):
    """Put values into flat memory; those that share a place are added, or averaged."""
    if not values.size:
        return
    if not may_overlap(shape, strides):
        _window(flat, shape, strides, start)[...] = values
        return
    index = places(shape, strides, start)
    np.add.at(flat, index, values)
    if average:
        count = np.zeros(flat.shape, np.int64)
        np.add.at(count, index, 1)
        flat /= np.maximum(count, 1).astype(flat.dtype)


def _window(flat, shape, strides, start):
    return strided(flat, tuple(shape), tuple([s * flat.itemsize for s in strides]), start * flat.itemsize)


def _flat_for(x, size, stride, offset, own):
    """Zeros for all memory that either geometry reaches, and where the source's first element lies in it."""
    low = min(0, offset)
    high = max(reach_of(*own), offset + reach_of(size, stride), 0)
    return np.zeros(high - low + 1, x.dtype), -low


# any window

@op
class _as_strided:
    """The view of memory from `offset` elements after x's first; `own` is x's shape and strides."""
    tags, method, node_name = VIEW, False, "AsStridedBackward0"

    def forward(x, size, stride, offset, own):
        return strided(x, size, tuple([s * x.itemsize for s in stride]), offset * x.itemsize)

    def shape(x, size, stride, offset, own):
        return Spec(size, x.dtype, [s * x.itemsize for s in stride], x, x.offset + offset * x.itemsize)

    def grad_x(g, size, stride, offset, own):
        return UNSTRIDE.compute([g, size, stride, offset, own])
    samples = [((6,), size(2, 2), size(2, 1), 1, given(((6,), (1,))))]


@op
class _unstride:
    """Values seen through one geometry, added up in memory, and read through another: as_strided backwards."""
    tags, method, node_name = frozenset(), False, "AsStridedBackward0Backward0"

    def forward(x, size, stride, offset, own):
        if 0 in own[0]:
            return np.zeros(own[0], x.dtype)
        flat, start = _flat_for(x, size, stride, offset, own)
        lay(x, flat, size, stride, start + offset, False)
        if may_overlap(*own):
            count = np.zeros(flat.shape, np.int64)
            np.add.at(count, places(*own, start), 1)
            flat /= np.maximum(count, 1).astype(flat.dtype)
        return _window(flat, *own, start).copy()

    def shape(x, size, stride, offset, own):
        return own[0], x.dtype

    def grad_x(g, size, stride, offset, own):
        return RESTRIDE.compute([g, size, stride, offset, own])
    samples = [((2, 2), size(2, 2), size(2, 1), 1, given(((6,), (1,)))),
               ((2, 3), size(2, 3), size(1, 1), 0, given(((4,), (1,))))]


@op
class _restride:
    """Values laid out in memory as `own` says, and read through another geometry: a copy of what as_strided gives."""
    tags, method, node_name = frozenset(), False, "AsStridedBackward0Backward1"

    def forward(x, size, stride, offset, own):
        if 0 in size:
            return np.zeros(size, x.dtype)
        flat, start = _flat_for(x, size, stride, offset, own)
        lay(x, flat, *own, start, True)
        return _window(flat, size, stride, start + offset).copy()

    def shape(x, size, stride, offset, own):
        return size, x.dtype

    def grad_x(g, size, stride, offset, own):
        return UNSTRIDE.compute([g, size, stride, offset, own])
    samples = [((6,), size(2, 2), size(2, 1), 1, given(((6,), (1,))))]


@op
class as_strided:
    """The view of x's storage with this shape, these strides and this offset from its start."""
    def compose(input, size, stride, storage_offset=None):
        return AS_STRIDED.compute([input, *window_of(input, size, stride, storage_offset)])
    samples = [((6,), [2, 2], [2, 1]), ((3, 3), [3], [4], 0)]


def window_of(x, size, stride, offset):
    """The checked arguments of `_as_strided`."""
    array = array_of(x, "as_strided")
    size, stride = tuple(map(operator.index, size)), tuple(map(operator.index, stride))
    item = array.itemsize
    own = array.shape, tuple([s // item for s in describe(x).strides])
    start = storage_offset(x)
    offset = start if offset is None else operator.index(offset)
    wrong = window_fault(size, stride, offset, MOST if x._on_meta else memory_span(x) // item)
    if wrong:
        fail(RuntimeError, f"as_strided: setStorage: sizes {list(size)}, strides {list(stride)}, storage offset "
             f"{offset}, and itemsize {item} are out of bounds for storage of size {memory_span(x)}: {wrong}",
             "stay within the tensor's memory, with a stride of 0 or more for each size")
    return size, stride, offset - start if 0 not in size or x._on_meta else 0, own


# sliding windows

@op
class _unfold:
    """The view of all windows of `size` elements, `step` apart, of a dimension that is `n` long."""
    tags, method, node_name = VIEW, False, "UnfoldBackward0"

    def forward(x, dim, size, step, n):
        shape, strides = x.shape, x.strides
        count = (n - size) // step + 1
        return strided(x, shape[:dim] + (count,) + shape[dim + 1:] + (size,),
                       strides[:dim] + (strides[dim] * step,) + strides[dim + 1:] + (strides[dim],), 0)

    def grad_x(g, dim, size, step, n):
        return FOLD.compute([g, dim, size, step, n])
    samples = [((5,), 0, 3, 1, 5), ((6, 2), 0, 2, 3, 6)]


@op
class _fold:
    """The windows added up where they came from."""
    tags, method, node_name = frozenset(), False, "UnfoldBackward0Backward0"

    def forward(x, dim, size, step, n):
        count = x.shape[dim]
        made = np.zeros(x.shape[:dim] + (n,) + x.shape[dim + 1:-1], x.dtype)
        if size <= count:
            for k in range(size):
                made[along(dim, slice(k, k + (count - 1) * step + 1, step))] += x[..., k]
        else:
            windows = np.moveaxis(x, -1, dim + 1)       # (..., count, size, ...)
            for i in range(count):
                made[along(dim, slice(i * step, i * step + size))] += windows[along(dim, i)]
        return made

    def shape(x, dim, size, step, n):
        return x.shape[:dim] + (n,) + x.shape[dim + 1:-1], x.dtype

    def grad_x(g, dim, size, step, n):
        return UNFOLD.compute([g, dim, size, step, n])
    samples = [((3, 3), 0, 3, 1, 5)]


@op
class unfold:
    """The view of all windows of `size` elements, `step` apart, of a dimension; the window is the last dimension."""
    def compose(input, dimension, size, step):
        shape = array_of(input, "unfold").shape
        dim = at(dimension, len(shape))
        n, size, step = shape[dim] if shape else 1, operator.index(size), operator.index(step)
        if size < 0:
            fail(RuntimeError, f"unfold: size is {size} but must be >= 0", "give a window of 0 or more elements")
        if size > n:
            fail(RuntimeError, f"unfold: maximum size for tensor at dimension {dim} is {n} but size is {size}",
                 "take a smaller window")
        if step <= 0:
            fail(RuntimeError, f"unfold: step is {step} but must be > 0", "move on by one or more")
        if not shape:
            return take_slice(input.view(1), 0, 0, size)
        return UNFOLD.compute([input, dim, size, step, n])
    samples = [((5,), 0, 3, 1), ((6, 2), 0, 2, 3)]


# memory order

@op
class contiguous:
    """The tensor itself where it lies in memory in this order already, else a copy that does."""
    tags, node_name = MAYBE_VIEW, "CloneBackward0"
    steady = True

    def forward(x, memory_format=contiguous_format):
        if memory_format is contiguous_format:
            return x if x.flags.c_contiguous else copied(x)
        if is_in_format(x, memory_format):
            return x
        if memory_format is preserve_format:
            fail(RuntimeError, "contiguous: preserve memory format is unsupported by the contiguous operator",
                 "use clone()")
        made = empty_format(x, x.dtype, memory_format)
        if not fast.copy_into(made, x):
            made[...] = x
        return made

    def shape(x, memory_format=contiguous_format):
        return x if is_in_format(x, memory_format) else formatted(x, x.dtype, memory_format)

    def grad_x(g):
        return g
    samples = [((2, 3),)]


def is_in_format(array, memory_format):
    """Whether an array lies in memory in this order."""
    if memory_format is contiguous_format or memory_format is preserve_format:
        return array.flags.c_contiguous
    if memory_format is channels_last:
        return is_channels_last(array, 4)
    if memory_format is channels_last_3d:
        return is_channels_last(array, 5)
    raise TypeError(f"memory_format must be a torch.memory_format, not {type(memory_format).__name__}")


AS_STRIDED, UNSTRIDE, RESTRIDE = _as_strided.op, _unstride.op, _restride.op
UNFOLD, FOLD = _unfold.op, _fold.op
