# compiled
"""Views by place: a range of a dimension, one index of it, a diagonal; and their reverse, a piece padded with zeros."""
import operator

import numpy as np

from weft.core.errors import fail
from weft.kernels.native import strided
from weft.ops.core.registry import KEEP_HALF, VIEW, op
from weft.ops.core.samples import size
from weft.ops.shape.view import array_of, at

ALL = slice(None)


def along(dim, piece):
    """The index that takes `piece` in one dimension and everything in those before it."""
    return (ALL,) * dim + (piece,)


# a range

@op
class _slice:
    """The view of every `step`-th element from `start`, `count` of them, in dimension `dim`, which is `n` long."""
    tags, method, node_name = VIEW, False, "SliceBackward0"

    def forward(x, dim, start, count, step, n):
        shape, strides = x.shape, x.strides
        by = strides[dim]
        return strided(x, shape[:dim] + (count,) + shape[dim + 1:], strides[:dim] + (by * step,) + strides[dim + 1:],
                       start * by if count else 0)

    def grad_x(g, dim, start, count, step, n):
        return PAD_SLICE.compute([g, dim, start, count, step, n])
    samples = [((4, 3), 0, 1, 2, 1, 4), ((5,), 0, 0, 3, 2, 5)]


@op
class _pad_slice:
    """Zeros, `n` long in dimension `dim`, with x at every `step`-th place from `start`."""
    tags, method, node_name = KEEP_HALF, False, "SliceBackward0Backward0"

    def forward(x, dim, start, count, step, n):
        shape = x.shape
        made = np.zeros(shape[:dim] + (n,) + shape[dim + 1:], x.dtype)
        made[along(dim, slice(start, start + count * step, step))] = x
        return made

    def shape(x, dim, start, count, step, n):
        return x.shape[:dim] + (n,) + x.shape[dim + 1:], x.dtype

    def grad_x(g, dim, start, count, step, n):
        return SLICE.compute([g, dim, start, count, step, n])
    samples = [((2, 3), 0, 1, 2, 1, 4), ((3,), 0, 0, 3, 2, 5)]


def clip_range(start, end, n):
    """Python's meaning of a slice's bounds: counted from the end when negative, cut to what is there."""
    start = 0 if start is None else operator.index(start)
    end = n if end is None else operator.index(end)
    start = max(start + n, 0) if start < 0 else min(start, n)
    end = max(end + n, 0) if end < 0 else min(end, n)
    return start, max(end, start)


