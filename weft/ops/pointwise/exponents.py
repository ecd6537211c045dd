# compiled
"""Exponentials, logarithms and roots, elementwise."""
import math

import numpy as np

from weft.core.errors import fail
from weft.core.spec import like
from weft.kernels import fast
from weft.ops.core.promotion import number_array
from weft.ops.core.registry import FLOATING, INPLACE, POINTWISE, op
from weft.ops.pointwise.base import BROADCAST, conj_of, quiet, refuse
from weft.tensor.tensor import Tensor

LN2, LN10 = math.log(2), math.log(10)


@op
class exp:
    """e**x."""
    tags, native, names = FLOATING, "exp", "exp"

    def forward(x):
        return quiet(np.exp, x)

    def grad_x(g, out):
        return g * conj_of(out)
    samples = [((3, 2),), ((),)]


@op
class exp2:
    """2**x."""
    tags, names, native = FLOATING, "exp2 special.exp2", "exp2"

    def forward(x):
        return quiet(_complex_exp2, x) if x.dtype.kind == "c" else quiet(np.exp2, x)

    def grad_x(g, out):
        return g * conj_of(out * LN2)
    samples = [((3, 2),), ((),)]


def _complex_exp2(z):
    scaled = np.empty_like(z)       # part by part: a complex product would turn an infinite part into NaN
    scaled.real, scaled.imag = z.real * LN2, z.imag * LN2
    return np.exp(scaled)


@op
class expm1:
    """e**x - 1, exact near 0."""
    tags, names, native = FLOATING, "expm1 special.expm1", "expm1"

    def forward(x):
        return quiet(np.expm1, x)

    def grad_x(g, out):
        return g * conj_of(out + 1)
    samples = [((3, 2),), ((),)]


@op
class log:
    """The natural logarithm."""
    tags, native = FLOATING, "log"

    def forward(x):
        return quiet(np.log, x)

    def grad_x(g, x):
        return g / conj_of(x)
    samples = [((3, 2),), ((),)]


@op
class log2:
    """The logarithm to base 2."""
    tags, native = FLOATING, "log2"

    def forward(x):
        return quiet(np.log2, x)

    def grad_x(g, x):
        return g / conj_of(x * LN2)
    samples = [((3, 2),), ((),)]


@op
class log10:
    """The logarithm to base 10."""
    tags, native = FLOATING, "log10"

    def forward(x):
        return quiet(np.log10, x)

    def grad_x(g, x):
        return g / conj_of(x * LN10)
    samples = [((3, 2),), ((),)]


@op
class log1p:
    """log(1 + x), exact near 0."""
    tags, names, native = FLOATING, "log1p special.log1p", "log1p"

    def forward(x):
        return quiet(_complex_log1p if x.dtype.kind == "c" else np.log1p, x)

    def grad_x(g, x):
        return g / conj_of(x + 1)
    samples = [((3, 2),), ((),)]


def _complex_log1p(z):
    """log(1 + z): near 0 the real part is log1p(|1 + z|**2 - 1) / 2, which NumPy rounds away."""
    exact = np.log(1 + z)
    near = np.log1p(z.real * (2 + z.real) + z.imag * z.imag) / 2
    return np.where(np.abs(z) < 0.5, near + 1j * exact.imag, exact).astype(z.dtype)


@op
class sqrt:
    """The square root."""
    tags, native = FLOATING, "sqrt"

    def forward(x):
        return quiet(np.sqrt, x)

    def grad_x(g, out):
        return g / conj_of(out * 2)
    samples = [((3, 2),), ((),)]


@op
class rsqrt:
    """1 / sqrt(x)."""
    tags, native = FLOATING, "rsqrt"

    def forward(x):
        return quiet(np.true_divide, x.dtype.type(1), quiet(np.sqrt, x))

    def grad_x(g, out):
        return g * conj_of(out * out * out * -0.5)
    samples = [((3, 2),), ((),)]


@op
class logaddexp:
    """log(e**x + e**y), without overflow."""
    tensors = "x y"
    tags, native = POINTWISE - {"inplace"}, "logaddexp"

    def forward(x, y):
        refuse("logaddexp_cpu", x, "biu")
        return quiet(_logaddexp_complex, x, y) if x.dtype.kind == "c" else quiet(np.logaddexp, x, y)

    def grad_x(g, x, y):
        return _share(g, x - y)

    def grad_y(g, x, y):
        return _share(g, y - x)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


