# compiled
"""Sorting, and what is found by sorting: topk, kthvalue, median, mode, quantile."""
import operator

import numpy as np

from weft.core import layout
from weft.core.errors import fail
from weft.core.spec import like, reduced
from weft.kernels import fast
from weft.ops.core.registry import NOGRAD, op
from weft.ops.core.samples import ints
from weft.ops.index.arrays import contiguous, copied
from weft.ops.index.pick import placed, placed_many, take
from weft.ops.reduce.tools import in_one_piece, lone, need_one, need_real


def order_of(x, axis, descending):
    """Stable indices that sort along an axis; NaN counts as the greatest."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    # equal elements keep their order when read backwards twice
    back = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(back, axis)


def _sorted(x, axis, descending, values=True):
    """(values, indices), or indices alone, in x's memory order: sorted as it lies there, then named as in x."""
    if not x.flags.c_contiguous:
        order = layout.order_of(x.shape, x.strides)
        found = _sorted(copied(x.transpose(order)), order.index(axis), descending, values)
        back = np.argsort(order)
        return tuple([a.transpose(back) for a in found]) if values else found.transpose(back)
    made = fast.sort(x, axis, bool(descending), values)
    if made is not None:
        return made if values else made[1]
    indices = np.ascontiguousarray(order_of(x, axis, descending))
    return (np.take_along_axis(x, indices, axis), indices) if values else indices


@op
class sort:
    """The elements in order along `dim`, and where they stood; NaN is the greatest."""
    outputs = "values indices"

    def forward(x, dim=-1, descending=False, stable=False):
        need_real(x, "sort", RuntimeError)
        axis = lone(dim, x.ndim, "sort")
        if x.ndim == 0:
            return x.copy(), np.zeros((), np.int64)
        return _sorted(x, axis, descending)

    def shape(x, dim, descending, stable):
        need_real(x, "sort", RuntimeError)
        lone(dim, x.ndim, "sort")
        return like(x), like(x, np.int64)

    def grad_x(g, x_shape, indices, dim):
        return placed_many(g, indices, x_shape, dim)
    samples = [((3, 4),), ((3, 4), 0, True), ((2, 3, 4), 1)]


@op
class argsort:
    """The indices that sort along `dim`."""
    tags = NOGRAD

    def forward(x, dim=-1, descending=False, stable=False):
        need_real(x, "argsort", RuntimeError)
        axis = lone(dim, x.ndim, "argsort")
        if not x.ndim:
            return np.zeros((), np.int64)
        return _sorted(x, axis, descending, False)

    def shape(x, dim, descending, stable):
        need_real(x, "argsort", RuntimeError)
        lone(dim, x.ndim, "argsort")
        return like(x, np.int64)
    samples = [((3, 4),), ((3, 4), 0, True), ((2, 3, 4), 1)]


@op
class msort:
    """The elements in order along the first dimension."""

    def compose(input):
        return sort(input, 0).values
    samples = [((3, 4),)]


@op
class topk:
    """The k greatest (or least) along `dim`, and where they stand."""
    outputs = "values indices"

    def forward(x, k, dim=-1, largest=True, sorted=True):
        axis, k = _check_topk(x, k, dim)
        if x.ndim == 0:
            return x.copy(), np.zeros((), np.int64)
        x = contiguous(x)
        made = fast.topk(x, k, axis, bool(largest), bool(sorted))
        if made is not None:
            return made
        indices = np.ascontiguousarray(_top_indices(x, k, axis, largest))
        return np.take_along_axis(x, indices, axis), indices

    def shape(x, k, dim, largest, sorted):
        axis, k = _check_topk(x, k, dim)
        shape = (*x.shape[:axis], k, *x.shape[axis + 1:]) if x.ndim else ()
        return (shape, x.dtype), (shape, np.int64)

    def grad_x(g, x_shape, indices, dim):
        return placed_many(g, indices, x_shape, dim)
    samples = [((3, 4), 2), ((3, 4), 2, 0, False), ((2, 3, 4), 2, 1)]


