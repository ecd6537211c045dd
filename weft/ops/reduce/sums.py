# compiled
"""Sums and means, whole or along dimensions."""
import math

import numpy as np

from weft.core.errors import fail
from weft.kernels.fast import reduce_mean, reduce_nansum, reduce_sum
from weft.ops.core.promotion import cast
from weft.ops.core.registry import MAYBE_VIEW, op
from weft.ops.reduce.tools import (
    F4,
    F8,
    I8,
    TYPE_NAMES,
    axes_of,
    count_along,
    finished,
    in_one_piece,
    need_float,
    reduction_face,
    spread,
    total,
    working,
)


@op
class sum_:
    """The sum of all elements, or along `dim`."""
    node_name = "SumBackward0"
    out_types = "own"
    steady = True

    def fold(shape, dim, keepdim, dtype):
        return ("sum", dim, keepdim) if dtype is None else None

    def forward(x, dim=None, keepdim=False, *, dtype=None):
        if dtype is not None:
            return _sum_as(x, dim, keepdim, dtype)
        found = reduce_sum(x, dim, keepdim)
        if found is not None:
            return found
        if x.dtype.kind in "biu":
            return in_one_piece(np.add.reduce(x, axis=axes_of(dim, x.ndim), keepdims=keepdim, dtype=I8))
        return total(x, axes_of(dim, x.ndim), keepdim)

    def grad_x(g, x_shape, dim, keepdim):
        return spread(g, x_shape, dim, keepdim)

    def looks(node):
        return reduction_face("Sum", node)
    samples = [((3, 2),), ((3, 2), 0), ((3, 2), -1, True), ((2, 3, 4), (0, 2)), ((2, 3, 4), 1)]


def _sum_as(x, dim, keepdim, dtype):
    kind = working(dtype)
    if x.dtype != kind:
        x = cast(x, kind)
    if kind.kind == "b":
        return in_one_piece(np.any(x, axis=axes_of(dim, x.ndim), keepdims=keepdim))
    found = reduce_sum(x, dim, keepdim) if kind in (F4, F8, I8) else None
    if found is not None:
        return finished(found, dtype)
    if kind == F4:
        return finished(total(x, axes_of(dim, x.ndim), keepdim), dtype)
    return finished(in_one_piece(np.add.reduce(x, axis=axes_of(dim, x.ndim), keepdims=keepdim, dtype=kind)), dtype)


@op
class mean:
    """The mean of all elements, or along `dim`."""
    out_types = "own"
    steady = True

    def fold(shape, dim, keepdim, dtype):
        return ("mean", dim, keepdim) if dtype is None else None

    def forward(x, dim=None, keepdim=False, *, dtype=None):
        if dtype is not None:
            kind = working(dtype)
            if x.dtype != kind:
                x = cast(x, kind)
            if kind.kind in "biu":
                fail(RuntimeError, f"mean(): could not infer output dtype. Optional dtype must be either a floating "
                     f"point or complex dtype. Got: {TYPE_NAMES.get(kind.name, kind.name)}", "give a floating dtype=")
        found = reduce_mean(x, dim, keepdim)
        if found is not None:
            return found if dtype is None else finished(found, dtype)
        need_float(x, "mean")
        with np.errstate(all="ignore"):
            # an array, not a scalar: a float32 scalar divided by an int stays float32 only by NumPy's grace
            found = np.asarray(total(x, axes_of(dim, x.ndim), keepdim))
            return finished(np.divide(found, count_along(x.shape, dim), dtype=x.dtype), dtype)

    def grad_x(g, x_shape, dim, keepdim):
        n = count_along(x_shape, dim)
        return spread(g if n == 0 else g / n, x_shape, dim, keepdim)

    def looks(node):
        found = reduction_face("Mean", node)
        if found.saved:
            found.saved["self_sym_numel"] = math.prod(found.saved["self_sym_sizes"])
        return found
    samples = [((3, 2),), ((3, 2), 0), ((3, 2), -1, True), ((2, 3, 4), (0, 2)), ((2, 3, 4), 1)]


