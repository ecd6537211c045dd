# compiled
"""Writing whole slices along one dimension: index_add, index_copy, index_fill, index_reduce."""
import numpy as np

from weft.core.errors import fail
from weft.core.size import wrap_dim
from weft.kernels import fast
from weft.ops.core.registry import KEEP_HALF, op
from weft.ops.index.advanced import _index_dim
from weft.ops.index.arrays import (
    add_along,
    check_bounds,
    copied,
    lift,
    plain_values,
    same_dtype,
    value_array,
    wrap_negative,
)
from weft.ops.index.forms import in_place, long, need_tensor
from weft.ops.index.gather import vector_index
from weft.ops.index.scatter import _scatter_reduce, no_complex_order, own_memory
from weft.ops.pointwise.arithmetic import conj_of
from weft.tensor.tensor import wrap

ALL = slice(None)


def slices_of(g, dim, index, like_zero_dim):
    """The slices of a gradient that a source gets; a zero-dim tensor counts as a single slice."""
    if not like_zero_dim:
        return _index_dim(g, dim, index)
    return g


def assign_slices(x, dim, index, values):
    """x[:, ..., index] = values, in place."""
    if not fast.write_dim(lift(x), dim, index, plain_values(values), False):
        lift(x)[(ALL,) * dim + (index,)] = values


def add_slices(x, dim, index, values):
    """Add to x's slices, in place; a slice named twice gets both."""
    x = lift(x)
    if index.size:
        if x.flags.c_contiguous:
            add_along(x, dim, index, values)
        else:
            made = np.ascontiguousarray(x)
            add_along(made, dim, index, values)
            x[...] = made


# index_add

@op
class _index_add:
    """x with alpha * source added to the slices of dim that index names."""
    method, node_name = False, "IndexAddBackward0"

    def forward(x, dim, index, source, alpha):
        made = copied(x)
        add_slices(made, dim, index, scaled(source, alpha))
        return made

    def write(x, dim, index, source, alpha):
        add_slices(x, dim, index, own_memory(x, scaled(source, alpha)))

    def grad_x(g):
        return g

    def grad_source(g, dim, index, alpha):
        g = slices_of(g, dim, index, g.array.ndim == 0)
        return g if alpha == 1 else g * conj_of(alpha)
    samples = [((3, 2), 0, long([2, 0, 2]), (3, 2), 1), ((3, 2), 1, long([0]), (3, 1), 2)]


def scaled(source, alpha):
    return source if alpha == 1 else source * value_array(alpha, source.dtype, "index_add")


def _add_args(x, dim, index, source, *, alpha=1, who="index_add_"):
    dim, index = _common(x, dim, index, source, who, RuntimeError)
    if source.array.ndim != x.array.ndim:
        fail(RuntimeError, f"{who}(): source tensor shape must match self tensor shape, excluding the specified "
             f"dimension. Got self.shape = {list(x.array.shape)} source.shape = {list(source.array.shape)}",
             "give slices of the tensor's own shape")
    same_dtype(x.array, source.array, who + "(): self ({x}) and source ({source}) must have the same scalar type")
    value_array(alpha, x.array.dtype, who)
    check_bounds(index.array, lift(x.array).shape[dim], dim)
    return dim, index, source, alpha


def _common(x, dim, index, source, who, kind, **words):
    """The dimension and index, after the checks that a source has a slice of x's shape for each index."""
    need_tensor(x, who, "input")
    need_tensor(source, who, "source")
    shape = x.array.shape
    dim = wrap_dim(dim, len(shape))
    index = vector_index(index, who, **words)
    n = source.array.shape[dim] if source.array.ndim > dim else 1
    if index.array.size != n:
        fail(kind, f"{who}(): Number of indices ({index.array.size}) should be equal to source.size(dim): ({n}), for "
             f"dim: {dim}",
             "give one slice of the source for each index")
    own = source.array.shape
    if shape and own and (len(own) != len(shape) or own[:dim] + own[dim + 1:] != shape[:dim] + shape[dim + 1:]):
        fail(kind, f"{who}(): source tensor shape must match self tensor shape, excluding the specified dimension. Got "
             f"self.shape = {list(shape)} source.shape = {list(own)} (dim {dim})",
             "give slices of the tensor's own shape")
    return dim, index


@op
class index_add:
    """The tensor with alpha * `source` added to the slices of `dim` that `index` names."""
    def compose(input, dim, index, source, *, alpha=1):
        dim, index, source, alpha = _add_args(input, dim, index, source, alpha=alpha, who="index_add")
        return _index_add(input, dim, index, like(source, input), alpha)
    samples = [((3, 2), 0, long([2, 0, 2]), (3, 2))]


def like(source, x):
    """A source of one element in x's number of dimensions, where one of the two is zero-dim."""
    if source.array.ndim == x.array.ndim:
        return source
    return source.reshape((1,) * x.array.ndim)


# index_copy

