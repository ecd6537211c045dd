# compiled, -Og
"""Running sums, products, extremes and log-sums along a dimension."""
import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.size import wrap_dim
from weft.kernels import fast
from weft.ops.core.promotion import cast
from weft.ops.core.registry import FUNCTIONS, INPLACE, op
from weft.ops.index.pick import _place
from weft.ops.pointwise.arithmetic import conj_of
from weft.ops.reduce.tools import F4, F8, I8, finished, lone, working

WIDE = {np.dtype("f4"): F8, np.dtype("c8"): np.dtype("c16")}     # running totals are kept wider than the result


def _running(ufunc, x, dim, dtype, name):
    axis = lone(dim, x.ndim, name)
    kind = working(dtype) if dtype is not None else I8 if x.dtype.kind in "biu" else x.dtype
    if kind.kind == "b":
        fail(NotImplementedError, f'"{name}" not implemented for \'Bool\'', "give a numeric dtype=")
    if x.dtype != kind:
        x = cast(x, kind)
    if x.ndim == 0:
        return finished(x.copy(), dtype)
    x = np.ascontiguousarray(x)
    found = (fast.cumsum if ufunc is np.add else fast.cumprod)(x, axis)
    if found is not None:
        return finished(found, dtype)
    with np.errstate(all="ignore"):
        found = ufunc.accumulate(x, axis=axis, dtype=WIDE.get(kind, kind))
        return finished(found if found.dtype == kind else found.astype(kind), dtype)


def _running_spec(x, dim, dtype, name):
    lone(dim, x.ndim, name)
    return x.shape, dtypes.of_type(dtype).np if dtype is not None else I8 if x.dtype.kind in "biu" else x.dtype


@op
class cumsum:
    """The sum of all elements up to each one."""
    tags = INPLACE
    out_types = "own"

    def forward(x, dim, *, dtype=None):
        return _running(np.add, x, dim, dtype, "cumsum")

    def shape(x, dim, *, dtype):
        return _running_spec(x, dim, dtype, "cumsum")

    def grad_x(g, dim):
        return g.flip(dim).cumsum(dim).flip(dim) if g._form.ndim else g
    samples = [((3, 4), 0), ((3, 4), -1), ((2, 3, 2), 1)]


@op
class cumprod:
    """The product of all elements up to each one; its gradient divides by nothing, so zeros are exact."""
    tags = INPLACE
    out_types = "own"

    def forward(x, dim, *, dtype=None):
        return _running(np.multiply, x, dim, dtype, "cumprod")

    def shape(x, dim, *, dtype):
        return _running_spec(x, dim, dtype, "cumprod")

    def grad_x(g, x, dim):
        if x._form.ndim == 0 or x._form.size == 0:
            return g
        if x._form.dtype != g._form.dtype:
            x = x.to(g.dtype)
        factors = conj_of(x)
        before = shifted(factors, dim, 1, 1).cumprod(dim)
        # sums over i >= k of g_i times the factors between k and i
        return before * recur(shifted(factors, dim, -1, 0), g, dim, True)
    samples = [((3, 4), 0), ((3, 4), -1), ((2, 3, 2), 1)]


def shifted(x, dim, by, fill):
    """`x` moved one place along `dim` (by = 1 or -1), with `fill` moved in (None: the edge's own value)."""
    n = x._form.shape[dim]
    edge = x.narrow(dim, 0 if by > 0 else n - 1, 1)
    if fill is not None:
        edge = edge.zeros_like() if fill == 0 else edge.ones_like()
    kept = x.narrow(dim, 0 if by > 0 else 1, n - 1)
    return FUNCTIONS["cat"]([edge, kept] if by > 0 else [kept, edge], dim)


def recur(a, b, dim, reverse):
    """r_i = a_i * r_(i-1) + b_i along `dim`, or with i + 1 for i - 1 in reverse."""
    return _recur(a, b, wrap_dim(dim, b._form.ndim), reverse)


@op
class _recur:
    """The linear recurrence r_i = a_i * r_(i-1) + b_i along a dimension; its adjoint is one too."""
    method, inputs, node_name = False, "a b", "RecurrenceBackward0"

    def forward(a, b, dim, reverse):
        a, b = np.moveaxis(a, dim, 0), np.moveaxis(b, dim, 0)
        if reverse:
            a, b = a[::-1], b[::-1]
        with np.errstate(all="ignore"):
            found = _step_by_step(a, b) if len(b) <= 256 else _by_doubling(a, b)
        return np.ascontiguousarray(np.moveaxis(found[::-1] if reverse else found, 0, dim))

    def shape(a, b, dim, reverse):
        return b.shape, b.dtype

    def grads(g, a, out, dim, reverse):
        by = -1 if reverse else 1
        back = recur(shifted(conj_of(a), dim, -by, 0), g, dim, not reverse)
        return back * conj_of(shifted(out, dim, by, 0)), back
    samples = [((3, 4), (3, 4), 0, False), ((3, 4), (3, 4), 1, True), ((2, 3, 2), (2, 3, 2), 1, False)]


