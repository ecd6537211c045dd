# compiled
"""Writing whole slices along one dimension: index_add, index_copy, index_fill, index_reduce."""
import numpy as np

from weft.core.errors import fail
from weft.core.size import wrap_dim
from weft.core.spec import like as laid_like
from weft.kernels import fast
from weft.kernels.native import dims, same_type
from weft.kernels.native import shape as shape_of
from weft.ops.core.registry import KEEP_HALF, MAYBE_VIEW, op
from weft.ops.core.samples import ints
from weft.ops.index.advanced import _index_dim
from weft.ops.index.arrays import (
    add_along,
    check_bounds,
    copied,
    copied_in_order,
    lift,
    plain_values,
    same_dtype,
    value_array,
    wrap_negative,
)
from weft.ops.index.forms import check_value, in_place, long, need_tensor
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
        source = scaled(source, alpha)
        made = fast.added_slices(x, index, plain_values(source)) if dim == 0 else None
        if made is not None:
            return made
        made = copied(x)
        check_bounds(index, lift(x).shape[dim], dim)
        add_slices(made, dim, index, source)
        return made

    def shape(x, dim, index, source, alpha):
        return x.shape, x.dtype

    def write(x, dim, index, source, alpha):
        check_bounds(index, lift(x).shape[dim], dim)
        add_slices(x, dim, index, own_memory(x, scaled(source, alpha)))

    def grad_x(g):
        return g

    def grad_source(g, dim, index, alpha):
        g = slices_of(g, dim, index, g._form.ndim == 0)
        return g if alpha == 1 else g * conj_of(alpha)
    samples = [((3, 2), 0, long([2, 0, 2]), (3, 2), 1), ((3, 2), 1, long([0]), (3, 1), 2)]


def scaled(source, alpha):
    return source if alpha == 1 else source * value_array(alpha, source.dtype, "index_add")


def _add_args(x, dim, index, source, *, alpha=1, who="index_add_"):
    dim, index = _common(x, dim, index, source, who, RuntimeError)
    if dims(source._form) != dims(x._form):
        fail(RuntimeError, f"{who}(): source tensor shape must match self tensor shape, excluding the specified "
             f"dimension. Got self.shape = {list(x._form.shape)} source.shape = {list(source._form.shape)}",
             "give slices of the tensor's own shape")
    if not same_type(x._form, source._form):
        same_dtype(x._form, source._form, who + "(): self ({x}) and source ({source}) must have the same scalar type")
    if type(alpha) is not int or alpha != 1:
        value_array(alpha, x._form.dtype, who)
    return dim, index, source, alpha


def _common(x, dim, index, source, who, kind, **words):
    """The dimension and index, after the checks that a source has a slice of x's shape for each index."""
    need_tensor(x, who, "input")
    need_tensor(source, who, "source")
    shape, own = shape_of(x._form), shape_of(source._form)
    dim = wrap_dim(dim, len(shape))
    index = vector_index(index, who, **words)
    n = own[dim] if len(own) > dim else 1
    if index._form.size != n:
        fail(kind, f"{who}(): Number of indices ({index._form.size}) should be equal to source.size(dim): ({n}), for "
             f"dim: {dim}",
             "give one slice of the source for each index")
    if shape and own and own != shape and (
            len(own) != len(shape) or own[:dim] + own[dim + 1:] != shape[:dim] + shape[dim + 1:]):
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
    if dims(source._form) == dims(x._form):
        return source
    return source.reshape((1,) * x._form.ndim)


# index_copy

@op
class _index_copy:
    """x with the slices of dim that index names replaced by those of source."""
    tags, method, node_name = KEEP_HALF, False, "IndexCopyBackward0"

    def forward(x, dim, index, source):
        made = copied(x)
        check_bounds(index, lift(x).shape[dim], dim, IndexError, "index_copy(): ")
        assign_slices(made, dim, index, lift(source))
        return made

    def shape(x, dim, index, source):
        return x.shape, x.dtype

    def write(x, dim, index, source):
        check_bounds(index, lift(x).shape[dim], dim, IndexError, "index_copy_(): ")
        assign_slices(x, dim, index, lift(own_memory(x, source)))

    def grad_x(g, dim, index):
        return _index_fill(g, dim, index, 0)

    def grad_source(g, dim, index):
        return slices_of(g, dim, index, g._form.ndim == 0)
    samples = [((3, 2), 0, long([2, 0]), (2, 2))]


def _copy_args(x, dim, index, source, who="index_copy_"):
    dim, index = _common(x, dim, index, source, who, IndexError, what="Expected a long tensor for index")
    same_dtype(x._form, source._form,
               who + "(): self and source expected to have the same dtype, but got (self) {x} and (source) {source}")
    return dim, index, like(source, x)


@op
class index_copy:
    """The tensor with the slices of `dim` that `index` names replaced by those of `source`."""
    autocast = "widest"
    def compose(input, dim, index, source):
        return _index_copy(input, *_copy_args(input, dim, index, source, "index_copy"))
    samples = [((3, 2), 0, long([2, 0]), (2, 2))]


# index_fill

def fill_slices(x, dim, index, value):
    """x[:, ..., index] = value, in place; negative indices count from the end."""
    index = wrap_negative(index, lift(x).shape[dim], dim)
    assign_slices(x, dim, index, value_array(value, x.dtype, "index_fill_"))


@op
class _index_fill:
    """x with the slices of dim that index names filled with a value."""
    fills = True
    tags, method, node_name = KEEP_HALF, False, "IndexFillBackward0"

    def forward(x, dim, index, value):
        made = copied_in_order(x)
        fill_slices(made, dim, index, value)
        return made

    def shape(x, dim, index, value):
        return laid_like(x)

    def write(x, dim, index, value):
        fill_slices(x, dim, index, value)

    def grad_x(g, dim, index):
        return _index_fill(g, dim, index, 0)

    def grad_value(g, dim, index):
        filled = _index_fill(wrap(np.zeros(g._form.shape, bool)), dim, index, True)
        return g.where(filled, 0).sum()     # a slice named twice is still filled once
    samples = [((3, 2), 0, long([2, 0]), 1.5), ((3, 2), 1, long([-1]), ())]


def _fill_args(x, dim, index, value):
    need_tensor(x, "index_fill_", "input")
    dim = wrap_dim(dim, x._form.ndim)
    index = vector_index(index, "index_fill_", IndexError, "Expected dtype int64 for index.")
    if isinstance(value, complex) and x._form.dtype.kind != "c":
        fail(RuntimeError, "index_fill_(): Converting complex Scalar to non-complex type is not supported",
             "give a real number, or convert the tensor first")
    check_value(value, x._form.dtype, "index_fill_")
    return dim, index, value


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
    same_dtype(x._form, source._form, who + "(): self ({x}) and source ({source}) must have the same scalar type")
    index = _index_inside(index, (x._form.shape or (1,))[dim], dim)
    source = like(source, x)
    shape = source._form.shape
    wide = index.view((1,) * dim + (-1,) + (1,) * (len(shape) - dim - 1) if shape else ()).expand(shape)
    return dim, wide, source, reduce, bool(include_self)


@op
class _index_inside:
    """An index itself, once all of it is known to lie in [0, n)."""
    tags, method = MAYBE_VIEW, False

    def forward(x, n, dim):
        check_bounds(x, n, dim, IndexError, "index out of range in self: ")
        return x

    def shape(x, n, dim):
        return x
    samples = [(ints(4, below=3), 3, 0)]


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
