# compiled, -Og
"""The larger, the smaller, and what is kept between bounds."""
import math

import numpy as np

from weft.core.errors import fail
from weft.kernels import fast
from weft.kernels.codes import CHAINED
from weft.kernels.native import scalar
from weft.ops.core.registry import POINTWISE, op
from weft.ops.pointwise.base import BROADCAST, _keep, chained, quiet, refuse, zeros
from weft.tensor.tensor import Tensor


def _ordered(x, who):
    if x.dtype.kind == "c":
        fail(RuntimeError, f"{who} not implemented for complex tensors.", "compare x.abs() or x.real")

CLAMP = 7       # the number of fast.activate and fast.activate_backward


@op
class maximum:
    """The larger of x and y; NaN where either is."""
    tensors = "x y"
    tags, native = POINTWISE - {"inplace"}, "maximum"

    def forward(x, y):
        _ordered(x, "maximum")
        return quiet(np.maximum, x, y)

    def grad_x(g, x, y):
        return _winner_share(g, x, y)

    def grad_y(g, x, y):
        return _winner_share(g, y, x)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class minimum:
    """The smaller of x and y; NaN where either is."""
    tensors = "x y"
    tags, native = POINTWISE - {"inplace"}, "minimum"

    def forward(x, y):
        _ordered(x, "minimum")
        return quiet(np.minimum, x, y)

    def grad_x(g, x, y):
        return _winner_share(g, y, x)

    def grad_y(g, x, y):
        return _winner_share(g, x, y)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class _winner_share:
    """grad where high wins over low, half of it where they tie, 0 where high loses."""
    tags, method = BROADCAST, False
    chain = "winner_share grad high low"

    def forward(grad, high, low):
        found = None
        if type(high) is type(low) is np.ndarray and grad.shape == high.shape == low.shape:
            found = chained(CHAINED["winner_share"], grad, high, low)
        return quiet(_shared, grad, high, low) if found is None else found

    def grad_grad(g, high, low):
        return _winner_share(g, high, low)

    def grad_high(g):
        return zeros(g)

    def grad_low(g):
        return zeros(g)
    samples = [((3, 2), (3, 2), (3, 2))]


def _shared(grad, high, low):
    return np.where(high == low, grad * grad.dtype.type(0.5), np.where(high < low, grad.dtype.type(0), grad))


@op
class fmax:
    """The larger of x and y; a NaN loses to a number."""
    tensors = "x y"
    tags = POINTWISE - {"inplace"}

    def forward(x, y):
        _ordered(x, "fmax")
        return quiet(np.fmax, x, y)

    def grad_x(g, x, y):
        return _keep(g, (x >= y).logical_or(y.isnan()))

    def grad_y(g, x, y):
        return _keep(g, (x >= y).logical_or(y.isnan()).logical_not())
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class fmin:
    """The smaller of x and y; a NaN loses to a number."""
    tensors = "x y"
    tags = POINTWISE - {"inplace"}

    def forward(x, y):
        _ordered(x, "fmin")
        return quiet(np.fmin, x, y)

    def grad_x(g, x, y):
        return _keep(g, (x <= y).logical_or(y.isnan()))

    def grad_y(g, x, y):
        return _keep(g, (x <= y).logical_or(y.isnan()).logical_not())
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class clamp:
    """x, but at least min and at most max; where these cross, max."""
    tags, names = POINTWISE, "clamp clip"
    promotes = "x min max"
    tensors, out_types = "x", "exact"
    chain = "clamp x =min =max"

    def check(x, min, max):
        if isinstance(min, Tensor) != isinstance(max, Tensor) and min is not None and max is not None:
            fail(TypeError, "clamp(): min and max must be two tensors or two numbers",
                 "make the number a tensor, or call clamp_min() and clamp_max()")

    def forward(x, min=None, max=None):
        if min is not None and max is not None:
            found = None
            if min.ndim == 0 and max.ndim == 0:
                low, high = scalar(min), scalar(max)
                if low == low and high == high:         # a NaN would be no bound
                    found = fast.activate(CLAMP, x, low, high, 0.0)
            if found is None:
                found = fast.ternary(3, x, min, max, 0.0)
            if found is not None:
                return found
            refuse("clamp_cpu", x, "b")
        elif min is None and max is None:
            fail(RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None", "give a bound")
        if x.dtype.kind == "c":
            fail(NotImplementedError, "clamp is not supported for complex types", "clamp x.real and x.imag")
        if min is not None:
            x = quiet(np.maximum, x, min)
        return x if max is None else quiet(np.minimum, x, max)

    def grad_x(g, x, min, max):
        return _inside(g, x, min, max)

    def grad_min(g, x, min, max):
        below = x < min
        return _keep(g, below if max is None else below.logical_and(min < max))

    def grad_max(g, x, min, max):
        above = x > max
        return _keep(g, above if min is None else above.logical_or(_below(max, min)))
    samples = [((3, 2), -0.5, 0.5), ((3, 2), None, 0.5), ((3, 2), (3, 2), (3, 2))]


def _below(a, b):
    return a < b if isinstance(a, Tensor) else b > a


def inside_numbers(grad, x, min, max):
    """The native loop where the bounds are numbers; None elsewhere."""
    if isinstance(min, np.ndarray) or isinstance(max, np.ndarray):
        return None
    return fast.activate_backward(CLAMP, grad, x, -math.inf if min is None else min, math.inf if max is None else max,
                                  0.0)


@op
class _inside:
    """grad where x lies within the bounds, 0 elsewhere."""
    tags, method = BROADCAST, False
    chain = "inside grad x =min =max"

    def forward(grad, x, min, max):
        found = inside_numbers(grad, x, min, max)
        if found is not None:
            return found
        return quiet(_kept_inside, grad, x, min, max)

    def grad_grad(g, x, min, max):
        return _inside(g, x, min, max)

    def grad_x(g):
        return zeros(g)

    def grad_min(g):
        return zeros(g)

    def grad_max(g):
        return zeros(g)
    samples = [((3, 2), (3, 2), -0.5, 0.5)]


def _kept_inside(grad, x, min, max):
    within = x <= max if min is None else x >= min if max is None else (x >= min) & (x <= max)
    return np.where(within, grad, grad.dtype.type(0))


@op
class clamp_min:
    """x, but at least min."""
    tags = POINTWISE
    out_types = "exact"

    def compose(input, min):
        return clamp(input, min)
    samples = [((3, 2), 0.1)]


@op
class clamp_max:
    """x, but at most max."""
    tags = POINTWISE
    out_types = "exact"

    def compose(input, max):
        return clamp(input, None, max)
    samples = [((3, 2), 0.1)]
