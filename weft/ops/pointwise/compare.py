# compiled, -Og
"""Comparisons, tests and truth values: all give bool, none has a gradient."""
import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.modes import WATCH
from weft.core.runtime import mode_bits
from weft.core.seam import tell_read
from weft.kernels import fast
from weft.ops.core.registry import COMPARE, op
from weft.ops.pointwise.base import TEST, TYPE_NAMES, quiet, refuse
from weft.tensor.tensor import Tensor

NO_ORDER = "compare their sizes, x.abs(), or their real parts"


def _operand(y, who):
    if y is None or isinstance(y, str):
        raise TypeError(f"{who}(): argument 'other' must be a tensor or a number, not {type(y).__name__}")


@op
class eq:
    """Where x and y are equal."""
    tensors = "x"
    tags, native = COMPARE, "eq"

    def forward(x, y):
        _operand(y, "eq")
        return quiet(np.equal, x, y)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class ne:
    """Where x and y differ."""
    tensors = "x"
    tags, native, names = COMPARE, "ne", "ne not_equal"

    def forward(x, y):
        _operand(y, "ne")
        return quiet(np.not_equal, x, y)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class lt:
    """Where x is less than y."""
    tensors = "x"
    tags, native, names = COMPARE, "lt", "lt less"

    def forward(x, y):
        _operand(y, "lt")
        refuse("lt_cpu", x, "c", NO_ORDER)
        return quiet(np.less, x, y)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class le:
    """Where x is at most y."""
    tensors = "x"
    tags, native, names = COMPARE, "le", "le less_equal"

    def forward(x, y):
        _operand(y, "le")
        refuse("le_cpu", x, "c", NO_ORDER)
        return quiet(np.less_equal, x, y)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class gt:
    """Where x is greater than y."""
    tensors = "x"
    tags, native, names = COMPARE, "gt", "gt greater"

    def forward(x, y):
        _operand(y, "gt")
        refuse("gt_cpu", x, "c", NO_ORDER)
        return quiet(np.greater, x, y)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class ge:
    """Where x is at least y."""
    tensors = "x"
    tags, native, names = COMPARE, "ge", "ge greater_equal"

    def forward(x, y):
        _operand(y, "ge")
        refuse("ge_cpu", x, "c", NO_ORDER)
        return quiet(np.greater_equal, x, y)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


# truth values: what isn't zero is true

@op
class logical_and:
    """Where both are true."""
    tensors = "x y"
    tags, native, chain = COMPARE, "logical_and", "both x y"

    def forward(x, y):
        return quiet(np.logical_and, x, y)
    samples = [((3, 2), (3, 2))]


@op
class logical_or:
    """Where one or both are true."""
    tensors = "x y"
    tags, native, chain = COMPARE, "logical_or", "either x y"

    def forward(x, y):
        return quiet(np.logical_or, x, y)
    samples = [((3, 2), (3, 2))]


@op
class logical_xor:
    """Where one of the two is true."""
    tensors = "x y"
    tags, native = COMPARE, "logical_xor"

    def forward(x, y):
        return quiet(np.logical_xor, x, y)
    samples = [((3, 2), (3, 2))]


@op
class logical_not:
    """Where x is false."""
    tags, native, chain = COMPARE, "logical_not", "opposite x"

    def forward(x):
        return np.logical_not(x)
    samples = [((3, 2),)]


# tests of one tensor

@op
class isnan:
    """Where x is not a number."""
    tags, native = TEST, "isnan"

    def forward(x):
        return x != x
    samples = [((3, 2),)]


@op
class isfinite:
    """Where x is neither infinite nor NaN."""
    tags, native = TEST, "isfinite"

    def forward(x):
        return np.isfinite(x)
    samples = [((3, 2),)]


@op
class isinf:
    """Where x (or one of its parts) is infinite."""
    tags, native = TEST, "isinf"

    def forward(x):
        return np.isinf(x)
    samples = [((3, 2),)]


@op
class isposinf:
    """Where x is positive infinity."""
    tags = TEST
    out_types = "exact"

    def forward(x):
        _no_complex("isposinf", x)
        return x == np.inf
    samples = [((3, 2),)]


@op
class isneginf:
    """Where x is negative infinity."""
    tags = TEST
    out_types = "exact"

    def forward(x):
        _no_complex("isneginf", x)
        return x == -np.inf
    samples = [((3, 2),)]


def _no_complex(who, x):
    if x.dtype.kind == "c":
        fail(RuntimeError, f"{who} does not support complex inputs", "ask it of x.real and x.imag")


@op
class isreal:
    """Where the imaginary part is 0."""
    tags = TEST

    def forward(x):
        return x.imag == 0 if x.dtype.kind == "c" else np.ones_like(x, bool)
    samples = [((3, 2),)]


@op
class signbit:
    """Where the sign bit is set: below 0, and at -0."""
    tags = TEST
    out_types = "exact"

    def forward(x):
        if x.dtype.kind == "c":
            fail(NotImplementedError, "signbit is not implemented for complex tensors.", "ask it of x.real and x.imag")
        return np.signbit(x) if x.dtype.kind == "f" else x < 0
    samples = [((3, 2),)]


# closeness

@op
class isclose:
    """Where |x - y| is at most atol + rtol * |y|."""
    tensors = "x y"
    tags = TEST

    def forward(x, y, rtol=1e-05, atol=1e-08, equal_nan=False):
        if x.dtype != y.dtype:
            fail(RuntimeError, f"isclose: {TYPE_NAMES[x.dtype.name]} did not match {TYPE_NAMES[y.dtype.name]}",
                 "convert one of them")
        for name, value in (("rtol", rtol), ("atol", atol)):
            if not value >= 0:
                fail(RuntimeError, f"isclose: {name} must be greater than or equal to zero, but got {value}",
                     f"give a {name} >= 0")
        return quiet(_close, x, y, rtol, atol, equal_nan)
    samples = [((3, 2), (3, 2))]


def _close(x, y, rtol, atol, equal_nan):
    close = x == y
    if equal_nan:
        close = close | (x != x) & (y != y)
    if rtol == 0 and atol == 0:
        return close
    if x.dtype.kind in "biu":
        x, y = x.astype(np.float64), y.astype(dtypes.default.dtype.np)
    error = np.abs(x - y)
    return close | np.isfinite(error) & (error <= atol + np.abs(rtol * y))


@op
class allclose:
    """Whether all elements of two tensors are close; a Python bool."""

    def compose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        found = isclose(input, other, rtol, atol, equal_nan)
        if mode_bits() & WATCH:
            tell_read(found, "allclose")
        return bool(found._array.all())
    samples = [((3, 2), (3, 2))]


@op
class equal:
    """Whether two tensors have the same shape and the same elements; a Python bool."""

    def compose(input, other):
        for value in (input, other):
            if not isinstance(value, Tensor):
                raise TypeError(f"equal(): both arguments must be tensors, not {type(value).__name__}")
        if input._form.shape != other._form.shape:
            return False
        if mode_bits() & WATCH:
            for value in (input, other) if input is not other else (input,):
                tell_read(value, "equal")
        found = fast.all_equal(input._array, other._array)
        return bool(np.all(input._array == other._array)) if found is None else found
    samples = [((3, 2), (3, 2))]
