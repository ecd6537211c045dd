# compiled
"""Activations without corners (elu and its kin have one at 0). Each has its backward, grad times the slope, as an op:
one pass over the arrays, and rules of its own for second derivatives."""
import math

import numpy as np

from weft.core.errors import fail
from weft.core.layout import empty_as
from weft.kernels import fast, special
from weft.kernels.native import UNARY, unary
from weft.ops.core.registry import POINTWISE, op
from weft.ops.nn.activation import ELU, PRIVATE, SOFTPLUS, _in_place, run
from weft.ops.pointwise.base import BROADCAST, _keep, conj_of, logistic, quiet, refuse

ROOT_HALF, NORMAL = math.sqrt(0.5), 1 / math.sqrt(2 * math.pi)
GELU_K, GELU_A = math.sqrt(2 / math.pi), 0.044715
SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


# elu, selu, celu: scale * (x, or alpha * (e**(x * input_scale) - 1) where x is at most 0)

@op
class _elu:
    """scale * x where x is positive, else scale * alpha * (e**(x * input_scale) - 1)."""
    tags, method, node_name = PRIVATE, False, "EluBackward0"
    promotes = "x"

    def forward(x, alpha, scale, input_scale):
        refuse("elu_cpu", x, "biuc")
        found = fast.activate(ELU, x, alpha * scale, scale, input_scale)
        if found is not None:
            return found
        return quiet(_elu_values, x, *map(x.dtype.type, (alpha, scale, input_scale)))

    def grad_x(g, x, alpha, scale, input_scale):
        return _elu_backward(g, x, alpha, scale, input_scale)
    samples = [((3, 2), 1.0, 1.0, 1.0)]


def _elu_values(x, alpha, scale, input_scale):
    return np.where(x <= 0, np.expm1(x * input_scale) * (alpha * scale), x * scale)


@op
class _elu_backward:
    """grad times the slope of _elu at x."""
    tags, method = BROADCAST, False

    def forward(grad, x, alpha, scale, input_scale):
        found = fast.activate_backward(ELU, grad, x, alpha * scale, scale, input_scale)
        if found is not None:
            return found
        kind = x.dtype.type
        slope = np.where(x <= 0, quiet(np.exp, x * kind(input_scale)) * kind(alpha * scale * input_scale), kind(scale))
        return quiet(np.multiply, grad, slope)

    def grad_grad(g, x, alpha, scale, input_scale):
        return _elu_backward(g, x, alpha, scale, input_scale)

    def grad_x(g, out, x, input_scale):
        return _keep(g * out * input_scale, x <= 0)
    samples = [((3, 2), (3, 2), 1.0, 1.0, 1.0)]


@op
class elu:
    """x where it is positive, else alpha * (e**x - 1)."""
    names = "nn.functional.elu"

    def compose(input, alpha=1.0, inplace=False):
        return run(_elu, inplace, input, alpha, 1.0, 1.0)
    samples = [((3, 2),)]


@op
class selu:
    """The scaled elu that keeps mean 0 and variance 1."""
    tags, method = POINTWISE, False

    def compose(input):
        return _elu(input, SELU_ALPHA, SELU_SCALE, 1.0)
    samples = [((3, 2),)]


@op
class functional_selu:
    """The scaled elu that keeps mean 0 and variance 1."""
    names = "nn.functional.selu"

    def compose(input, inplace=False):
        return run(selu, inplace, input)
    samples = [((3, 2),)]


@op
class celu:
    """x where it is positive, else alpha * (e**(x / alpha) - 1)."""
    tags, method = POINTWISE, False

    def compose(input, alpha=1.0):
        if alpha == 0:
            fail(RuntimeError, "ZeroDivisionError: alpha cannot be 0 for CELU", "give another alpha")
        return _elu(input, alpha, 1.0, 1.0 / alpha)
    samples = [((3, 2),)]


@op
class functional_celu:
    """x where it is positive, else alpha * (e**(x / alpha) - 1)."""
    names = "nn.functional.celu"

    def compose(input, alpha=1.0, inplace=False):
        return run(celu, inplace, input, alpha)
    samples = [((3, 2),)]


# gelu