def _share(g, ahead):
    """g / (1 + e**-ahead), whose own derivative is finite also where one of the two is log(0)."""
    return g * ahead.sigmoid() if ahead._form.dtype.kind != "c" else g / conj_of((-ahead).exp() + 1)


def _logaddexp_complex(x, y):
    first = x.real >= y.real
    large, small = np.where(first, x, y), np.where(first, y, x)
    found = large + np.log1p(np.exp(small - large))
    return np.where((x == y) & ~np.isfinite(x.real), x, found)      # inf - inf would be NaN


@op
class logaddexp2:
    """log2(2**x + 2**y), without overflow."""
    tensors = "x y"
    tags = POINTWISE - {"inplace"}

    def forward(x, y):
        refuse("logaddexp2_cpu", x, "biuc")
        return quiet(np.logaddexp2, x, y)

    def grad_x(g, x, y):
        return _share(g, (x - y) * LN2)

    def grad_y(g, x, y):
        return _share(g, (y - x) * LN2)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class hypot:
    """sqrt(x * x + y * y), without overflow."""
    tensors = "x y"
    tags, native = POINTWISE, "hypot"

    def forward(x, y):
        refuse("hypot_cpu", x, "biuc")
        return quiet(np.hypot, x, y)

    def grad_x(g, x, out):
        return g * (x / out)

    def grad_y(g, y, out):
        return g * (y / out)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class lerp:
    """x + weight * (end - x)."""
    tensors = "x end"
    tags = BROADCAST | INPLACE

    def forward(x, end, weight):
        if isinstance(weight, np.ndarray) and weight.ndim == 0:
            weight = weight.astype(x.dtype) if x.dtype.kind == "c" or weight.dtype.kind != "c" else weight
        for name, array in (("end", end), ("weight", weight)):
            if isinstance(array, np.ndarray) and array.dtype != x.dtype:
                fail(RuntimeError, f"lerp: expected dtype {x.dtype.name} for `{name}` but got dtype {array.dtype.name}",
                     "convert one of them")
        refuse("lerp_kernel_scalar", x, "biub")
        return quiet(_lerp, x, end, weight)

    def grad_x(g, weight):
        return g * conj_of(1 - weight)

    def grad_end(g, weight):
        return g * conj_of(weight)

    def grad_weight(g, x, end):
        return g * conj_of(end - x)
    samples = [((3, 2), (3, 2), 0.25), ((3, 1), (2,), (3, 2))]


def _lerp(x, end, weight):
    found = (fast.ternary(2, x, end, weight if isinstance(weight, np.ndarray) else number_array(weight, x.dtype), 0.0)
             if x.dtype.kind == "f" else None)
    if found is not None:
        return found
    way = end - x
    return np.where(np.abs(weight) < 0.5, x + weight * way, end - way * (1 - weight))    # exact at both ends


@op
class ldexp:
    """x * 2**y."""
    tags = POINTWISE

    def compose(input, other):
        for i, (name, value) in enumerate((("input", input), ("other", other))):
            if not isinstance(value, Tensor):
                raise TypeError(f"ldexp(): argument '{name}' (position {i + 1}) must be Tensor, not "
                                f"{type(value).__name__}")
        if not (other._form.dtype.kind in "biu" and input.is_floating_point()):
            return input * 2.0 ** other
        wide = input.float() if input.element_size() < 4 else input     # a half type doesn't hold 2**20
        return (wide * 2.0 ** other.to(wide.dtype)).to(input.dtype)     # whole exponents leave the type of x alone
    samples = [((3, 2), (3, 2))]


@op
class frexp:
    """The mantissa, from 0.5 to 1, and the exponent of 2, such that x = mantissa * 2**exponent."""
    outputs = "mantissa exponent"

    def check(x):
        if not x.is_floating_point():
            fail(RuntimeError, f"torch.frexp() only supports floating-point dtypes, got {x._form.dtype.name}",
                 "convert it with .float()")

    def forward(x):
        mantissa, exponent = np.frexp(x)
        return mantissa, np.where(np.isfinite(x), exponent, 0).astype(np.int32)

    def shape(x):
        return like(x), like(x, np.int32)

    def grad_x(g_mantissa, exponent):
        return g_mantissa / exponent.exp2()
    samples = [((3, 2),), ((),)]
