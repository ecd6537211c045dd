# compiled, -Og
"""Differences and integrals of sampled functions; covariance."""
import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.size import wrap_dim
from weft.ops.core.registry import FUNCTIONS, op
from weft.tensor.tensor import Tensor


def _between(x, dim, start, stop):
    """x[start:stop] along `dim`; stop counts from the end when it is not positive."""
    n = x._form.shape[dim]
    stop = stop if stop > 0 else n + stop
    return x.narrow(dim, start, max(stop - start, 0))


def _joined(parts, dim):
    return FUNCTIONS["cat"](parts, dim)


@op
class diff:
    """The n-th differences of neighbours along `dim`."""
    out_types = "castable"

    def compose(input, n=1, dim=-1, prepend=None, append=None):
        if input._form.ndim == 0:
            fail(RuntimeError, "diff(): diff expects input to be at least one-dimensional")
        if n < 0:
            fail(RuntimeError, f"diff(): order must be non-negative but got {n}")
        dim = wrap_dim(dim, input._form.ndim)
        parts = [t for t in (prepend, input, append) if t is not None]
        for t in parts:
            _check_like(t, input, dim)
        if n == 0:
            return input.clone()
        found = _joined(parts, dim) if len(parts) > 1 else input
        for _ in range(min(n, found._form.shape[dim])):
            later, earlier = _between(found, dim, 1, 0), _between(found, dim, 0, -1)
            found = later.logical_xor(earlier) if input._form.dtype.kind == "b" else later - earlier
        return found
    samples = [((5,),), ((3, 4), 2, 0)]


def _check_like(t, input, dim):
    """What is put before or after must agree with the input in all other dimensions."""
    ours, theirs = list(input._form.shape), list(t._form.shape)
    if len(ours) != len(theirs):
        fail(RuntimeError, f"diff(): expected prepend or append to have same number of dimensions as input, got "
             f"{len(theirs)} and {len(ours)}")
    if ours[:dim] + ours[dim + 1:] != theirs[:dim] + theirs[dim + 1:]:
        fail(RuntimeError, f"diff(): shapes {theirs} and {ours} must match except in dimension {dim}")


@op
class gradient:
    """The derivative along each dimension, estimated by differences of second order inside."""
    method = False

    def compose(input, *, spacing=None, dim=None, edge_order=1):
        ndim = input._form.ndim
        if input._form.dtype.kind in "b" or input._form.dtype == np.uint8:
            fail(RuntimeError, f"gradient(): torch.gradient does not support {input.dtype} input.",
                 "convert it first: x.float()")
        if ndim == 0 and dim is not None:
            fail(IndexError, f"gradient(): Dimension specified as {dim} but tensor has no dimensions")
        dims = range(ndim) if dim is None else [dim] if isinstance(dim, int) else dim
        dims = [wrap_dim(d, ndim) for d in dims]
        for i, d in enumerate(dims):
            if d in dims[:i]:
                fail(RuntimeError, f"gradient(): dim {d} appears multiple times in the list of dims",
                     "name each dimension once")
        if edge_order not in (1, 2):
            fail(RuntimeError, f"torch.gradient only supports edge_order=1 and edge_order=2. Got {edge_order}")
        for d in dims:
            if ndim == 0 or input._form.shape[d] <= edge_order:
                fail(RuntimeError, f"torch.gradient expected each dimension size to be at least edge_order+1, got "
                     f"shape {list(input._form.shape)}")
        if input._form.dtype.kind in "biu":
            input = input.to(dtypes.get_default_dtype())
        return tuple(_slope(input, d, h, edge_order) for d, h in zip(dims, _spacings(spacing, dims)))
    samples = [((5,),), ((3, 4), {"spacing": 2.0, "dim": 1}), ((3, 4), {"edge_order": 2, "dim": (0, 1)})]


def _spacings(spacing, dims):
    if spacing is None:
        return [1.0] * len(dims)
    if isinstance(spacing, (tuple, list)):
        if len(spacing) != len(dims):
            fail(RuntimeError, f"torch.gradient expected spacing to be unspecified, a scalar or a list of length "
                 f"{len(dims)}, got a list of length {len(spacing)}", "give one spacing for each dimension")
        return list(spacing)
    return [spacing] * len(dims)


