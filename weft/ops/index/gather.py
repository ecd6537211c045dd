# compiled
"""Reading at indices along one dimension: gather, index_select, take, take_along_dim."""
import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.size import broadcast_shapes, wrap_dim
from weft.core.spec import like
from weft.kernels import fast
from weft.kernels.native import dims
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.ops.core.samples import ints
from weft.ops.index.advanced import _index_dim_backward
from weft.ops.index.arrays import (
    INDEX_FIX,
    LONG,
    add_along,
    add_at,
    check_bounds,
    check_long,
    contiguous,
    dim_positions,
    lift,
    plain_values,
    type_name,
    wrap_negative,
    zeros,
)
from weft.ops.index.forms import long, need_tensor

PUT, ADD, MULTIPLY, GREATEST, LEAST, MEAN = range(6)       # what fast.scatter does with a value


# gather

def check_against(index, shape, dim, who, of="input"):
    """An index of this shape must have the tensor's number of dimensions and be no longer than it, apart from dim."""
    if len(index) != len(shape):
        fail(RuntimeError, f"{who}(): Index tensor must have the same number of dimensions as {of} tensor, got "
             f"{len(index)} and {len(shape)}",
             "unsqueeze() the index where it lacks a dimension")
    for d, (n, m) in enumerate(zip(index, shape)):
        if d != dim and n > m:
            fail(RuntimeError, f"{who}(): Size does not match at dimension {d} expected index {list(index)} to "
                 f"be no larger than self {list(shape)} apart from dimension {dim}",
                 "cut the index to the tensor's sizes")


@op
class _gather:
    """The elements at an int64 index along dim."""
    tags, method, node_name = KEEP_HALF, False, "GatherBackward0"

    def forward(x, dim, index):
        x, picked = lift(x), lift(index)
        found = fast.gather(x, dim, picked)
        if found is not None:
            return found.reshape(index.shape) if index.ndim == 0 else found
        check_bounds(picked, x.shape[dim], dim)
        if x.flags.c_contiguous:
            return x.reshape(-1).take(dim_positions(x.shape, dim, picked)).reshape(index.shape)
        return contiguous(np.take_along_axis(x[cut(picked.shape, dim)], picked, dim)).reshape(index.shape)

    def shape(x, dim, index):
        return index.shape, x.dtype

    def grad_x(g, dim, index, x_shape):
        return _gather_backward(g, dim, index, x_shape)
    samples = [((3, 2), 1, long([[0], [1]]))]


def cut(shape, dim):
    """The index that cuts a tensor to a shape, apart from dim."""
    return tuple([slice(None) if d == dim else slice(n) for d, n in enumerate(shape)])


@op
class _gather_backward:
    """Zeros of a shape, with g added at an index along dim."""
    method = False

    def forward(g, dim, index, shape):
        made = zeros(tuple(shape), g.dtype)
        if (g.size and not fast.scatter(lift(made), dim, lift(index), g if g.size == 1 and g.ndim == 0
                                        else plain_values(g), ADD, True, True)):
            add_at(made.reshape(-1), dim_positions(shape or (1,), dim, lift(index)), g)
        return made

    def shape(g, dim, index, shape):
        return shape, g.dtype

    def grad_g(g, dim, index):
        return _gather(g, dim, index)
    samples = [((2, 1), 1, long([[0], [1]]), [3, 2])]


def long_tensor(index, who, **words):
    """An index tensor of type int64."""
    need_tensor(index, who, "index")
    kind = index._form.dtype
    if kind is LONG or kind == LONG:
        return index
    if not index._form.size:
        return index.to(dtypes.int64)
    check_long(index._form, who, **words)
    return index.to(dtypes.int64)


@op
class gather:
    """out[i][j] = input[index[i][j]][j] for dim 0, and so on: one element of `dim` for each place of `index`."""
    def compose(input, dim, index, *, sparse_grad=False):
        need_tensor(input, "gather", "input")
        shape = input._form.shape
        dim = wrap_dim(dim, len(shape))
        index = long_tensor(index, "gather")
        if index._form.size:
            check_against(index._form.shape or (1,), shape or (1,), dim, "gather")
        elif index._form.ndim != len(shape):
            return _empty(input, index._form.shape)
        return _gather.op.compute([input, dim, index])
    samples = [((3, 2), 1, long([[0], [1]]))]


def _empty(x, shape):
    """Nothing out of x, at the shape of an empty index."""
    return x.reshape(-1)[:0].reshape(shape)


@op
class _counted_round:
    """Indices beyond the end counted from the start again, as PyTorch's take_along_dim does."""
    tags, method = NOGRAD, False

    def forward(x, n):
        return x.copy() if fast.within(x, n) else np.remainder(x, n)

    def shape(x, n):
        return like(x)
    samples = [(ints(3, 2, below=7, start=-3), 4)]