def _step_by_step(a, b):
    found = np.empty(b.shape, b.dtype)
    found[:1] = b[:1]
    for i in range(1, len(b)):
        np.multiply(a[i], found[i - 1], out=found[i, ...])
        found[i] += b[i]
    return found


def _by_doubling(a, b):
    """Steps of 1, 2, 4, ...: each composes two affine maps."""
    a, b = a.copy(), b.copy()
    step = 1
    while step < len(b):
        b[step:] += a[step:] * b[:-step]
        a[step:] = a[step:] * a[:-step]
        step *= 2
    return b


def _running_extreme(ufunc, x, dim, name):
    axis = _checked(x, dim, name)
    if x.ndim == 0:
        return x.copy(), np.zeros((), np.int64)
    x = np.ascontiguousarray(x)
    found = fast.cum_extreme(x, axis, ufunc is np.maximum)
    if found is not None:
        return found
    values = ufunc.accumulate(x, axis=axis)
    here = np.arange(x.shape[axis]).reshape((-1,) + (1,) * (x.ndim - 1 - axis))
    # the latest of equals; once NaN, always NaN, at the latest NaN
    fresh = x == values if x.dtype.kind != "f" else (x == values) | np.isnan(x)
    return values, np.maximum.accumulate(np.where(fresh, here, 0), axis=axis)


def _extreme_spec(x, dim, name):
    _checked(x, dim, name)
    return (x.shape, x.dtype), (x.shape, np.int64)


def _checked(x, dim, name):
    """The axis."""
    if x.dtype.kind == "c":
        fail(NotImplementedError, f"{name}(): not implemented for complex tensors", "take abs(), real or imag first")
    return lone(dim, x.ndim, name) if x.size or not x.ndim else 0     # of nothing, along any


@op
class cummax:
    """The greatest element up to each one, and where it stands."""
    outputs = "values indices"

    def forward(x, dim):
        return _running_extreme(np.maximum, x, dim, "cummax")

    def shape(x, dim):
        return _extreme_spec(x, dim, "cummax")

    def grad_x(g, x_shape, indices, dim):
        return _place(g, indices, dim, x_shape[dim]) if x_shape and 0 not in x_shape else g
    samples = [((3, 4), 0), ((3, 4), -1), ((2, 3, 2), 1)]


@op
class cummin:
    """The least element up to each one, and where it stands."""
    outputs = "values indices"

    def forward(x, dim):
        return _running_extreme(np.minimum, x, dim, "cummin")

    def shape(x, dim):
        return _extreme_spec(x, dim, "cummin")

    def grad_x(g, x_shape, indices, dim):
        return _place(g, indices, dim, x_shape[dim]) if x_shape and 0 not in x_shape else g
    samples = [((3, 4), 0), ((3, 4), -1), ((2, 3, 2), 1)]


@op
class logcumsumexp:
    """log of the running sum of e**x, without overflow."""

    def forward(x, dim):
        axis = _inexact_axis(x, dim)
        if x.ndim == 0:
            return x.copy()
        x = np.ascontiguousarray(x)
        found = fast.logcumsumexp(x, axis)
        if found is not None:
            return found
        with np.errstate(all="ignore"):
            if x.dtype.kind == "c":
                return _complex_log_sums(x, axis)
            wide = x.astype(F8) if x.dtype == F4 else x
            return np.logaddexp.accumulate(wide, axis=axis).astype(x.dtype)

    def shape(x, dim):
        _inexact_axis(x, dim)
        return x.shape, x.dtype

    def grad_x(g, x, out, dim):
        if x._form.ndim == 0 or x._form.size == 0:
            return g
        # sums over i >= k of g_i e**(out_k - out_i): each factor is at most 1
        decay = _exp_difference(out, shifted(out, dim, -1, None))
        return conj_of(_exp_difference(x, out)) * recur(conj_of(decay), g, dim, True)
    samples = [((3, 4), 0), ((3, 4), -1), ((2, 3, 2), 1)]


def _inexact_axis(x, dim):
    if x.dtype.kind in "biu":
        fail(NotImplementedError, '"logcumsumexp_out_cpu" not implemented for integers', "convert it first: x.float()")
    return lone(dim, x.ndim, "logcumsumexp")


def _exp_difference(a, b):
    """e**(a - b), zero where both are -inf."""
    made = a - b
    if a._form.dtype.kind == "f":
        gone = (a == b) & (a == -np.inf)
        if gone._array.any():
            made = made.masked_fill(gone, -np.inf)
    return made.exp()


def _complex_log_sums(x, axis):
    """One after the other, so that the phase goes on past pi as PyTorch's does."""
    found = np.moveaxis(x, axis, 0).copy()
    for i in range(1, len(found)):
        a, b = found[i - 1], found[i]
        ahead = a.real >= b.real
        found[i] = np.where(ahead, a, b) + np.log(1 + np.exp(np.where(ahead, b - a, a - b)))
    return np.ascontiguousarray(np.moveaxis(found, 0, axis))