def _slope(f, dim, spacing, order):
    if isinstance(spacing, Tensor) and spacing._form.ndim:
        return _slope_uneven(f, dim, spacing, order)
    inner = (_between(f, dim, 2, 0) - _between(f, dim, 0, -2)) / (spacing * 2) if f._form.shape[dim] > 2 else None
    n = f._form.shape[dim]
    first, second = _between(f, dim, 0, 1), _between(f, dim, 1, 2)
    last, before = _between(f, dim, n - 1, n), _between(f, dim, n - 2, n - 1)
    if order == 1:
        left, right = (second - first) / spacing, (last - before) / spacing
    else:
        third, third_last = _between(f, dim, 2, 3), _between(f, dim, n - 3, n - 2)
        left = (second * 2 - first * 1.5 - third * 0.5) / spacing
        right = (last * 1.5 - before * 2 + third_last * 0.5) / spacing
    return _joined([left, right] if inner is None else [left, inner, right], dim)


def _slope_uneven(f, dim, places, order):
    """The function's values stand at the given places."""
    n = f._form.shape[dim]
    if places._form.ndim != 1 or places._form.shape[0] != n:
        fail(RuntimeError, f"gradient(): expected the coordinates to be of length {n}, got shape "
             f"{list(places._form.shape)}")
    wide = (1,) * dim + (-1,) + (1,) * (f._form.ndim - dim - 1)
    steps = (places.narrow(0, 1, n - 1) - places.narrow(0, 0, n - 1)).reshape(wide)     # n - 1 along dim
    left = (_between(f, dim, 1, 2) - _between(f, dim, 0, 1)) / _between(steps, dim, 0, 1)
    right = (_between(f, dim, n - 1, n) - _between(f, dim, n - 2, n - 1)) / _between(steps, dim, n - 2, n - 1)
    if n == 2:
        return _joined([left, right], dim)
    a, b = _between(steps, dim, 0, n - 2), _between(steps, dim, 1, n - 1)
    slopes = (_between(f, dim, 1, 0) - _between(f, dim, 0, -1)) / steps
    low, high = _between(slopes, dim, 0, n - 2), _between(slopes, dim, 1, n - 1)
    inner = (low * b + high * a) / (a + b)
    if order == 2:
        # the parabola through the three outermost points
        left = left + (left - _between(slopes, dim, 1, 2)) * _edge_ratio(a, b, dim, 0, False)
        right = right + (right - _between(slopes, dim, n - 3, n - 2)) * _edge_ratio(a, b, dim, n - 3, True)
    return _joined([left, inner, right], dim)


def _edge_ratio(a, b, dim, at, last):
    a, b = _between(a, dim, at, at + 1), _between(b, dim, at, at + 1)
    return (b if last else a) / (a + b)


# integrals

def _widths(y, x, dim):
    """The distances between sample points, along y's `dim`."""
    ndim = y._form.ndim
    if x._form.ndim == 1:
        x = x.reshape((1,) * dim + (-1,) + (1,) * (ndim - dim - 1))
    elif x._form.ndim < ndim:
        x = x.reshape((1,) * (ndim - x._form.ndim) + x._form.shape)
    at = dim + x._form.ndim - ndim
    return _between(x, at, 1, 0) - _between(x, at, 0, -1)


def _panels(y, x, dx, dim, name):
    """The area of each trapezoid."""
    dim = wrap_dim(dim, y._form.ndim)
    if y._form.dtype.kind == "b":
        fail(RuntimeError, f"{name}(): received a bool input for `y`, but bool is not supported",
             "convert it first: y.float()")
    if y._form.ndim == 0:
        fail(IndexError, f"{name}(): expected y to be at least one-dimensional")
    if x is not None and dx is not None:
        fail(TypeError, f"{name}(): x and dx both say how far the samples are apart", "give one of them")
    if y._form.shape[dim] == 0:
        return y.narrow(dim, 0, 0), dim
    if x is not None:
        if x._form.ndim == 0:
            fail(RuntimeError, f"{name}(): The provided x is not a vector of sample points, but zero-dimensional")
        if x._form.ndim == 1 and x._form.shape[0] != y._form.shape[dim]:
            fail(RuntimeError, f"{name}(): There must be one x value for each sample point, got {x._form.shape[0]} for "
                 f"{y._form.shape[dim]}")
    pairs = _between(y, dim, 1, 0) + _between(y, dim, 0, -1)
    if x is not None:
        return pairs * _widths(y, x, dim) / 2.0, dim
    return (pairs if dx is None or dx == 1 and not isinstance(dx, bool) else pairs * dx) / 2.0, dim


