# compiled
"""The greatest and the least: amax, max, argmax, aminmax, all and any."""

import numpy as np

from weft.core.errors import fail
from weft.core.size import wrap_dim
from weft.core.spec import reduced
from weft.kernels.fast import count_nonzero as fast_count
from weft.kernels.fast import extreme_place, reduce_all, reduce_any, reduce_extreme
from weft.ops.core.registry import NOGRAD, op
from weft.ops.core.samples import bools
from weft.ops.index.pick import placed
from weft.ops.reduce.tools import axes_of, in_one_piece, lone, need_one, need_real, restore
from weft.tensor.tensor import Tensor


def _extreme(ufunc, x, dim, keepdim, name):
    """np.max or np.min over any dimensions; NaN wins."""
    found = reduce_extreme(x, dim, keepdim, ufunc is np.maximum)
    if found is not None:
        return found
    need_real(x, name)
    axes = axes_of(dim, x.ndim)
    if x.size == 0:
        if axes is None and x.ndim:
            fail(RuntimeError, f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                 f"reduction dim with the 'dim' argument.",
                 "the tensor is empty: give a dimension that holds something")
        for axis in axes or ():
            need_one(x, axis, name)
    return in_one_piece(ufunc.reduce(x, axis=axes, keepdims=keepdim))


def _shared(g, x, out, dim, keepdim):
    """The gradient of an extreme, split evenly among those that attain it."""
    shape = x._form.shape
    dim = None if isinstance(dim, (tuple, list)) and not dim else dim
    hits = (x == restore(out, shape, dim, keepdim)).to(g.dtype)
    return restore(g, shape, dim, keepdim) / hits.sum(dim, True) * hits if shape else g * hits


@op
class amax:
    """The greatest element along any dimensions; ties share the gradient."""

    def fold(shape, dim, keepdim):
        return "greatest", dim, keepdim

    def forward(x, dim=(), keepdim=False):
        return _extreme(np.maximum, x, dim, keepdim, "amax")

    def grad_x(g, x, out, dim, keepdim):
        return _shared(g, x, out, dim, keepdim)
    samples = [((3, 2),), ((3, 2), 0), ((2, 3, 4), (0, 2), True), ((2, 3, 4), 1)]


@op
class amin:
    """The least element along any dimensions; ties share the gradient."""

    def fold(shape, dim, keepdim):
        return "least", dim, keepdim

    def forward(x, dim=(), keepdim=False):
        return _extreme(np.minimum, x, dim, keepdim, "amin")

    def grad_x(g, x, out, dim, keepdim):
        return _shared(g, x, out, dim, keepdim)
    samples = [((3, 2),), ((3, 2), 0), ((2, 3, 4), (0, 2), True), ((2, 3, 4), 1)]


def _all_shared(g, x, out):
    """Like `_shared` over everything, where NaN is a value that can be attained."""
    hits = (x.isnan() if np.isnan(out._array) else x == out).to(g.dtype)
    return g / hits.sum() * hits


def _need_any(x, name):
    need_real(x, name)
    if x.size == 0:
        fail(RuntimeError, f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
             f"reduction dim with the 'dim' argument.", "the tensor is empty: give a dimension that holds something")


@op
class _max_all:
    """The greatest of all elements."""
    method, node_name = False, "MaxBackward1"

    def forward(x):
        found = reduce_extreme(x, None, False, True)
        if found is not None:
            return found
        _need_any(x, "max")
        return np.maximum.reduce(x, axis=None)

    def shape(x):
        _need_any(x, "max")
        return (), x.dtype

    def grad_x(g, x):
        # found again here rather than saved there: the forward is the more frequent call
        return _all_shared(g, x, _max_all(x.detach()))
    samples = [((2, 3),), ((),)]


@op
class _min_all:
    """The least of all elements."""
    method, node_name = False, "MinBackward1"

    def forward(x):
        found = reduce_extreme(x, None, False, False)
        if found is not None:
            return found
        _need_any(x, "min")
        return np.minimum.reduce(x, axis=None)

    def shape(x):
        _need_any(x, "min")
        return (), x.dtype

    def grad_x(g, x):
        # found again here rather than saved there: the forward is the more frequent call
        return _all_shared(g, x, _min_all(x.detach()))
    samples = [((2, 3),), ((),)]


