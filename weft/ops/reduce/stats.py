# compiled, -Og
"""Variance, standard deviation, product and the norm of vectors."""
import math
import warnings

import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.size import wrap_dim
from weft.core.spec import reduced
from weft.kernels.fast import count_nonzero, reduce_extreme, reduce_norm, reduce_prod, reduce_var
from weft.ops.core.promotion import cast
from weft.ops.core.registry import FUNCTIONS, op
from weft.ops.pointwise.arithmetic import conj_of
from weft.ops.pointwise.base import real_type
from weft.ops.reduce.tools import (
    axes_of,
    count_along,
    finished,
    in_one_piece,
    lone,
    reduction_face,
    restore,
    total,
    working,
)

# variance and standard deviation

def _choices(name, dim, unbiased, keepdim, correction):
    """The one form of the overloads: var(x, unbiased), var(x, dim, unbiased, keepdim), var(x, dim, correction=)."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not None and correction is not None:
        fail(TypeError, f"{name}(): unbiased= and correction= are two names of one thing", "give correction= alone")
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    return dim, correction, keepdim


def _variance(x, dim, correction, keepdim, name):
    """The variance, or for "std" its root."""
    _need_inexact(x, name)
    n = count_along(x.shape, dim)
    if n <= correction:
        warnings.warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
                      f"factor (input numel divided by output numel).", stacklevel=2)
    found = reduce_var(x, dim, keepdim, float(correction), name == "std", False)
    if found is not None:
        return found
    axes = axes_of(dim, x.ndim)
    with np.errstate(all="ignore"):
        centre = np.divide(total(x, axes, True), n, dtype=x.dtype)
        off = x - centre
        squares = off.real * off.real + off.imag * off.imag if x.dtype.kind == "c" else off * off
        found = np.asarray(total(squares, axes, keepdim))
        found = np.divide(found, max(0.0, n - correction), dtype=found.dtype)
        return np.sqrt(found) if name == "std" else found


def _need_inexact(x, name):
    if x.dtype.kind in "biu":
        fail(RuntimeError, f"{name}(): std and var only support floating point and complex dtypes, got "
             f"{dtypes.of_array(x.dtype)}", f"convert it first: x.float().{name}(...)")


def _variance_spec(x, dim, keepdim, name):
    _need_inexact(x, name)
    return reduced(x, dim, keepdim, real_type(x.dtype) if x.dtype.kind == "c" else x.dtype)


def _variance_grad(g, x, dim, correction, keepdim):
    shape = x._form.shape
    freedom = count_along(shape, dim) - correction
    scale = 2.0 / freedom if freedom > 0 else math.inf
    return restore(g, shape, dim, keepdim) * scale * (x - x.mean(dim, True))


@op
class _var:
    """The mean square distance from the mean, along any dimensions."""
    method, node_name = False, "VarBackward0"

    def forward(x, dim, correction, keepdim):
        return _variance(x, dim, correction, keepdim, "var")

    def shape(x, dim, correction, keepdim):
        return _variance_spec(x, dim, keepdim, "var")

    def grad_x(g, x, dim, correction, keepdim):
        return _variance_grad(g, x, dim, correction, keepdim)
    samples = [((2, 3, 4), 1, 1, False), ((3, 4), None, 0, True)]


@op
class _std:
    """The square root of `_var`; where it is zero, so is its gradient."""
    method, node_name = False, "StdBackward0"

    def forward(x, dim, correction, keepdim):
        return _variance(x, dim, correction, keepdim, "std")

    def shape(x, dim, correction, keepdim):
        return _variance_spec(x, dim, keepdim, "std")

    def grad_x(g, x, out, dim, correction, keepdim):
        return _variance_grad((g / (out * 2)).masked_fill(out == 0, 0), x, dim, correction, keepdim)
    samples = [((2, 3, 4), 1, 1, False), ((3, 4), None, 0, True)]


@op
class var:
    """The variance, with `correction` (1: unbiased) taken off the count."""
    out_types = "castable"

    def compose(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
        return _var(input, *_choices("var", dim, unbiased, keepdim, correction))
    samples = [((3, 4),), ((3, 4), 0), ((3, 4), False)]


@op
class std:
    """The standard deviation, with `correction` (1: unbiased) taken off the count."""
    out_types = "castable"

    def compose(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
        return _std(input, *_choices("std", dim, unbiased, keepdim, correction))
    samples = [((3, 4),), ((3, 4), 0), ((3, 4), False)]


@op
class var_mean:
    """The variance and the mean."""
    method = False

    def compose(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
        dim, correction, keepdim = _choices("var_mean", dim, unbiased, keepdim, correction)
        return _var(input, dim, correction, keepdim), input.mean(dim, keepdim)
    samples = [((3, 4),), ((3, 4), 0)]


@op
class std_mean:
    """The standard deviation and the mean."""
    method = False

    def compose(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
        dim, correction, keepdim = _choices("std_mean", dim, unbiased, keepdim, correction)
        return _std(input, dim, correction, keepdim), input.mean(dim, keepdim)
    samples = [((3, 4),), ((3, 4), 0)]


# product

@op
class prod:
    """The product of all elements, or along `dim`; its gradient is exact at zeros too."""
    autocast = "float32"
    out_types = "own"

    def forward(x, dim=None, keepdim=False, *, dtype=None):
        axis = None if dim is None else lone(dim, x.ndim, "prod")
        kind = working(dtype) if dtype is not None else np.dtype("i8") if x.dtype.kind in "biu" else x.dtype
        if x.dtype != kind:
            x = cast(x, kind)
        found = reduce_prod(x, dim, keepdim)
        if found is not None:
            return finished(found, dtype)
        with np.errstate(all="ignore"):
            found = np.multiply.reduce(x, axis=axis if x.ndim else None, keepdims=keepdim, dtype=kind)
        return finished(in_one_piece(found), dtype)

    def grad_x(g, x, out, dim, keepdim):
        shape = x._form.shape
        if not shape:
            return g
        if dim is None:
            g, out = g.reshape(()), out.reshape(())
            if (x._array != 0).all():
                return g * conj_of(out / x)
            return g * conj_of(_others(x.reshape(-1), 0).reshape(shape))
        if (x._array != 0).all():
            return restore(g, shape, dim, keepdim) * conj_of(restore(out, shape, dim, keepdim) / x)
        return restore(g, shape, dim, keepdim) * conj_of(_others(x, wrap_dim(dim, len(shape))))

    def looks(node):
        return reduction_face("Prod", node)
    samples = [((3, 2),), ((3, 2), 0), ((3, 2), -1, True), ((2, 3, 4), 1)]


def _others(x, dim):
    """For each element the product of all others along `dim`: those before times those after."""
    n = x._form.shape[dim]
    one = x.narrow(dim, 0, 1).ones_like()
    before = _joined(one, x.narrow(dim, 0, n - 1), dim)
    after = _joined(x.narrow(dim, 1, n - 1), one, dim)
    return before.cumprod(dim) * after.flip(dim).cumprod(dim).flip(dim)


def _joined(a, b, dim):
    return FUNCTIONS["cat"]([a, b], dim)


# norms of vectors

@op
class _vector_norm:
    """The p-norm along any dimensions; at zero its gradient is zero."""
    method, node_name = False, "LinalgVectorNormBackward0"

    def check(x, ord, dim, keepdim, dtype):
        if dtype is None or x._form.dtype.kind in "biu" or x.dtype.is_complex and not dtype.is_complex:
            return
        if dtype.is_complex and not x.dtype.is_complex:
            fail(RuntimeError, f"linalg.vector_norm: dtype should be real for real inputs, but got {dtype}",
                 "give a real dtype")
        if dtypes.promote_types(x.dtype, dtype) is not dtype:
            fail(RuntimeError, f"linalg.vector_norm: the dtype of the input ({x.dtype}) should be convertible without "
                 f"narrowing to the specified dtype ({dtype})", "convert the result instead: norm(x).to(dtype)")

    def forward(x, ord=2, dim=None, keepdim=False, dtype=None):
        if dtype is None and ord == 2:
            found = reduce_norm(x, axes_of(dim, x.ndim), keepdim, 2.0)
            if found is not None:
                return found
        x = _for_norm(x, ord, dim, dtype)
        axes = axes_of(dim, x.ndim)
        with np.errstate(all="ignore"):
            return finished(in_one_piece(_norm(x, ord, axes, keepdim)), _real(dtype))

    def grad_x(g, x, out, ord, dim, keepdim, dtype):
        shape = x._form.shape
        if dtype is not None:
            x = x.to(dtype)
        return _norm_grad(restore(g, shape, dim, keepdim), x, restore(out, shape, dim, keepdim), ord, dim)
    samples = [((3, 4), 2), ((3, 4), 1, 0), ((3, 4), 3, 1), ((3, 4), math.inf, 0), ((2, 3, 4), 2, 1)]


def _real(dtype):
    return None if dtype is None else dtypes.of_type(dtype).to_real()


def _for_norm(x, ord, dim, dtype):
    if dtype is not None and x.dtype.kind in "fc":
        kind = working(dtype)
        if x.dtype.kind == "c" and kind.kind != "c":
            fail(RuntimeError, f"linalg.vector_norm: dtype should be complex for complex inputs, but got {dtype}",
                 "give a complex dtype")
        x = x if x.dtype == kind else cast(x, kind)
    if x.dtype.kind not in "fc":
        fail(RuntimeError, f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
             f"{dtypes.of_array(x.dtype)}", "convert it first: x.float()")
    if x.size == 0 and (ord < 0 or ord == math.inf):
        for axis in axes_of(dim, x.ndim) or range(x.ndim):
            if x.shape[axis] == 0:
                fail(RuntimeError, f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the "
                     f"operation does not have an identity (dimension {axis} of {list(x.shape)} is empty)",
                     "use an order >= 0")
    return x


def _norm(x, ord, axes, keepdim):
    found = _fast_norm(x, ord, axes, keepdim) if x.dtype.kind == "f" else None
    if found is not None:
        return found
    if ord == 0:
        real = x.real.dtype
        return np.add.reduce(x != 0, axis=axes, keepdims=keepdim, dtype=real)
    if ord == 2:
        squares = x.real * x.real + x.imag * x.imag if x.dtype.kind == "c" else x * x
        return np.sqrt(total(squares, axes, keepdim))
    size = np.abs(x)
    if ord == 1:
        return total(size, axes, keepdim)
    if ord == math.inf:
        return np.maximum.reduce(size, axis=axes, keepdims=keepdim)
    if ord == -math.inf:
        return np.minimum.reduce(size, axis=axes, keepdims=keepdim)
    return np.power(total(np.power(size, size.dtype.type(ord)), axes, keepdim), size.dtype.type(1.0 / ord))


def _fast_norm(x, ord, axes, keepdim):
    """The norm by a kernel; None for what there is none for."""
    if ord == 0:
        found = count_nonzero(x, axes, keepdim)
        return None if found is None else found.astype(x.dtype)
    if math.isinf(ord):
        return reduce_extreme(np.abs(x), axes, keepdim, ord > 0)
    return reduce_norm(x, axes, keepdim, float(ord))


def _norm_grad(g, x, out, ord, dim):
    """g and out have x's dimensions, of length 1 where reduced."""
    if ord == 0:
        return x.zeros_like()
    if ord == 1:
        return x.sgn() * g
    if ord == 2:
        return x * _over(g, out)
    size = x.abs()
    if math.isinf(ord):
        hits = ((size == out) | size.isnan() & out.isnan()).to(g.dtype)
        count = hits.sum(None if isinstance(dim, (tuple, list)) and not dim else dim, True) if x._form.ndim else hits
        return x.sgn() * hits * (g / count)
    if ord < 2:
        # |x|**(p-1) is steep at zero, and 0**-1 is not a number to go on with
        flat = x == 0
        powers = size.masked_fill(flat, 1).pow(ord - 1).masked_fill(flat, 0)
    else:
        powers = size.pow(ord - 1)
    return x.sgn() * powers * _over(g, out.pow(ord - 1))


def _over(g, out):
    """g / out, zero where out is; divides by no zero, so that its own gradient is finite too."""
    flat = out == 0
    return (g / out.masked_fill(flat, 1)).masked_fill(flat, 0)