@op
class trapezoid:
    """The integral of sampled values along `dim`, by the trapezoid rule."""
    names, method = "trapezoid trapz", False

    def compose(y, x=None, *, dx=None, dim=-1):
        areas, dim = _panels(y, x, dx, dim, "trapezoid")
        return areas.sum(dim)
    samples = [((5,),), ((3, 4), (4,)), ((3, 4), (3, 4))]


@op
class cumulative_trapezoid:
    """The integral up to each sample, by the trapezoid rule."""
    method = False

    def compose(y, x=None, *, dx=None, dim=-1):
        areas, dim = _panels(y, x, dx, dim, "cumulative_trapezoid")
        return areas.cumsum(dim)
    samples = [((5,),), ((3, 4), (4,)), ((3, 4), (3, 4))]


# covariance

@op
class cov:
    """The covariance matrix of variables in rows, observed in columns."""

    def compose(input, *, correction=1, fweights=None, aweights=None):
        if input._form.ndim > 2:
            fail(RuntimeError, f"cov(): expected input to have two or fewer dimensions but got an input with "
                 f"{input._form.ndim} dimensions")
        if input._form.dtype.kind == "b":
            fail(RuntimeError, "cov(): bool dtype is not supported for input", "convert it first")
        rows = input.reshape((1, -1)) if input._form.ndim < 2 else input
        n = rows._form.shape[1]
        weights = _observation_weights(n, fweights, aweights)
        if weights is None:
            mean, count = rows.sum(1, True) / n if n else rows.sum(1, True), n
        else:
            count = weights.sum()
            mean = (rows * weights).sum(1, True) / count
        freedom = _freedom(count, weights, aweights, correction)
        off = rows - mean
        weighted = off if weights is None else off * weights
        found = weighted @ off.transpose(0, 1).conj() / freedom
        return found.reshape(()) if input._form.ndim < 2 or rows._form.shape[0] == 1 else found
    samples = [((3, 5),)]


def _observation_weights(n, fweights, aweights):
    for name, w, kinds in (("fweights", fweights, "iu"), ("aweights", aweights, "f")):
        if w is None:
            continue
        if w._form.ndim > 1:
            fail(RuntimeError, f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
                 f"{w._form.ndim} dimensions")
        if w._form.dtype.kind not in kinds:
            fail(RuntimeError, f"cov(): expected {name} to have {'integral' if kinds == 'iu' else 'floating point'} "
                 f"dtype but got {name} with {w.dtype} dtype")
        if w._form.size != n:
            fail(RuntimeError, f"cov(): expected {name} to have the same numel as there are observations in the input, "
                 f"got {w._form.size} != {n}")
        if w._form.size and not w._on_meta and bool((w < 0).any()):
            fail(RuntimeError, f"cov(): {name} cannot be negative")
    if fweights is None or aweights is None:
        return fweights if aweights is None else aweights
    return fweights * aweights


def _freedom(count, weights, aweights, correction):
    """What the sum of products is divided by, at least zero."""
    if weights is None or aweights is None or correction == 0:
        found = count - correction
    else:
        found = count - correction * (weights * aweights).sum() / count
    if isinstance(found, Tensor):
        return found.clamp(min=0)
    # a tensor, so that division by zero is inf or nan and not an exception
    return FUNCTIONS["tensor"](float(max(found, 0)))


@op
class corrcoef:
    """The correlation of variables in rows, observed in columns."""

    def compose(input):
        if input._form.ndim > 2:
            fail(RuntimeError, f"corrcoef(): expected input to have two or fewer dimensions but got an input with "
                 f"{input._form.ndim} dimensions")
        c = cov(input)
        if c._form.ndim == 0:
            return c / c
        spread = c.diagonal()
        spread = (spread.real if c._form.dtype.kind == "c" else spread).sqrt()
        c = c / spread.unsqueeze(1) / spread.unsqueeze(0)
        if c._form.dtype.kind == "c":
            return FUNCTIONS["complex"](c.real.clamp(-1, 1), c.imag.clamp(-1, 1))
        return c.clamp(-1, 1)
    samples = [((3, 5),)]