@op
class _max_dim:
    """The greatest along a dimension, and where it stands."""
    method, outputs, node_name = False, "values indices", "MaxBackward0"

    def forward(x, dim, keepdim=False):
        found = extreme_place(x, dim, keepdim, True, True)
        if found is not None:
            return found
        axis = lone(dim, x.ndim, "max")
        if x.dtype.kind == "c":
            need_real(x, "max")
        if x.ndim == 0:
            return x.copy(), np.zeros((), np.int64)
        if x.shape[axis] == 0:
            need_one(x, axis, "max")
        return (in_one_piece(np.maximum.reduce(x, axis=axis, keepdims=keepdim)),
                in_one_piece(x.argmax(axis, keepdims=keepdim)))

    def grad_x(g, x_shape, indices, dim, keepdim):
        return placed(g, indices, x_shape, dim, keepdim)
    samples = [((2, 3, 4), 1), ((3, 2), 0, True)]


@op
class _min_dim:
    """The least along a dimension, and where it stands."""
    method, outputs, node_name = False, "values indices", "MinBackward0"

    def forward(x, dim, keepdim=False):
        found = extreme_place(x, dim, keepdim, False, True)
        if found is not None:
            return found
        axis = lone(dim, x.ndim, "min")
        if x.dtype.kind == "c":
            need_real(x, "min")
        if x.ndim == 0:
            return x.copy(), np.zeros((), np.int64)
        if x.shape[axis] == 0:
            need_one(x, axis, "min")
        return (in_one_piece(np.minimum.reduce(x, axis=axis, keepdims=keepdim)),
                in_one_piece(x.argmin(axis, keepdims=keepdim)))

    def grad_x(g, x_shape, indices, dim, keepdim):
        return placed(g, indices, x_shape, dim, keepdim)
    samples = [((2, 3, 4), 1), ((3, 2), 0, True)]


MAX_ALL, MIN_ALL, MAX_DIM, MIN_DIM = _max_all.op, _min_all.op, _max_dim.op, _min_dim.op
MAX_DIM.returns_as, MIN_DIM.returns_as = "max", "min"


def _two(name, input, other):
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        fail(TypeError, f"{name}(): received an invalid combination of arguments - got ({type(input).__name__}, "
             f"{type(other).__name__}), but expected (Tensor input, Tensor other)",
             "make it a tensor, or use clamp() with a number")
    return input


@op
class max_:
    """The greatest of all; along `dim`, with its index; or, of two tensors, elementwise."""
    out_types = "castable"

    def compose(input, dim=None, keepdim=False, *, other=None):
        if isinstance(dim, Tensor):
            other = dim
        if other is not None:
            return _two("max", input, other).maximum(other)
        return MAX_ALL.compute([input]) if dim is None else MAX_DIM.compute([input, dim, keepdim])
    samples = [((3, 2),), ((3, 2), 1), ((3, 2), 0, True)]


@op
class min_:
    """The least of all; along `dim`, with its index; or, of two tensors, elementwise."""
    out_types = "castable"

    def compose(input, dim=None, keepdim=False, *, other=None):
        if isinstance(dim, Tensor):
            other = dim
        if other is not None:
            return _two("min", input, other).minimum(other)
        return MIN_ALL.compute([input]) if dim is None else MIN_DIM.compute([input, dim, keepdim])
    samples = [((3, 2),), ((3, 2), 1), ((3, 2), 0, True)]


max_.op.returns_as, min_.op.returns_as = "max", "min"       # for out=


def _arg(x, dim, keepdim, name):
    found = extreme_place(np.ascontiguousarray(x) if dim is None and x.ndim else x, dim, keepdim, name == "argmax",
                          False)
    if found is not None:
        return found
    need_real(x, name)
    if x.dtype.kind == "b":
        fail(RuntimeError, f"{name}(): does not support bool input", "convert it first: x.int()")
    axis = None if dim is None else wrap_dim(dim, x.ndim)
    if axis is None and x.size == 0:
        fail(IndexError, f"{name}(): Expected reduction dim to be specified for input.numel() == 0.", "give `dim`")
    if axis is not None:
        need_one(x, axis, name)
    if x.ndim == 0:
        return np.zeros((), np.int64)
    find = x.argmax if name == "argmax" else x.argmin
    return in_one_piece(find(axis, keepdims=keepdim))