def take_slice(x, dim, start, end, step=1):
    """x[..., start:end:step] in one dimension, as a view."""
    shape = array_of(x, "slice").shape
    if not shape:
        fail(RuntimeError, "slice: slice() cannot be applied to a 0-dim tensor.", "unsqueeze() it first")
    dim = at(dim, len(shape))
    step = 1 if step is None else operator.index(step)
    if step <= 0:
        fail(RuntimeError, f"slice: slice step must be positive, got {step}", "use flip() to go backwards")
    start, end = clip_range(start, end, shape[dim])
    return SLICE.compute([x, dim, start, (end - start + step - 1) // step, step, shape[dim]])


@op
class narrow:
    """The view of `length` elements from `start` in dimension `dim`."""
    tags, node_name, native = VIEW, "SliceBackward0", "narrow"

    def forward(x, dim, start, length):
        shape, strides = x.shape, x.strides
        if not shape:
            fail(RuntimeError, "narrow: narrow() cannot be applied to a 0-dim tensor.", "unsqueeze() it first")
        dim = at(dim, len(shape))
        n = shape[dim]
        if type(start) is not int:
            start = start_number(start)
        if length < 0:
            fail(RuntimeError, f"narrow: narrow(): length must be non-negative, got {length}",
                 "give a length of 0 or more")
        if not -n <= start <= n:
            fail(IndexError, f"narrow: start out of range (expected to be in range of [{-n}, {n}], but got {start})",
                 f"dimension {dim} has {n} elements")
        if start < 0:
            start += n
        if start + length > n:
            fail(RuntimeError, f"narrow: start ({start}) + length ({length}) exceeds dimension size ({n}).",
                 f"take a length of at most {n - start}")
        return strided(x, shape[:dim] + (operator.index(length),) + shape[dim + 1:], strides, start * strides[dim]
                       if length else 0)

    def grad_x(g, x_shape, dim, start, length):
        dim = at(dim, len(x_shape))
        n, start = x_shape[dim], operator.index(start)
        return PAD_SLICE.compute([g, dim, start + n if start < 0 else start, length, 1, n])
    samples = [((4, 3), 0, 1, 2), ((4, 3), -1, -2, 1)]


def start_number(start):
    """A zero-dim integer array or other index as an int."""
    if isinstance(start, np.ndarray) and (start.ndim or start.dtype.kind not in "iu"):
        fail(RuntimeError, f"narrow: start must be an 0-dim integral Tensor, got {start.dtype} of shape "
             f"{list(start.shape)}", "use an int")
    return operator.index(start)


# one index

@op
class select:
    """The view at one index of a dimension, without that dimension."""
    tags, native = VIEW, "select"

    def forward(x, dim, index):
        shape, strides = x.shape, x.strides
        if not shape:
            fail(IndexError, "select: select() cannot be applied to a 0-dim tensor.",
                 "it has no dimension to select from; use it as it is")
        dim = at(dim, len(shape))
        n = shape[dim]
        if type(index) is not int:
            index = operator.index(index)
        if not -n <= index < n:
            fail(IndexError, f"select: select(): index {index} out of range for tensor of size {list(shape)} at "
                 f"dimension {dim}",
                 f"take an index from {-n} to {n - 1}")
        if index < 0:
            index += n
        return strided(x, shape[:dim] + shape[dim + 1:], strides[:dim] + strides[dim + 1:], index * strides[dim])

    def grad_x(g, x_shape, dim, index):
        dim = at(dim, len(x_shape))
        return PAD_SELECT.compute([g, dim, operator.index(index), x_shape[dim]])
    samples = [((4, 3), 0, 1), ((4, 3), -1, -2)]


@op
class _pad_select:
    """Zeros with x at one index of a new dimension, `n` long."""
    tags, method, node_name = KEEP_HALF, False, "SelectBackward0Backward0"

    def forward(x, dim, index, n):
        shape = x.shape
        made = np.zeros(shape[:dim] + (n,) + shape[dim:], x.dtype)
        made[along(dim, index)] = x
        return made

    def shape(x, dim, index, n):
        return x.shape[:dim] + (n,) + x.shape[dim:], x.dtype

    def grad_x(g, dim, index, n):
        return SELECT.compute([g, dim, index])
    samples = [((3,), 0, 1, 4), ((2, 3), 1, 0, 2)]


# a diagonal

@op
class diagonal:
    """The view of a diagonal of two dimensions, put last."""
    tags = VIEW

    def forward(x, offset=0, dim1=0, dim2=1):
        first, second = check_diagonal(x.shape, dim1, dim2, "diagonal")
        return diagonal_of(x, offset, first, second)

    def grad_x(g, x_shape, offset, dim1, dim2):
        return PAD_DIAGONAL.compute([g, offset, at(dim1, len(x_shape)), at(dim2, len(x_shape)), x_shape])
    samples = [((3, 4),), ((3, 4), 1), ((2, 3, 4), -1, 0, 2)]


def diagonal_of(x, offset, dim1, dim2):
    """The view of an array's diagonal."""
    own, strides = x.shape, x.strides
    count = diagonal_length(own, offset, dim1, dim2)
    start = offset * strides[dim2] if offset >= 0 else -offset * strides[dim1]
    rest = [d for d in range(x.ndim) if d != dim1 and d != dim2]
    return strided(x, tuple([own[d] for d in rest]) + (count,),
                   tuple([strides[d] for d in rest]) + (strides[dim1] + strides[dim2],), start if count else 0)


def diagonal_length(shape, offset, dim1, dim2):
    rows, columns = shape[dim1], shape[dim2]
    return max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)


@op
class _pad_diagonal:
    """Zeros of shape `own` with x on a diagonal."""
    tags, method, node_name = KEEP_HALF, False, "DiagonalBackward0Backward0"

    def forward(x, offset, dim1, dim2, own):
        made = np.zeros(own, x.dtype)
        if x.size:
            diagonal_of(made, offset, dim1, dim2)[...] = x
        return made

    def shape(x, offset, dim1, dim2, own):
        return own, x.dtype

    def grad_x(g, offset, dim1, dim2, own):
        return DIAGONAL.compute([g, offset, dim1, dim2])
    samples = [((3,), 1, 0, 1, size(3, 4)), ((2, 2), -1, 0, 2, size(3, 2, 4))]


def check_diagonal(shape, dim1, dim2, who):
    """The two dimensions of a diagonal, counted from the front."""
    first, second = at(dim1, len(shape)), at(dim2, len(shape))
    if first == second:
        fail(RuntimeError, f"{who}: diagonal dimensions cannot be identical {dim1}, {dim2}", "name two dimensions")
    return first, second


@op
class linalg_diagonal:
    """The view of the diagonals of the last two dimensions."""
    names = "linalg.diagonal"

    def compose(A, *, offset=0, dim1=-2, dim2=-1):
        return DIAGONAL.compute([A, offset, dim1, dim2])
    samples = [((2, 3, 4),), ((3, 4), {"offset": 1})]


@op
class diag_embed:
    """Matrices with the last dimension of x on a diagonal, zeros elsewhere."""
    def compose(input, offset=0, dim1=-2, dim2=-1):
        own = array_of(input, "diag_embed").shape
        n = (own[-1] if own else 1) + abs(offset)
        first, second = check_diagonal((*own, n), dim1, dim2, "diag_embed")
        rest = iter(own[:-1])
        full = tuple([n if d in (first, second) else next(rest) for d in range(len(own) + 1)])
        return PAD_DIAGONAL.compute([input, offset, first, second, full])
    samples = [((3,),), ((2, 3), 1), ((2, 3), -1, 0, 2)]


@op
class diag:
    """A vector as a diagonal matrix, or the diagonal of a matrix as a new vector."""
    def compose(input, diagonal=0):
        ndim = array_of(input, "diag").ndim
        if ndim == 1:
            return diag_embed(input, diagonal)
        if ndim != 2:
            fail(RuntimeError, f"diag: diag(): Supports 1D or 2D tensors. Got {ndim}D",
                 "use diagonal() or diag_embed() for batches")
        return DIAGONAL.compute([input, diagonal, 0, 1]).clone()
    samples = [((3,),), ((3, 4), 1)]


@op
class diagflat:
    """All elements on the diagonal of a matrix."""
    def compose(input, offset=0):
        return diag_embed(input.reshape(-1), offset)
    samples = [((2, 2), 1), ((),)]


SLICE, PAD_SLICE, SELECT, PAD_SELECT = _slice.op, _pad_slice.op, select.op, _pad_select.op
DIAGONAL, PAD_DIAGONAL = diagonal.op, _pad_diagonal.op