@op
class gelu:
    """x * P(a standard normal number is below x); approximate="tanh" is a quicker form."""
    tags, names, native, slope = POINTWISE - {"inplace"}, "nn.functional.gelu", "gelu", "gelu_backward"
    out_types = "exact"

    def forward(x, *, approximate="none"):
        refuse("GeluKernelImpl", x, "biuc")
        found = (unary(UNARY["gelu" if approximate == "none" else "gelu_tanh"], x) if approximate in ("none", "tanh")
                 else None)
        if found is not None:
            return found
        if approximate == "none":
            return quiet(np.multiply, x, _ndtr(x))
        if approximate == "tanh":
            return quiet(_gelu_tanh, x)
        fail(RuntimeError, f"gelu: approximate argument must be either none or tanh., got {approximate!r}",
             "give 'none' or 'tanh'")

    def grad_x(g, x, approximate):
        return _gelu_backward(g, x) if approximate == "none" else _gelu_tanh_backward(g, x)
    samples = [((3, 2),), ((),)]


def _ndtr(x):
    """P(a standard normal number is below x), in the memory order of x."""
    found = special.ndtr(x)
    if x.flags.c_contiguous:
        return found
    made = empty_as(x)
    made[...] = found
    return made


def _gelu_tanh(x):
    kind = x.dtype.type
    return x * kind(0.5) * (1 + np.tanh(kind(GELU_K) * (x + kind(GELU_A) * x * x * x)))


@op
class _gelu_backward:
    """grad times the slope of gelu at x."""
    tags, method, native = BROADCAST, False, "gelu_backward"

    def forward(grad, x):
        return quiet(np.multiply, grad, quiet(_gelu_slope_exact, x))

    def grad_grad(g, x):
        return _gelu_backward(g, x)

    def grad_x(g, grad, x):
        return g * grad * (x * x * -0.5).exp() * (2 - x * x) * NORMAL
    samples = [((3, 2), (3, 2))]


@op
class _gelu_tanh_backward:
    """grad times the slope of the tanh form of gelu at x."""
    tags, method, native = BROADCAST, False, "gelu_tanh_backward"

    def forward(grad, x):
        return quiet(np.multiply, grad, quiet(_gelu_slope_tanh, x))

    def grad_grad(g, x):
        return _gelu_tanh_backward(g, x)

    def grad_x(g, grad, x):
        inner, inner2 = (x * x * (3 * GELU_A) + 1) * GELU_K, x * (6 * GELU_A * GELU_K)
        t = ((x * x * x * GELU_A + x) * GELU_K).tanh()
        return g * grad * (1 - t * t) * (inner + x * 0.5 * (inner2 - t * inner * inner * 2))
    samples = [((3, 2), (3, 2))]


def _gelu_slope_exact(x):
    kind = x.dtype.type
    return _ndtr(x) + x * np.exp(x * x * kind(-0.5)) * kind(NORMAL)


def _gelu_slope_tanh(x):
    kind = x.dtype.type
    t = np.tanh(kind(GELU_K) * (x + kind(GELU_A) * x * x * x))
    return kind(0.5) * (1 + t) + kind(0.5) * x * (1 - t * t) * kind(GELU_K) * (1 + kind(3 * GELU_A) * x * x)


# silu and mish

@op
class _silu:
    """x * sigmoid(x)."""
    tags, method, node_name, native, slope = PRIVATE, False, "SiluBackward0", "silu", "silu_backward"

    def forward(x):
        refuse("silu_cpu", x, "biu")
        return quiet(np.multiply, x, quiet(logistic, x))

    def grad_x(g, x):
        return _silu_backward(g, x)
    samples = [((3, 2),)]


@op
class _silu_backward:
    """grad times the slope of silu at x."""
    tags, method, native = BROADCAST, False, "silu_backward"

    def forward(grad, x):
        return quiet(np.multiply, grad, np.conj(quiet(_silu_slope_values, x)))

    def grad_grad(g, x):
        return _silu_backward(g, conj_of(x))

    def grad_x(g, grad, x):
        s = x.sigmoid()
        return g * conj_of(grad) * conj_of(s * (1 - s) * (x * (1 - s * 2) + 2))
    samples = [((3, 2), (3, 2))]


def _silu_slope_values(x):
    s = logistic(x)
    return s * (1 + x * (1 - s))


@op
class silu:
    """x * sigmoid(x)."""
    names = "nn.functional.silu"

    def compose(input, inplace=False):
        return run(_silu, inplace, input)
    samples = [((3, 2),)]