@op
class argmax:
    """Where the greatest element stands; the first of equals."""
    tags = NOGRAD

    def forward(x, dim=None, keepdim=False):
        return _arg(x, dim, keepdim, "argmax")
    samples = [((3, 2),), ((3, 2), 1), ((3, 2), 0, True), ((2, 3, 4), 1)]


@op
class argmin:
    """Where the least element stands; the first of equals."""
    tags = NOGRAD

    def forward(x, dim=None, keepdim=False):
        return _arg(x, dim, keepdim, "argmin")
    samples = [((3, 2),), ((3, 2), 1), ((3, 2), 0, True), ((2, 3, 4), 1)]


@op
class aminmax:
    """The least and the greatest at once, whole or along one dimension."""
    outputs = "min max"

    def forward(x, *, dim=None, keepdim=False):
        if dim is None and x.size == 0:
            fail(RuntimeError, "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
                 "identity.",
                 "the tensor is empty: give a dimension that holds something")
        axis = None if dim is None else wrap_dim(dim, x.ndim)
        return (_extreme(np.minimum, x, axis, keepdim, "aminmax"), _extreme(np.maximum, x, axis, keepdim, "aminmax"))

    def grad_x(g_min, g_max, x, min, max, dim, keepdim):
        return _shared(g_min, x, min, dim, keepdim) + _shared(g_max, x, max, dim, keepdim)
    samples = [((3, 2),), ((2, 3, 4), {"dim": 1})]


def _truth(ufunc, x, dim, keepdim):
    # alone among the reductions, all and any take dim=() at its word: no dimension
    none = isinstance(dim, (tuple, list)) and not dim
    found = None if none else (reduce_all if ufunc is np.logical_and else reduce_any)(x, dim, keepdim)
    if found is None:
        axes = () if none else axes_of(dim, x.ndim)
        found = in_one_piece(ufunc.reduce(x, axis=axes, keepdims=keepdim, dtype=bool))
    return found.astype(np.uint8) if x.dtype == np.uint8 else found


def _truth_spec(x, dim, keepdim):
    kind = np.uint8 if x.dtype == np.uint8 else np.bool_
    if isinstance(dim, (tuple, list)) and not dim:
        return x.shape, kind
    return reduced(x, dim, keepdim, kind)


@op
class all_:
    """Whether all elements are true, whole or along `dim`."""
    tags = NOGRAD
    out_types = "bool uint8"

    def forward(x, dim=None, keepdim=False):
        return _truth(np.logical_and, x, dim, keepdim)

    def shape(x, dim, keepdim):
        return _truth_spec(x, dim, keepdim)
    samples = [((3, 2),), ((3, 2), 1), ((3, 2), 0, True), (bools(2, 3, 4), 1), ((3, 2), ())]


@op
class any_:
    """Whether any element is true, whole or along `dim`."""
    tags = NOGRAD
    out_types = "bool uint8"

    def forward(x, dim=None, keepdim=False):
        return _truth(np.logical_or, x, dim, keepdim)

    def shape(x, dim, keepdim):
        return _truth_spec(x, dim, keepdim)
    samples = [((3, 2),), ((3, 2), 1), ((3, 2), 0, True), (bools(2, 3, 4), 1), ((3, 2), ())]


@op
class count_nonzero:
    """How many elements are not zero, whole or along `dim`."""
    tags = NOGRAD

    def forward(x, dim=None):
        found = fast_count(x, dim, False)
        if found is not None:
            return found
        axes = axes_of(dim, x.ndim)
        return in_one_piece(np.count_nonzero(x, axis=axes) if x.ndim else int(x != 0))

    def shape(x, dim):
        return reduced(x, dim, False, np.int64)
    samples = [((3, 2),), ((3, 2), 1), ((2, 3, 4), 1)]