@op
class nansum:
    """The sum with NaN counted as zero."""
    out_types = "own"

    def forward(x, dim=None, keepdim=False, *, dtype=None):
        if x.dtype.kind == "c":
            fail(RuntimeError, "nansum(): nansum on CPU does not support complex inputs",
                 "sum the real and imaginary parts apart")
        if dtype is not None and working(dtype).kind == "c":
            fail(NotImplementedError, f'"nansum_cpu" not implemented for \'{dtype}\'', "give a real dtype=")
        if x.dtype.kind == "f":
            found = reduce_nansum(x, dim, keepdim) if dtype is None else None
            if found is not None:
                return found
            x = np.where(np.isnan(x), x.dtype.type(0), x)
        return sum_.op.forward(x, dim, keepdim, dtype=dtype)

    def grad_x(g, x, dim, keepdim):
        return spread(g, x._form.shape, dim, keepdim) * x.isnan().logical_not()
    samples = [((3, 2),), ((3, 2), 0), ((3, 2), -1, True), ((2, 3, 4), 1)]


@op
class nanmean:
    """The mean of the elements that are not NaN."""
    out_types = "own"

    def compose(input, dim=None, keepdim=False, *, dtype=None):
        if not (input.dtype.is_floating_point or input.dtype.is_complex):
            fail(RuntimeError, f"nanmean(): expected input to have floating point or complex dtype but got "
                 f"{input.dtype}",
                 "convert it first: x.float().nanmean(...)")
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            fail(RuntimeError, f"nanmean(): could not infer output dtype. Optional dtype must be either a floating "
                 f"point or complex dtype. Got: {dtype}", "give a floating dtype=")
        count = input.detach().isnan().logical_not().sum(dim, keepdim)
        return nansum(input, dim, keepdim, dtype=dtype) / count
    samples = [((3, 2),), ((3, 2), 0), ((3, 2), -1, True)]


@op
class sum_to_size:
    """The sum over the dimensions that broadcasting from `size` would have added or stretched."""
    tags, pack = MAYBE_VIEW, "size"
    steady = True

    def fold(shape, size):
        lead = len(shape) - len(size)
        stretched = [lead + d for d, n in enumerate(size) if n != shape[lead + d]]
        if tuple(shape) == tuple(size) or lead and stretched:
            return None
        return "sum", (*range(lead), *stretched) if size else None, not lead

    def forward(x, size):
        shape = x.shape
        if shape == size and (shape or x.dtype.kind not in "biu"):
            return x
        if x.dtype.itemsize == 2 and x.dtype.kind in "fV":
            return cast(_to_size(cast(x, F4), tuple(size)), x.dtype)
        lead = len(shape) - len(size)
        if not size:
            found = reduce_sum(x, None, False)
        elif lead == 1 and shape[1:] == size and x.dtype.kind == "f":
            found = reduce_sum(x, 0, False)
        else:
            found = None
        if found is None:
            found = _to_size(x, tuple(size))
        # a whole sum of integers is int64
        return found.astype(I8) if not size and found.dtype.kind in "biu" else found

    def shape(x, size):
        size = tuple(size)
        if x.shape == size and (size or x.dtype.kind not in "biu"):
            return x
        _stretched(x.shape, size)
        return size, I8 if x.dtype.kind in "biu" else x.dtype

    def grad_x(g, x_shape):
        return g.expand(x_shape)
    samples = [((3, 2), (2,)), ((3, 2), (3, 1)), ((3, 2), ()), ((2, 3, 4), (3, 1)), ((2, 3, 4), (2, 1, 4))]


def _to_size(x, size):
    shape = x.shape
    if shape == size:
        return x
    axes = _stretched(shape, size)
    found = reduce_sum(x, axes, True) if x.dtype.kind == "f" else None
    if found is not None:
        return found.reshape(size)
    if x.dtype.kind in "biu":
        return in_one_piece(np.add.reduce(x, axis=axes, keepdims=True, dtype=I8)).reshape(size)
    return total(x, axes, True).reshape(size)


def _stretched(shape, size):
    """The dimensions of `shape` that broadcasting from `size` adds or stretches."""
    lead = len(shape) - len(size)
    if lead < 0 or any([n != shape[lead + i] and n != 1 for i, n in enumerate(size)]):
        fail(RuntimeError, f"sum_to_size(): size {list(size)} is not expandable to size {list(shape)}",
             "give a size that broadcasts to the tensor's")
    return (*range(lead), *[lead + i for i, n in enumerate(size) if n == 1 and shape[lead + i] != 1])
