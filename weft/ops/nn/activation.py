# compiled
"""Activations with corners: piecewise linear, so their gradient is passed on, scaled or stopped."""
import numpy as np

from weft.core.errors import fail
from weft.kernels import fast
from weft.ops.core.registry import FUNCTIONS, POINTWISE, introduce, op
from weft.ops.pointwise.base import BROADCAST, quiet, refuse, zeros
from weft.tensor.calls import make_in_place
from weft.tensor.tensor import OPS

PRIVATE = POINTWISE     # a private op has its in-place form too: the functions below take inplace=True
LEAKY_RELU, ELU, SOFTPLUS, THRESHOLD, HARDTANH, HARDSHRINK, SOFTSHRINK = range(7)      # the numbers of fast.activate


def run(function, inplace, input, *args):
    """Call an op, or write its result into the input."""
    return OPS.run_inplace(function.op, input, args, {}) if inplace else function(input, *args)


# relu

@op
class relu:
    """x where it is positive, else 0."""
    tags, native, slope = POINTWISE, "relu", "relu_backward"

    def forward(x):
        if x.dtype.kind == "b":
            fail(RuntimeError, "relu: Boolean inputs not supported for relu",
                 "convert the tensor first, for example with .float()")
        if x.dtype.kind == "c":
            fail(NotImplementedError, "relu: clamp is not supported for complex types", "take x.real or x.abs()")
        return np.maximum(x, 0)

    def grad_x(g, out):
        return _relu_backward(g, out)
    samples = [((3, 2),), ((),)]


@op
class _relu_backward:
    """grad where result is positive, else 0."""
    tags, method, native = BROADCAST, False, "relu_backward"

    def forward(grad, result):
        return np.where(result <= 0, grad.dtype.type(0), grad)

    def grad_grad(g, result):
        return _relu_backward(g, result)

    def grad_result(g):
        return zeros(g)
    samples = [((3, 2), (3, 2))]


@op
class functional_relu:
    """x where it is positive, else 0."""
    names = "nn.functional.relu"

    def compose(input, inplace=False):
        return run(relu, inplace, input)
    samples = [((3, 2),)]


@op
class _leaky_relu:
    """x where it is positive, else negative_slope * x."""
    tags, method, node_name = PRIVATE, False, "LeakyReluBackward0"
    chain = "leaky_relu x =negative_slope"
    promotes = "x"

    def forward(x, negative_slope):
        refuse("leaky_relu_cpu", x, "biuc")
        found = fast.activate(LEAKY_RELU, x, negative_slope, 0.0, 0.0)
        if found is not None:
            return found
        return np.where(x > 0, x, quiet(np.multiply, x, x.dtype.type(negative_slope)))

    def grad_x(g, x, negative_slope):
        return _leaky_relu_backward(g, x, negative_slope)
    samples = [((3, 2), 0.1)]


@op
class _leaky_relu_backward:
    """grad where x is positive, else negative_slope * grad."""
    tags, method = BROADCAST, False
    chain = "leaky_relu_backward grad x =negative_slope"

    def forward(grad, x, negative_slope):
        found = fast.activate_backward(LEAKY_RELU, grad, x, negative_slope, 0.0, 0.0)
        if found is not None:
            return found
        return np.where(x > 0, grad, quiet(np.multiply, grad, grad.dtype.type(negative_slope)))

    def grad_grad(g, x, negative_slope):
        return _leaky_relu_backward(g, x, negative_slope)

    def grad_x(g):
        return zeros(g)
    samples = [((3, 2), (3, 2), 0.1)]


@op
class leaky_relu:
    """x where it is positive, else negative_slope * x."""
    names = "nn.functional.leaky_relu"

    def compose(input, negative_slope=0.01, inplace=False):
        return run(_leaky_relu, inplace, input, negative_slope)
    samples = [((3, 2),)]