def _check_topk(x, k, dim):
    """The axis, and k as an int."""
    need_real(x, "topk", RuntimeError)
    if x.dtype.kind == "b":
        fail(RuntimeError, "topk does not support bool dtypes on CPU", "convert it first: x.int()")
    axis = lone(dim, x.ndim, "topk")
    n = x.shape[axis] if x.ndim else 1
    if not 0 <= k <= n:
        fail(RuntimeError, f"topk(): selected index k out of range: k is {k}, dimension {axis} has {n} elements",
             f"ask for at most {n}")
    return axis, operator.index(k)


def _top_indices(x, k, axis, largest):
    n = x.shape[axis]
    if n < 1024 or k > n // 8 or k == 0:
        chosen = order_of(x, axis, largest)
        return np.ascontiguousarray(chosen[(slice(None),) * axis + (slice(0, k),)])
    # NaN is the greatest for NumPy too: the last k of a partition are the largest
    part = np.argpartition(x, n - k if largest else k - 1, axis=axis)
    some = part[(slice(None),) * axis + (slice(n - k, n) if largest else slice(0, k),)]
    some = np.sort(some, axis=axis)     # among equals, the first stands first
    order = order_of(np.take_along_axis(x, some, axis), axis, largest)
    return np.take_along_axis(some, order, axis)


def _kth(x, k, axis, keepdim):
    """The k-th least (counted from 0) along an axis, with its index."""
    indices = np.argsort(x, axis=axis, kind="stable")[(slice(None),) * axis + (slice(k, k + 1),)]
    return _reduced(np.take_along_axis(x, indices, axis), indices, axis, keepdim)


def _reduced(values, indices, axis, keepdim):
    if not keepdim:
        values, indices = values.squeeze(axis), indices.squeeze(axis)
    return in_one_piece(values), in_one_piece(indices)


@op
class kthvalue:
    """The k-th least element along `dim` (k counts from 1), and where it stands."""
    outputs = "values indices"

    def forward(x, k, dim=-1, keepdim=False):
        axis = _check_kth(x, k, dim)
        if x.ndim == 0:
            return x.copy(), np.zeros((), np.int64)
        made = fast.kthvalue(contiguous(x), operator.index(k) - 1, axis, bool(keepdim))
        return _kth(x, operator.index(k) - 1, axis, keepdim) if made is None else made

    def shape(x, k, dim, keepdim):
        _check_kth(x, k, dim)
        return reduced(x, dim, keepdim), reduced(x, dim, keepdim, np.int64)

    def grad_x(g, x_shape, indices, dim, keepdim):
        return placed(g, indices, x_shape, dim, keepdim)
    samples = [((3, 4), 2), ((3, 4), 1, 0, True), ((2, 3, 4), 2, 1)]


def _check_kth(x, k, dim):
    """The axis."""
    need_real(x, "kthvalue")
    if x.dtype.kind == "b":
        fail(NotImplementedError, "\"kthvalue_cpu\" not implemented for 'Bool'", "convert it first: x.int()")
    axis = lone(dim, x.ndim, "kthvalue")
    n = x.shape[axis] if x.ndim else 1
    need_one(x, axis, "kthvalue")
    if not 1 <= k <= n:
        fail(RuntimeError, f"kthvalue(): selected number k out of range for dimension {axis}: k is {k}, there are "
             f"{n} elements",
             f"give a k from 1 to {n}")
    return axis


# medians: the lower one of two in the middle

