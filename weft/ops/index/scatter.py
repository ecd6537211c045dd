# compiled
"""Writing at indices along one dimension: scatter, scatter_add, scatter_reduce."""
import numpy as np

from weft.core.errors import fail
from weft.core.size import wrap_dim
from weft.kernels import fast
from weft.kernels.native import dims, same_type
from weft.kernels.native import shape as shape_of
from weft.ops.core.registry import KEEP_HALF, op
from weft.ops.index.arrays import (
    add_at,
    assign_at,
    at,
    check_bounds,
    copied,
    dim_positions,
    is_half,
    lift,
    same_dtype,
    type_name,
    update_flat,
    value_array,
)
from weft.ops.index.forms import in_place, long, need_tensor, zeros_of
from weft.ops.index.gather import ADD, GREATEST, LEAST, MEAN, MULTIPLY, PUT, _gather, check_against, long_tensor
from weft.ops.index.masks import _masked_fill
from weft.ops.index.view import SLICE, view_at
from weft.tensor.tensor import Tensor, wrap


def places_of(x, dim, index):
    """Flat places in x for an index along dim, checked."""
    index = lift(index)
    check_bounds(index, lift(x).shape[dim], dim)
    return dim_positions(lift(x).shape, dim, index)


def native(x, dim, index, src, how, include_self, fresh):
    """Scatter into x by the native kernel; whether it was done. Where an index is out of range, nothing is written but
    to a fresh x.
    """
    # a zero-dim src is one value for all
    return fast.scatter(lift(x), dim, lift(index), src, how, include_self, fresh)


def own_memory(x, source):
    """The source of a write into x: a copy where the two overlap."""
    if not isinstance(source, np.ndarray) or x.base is None and source.base is None and x is not source:
        return source
    return source.copy() if np.may_share_memory(x, source) else source


def put_places(x, dim, index, src, fresh=False):
    """x[index along dim] = src, in place."""
    if not native(x, dim, index, src, PUT, True, fresh):
        update_flat(x, assign_at, places_of(x, dim, index), lift(src))


def add_places(x, dim, index, src, fresh=False):
    """x[index along dim] += src, in place."""
    if not native(x, dim, index, src, ADD, True, fresh):
        update_flat(x, add_at, places_of(x, dim, index), src)


def gather_back(g, dim, index):
    """What a scattered source gets of the gradient."""
    return _gather(g, dim, index)


# assigning

@op
class _scatter:
    """x with src at an index along dim; src has the index's shape."""
    tags, method, node_name = KEEP_HALF, False, "ScatterBackward0"

    def forward(x, dim, index, src):
        made = copied(x)
        put_places(made, dim, index, src, True)
        return made

    def shape(x, dim, index, src):
        return x.shape, x.dtype

    def write(x, dim, index, src):
        put_places(x, dim, index, own_memory(x, src))

    def grad_x(g, dim, index):
        return _scatter_value(g, dim, index, 0)

    def grad_src(g, dim, index):
        return gather_back(g, dim, index)
    samples = [((3, 2), 0, long([[2, 0]]), (1, 2))]


@op
class _scatter_value:
    """x with a number at an index along dim."""
    tags, method, node_name = KEEP_HALF, False, "ScatterBackward1"

    def forward(x, dim, index, value):
        made = copied(x)
        put_places(made, dim, index, value_array(value, x.dtype, "scatter"), True)
        return made

    def shape(x, dim, index, value):
        return x.shape, x.dtype

    def write(x, dim, index, value):
        put_places(x, dim, index, value_array(value, x.dtype, "scatter_"))

    def grad_x(g, dim, index):
        return _scatter_value(g, dim, index, 0)
    samples = [((3, 2), 0, long([[2, 0]]), 1.5)]


@op
class _scatter_add:
    """x with src added at an index along dim."""
    method, node_name = False, "ScatterAddBackward0"

    def forward(x, dim, index, src):
        made = copied(x)
        add_places(made, dim, index, src, True)
        return made

    def shape(x, dim, index, src):
        return x.shape, x.dtype

    def write(x, dim, index, src):
        add_places(x, dim, index, own_memory(x, src))

    def grad_x(g):
        return g

    def grad_src(g, dim, index):
        return gather_back(g, dim, index)
    samples = [((3, 2), 0, long([[2, 0], [2, 1]]), (2, 2))]


# reducing

UFUNCS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


NATIVE = {"sum": ADD, "mean": MEAN, "prod": MULTIPLY, "amax": GREATEST, "amin": LEAST}