@op
class _mish:
    """x * tanh(log(1 + e**x))."""
    tags, method, node_name, native = PRIVATE, False, "MishBackward0", "mish"

    def forward(x):
        refuse("mish_cpu", x, "biuc")
        return quiet(_mish_values, x)

    def grad_x(g, x):
        return _mish_backward(g, x)
    samples = [((3, 2),)]


def _mish_values(x):
    return x * np.tanh(np.logaddexp(x, x.dtype.type(0)))


@op
class _mish_backward:
    """grad times the slope of mish at x."""
    tags, method, native = BROADCAST, False, "mish_backward"

    def forward(grad, x):
        return quiet(np.multiply, grad, quiet(_mish_slope_values, x))

    def grad_grad(g, x):
        return _mish_backward(g, x)

    def grad_x(g, grad, x):
        t, s = (x.exp().log1p()).tanh(), x.sigmoid()
        return g * grad * (1 - t * t) * s * (x * (1 - s - t * s * 2) + 2)
    samples = [((3, 2), (3, 2))]


def _mish_slope_values(x):
    t = np.tanh(np.logaddexp(x, x.dtype.type(0)))
    return t + x * (1 - t * t) * logistic(x)


@op
class mish:
    """x * tanh(log(1 + e**x))."""
    names = "nn.functional.mish"

    def compose(input, inplace=False):
        return run(_mish, inplace, input)
    samples = [((3, 2),)]


# softened corners

@op
class softplus:
    """log(1 + e**(beta * x)) / beta, and x itself where beta * x is above the threshold."""
    tags, names = POINTWISE - {"inplace"}, "nn.functional.softplus"
    out_types = "exact"

    def forward(x, beta=1, threshold=20):
        refuse("softplus_cpu", x, "biuc")
        found = fast.activate(SOFTPLUS, x, beta, threshold, 0.0)
        if found is not None:
            return found
        kind = x.dtype.type
        scaled = quiet(np.multiply, x, kind(beta))
        return np.where(scaled > threshold, x, quiet(np.logaddexp, scaled, kind(0)) / kind(beta))

    def grad_x(g, x, beta, threshold):
        return _softplus_backward(g, x, beta, threshold)
    samples = [((3, 2),), ((3, 2), 2.0, 1.0)]


@op
class _softplus_backward:
    """grad times the slope of softplus at x."""
    tags, method = BROADCAST, False

    def forward(grad, x, beta, threshold):
        found = fast.activate_backward(SOFTPLUS, grad, x, beta, threshold, 0.0)
        if found is not None:
            return found
        scaled = quiet(np.multiply, x, x.dtype.type(beta))
        return quiet(np.multiply, grad, np.where(scaled > threshold, x.dtype.type(1), quiet(logistic, scaled)))

    def grad_grad(g, x, beta, threshold):
        return _softplus_backward(g, x, beta, threshold)

    def grad_x(g, grad, x, beta, threshold):
        s = (x * beta).sigmoid()
        return _keep(g * grad * s * (1 - s) * beta, x * beta <= threshold)
    samples = [((3, 2), (3, 2), 1, 20)]


@op
class logsigmoid:
    """log(sigmoid(x)), without overflow."""
    tags, names, native = POINTWISE - {"inplace"}, "nn.functional.logsigmoid", "logsigmoid"
    out_types = "exact"

    def forward(x):
        refuse("log_sigmoid_cpu", x, "biuc")
        return -quiet(np.logaddexp, -x, x.dtype.type(0))

    def grad_x(g, x):
        return _logsigmoid_backward(g, x)
    samples = [((3, 2),), ((),)]


@op
class _logsigmoid_backward:
    """grad times the slope of logsigmoid at x."""
    tags, method, native = BROADCAST, False, "logsigmoid_backward"

    def forward(grad, x):
        return quiet(np.multiply, grad, quiet(logistic, -x))

    def grad_grad(g, x):
        return _logsigmoid_backward(g, x)

    def grad_x(g, grad, x):
        s = x.sigmoid()
        return g * grad * s * (s - 1)
    samples = [((3, 2), (3, 2))]


@op
class softsign:
    """x / (1 + |x|)."""
    names = "nn.functional.softsign"

    def compose(input):
        return input / (input.abs() + 1)
    samples = [((3, 2),)]


@op
class tanhshrink:
    """x - tanh(x)."""
    names = "nn.functional.tanhshrink"

    def compose(input):
        return input - input.tanh()
    samples = [((3, 2),)]


for _name in ("elu", "selu", "celu"):
    _in_place(_name)