@op
class _index_copy:
    """x with the slices of dim that index names replaced by those of source."""
    tags, method, node_name = KEEP_HALF, False, "IndexCopyBackward0"

    def forward(x, dim, index, source):
        made = copied(x)
        assign_slices(made, dim, index, lift(source))
        return made

    def write(x, dim, index, source):
        assign_slices(x, dim, index, lift(own_memory(x, source)))

    def grad_x(g, dim, index):
        return _index_fill(g, dim, index, 0)

    def grad_source(g, dim, index):
        return slices_of(g, dim, index, g.array.ndim == 0)
    samples = [((3, 2), 0, long([2, 0]), (2, 2))]


def _copy_args(x, dim, index, source, who="index_copy_"):
    dim, index = _common(x, dim, index, source, who, IndexError, what="Expected a long tensor for index")
    same_dtype(x.array, source.array,
               who + "(): self and source expected to have the same dtype, but got (self) {x} and (source) {source}")
    check_bounds(index.array, lift(x.array).shape[dim], dim, IndexError, who + "(): ")
    return dim, index, like(source, x)


@op
class index_copy:
    """The tensor with the slices of `dim` that `index` names replaced by those of `source`."""
    def compose(input, dim, index, source):
        return _index_copy(input, *_copy_args(input, dim, index, source, "index_copy"))
    samples = [((3, 2), 0, long([2, 0]), (2, 2))]


# index_fill

@op
class _index_fill:
    """x with the slices of dim that index names filled with a value."""
    tags, method, node_name = KEEP_HALF, False, "IndexFillBackward0"

    def forward(x, dim, index, value):
        made = copied(x)
        assign_slices(made, dim, index, value_array(value, x.dtype, "index_fill_"))
        return made

    def write(x, dim, index, value):
        assign_slices(x, dim, index, value_array(value, x.dtype, "index_fill_"))

    def grad_x(g, dim, index):
        return _index_fill(g, dim, index, 0)

    def grad_value(g, dim, index):
        once = wrap(np.unique(index.array))     # a slice named twice is still filled once
        return slices_of(g, dim, once, g.array.ndim == 0).sum()
    samples = [((3, 2), 0, long([2, 0]), 1.5), ((3, 2), 1, long([-1]), ())]


def _fill_args(x, dim, index, value):
    need_tensor(x, "index_fill_", "input")
    dim = wrap_dim(dim, x.array.ndim)
    index = vector_index(index, "index_fill_", IndexError, "Expected dtype int64 for index.")
    value_array(value.array if hasattr(value, "array") else value, x.array.dtype, "index_fill_")
    wrapped = wrap_negative(index.array, lift(x.array).shape[dim], dim)
    return dim, index if wrapped is index.array else wrap(wrapped), value


@op
class index_fill:
    """The tensor with the slices of `dim` that `index` names filled with `value`, a number or zero-dim tensor."""
    def compose(input, dim, index, value):
        return _index_fill(input, *_fill_args(input, dim, index, value))
    samples = [((3, 2), 0, long([2, 0]), 1.5)]


# index_reduce

def _reduce_args(x, dim, index, source, reduce, *, include_self=True):
    """index_reduce is scatter_reduce with the index repeated for all of a slice."""
    who = "index_reduce"
    if reduce not in ("prod", "mean", "amax", "amin"):
        fail(RuntimeError, f"{who}(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.",
             "use index_add for sums")
    no_complex_order(x, reduce, who)
    dim, index = _common(x, dim, index, source, who, RuntimeError)
    same_dtype(x.array, source.array, who + "(): self ({x}) and source ({source}) must have the same scalar type")
    check_bounds(index.array, lift(x.array).shape[dim], dim, IndexError, "index out of range in self: ")
    source = like(source, x)
    shape = source.array.shape
    wide = index.array.reshape((1,) * dim + (-1,) + (1,) * (len(shape) - dim - 1)) if shape else index.array.reshape(())
    return dim, wrap(np.broadcast_to(wide, shape)), source, reduce, bool(include_self)


@op
class index_reduce:
    """The tensor with `source` reduced into the slices of `dim` that `index` names, by prod, mean, amax or amin."""
    def compose(input, dim, index, source, reduce, *, include_self=True):
        return _scatter_reduce(input, *_reduce_args(input, dim, index, source, reduce, include_self=include_self))
    samples = [((3, 2), 0, long([2, 0, 2]), (3, 2), "prod")]


def _add_in_place(x, dim, index, source, *, alpha=1):
    dim, index, source, alpha = _add_args(x, dim, index, source, alpha=alpha)
    return dim, index, like(source, x), alpha


in_place("index_add_", index_add, _index_add.op, _add_in_place)
in_place("index_copy_", index_copy, _index_copy.op, _copy_args)
in_place("index_fill_", index_fill, _index_fill.op, _fill_args)
in_place("index_reduce_", index_reduce, _scatter_reduce.op, _reduce_args)