def reduce_places(x, dim, index, src, reduce, include_self, fresh=False):
    """Reduce src into x at the index along dim, in place."""
    if not native(x, dim, index, src, NATIVE[reduce], include_self, fresh):
        update_flat(x, _reduce_flat, places_of(x, dim, index), src, reduce, include_self)


def _start(reduce, np_dtype):
    """The value that leaves a reduction as it is."""
    if reduce in ("sum", "mean"):
        return np.zeros((), np_dtype)
    if reduce == "prod":
        return np.ones((), np_dtype)
    if np_dtype.kind in "iu":
        info = np.iinfo(np_dtype)
        return np.array(info.min if reduce == "amax" else info.max, np_dtype)
    if np_dtype.kind == "b":
        return np.array(reduce == "amin")
    return np.array(-np.inf if reduce == "amax" else np.inf).astype(np_dtype)


def _reduce_flat(flat, places, src, reduce, include_self):
    """Reduce src into one row at places."""
    if not include_self:
        flat[places] = _start(reduce, flat.dtype)
    at(UFUNCS[reduce], flat, places, src)
    if reduce == "mean" and flat.dtype.kind != "b":
        counts = np.bincount(places.reshape(-1), minlength=flat.size) + (1 if include_self else 0)
        counts[counts == 0] = 1
        if flat.dtype.kind in "iu":
            flat[...] = flat // counts.astype(flat.dtype)
        else:
            flat[...] = flat / counts.astype(np.float32 if is_half(flat) else flat.real.dtype)


@op
class _scatter_reduce:
    """x with src reduced into it at an index along dim."""
    method, node_name = False, "ScatterReduceBackward0"
    inputs = "x src"

    def forward(x, dim, index, src, reduce, include_self):
        made = copied(x)
        reduce_places(made, dim, index, src, reduce, include_self, True)
        return made

    def shape(x, dim, index, src, reduce, include_self):
        return x.shape, x.dtype

    def write(x, dim, index, src, reduce, include_self):
        reduce_places(x, dim, index, own_memory(x, src), reduce, include_self)

    def grads(g, x, dim, index, src, reduce, include_self, out):
        rule = {"prod": _prod_grads, "mean": _mean_grads, "amax": _extreme_grads, "amin": _extreme_grads}.get(reduce)
        if rule is None:
            grad_x, grad_src = g, gather_back(g, dim, index)
        else:
            grad_x, grad_src = rule(g, x, dim, index, src, include_self, out)
        return [grad_x if include_self else _scatter_value(grad_x, dim, index, 0), grad_src]
    samples = [((3, 2), 0, long([[2, 0], [2, 1]]), (2, 2), how, True) for how in ("sum", "prod", "mean", "amax",
                                                                                  "amin")]


def _mean_grads(g, x, dim, index, src, include_self, out):
    ones = wrap(np.ones(src._form.shape, g._form.dtype))
    start = wrap(np.full(g._form.shape, 1 if include_self else 0, g._form.dtype))
    counts = _scatter_add(start, dim, index, ones)
    share = g / _masked_fill(counts, counts == 0, 1)
    return share, gather_back(share, dim, index)


def _extreme_grads(g, x, dim, index, src, include_self, out):
    """All that equal the extreme share its gradient evenly."""
    own = (x == out).to(g.dtype)
    theirs = (src == gather_back(out, dim, index)).to(g.dtype)
    share = g / _scatter_add(own, dim, index, theirs)
    return own * share, theirs * gather_back(share, dim, index)


def _prod_grads(g, x, dim, index, src, include_self, out):
    """The product of the others: by division, except for a factor that is the only zero."""
    x_safe = _masked_fill(x, x == 0, 1)
    grad_x = g * _scatter_reduce(x_safe, dim, index, src, "prod", include_self) / x_safe
    zero = src == 0
    n_zeros = gather_back(_scatter_add(zeros_of(x), dim, index, zero.to(x.dtype)), dim, index)
    only = zero & (n_zeros == 1)
    start = x if include_self else wrap(np.ones(x._form.shape, x._form.dtype))
    without = _scatter_reduce(start, dim, index, _masked_fill(src, only, 1), "prod", include_self)
    by_division = gather_back(g * out, dim, index) / _masked_fill(src, zero, 1)
    return grad_x, gather_back(g * without, dim, index).where(only, by_division)


# the public forms

