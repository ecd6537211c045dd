# compiled
"""Angles: trigonometric and hyperbolic functions and their inverses."""
import math

import numpy as np

from weft.core.errors import fail
from weft.kernels import special
from weft.ops.core.registry import FLOATING, op
from weft.ops.pointwise.base import BROADCAST, _keep, conj_of, quiet, refuse


@op
class sin:
    """The sine of an angle in radians."""
    tags, native = FLOATING, "sin"

    def forward(x):
        return quiet(np.sin, x)

    def grad_x(g, x):
        return g * conj_of(x.cos())
    samples = [((3, 2),), ((),)]


@op
class cos:
    """The cosine of an angle in radians."""
    tags, native = FLOATING, "cos"

    def forward(x):
        return quiet(np.cos, x)

    def grad_x(g, x):
        return -g * conj_of(x.sin())
    samples = [((3, 2),), ((),)]


@op
class tan:
    """The tangent of an angle in radians."""
    tags, native = FLOATING, "tan"

    def forward(x):
        return quiet(np.tan, x)

    def grad_x(g, out):
        return g * conj_of(out * out + 1)
    samples = [((3, 2),), ((),)]


@op
class asin:
    """The angle whose sine is x."""
    tags, names, native = FLOATING, "asin arcsin", "asin"

    def forward(x):
        return quiet(np.arcsin, x)

    def grad_x(g, x):
        return g * conj_of((1 - x * x).rsqrt())
    samples = [((3, 2),), ((),)]


@op
class acos:
    """The angle whose cosine is x."""
    tags, names, native = FLOATING, "acos arccos", "acos"

    def forward(x):
        return quiet(np.arccos, x)

    def grad_x(g, x):
        return -g * conj_of((1 - x * x).rsqrt())
    samples = [((3, 2),), ((),)]


@op
class atan:
    """The angle whose tangent is x."""
    tags, names, native = FLOATING, "atan arctan", "atan"

    def forward(x):
        return quiet(np.arctan, x)

    def grad_x(g, x):
        return g / conj_of(x * x + 1)
    samples = [((3, 2),), ((),)]


@op
class atan2:
    """The angle of the point (y, x) in the plane: the first argument is its height."""
    tensors = "x y"
    tags, names, native = FLOATING, "atan2 arctan2", "atan2"

    def forward(x, y):
        refuse("atan2_cpu", x, "c")
        return quiet(np.arctan2, x, y)

    def grad_x(g, x, y):
        size = x * x + y * y
        return _keep(g * y / size, size != 0)

    def grad_y(g, x, y):
        size = x * x + y * y
        return _keep(-g * x / size, size != 0)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class sinh:
    """The hyperbolic sine."""
    tags, native = FLOATING, "sinh"

    def forward(x):
        return quiet(np.sinh, x)

    def grad_x(g, x):
        return g * conj_of(x.cosh())
    samples = [((3, 2),), ((),)]


@op
class cosh:
    """The hyperbolic cosine."""
    tags, native = FLOATING, "cosh"

    def forward(x):
        return quiet(np.cosh, x)

    def grad_x(g, x):
        return g * conj_of(x.sinh())
    samples = [((3, 2),), ((),)]


@op
class tanh:
    """The hyperbolic tangent."""
    tags, native, names, slope = FLOATING, "tanh", "tanh nn.functional.tanh", "tanh_backward"

    def forward(x):
        return quiet(np.tanh, x)

    def grad_x(g, out):
        return _tanh_backward(g, out)
    samples = [((3, 2),), ((),)]


@op
class _tanh_backward:
    """grad * (1 - result * result), the second factor conjugated."""
    tags, method, native = BROADCAST, False, "tanh_backward"

    def forward(grad, result):
        return quiet(np.multiply, grad, np.conj(1 - result * result))

    def grad_grad(g, result):
        return _tanh_backward(g, conj_of(result))

    def grad_result(g, grad, result):
        return conj_of(g) * grad * conj_of(result) * -2
    samples = [((3, 2), (3, 2))]


@op
class asinh:
    """The inverse of sinh."""
    tags, names, native = FLOATING, "asinh arcsinh", "asinh"

    def forward(x):
        return quiet(np.arcsinh, x)

    def grad_x(g, x):
        return g * conj_of((x * x + 1).rsqrt())
    samples = [((3, 2),), ((),)]


@op
class acosh:
    """The inverse of cosh."""
    tags, names, native = FLOATING, "acosh arccosh", "acosh"

    def forward(x):
        return quiet(np.arccosh, x)

    def grad_x(g, x):
        if x._form.dtype.kind != "c":
            return g * (x * x - 1).rsqrt()
        return g * ((x - 1).rsqrt() * (x + 1).rsqrt()).conj()
    samples = [((3, 2),), ((),)]


@op
class atanh:
    """The inverse of tanh."""
    tags, names, native = FLOATING, "atanh arctanh", "atanh"

    def forward(x):
        return quiet(np.arctanh, x)

    def grad_x(g, x):
        return g / conj_of(1 - x * x)
    samples = [((3, 2),), ((),)]


@op
class deg2rad:
    """Degrees in radians."""
    tags = FLOATING

    def forward(x):
        _no_complex("deg2rad", x)
        return quiet(np.multiply, x, x.dtype.type(math.pi / 180))

    def grad_x(g):
        return g * (math.pi / 180)
    samples = [((3, 2),), ((),)]


@op
class rad2deg:
    """Radians in degrees."""
    tags = FLOATING

    def forward(x):
        _no_complex("rad2deg", x)
        return quiet(np.multiply, x, x.dtype.type(180 / math.pi))

    def grad_x(g):
        return g * (180 / math.pi)
    samples = [((3, 2),), ((),)]


def _no_complex(who, x):
    if x.dtype.kind == "c":
        fail(RuntimeError, f"{who} is not supported for complex tensors.", "take x.angle() first")


@op
class sinc:
    """sin(pi x) / (pi x), 1 at 0."""
    tags, names = FLOATING, "sinc special.sinc"

    def forward(x):
        return quiet(_sinc_complex, x) if x.dtype.kind == "c" else special.sinc(x)

    def grad_x(g, x):
        angle = x * math.pi
        square = angle * x
        slope = (angle.cos() * angle - angle.sin()) / square
        return _keep(g * conj_of(slope), square != 0)       # of the smallest numbers it is 0 too
    samples = [((3, 2),), ((),)]


def _sinc_complex(x):
    angle = x * x.dtype.type(math.pi)
    return np.where(x == 0, x.dtype.type(1), np.sin(angle) / angle)
