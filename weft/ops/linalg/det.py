"""Determinants and their logarithms."""
import math

import numpy as np

from weft.kernels.linalg import cofactor, cofactor_vjp, dense
from weft.kernels.linalg import inverse as invert
from weft.ops.core.registry import FUNCTIONS, KEEP_HALF, op
from weft.ops.core.samples import data, fixed
from weft.ops.linalg.checks import need_float, need_square, need_tensors, real_of
from weft.ops.pointwise.arithmetic import conj_of
from weft.tensor.tensor import wrap


def beside(t, array):
    """A constant tensor of t's device."""
    made = wrap(array)
    made._on_meta = t._on_meta
    return made


def adjoint(t):
    """The conjugate transpose of a tensor."""
    return conj_of(t).transpose(-2, -1)


@op
class _inverse:
    """The inverse, inf where there is none."""
    tags, method = KEEP_HALF, False

    def forward(x):
        return invert(x)[0]

    def shape(x):
        return x.shape, x.dtype

    def grad_x(g, out):
        turned = adjoint(out)
        return -(turned @ g @ turned)
    samples = [((3, 3),), ((2, 3, 2, 2),)]


@op
class det:
    """The determinant of square matrices."""
    names = "linalg.det det"
    method, node_name, tags = True, "LinalgDetBackward0", KEEP_HALF
    aliases = {"A": "x"}

    def forward(x):
        need_square(x, "linalg.det")
        need_float(x, "linalg.det")
        with np.errstate(all="ignore"):
            return dense(np.linalg.det(x))

    def shape(x):
        need_square(x, "linalg.det")
        need_float(x, "linalg.det")
        return x.shape[:-2], x.dtype

    def grad_x(g, x, out):
        if x._on_meta or _well_away_from_singular(x._array, out._array):
            return (g * conj_of(out)).unsqueeze(-1).unsqueeze(-1) * adjoint(_inverse(x))
        return g.unsqueeze(-1).unsqueeze(-1) * _cofactor(x)
    samples = [((3, 3),), ((2, 2, 2),), ((2, 3, 2, 2),), (data([[1, 2, 3], [2, 4, 6], [1, 0, 1]], "float64"),)]


def _well_away_from_singular(x, det):
    """Whether det * inverse is accurate: the determinant isn't tiny beside the rows' lengths (Hadamard's bound)."""
    if det.size == 0:
        return True
    with np.errstate(all="ignore"):
        bound = np.sqrt((np.abs(x) ** 2).sum(-1)).prod(-1)
        return bool((np.abs(det) > 1e3 * np.finfo(x.dtype).eps * bound).all())


@op
class _cofactor:
    """conj(d det / dx), for singular matrices too."""
    tags, method = KEEP_HALF, False

    def forward(x):
        with np.errstate(all="ignore"):
            return cofactor(x)

    def shape(x):
        return x.shape, x.dtype

    def grad_x(g, x):
        return _cofactor_vjp(g, x)
    samples = [(fixed(3, 3),), (fixed(2, 2, 2),)]      # gradients: det's at a singular matrix


@op
class _cofactor_vjp:
    """The gradient of the cofactors; the third derivative of det at singular matrices isn't there."""
    tags, method = KEEP_HALF, False

    def forward(x, y):
        with np.errstate(all="ignore"):
            return cofactor_vjp(x, y)

    def shape(x, y):
        return y.shape, y.dtype

    def grad_x(g, y):
        return _cofactor_vjp(g, y)      # the second derivative of det is symmetric in its two directions
    samples = [((3, 3), fixed(3, 3))]


@op
class slogdet:
    """The sign and the logarithm of the absolute value of the determinant."""
    names = "linalg.slogdet slogdet"
    method, node_name, outputs, tags = True, "LinalgSlogdetBackward0", "sign logabsdet", KEEP_HALF
    aliases = {"A": "x"}

    def forward(x):
        need_square(x, "linalg.slogdet")
        need_float(x, "linalg.slogdet")
        with np.errstate(all="ignore"):
            sign, value = np.linalg.slogdet(x)
        if sign.dtype.kind == "f":
            sign = np.where(np.isnan(value), 0, sign).astype(sign.dtype)       # NaN has none
        return dense(sign), dense(value)

    def shape(x):
        need_square(x, "linalg.slogdet")
        need_float(x, "linalg.slogdet")
        return (x.shape[:-2], x.dtype), (x.shape[:-2], real_of(x))

    def grad_x(g_sign, g_logabsdet, x, sign):
        weight = g_logabsdet
        if x._form.dtype.kind == "c":       # the sign turns with Im tr(A^-1 dA)
            turn = (conj_of(g_sign) * sign).imag
            weight = FUNCTIONS["complex"](g_logabsdet, -turn)
        return weight.unsqueeze(-1).unsqueeze(-1) * adjoint(_inverse(x))
    samples = [((3, 3),), ((2, 3, 2, 2),)]


@op
class logdet:
    """The logarithm of the determinant; nan where that is negative."""

    def compose(input):
        need_tensors("logdet", input=input)
        need_square(input._form, "logdet")
        sign, value = slogdet(input)
        if sign._form.dtype.kind == "c":
            return sign.log() + value
        # nan's gradient is that of the value, as for PyTorch
        return value + value.detach().zeros_like().masked_fill(sign < 0, math.nan)
    samples = [((3, 3),)]