@op
class _median_all:
    """The lower median of all elements; NaN if there is one."""
    method, node_name = False, "MedianBackward0"

    def forward(x, skip_nan):
        _need_number(x)
        if x.size == 0:
            return np.full((), np.nan, x.dtype) if x.dtype.kind == "f" else np.full((), np.iinfo(x.dtype).min, x.dtype)
        flat = x.reshape(-1)
        n = flat.size
        if x.dtype.kind == "f":
            gaps = int(np.count_nonzero(np.isnan(flat)))
            if gaps and not skip_nan or gaps == n:
                return np.full((), np.nan, x.dtype)
            n -= gaps
        return np.partition(flat, (n - 1) // 2)[(n - 1) // 2]

    def shape(x, skip_nan):
        _need_number(x)
        return (), x.dtype

    def grad_x(g, x, out):
        hits = (x.isnan() if np.isnan(out._array) else x == out).to(g.dtype)
        return g / hits.sum() * hits
    samples = [((3, 3), False), ((2, 2), True), (ints(5, below=9), False)]


def _need_number(x):
    need_real(x, "median")
    if x.dtype.kind == "b":
        fail(NotImplementedError, "\"median_cpu\" not implemented for 'Bool'", "convert it first: x.int()")


@op
class _median_dim:
    """The lower median along a dimension, and where it stands."""
    method, outputs, node_name = False, "values indices", "MedianBackward1"

    def forward(x, dim, keepdim, skip_nan):
        _need_number(x)
        axis = lone(dim, x.ndim, "median")
        need_one(x, axis, "median")
        if x.ndim == 0:
            return x.copy(), np.zeros((), np.int64)
        n = x.shape[axis]
        made = fast.median(contiguous(x), axis, bool(keepdim), bool(skip_nan))
        if made is not None:
            return made
        if x.dtype.kind != "f":
            return _kth(x, (n - 1) // 2, axis, keepdim)
        order = np.argsort(x, axis=axis, kind="stable")
        gaps = np.isnan(x).sum(axis, keepdims=True)
        if skip_nan:
            at = np.maximum(n - gaps - 1, 0) // 2
        else:   # NaN stands last when sorted: the first of them
            at = np.where(gaps > 0, n - gaps, (n - 1) // 2)
        indices = np.take_along_axis(order, at, axis)
        return _reduced(np.take_along_axis(x, indices, axis), indices, axis, keepdim)

    def grad_x(g, x_shape, indices, dim, keepdim):
        return placed(g, indices, x_shape, dim, keepdim)
    samples = [((2, 3, 4), 1, False, False), ((3, 4), 0, True, True)]


_median_dim.op.returns_as = "median"


@op
class median:
    """The lower median: of all elements, or along `dim` with its index."""

    def compose(input, dim=None, keepdim=False):
        return _median_all(input, False) if dim is None else _median_dim(input, dim, keepdim, False)
    samples = [((3, 3),), ((3, 4), 0), ((3, 4), -1, True)]


@op
class nanmedian:
    """The lower median of the elements that are not NaN."""

    def compose(input, dim=None, keepdim=False):
        return _median_all(input, True) if dim is None else _median_dim(input, dim, keepdim, True)
    samples = [((3, 3),), ((3, 4), 0), ((3, 4), -1, True)]


median.op.returns_as, nanmedian.op.returns_as = "median", "nanmedian"      # for out=


@op
class mode:
    """The most frequent element along `dim` (the least of those equally frequent), and where it stands."""
    outputs = "values indices"

    def forward(x, dim=-1, keepdim=False):
        need_real(x, "mode")
        axis = lone(dim, x.ndim, "mode")
        need_one(x, axis, "mode")
        if x.ndim == 0:
            return x.copy(), np.zeros((), np.int64)
        made = fast.mode(contiguous(x), axis, bool(keepdim))
        if made is not None:
            return made
        order = np.argsort(x, axis=axis, kind="stable")
        ranked = np.take_along_axis(x, order, axis)
        here = np.arange(x.shape[axis]).reshape((-1,) + (1,) * (x.ndim - 1 - axis))
        same = np.equal(ranked, np.roll(ranked, 1, axis)) & (here > 0)
        start = np.maximum.accumulate(np.where(same, 0, here), axis=axis)
        # where the longest run ends; the first of equally long ones
        last = np.argmax(here - start, axis=axis, keepdims=True)
        indices = np.take_along_axis(order, last, axis)
        return _reduced(take(x, indices, axis), indices, axis, keepdim)

    def grad_x(g, x_shape, indices, dim, keepdim):
        return placed(g, indices, x_shape, dim, keepdim)
    samples = [((3, 4),), ((3, 4), 0, True), ((2, 3, 4), 1)]