@op
class _flattened:
    """grad, 0 where the activation with this number is flat at x."""
    tags, method = BROADCAST, False

    def forward(grad, x, code, a, b):
        found = fast.activate_backward(code, grad, x, a, b, 0.0)
        if found is not None:
            return found
        flat = x <= a if code == THRESHOLD else (x <= a) | (x >= b) if code == HARDTANH else (x >= -a) & (x <= a)
        return np.where(flat, grad.dtype.type(0), grad)

    def grad_grad(g, x, code, a, b):
        return _flattened(g, x, code, a, b)

    def grad_x(g):
        return zeros(g)
    samples = [((3, 2), (3, 2), THRESHOLD, 0.1, 0.0), ((3, 2), (3, 2), HARDTANH, -0.5, 0.5),
               ((3, 2), (3, 2), HARDSHRINK, 0.5, 0.0)]


@op
class threshold:
    """x where it is above the threshold, else `value`."""
    tags, method = POINTWISE, False
    promotes = "x"

    def forward(x, threshold, value):
        refuse("threshold_cpu", x, "bc")
        found = fast.activate(THRESHOLD, x, threshold, value, 0.0)
        if found is not None:
            return found
        return np.where(x <= threshold, np.asarray(value).astype(x.dtype), x)

    def grad_x(g, x, threshold):
        return _flattened(g, x, THRESHOLD, threshold, 0.0)
    samples = [((3, 2), 0.1, 20.0)]


@op
class functional_threshold:
    """x where it is above the threshold, else `value`."""
    names = "nn.functional.threshold"

    def compose(input, threshold, value, inplace=False):
        return run(FUNCTIONS["threshold"], inplace, input, threshold, value)
    samples = [((3, 2), 0.1, 20.0)]


# between two bounds

@op
class _hardtanh:
    """x, but at least min_val and at most max_val; flat at the bounds themselves."""
    tags, method, node_name = PRIVATE, False, "HardtanhBackward0"
    chain = "clamp x =min_val =max_val"
    promotes = "x"

    def forward(x, min_val, max_val):
        if x.dtype.kind in "bc":
            fail(RuntimeError, f"hardtanh: {x.dtype.name} inputs not supported for hardtanh",
                 "convert the tensor with .float()")
        if x.dtype.kind == "u" and (int(min_val) < 0 or int(max_val) < 0):
            fail(RuntimeError, f"cannot do hardtanh on an unsigned type with negative limits, got {min_val} and "
                 f"{max_val}",
                 "convert the tensor to a signed type")
        if min_val != min_val or max_val != max_val:
            return np.full_like(x, np.nan)
        found = fast.activate(HARDTANH, x, min_val, max_val, 0.0)
        if found is not None:
            return found
        return np.clip(x, _number(min_val, x), _number(max_val, x))

    def grad_x(g, x, min_val, max_val):
        return _flattened(g, x, HARDTANH, min_val, max_val)
    samples = [((3, 2), -0.5, 0.5)]


def _number(value, x):
    """A bound in the array's type; integers cut off its decimals."""
    return x.dtype.type(int(value) if x.dtype.kind in "iu" else value)


@op
class hardtanh:
    """x, but at least min_val and at most max_val."""
    names = "nn.functional.hardtanh"

    def compose(input, min_val=-1.0, max_val=1.0, inplace=False):
        if min_val > max_val:
            fail(ValueError, f"hardtanh: min_val cannot be greater than max_val, got {min_val} and {max_val}",
                 "exchange them")
        return run(_hardtanh, inplace, input, min_val, max_val)
    samples = [((3, 2),)]


@op
class relu6:
    """x, but at least 0 and at most 6."""
    names = "nn.functional.relu6"

    def compose(input, inplace=False):
        return run(_hardtanh, inplace, input, 0.0, 6.0)
    samples = [((3, 2),)]


@op
class _hardsigmoid:
    """(x + 3) / 6, but at least 0 and at most 1."""
    tags, method, node_name, native = PRIVATE, False, "HardsigmoidBackward0", "hardsigmoid"

    def forward(x):
        refuse("hardsigmoid_cpu", x, "biuc")
        return np.clip(x + 3, 0, 6) / 6

    def grad_x(g, x):
        return _hardsigmoid_backward(g, x)
    samples = [((3, 2),)]