@op
class take_along_dim:
    """gather, with input and indices broadcast against each other apart from dim; without dim, on one row."""
    def compose(input, indices, dim=None):
        need_tensor(indices, "take_along_dim", "indices")
        if indices._form.dtype != LONG:
            fail(RuntimeError, f"torch.take_along_dim(): dtype of indices should be Long but got "
                 f"{type_name(indices._form)}", INDEX_FIX)
        if dim is None:
            return _gather(input.reshape(-1), 0, indices.reshape(-1))
        own, theirs = input._form.shape, indices._form.shape
        if not own and not theirs:
            fail(IndexError, f"torch.take_along_dim(): Dimension specified as {dim} but tensor has no dimensions",
                 "leave dim out")
        if len(own) != len(theirs):
            fail(RuntimeError, f"torch.take_along_dim(): input and indices should have the same number of dimensions, "
                 f"but got {len(own)} dimensions for input, and {len(theirs)} dimensions for indices",
                 "unsqueeze() the one that has fewer")
        dim = wrap_dim(dim, len(own))
        n = own[dim] if own else 1
        if indices._form.size and n:
            indices = _counted_round(indices, n)
        if own:
            common = broadcast_shapes(own[:dim] + (1,) + own[dim + 1:], theirs[:dim] + (1,) + theirs[dim + 1:])
            input = input.expand((*common[:dim], own[dim], *common[dim + 1:]))
            indices = indices.expand((*common[:dim], theirs[dim], *common[dim + 1:]))
        return _gather(input, dim, indices)
    samples = [((3, 2), long([[0], [1], [1]]), 1)]


# index_select

def vector_index(index, who, kind=RuntimeError, what="Expected dtype int32/int64 for index", shape_kind=IndexError):
    """A one-dimensional int64 index; a zero-dim one is seen as a single element."""
    index = long_tensor(index, who, kind=kind, what=what)
    if dims(index._form) == 1:
        return index
    if index._form.ndim > 1:
        fail(shape_kind, f"{who}(): Index is supposed to be a vector: it should have dimension 1 or 0 (got "
             f"{index._form.ndim})",
             "flatten() the index")
    return index.reshape(1)


@op
class index_select:
    """The slices of `dim` that a vector of indices names, copied."""
    def compose(input, dim, index):
        need_tensor(input, "index_select", "input")
        shape = input._form.shape
        dim = wrap_dim(dim, len(shape))
        index = vector_index(index, "index_select", what="Expected dtype int32 or int64 for index")
        if not shape:
            if index._form.size != 1:
                fail(RuntimeError, f"index_select(): Index to scalar can have only 1 value, got {index._form.size} "
                     f"value(s)",
                     "give index 0")
            input, shape = input.reshape((1,)), (1,)
            return _index_select(input, dim, index).reshape(())
        return _index_select.op.compute([input, dim, index])
    samples = [((3, 2), 0, long([2, 0, 2]))]


@op
class _index_select:
    """index_select of a tensor that has dimensions, by an int64 vector."""
    tags, method, node_name = KEEP_HALF, False, "IndexSelectBackward0"

    def forward(x, dim, index):
        check_bounds(index, x.shape[dim], dim, IndexError, "index out of range in self: ")
        found = fast.take_dim(x, dim, index)
        return x.take(index, dim) if found is None else found

    def shape(x, dim, index):
        return (*x.shape[:dim], *index.shape, *x.shape[dim + 1:]), x.dtype

    def grad_x(g, dim, index, x_shape):
        return _index_dim_backward(g, dim, index, x_shape)
    samples = [((3, 2), 0, long([2, 0, 2]))]


# take

@op
class _take:
    """The elements at an index into x as one row."""
    tags, method, node_name = KEEP_HALF, False, "TakeBackward0"

    def forward(x, index):
        found = fast.take_dim(x.reshape(-1), 0, index) if x.flags.c_contiguous else None
        if found is not None:
            return found
        try:
            return x.take(index)
        except IndexError:
            wrap_negative(index, x.size, 0, IndexError,
                          f"out of range: tried to access an index on a tensor of {x.size} elements: ")
            raise

    def shape(x, index):
        return index.shape, x.dtype

    def grad_x(g, index, x_shape):
        return _take_backward(g, index, x_shape)
    samples = [((3, 2), long([0, 4, 0]))]


@op
class _take_backward:
    """Zeros of a shape, with g added at an index into them as one row."""
    method = False

    def forward(g, index, shape):
        made = zeros(tuple(shape), g.dtype)
        if g.size:
            add_along(made.reshape(-1), 0, index, g)
        return made

    def shape(g, index, shape):
        return shape, g.dtype

    def grad_g(g, index):
        return _take(g, index)
    samples = [((3,), long([0, 4, 0]), [3, 2])]


def take_flat(x, index):
    return _take(x, index)


@op
class take:
    """The elements at `index`, which counts the tensor's elements as one row."""
    def compose(input, index):
        need_tensor(input, "take", "input")
        need_tensor(index, "take", "index")
        if index._form.dtype != LONG:
            fail(RuntimeError, f"take(): Expected a long tensor for index, but got {type_name(index._form)}", INDEX_FIX)
        return take_flat(input, index)
    samples = [((3, 2), long([0, 4, 0]))]
