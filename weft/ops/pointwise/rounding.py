# compiled, -Og
"""Rounding, signs, and what lies next to a number. Where a function is flat its gradient is 0."""
import functools

import numpy as np

from weft.core.errors import fail
from weft.kernels import fast
from weft.ops.core.registry import FLOATING, KEEP_HALF, POINTWISE, op
from weft.ops.core.samples import data, fixed
from weft.ops.pointwise.base import _keep, quiet, refuse, zeros


def _rounded(function, x, name):
    """A NumPy rounding of floats; integers are round already."""
    refuse(f"{name}_vml_cpu", x, "b")
    if x.dtype.kind == "c":
        fail(NotImplementedError, f"{name} is not supported for complex inputs", "round x.real and x.imag")
    return quiet(function, x) if x.dtype.kind == "f" else x.copy("K")


@op
class floor:
    """The greatest integer that is at most x."""
    tags, native = POINTWISE, "floor"
    out_types = "exact"

    def forward(x):
        return _rounded(np.floor, x, "floor")

    def grad_x(g):
        return zeros(g)
    samples = [((3, 2),), ((),)]


@op
class ceil:
    """The least integer that is at least x."""
    tags, native = POINTWISE, "ceil"
    out_types = "exact"

    def forward(x):
        return _rounded(np.ceil, x, "ceil")

    def grad_x(g):
        return zeros(g)
    samples = [((3, 2),), ((),)]


@op
class trunc:
    """x without its decimals."""
    tags, names, native = POINTWISE, "trunc fix", "trunc"
    out_types = "exact"

    def forward(x):
        return _rounded(np.trunc, x, "trunc")

    def grad_x(g):
        return zeros(g)
    samples = [((3, 2),), ((),)]


@op
class round_:
    """The nearest integer, the even one of two; or the nearest number with so many decimals."""
    tags, names, native = POINTWISE, "round special.round", "round"
    out_types = "exact"

    def forward(x, *, decimals=0):
        if decimals == 0:
            return _rounded(np.rint, x, "round")
        refuse("round_cpu", x, "biuc")
        ten = x.dtype.type(10.0 ** abs(decimals))
        return quiet(_round_decimals, x, ten, decimals < 0)

    def grad_x(g):
        return zeros(g)
    samples = [((3, 2),), ((),)]


def _round_decimals(x, ten, tens):
    return np.rint(x / ten) * ten if tens else np.rint(x * ten) / ten


@op
class frac:
    """The decimals of x, with its sign."""
    tags = POINTWISE
    out_types = "exact"

    def forward(x):
        refuse("frac_cpu", x, "biuc")
        return quiet(np.subtract, x, np.trunc(x))

    def grad_x(g):
        return g
    samples = [((3, 2),), ((),)]


# signs

def _sign(x):
    """-1, 0 or 1; 0 for NaN."""
    if x.dtype.kind in "bu":
        return x.copy("K") if x.dtype.kind == "b" else (x > 0).astype(x.dtype)
    return np.subtract(x > 0, x < 0, dtype=np.int8).astype(x.dtype)


@op
class sign:
    """-1, 0 or 1, as x is negative, zero or positive."""
    tags, native = POINTWISE, "sign"
    out_types = "exact"

    def forward(x):
        if x.dtype.kind == "c":
            fail(NotImplementedError, "Unlike NumPy, torch.sign is not intended to support complex numbers.",
                 "use sgn instead")
        return _sign(x)

    def grad_x(g):
        return zeros(g)
    samples = [((3, 2),), ((),)]


@op
class sgn:
    """x / |x|, and 0 at 0: the sign, also of complex numbers."""
    tags = POINTWISE
    out_types = "exact"

    def forward(x):
        return quiet(_direction, x) if x.dtype.kind == "c" else _sign(x)

    def grad_x(g, x, out):
        if x._form.dtype.kind != "c":
            return zeros(g)
        size = x.abs()
        along = (g * out.conj()).real       # the part that would only change the size
        return _keep((g - out * along) / size, size != 0)
    samples = [((3, 2),), ((),)]


def _direction(x):
    size = np.abs(x)
    return np.where(size == 0, x.dtype.type(0), x / size)


@op
class copysign:
    """x with the sign of y."""
    tensors = "x"
    tags = FLOATING

    def forward(x, y):
        refuse("copysign_cpu", x, "c")
        return quiet(np.copysign, x, y)

    def grad_x(g, x, out):
        return _keep(g * (out / x), x != 0)

    def grad_y(g):
        return zeros(g)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class nextafter:
    """The next number that the type has, from x towards y."""
    tensors = "x y"
    tags = POINTWISE | KEEP_HALF

    def forward(x, y):
        refuse("nextafter", x, "biuc")
        return quiet(np.nextafter, x, y)

    def grad_x(g, x, y):
        return _keep(g, x != y)

    def grad_y(g):
        return zeros(g)
    samples = [((3, 2), (3, 2))]


@op
class heaviside:
    """0 below 0, 1 above it, and `values` at 0."""
    tensors = "x values"
    tags, node_name = frozenset(("pointwise", "inplace")), "NotImplemented"
    out_types = "exact"

    def check(x, values):
        if x._form.dtype.kind == "c" or values._form.dtype.kind == "c":
            fail(RuntimeError, "heaviside is not yet implemented for complex tensors.", "use x.real")
        if x.dtype is not values.dtype:
            fail(RuntimeError, f"heaviside is not yet implemented for tensors with different dtypes, got {x.dtype} and "
                 f"{values.dtype}",
                 "convert one of them")

    def forward(x, values):
        return quiet(_step, x, values)
    samples = [(fixed(3, 2), fixed(3, 2)), (data([-1, 0, 2]), data([7]))]


def _step(x, values):
    return np.where(x == 0, values, (x > 0).astype(x.dtype))


@op
class nan_to_num:
    """NaN and the infinities replaced by numbers."""
    tags = POINTWISE | KEEP_HALF
    out_types = "exact"

    def forward(x, nan=None, posinf=None, neginf=None):
        if x.dtype.kind in "biu":
            return x.copy("K")
        if x.dtype.kind == "c":
            made = x.copy("K")
            made.real, made.imag = _replaced(x.real, nan, posinf, neginf), _replaced(x.imag, nan, posinf, neginf)
            return made
        return _replaced(x, nan, posinf, neginf)

    def grad_x(g, x):
        return _keep(g, x.isfinite())
    samples = [((3, 2),), ((),)]


def _replaced(x, nan, posinf, neginf):
    top, bottom = _limits(x.dtype)
    found = fast.replaced(x, float(nan or 0), float(top if posinf is None else posinf),
                          float(bottom if neginf is None else neginf))
    if found is not None:
        return found
    made = np.array(x)
    with np.errstate(all="ignore"):
        made[np.isnan(x)] = 0.0 if nan is None else nan
        made[x == np.inf] = top if posinf is None else posinf
        made[x == -np.inf] = bottom if neginf is None else neginf
    return made


@functools.cache
def _limits(np_dtype):
    if np_dtype.kind == "f":
        info = np.finfo(np_dtype)
    else:
        import ml_dtypes  # heavy, only for bfloat16
        info = ml_dtypes.finfo(np_dtype)
    return info.max, info.min