@op
class _hardsigmoid_backward:
    """grad / 6 where hardsigmoid isn't flat at x, else 0."""
    tags, method, native = BROADCAST, False, "hardsigmoid_backward"

    def forward(grad, x):
        return np.where((x > -3) & (x < 3), grad / 6, grad.dtype.type(0))

    def grad_grad(g, x):
        return _hardsigmoid_backward(g, x)

    def grad_x(g):
        return zeros(g)
    samples = [((3, 2), (3, 2))]


@op
class hardsigmoid:
    """(x + 3) / 6, but at least 0 and at most 1."""
    names = "nn.functional.hardsigmoid"

    def compose(input, inplace=False):
        return run(_hardsigmoid, inplace, input)
    samples = [((3, 2),)]


@op
class _hardswish:
    """x * hardsigmoid(x)."""
    tags, method, node_name, native = PRIVATE, False, "HardswishBackward0", "hardswish"

    def forward(x):
        refuse("hardswish_cpu", x, "biuc")
        return quiet(np.multiply, x, np.clip(x + 3, 0, 6)) / 6

    def grad_x(g, x):
        return _hardswish_backward(g, x)
    samples = [((3, 2),)]


@op
class _hardswish_backward:
    """grad times the slope of hardswish at x."""
    tags, method, native = BROADCAST, False, "hardswish_backward"

    def forward(grad, x):
        inside = quiet(np.multiply, grad, x / 3 + x.dtype.type(0.5))
        return np.where(x <= -3, grad.dtype.type(0), np.where(x < 3, inside, grad))

    def grad_grad(g, x):
        return _hardswish_backward(g, x)

    def grad_x(g, grad, x):
        return _hardsigmoid_backward(g * grad, x) * 2
    samples = [((3, 2), (3, 2))]


@op
class hardswish:
    """x * hardsigmoid(x)."""
    names = "nn.functional.hardswish"

    def compose(input, inplace=False):
        return run(_hardswish, inplace, input)
    samples = [((3, 2),)]


# what is small becomes 0

@op
class hardshrink:
    """x where it is beyond -lambd or lambd, else 0."""
    tags, names = POINTWISE - {"inplace"}, "hardshrink nn.functional.hardshrink"
    out_types = "exact"

    def forward(x, lambd=0.5):
        refuse("hardshrink_cpu", x, "biuc")
        found = fast.activate(HARDSHRINK, x, lambd, 0.0, 0.0)
        if found is not None:
            return found
        return np.where((x >= -lambd) & (x <= lambd), x.dtype.type(0), x)

    def grad_x(g, x, lambd):
        return _flattened(g, x, HARDSHRINK, lambd, 0.0)
    samples = [((3, 2),), ((3, 2), 0.1)]


@op
class softshrink:
    """x brought nearer to 0 by lambd, not beyond it."""
    tags, names = POINTWISE - {"inplace"}, "nn.functional.softshrink"
    out_types = "exact"

    def forward(x, lambd=0.5):
        refuse("softshrink_cpu", x, "biuc")
        if lambd < 0:
            fail(RuntimeError, f"softshrink: lambda must be greater or equal to 0, but found {lambd}",
                 "give lambd >= 0")
        found = fast.activate(SOFTSHRINK, x, lambd, 0.0, 0.0)
        if found is not None:
            return found
        return np.where(x > lambd, x - lambd, np.where(x < -lambd, x + lambd, np.where(x != x, x, x.dtype.type(0))))

    def grad_x(g, x, lambd):
        return _flattened(g, x, SOFTSHRINK, lambd, 0.0)
    samples = [((3, 2),), ((3, 2), 0.1)]


def _in_place(name):
    """nn.functional.relu_ and the like: the same, written into the input."""
    function = FUNCTIONS["nn.functional." + name]

    def in_place(input, *args, **kwargs):
        return function(input, *args, **kwargs, inplace=True)
    made = make_in_place(function.op, in_place)
    introduce(made, function.op, f"nn.functional.{name}_", True)
    FUNCTIONS[f"nn.functional.{name}_"] = made


for _name in ("relu", "leaky_relu", "threshold", "hardtanh"):
    _in_place(_name)
