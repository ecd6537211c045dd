"""Activations without corners (elu and its kin have one at 0): each has its slope as an op, whose own rule gives second derivatives."""
import math

import numpy as np

from weft.core.errors import fail
from weft.kernels import special
from weft.ops.activation import PRIVATE, _in_place, run
from weft.ops.pointwise_base import BROADCAST, _keep, conj_of, logistic, quiet, refuse
from weft.ops.registry import POINTWISE, op

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
        return quiet(_elu_values, x, *map(x.dtype.type, (alpha, scale, input_scale)))

    def grad_x(g, x, alpha, scale, input_scale):
        return g * _elu_slope(x, alpha, scale, input_scale)
    samples = [((3, 2), 1.0, 1.0, 1.0)]


def _elu_values(x, alpha, scale, input_scale):
    return np.where(x <= 0, np.expm1(x * input_scale) * (alpha * scale), x * scale)


@op
class _elu_slope:
    """The derivative of _elu."""
    tags, method = BROADCAST, False

    def forward(x, alpha, scale, input_scale):
        kind = x.dtype.type
        return np.where(x <= 0, quiet(np.exp, x * kind(input_scale)) * kind(alpha * scale * input_scale), kind(scale))

    def grad_x(g, x, out, input_scale):
        return _keep(g * out * input_scale, x <= 0)
    samples = [((3, 2), 1.0, 1.0, 1.0)]


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
    tags, names = POINTWISE - {"inplace"}, "nn.functional.gelu"

    def forward(x, *, approximate="none"):
        refuse("GeluKernelImpl", x, "biuc")
        if approximate == "none":
            return quiet(np.multiply, x, special.ndtr(x))
        if approximate == "tanh":
            return quiet(_gelu_tanh, x)
        fail(RuntimeError, f"gelu: approximate argument must be either none or tanh., got {approximate!r}", "give 'none' or 'tanh'")

    def grad_x(g, x, approximate):
        return g * _gelu_slope(x, approximate)
    samples = [((3, 2),), ((),)]


def _gelu_tanh(x):
    kind = x.dtype.type
    return x * kind(0.5) * (1 + np.tanh(kind(GELU_K) * (x + kind(GELU_A) * x * x * x)))


@op
class _gelu_slope:
    """The derivative of gelu."""
    tags, method = BROADCAST, False

    def forward(x, approximate):
        if approximate == "none":
            return quiet(_gelu_slope_exact, x)
        return quiet(_gelu_slope_tanh, x)

    def grad_x(g, x, approximate):
        if approximate == "none":
            return g * (x * x * -0.5).exp() * (2 - x * x) * NORMAL
        inner, inner2 = (x * x * (3 * GELU_A) + 1) * GELU_K, x * (6 * GELU_A * GELU_K)
        t = ((x * x * x * GELU_A + x) * GELU_K).tanh()
        return g * (1 - t * t) * (inner + x * 0.5 * (inner2 - t * inner * inner * 2))
    samples = [((3, 2), "none"), ((3, 2), "tanh")]


def _gelu_slope_exact(x):
    kind = x.dtype.type
    return special.ndtr(x) + x * np.exp(x * x * kind(-0.5)) * kind(NORMAL)


def _gelu_slope_tanh(x):
    kind = x.dtype.type
    t = np.tanh(kind(GELU_K) * (x + kind(GELU_A) * x * x * x))
    return kind(0.5) * (1 + t) + kind(0.5) * x * (1 - t * t) * kind(GELU_K) * (1 + kind(3 * GELU_A) * x * x)


# silu and mish

@op
class _silu:
    """x * sigmoid(x)."""
    tags, method, node_name = PRIVATE, False, "SiluBackward0"

    def forward(x):
        refuse("silu_cpu", x, "biu")
        return quiet(np.multiply, x, quiet(logistic, x))

    def grad_x(g, x):
        return g * conj_of(_silu_slope(x))
    samples = [((3, 2),)]


@op
class _silu_slope:
    """The derivative of silu."""
    tags, method = BROADCAST, False

    def forward(x):
        return quiet(_silu_slope_values, x)

    def grad_x(g, x):
        s = x.sigmoid()
        return g * conj_of(s * (1 - s) * (x * (1 - s * 2) + 2))
    samples = [((3, 2),)]


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
    tags, method, node_name = PRIVATE, False, "MishBackward0"

    def forward(x):
        refuse("mish_cpu", x, "biuc")
        return quiet(_mish_values, x)

    def grad_x(g, x):
        return g * _mish_slope(x)
    samples = [((3, 2),)]


def _mish_values(x):
    return x * np.tanh(np.logaddexp(x, x.dtype.type(0)))


@op
class _mish_slope:
    """The derivative of mish."""
    tags, method = BROADCAST, False

    def forward(x):
        return quiet(_mish_slope_values, x)

    def grad_x(g, x):
        t, s = (x.exp().log1p()).tanh(), x.sigmoid()
        return g * (1 - t * t) * s * (x * (1 - s - t * s * 2) + 2)
    samples = [((3, 2),)]


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

    def forward(x, beta=1, threshold=20):
        refuse("softplus_cpu", x, "biuc")
        kind = x.dtype.type
        scaled = quiet(np.multiply, x, kind(beta))
        return np.where(scaled > threshold, x, quiet(np.logaddexp, scaled, kind(0)) / kind(beta))

    def grad_x(g, x, beta, threshold):
        return g * _softplus_slope(x, beta, threshold)
    samples = [((3, 2),), ((3, 2), 2.0, 1.0)]


@op
class _softplus_slope:
    """The derivative of softplus."""
    tags, method = BROADCAST, False

    def forward(x, beta, threshold):
        scaled = quiet(np.multiply, x, x.dtype.type(beta))
        return np.where(scaled > threshold, x.dtype.type(1), quiet(logistic, scaled))

    def grad_x(g, out, beta):
        return g * out * (1 - out) * beta
    samples = [((3, 2), 1, 20)]


@op
class logsigmoid:
    """log(sigmoid(x)), without overflow."""
    tags, names = POINTWISE - {"inplace"}, "nn.functional.logsigmoid"

    def forward(x):
        refuse("log_sigmoid_cpu", x, "biuc")
        return -quiet(np.logaddexp, -x, x.dtype.type(0))

    def grad_x(g, x):
        return g * (-x).sigmoid()
    samples = [((3, 2),), ((),)]


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