def _check(x, dim, index, src, who):
    """(dim, int64 index, src cut to the index's shape)."""
    need_tensor(x, who, "input")
    shape = shape_of(x._form) or (1,)
    dim = wrap_dim(dim, len(shape))
    index = long_tensor(index, who)
    if isinstance(src, Tensor) and not same_type(x._form, src._form):
        same_dtype(x._form, src._form,
                   f"{who}(): Expected self.dtype to be equal to src.dtype, got {{x}} and {{source}}")
    if not index._form.size:
        index = wrap(np.zeros((0,) * len(shape), np.int64))
        if isinstance(src, Tensor):
            src = src.reshape(-1)[:0].reshape((0,) * len(shape))
        return dim, index, src
    picked = shape_of(index._form) or (1,)
    if picked != shape:
        check_against(picked, shape, dim, who, "self")
    if isinstance(src, Tensor):
        own = shape_of(src._form)
        if own == picked:
            return dim, index, src if dims(index._form) else src.reshape(())
        own = own or (1,)
        if len(own) != len(picked):
            fail(RuntimeError, f"{who}(): Index tensor must have the same number of dimensions as src tensor, got "
                 f"{len(picked)} and {len(own)}",
                 "give a src of the index's shape, or a number")
        if any(n > m for n, m in zip(picked, own)):
            fail(RuntimeError, f"{who}(): Expected index {list(picked)} to be no larger than self {list(shape)} "
                 f"apart from dimension {dim} and to be no larger size than src {list(own)}",
                 "cut the index to the sizes of src")
        if own != picked:
            src = view_at(SLICE, src, tuple([slice(n) for n in picked]))
        if src._form.shape != index._form.shape:
            src = src.reshape(index._form.shape)
    return dim, index, src


def _value_or_src(src, value, who):
    if (src is None) == (value is None):
        raise TypeError(f"{who}() takes either src or value")
    return value if src is None else src


def _scatter_parts(x, dim, index, src=None, reduce=None, value=None, who="scatter"):
    """Which private op a scatter is, and its arguments after x."""
    src = _value_or_src(src, value, who)
    dim, index, src = _check(x, dim, index, src, who)
    if reduce is None:
        return (_scatter if isinstance(src, Tensor) else _scatter_value), (dim, index, src)
    if reduce not in ("add", "multiply"):
        fail(RuntimeError, f"{who}(): reduce argument must be either add or multiply., got {reduce!r}",
             "use scatter_reduce() for more kinds")
    if not isinstance(src, Tensor):
        number = value_array(src, x._form.dtype, who)
        src = wrap(np.full(index._form.shape, number, x._form.dtype))
    return _scatter_reduce, (dim, index, src, "sum" if reduce == "add" else "prod", True)


@op
class scatter:
    """The tensor with `src` (a tensor or number) written at `index` along `dim`: the reverse of gather."""
    def compose(input, dim, index, src=None, reduce=None, *, value=None):
        made, args = _scatter_parts(input, dim, index, src, reduce, value)
        return made(input, *args)
    samples = [((3, 2), 0, long([[2, 0]]), (2, 2))]


@op
class scatter_add:
    """The tensor with `src` added at `index` along `dim`."""
    def compose(input, dim, index, src):
        need_tensor(src, "scatter_add", "src")
        return _scatter_add(input, *_check(input, dim, index, src, "scatter_add"))
    samples = [((3, 2), 0, long([[2, 0], [2, 1]]), (2, 2))]


def _reduce_args(x, dim, index, src, reduce, *, include_self=True):
    need_tensor(src, "scatter_reduce", "src")
    if reduce not in UFUNCS:
        fail(RuntimeError, f"scatter_reduce(): reduce argument must be either sum, prod, mean, amax or amin, got "
             f"{reduce}",
             "choose one of them")
    no_complex_order(x, reduce, "scatter_reduce")
    return (*_check(x, dim, index, src, "scatter_reduce"), reduce, bool(include_self))


def no_complex_order(x, reduce, who):
    if reduce in ("amax", "amin") and x._form.dtype.kind == "c":
        fail(NotImplementedError, f'"{who}_{reduce}" not implemented for \'{type_name(x._form)}\': complex numbers '
             f'have no order',
             "use real numbers")


@op
class scatter_reduce:
    """The tensor with `src` reduced into it at `index` along `dim` by sum, prod, mean, amax or amin."""
    def compose(input, dim, index, src, reduce, *, include_self=True):
        return _scatter_reduce(input, *_reduce_args(input, dim, index, src, reduce, include_self=include_self))
    samples = [((3, 2), 0, long([[2, 0], [2, 1]]), (2, 2), "amax")]


def _add_args(x, dim, index, src):
    need_tensor(src, "scatter_add_", "src")
    return _check(x, dim, index, src, "scatter_add_")


in_place("scatter_add_", scatter_add, _scatter_add.op, _add_args)
in_place("scatter_reduce_", scatter_reduce, _scatter_reduce.op, _reduce_args)
in_place("scatter_", scatter, None, _scatter_parts)
