"""Special functions: error, gamma, entropy and Bessel functions of the first order, with their derivatives."""
import math

import numpy as np

from weft.core.errors import fail
from weft.kernels import special as kernels
from weft.ops.core.registry import FLOATING, POINTWISE, op
from weft.ops.core.samples import fixed
from weft.ops.pointwise.base import BROADCAST, _keep, logistic, quiet, refuse
from weft.tensor.names import method
from weft.tensor.tensor import OPS, Tensor

ROOT_PI = math.sqrt(math.pi)


def _real(name, function, *arrays):
    """A kernel of real arrays."""
    refuse(name, arrays[0], "c")
    return function(*arrays)


# the logistic function and its inverse

@op
class sigmoid:
    """1 / (1 + e**-x)."""
    tags, native, names = FLOATING, "sigmoid", "sigmoid special.expit nn.functional.sigmoid"
    slope = "sigmoid_backward"

    def forward(x):
        return quiet(logistic, x)

    def grad_x(g, out):
        return _sigmoid_backward(g, out) if out._form.dtype.kind != "c" else g * (out * (1 - out)).conj()
    samples = [((3, 2),), ((),)]


@op
class _sigmoid_backward:
    """grad * result * (1 - result), of real numbers."""
    tags, method, native = BROADCAST, False, "sigmoid_backward"

    def forward(grad, result):
        return quiet(np.multiply, grad, result * (1 - result))

    def grad_grad(g, result):
        return _sigmoid_backward(g, result)

    def grad_result(g, grad, result):
        return g * grad * (1 - result * 2)
    samples = [((3, 2), (3, 2))]


@op
class logit:
    """log(x / (1 - x)), x clamped to [eps, 1 - eps] first where eps is given."""
    tags, names = FLOATING, "logit special.logit"

    def forward(x, eps=None):
        refuse("logit_cpu", x, "c")
        return kernels.logit(x, eps)

    def grad_x(g, x, eps):
        grad = g / (x * (1 - x))
        if eps is None:
            return grad.masked_fill((x < 0).logical_or(x > 1), math.nan)
        return _keep(grad, (x < eps).logical_or(x > 1 - eps).logical_not())
    samples = [((3, 2), 0.1)]


# the error function and the normal distribution

@op
class erf:
    """The error function."""
    tags, names, native = FLOATING, "erf special.erf", "erf"

    def forward(x):
        return _real("erf_vml_cpu", kernels.erf, x)

    def grad_x(g, x):
        return g * (-(x * x)).exp() * (2 / ROOT_PI)
    samples = [((3, 2),), ((),)]


@op
class erfc:
    """1 - erf(x), exact where it is small."""
    tags, names, native = FLOATING, "erfc special.erfc", "erfc"

    def forward(x):
        return _real("erfc_vml_cpu", kernels.erfc, x)

    def grad_x(g, x):
        return g * (-(x * x)).exp() * (-2 / ROOT_PI)
    samples = [((3, 2),), ((),)]


@op
class erfinv:
    """The inverse of erf."""
    tags, names = FLOATING, "erfinv special.erfinv"

    def forward(x):
        return _real("erfinv_vml_cpu", kernels.erfinv, x)

    def grad_x(g, out):
        return g * (out * out).exp() * (ROOT_PI / 2)
    samples = [((3, 2),), ((),)]


@op
class erfcx:
    """e**(x * x) * erfc(x)."""
    tags, names = FLOATING - {"inplace"}, "special.erfcx"

    def forward(x):
        return _real("special_erfcx_cpu", kernels.erfcx, x)

    def grad_x(g, x, out):
        return g * (x * out * 2 - 2 / ROOT_PI)
    samples = [((3, 2),), ((),)]


@op
class ndtr:
    """The share of the standard normal distribution below x."""
    tags, names, native = FLOATING - {"inplace"}, "special.ndtr", "ndtr"

    def forward(x):
        return _real("ndtr_cpu", kernels.ndtr, x)

    def grad_x(g, x):
        return g * (x * x * -0.5).exp() * (1 / math.sqrt(2 * math.pi))
    samples = [((3, 2),), ((),)]


@op
class ndtri:
    """The inverse of ndtr."""
    tags, names = FLOATING - {"inplace"}, "special.ndtri"

    def forward(x):
        return _real("ndtri_cpu", kernels.ndtri, x)

    def grad_x(g, out):
        return g * (out * out * 0.5).exp() * math.sqrt(2 * math.pi)
    samples = [((3, 2),), ((),)]


@op
class log_ndtr:
    """log(ndtr(x)), exact in the lower tail."""
    tags, names = FLOATING - {"inplace"}, "special.log_ndtr"

    def forward(x):
        return _real("log_ndtr_cpu", kernels.log_ndtr, x)

    def grad_x(g, x):
        return g / erfcx(x * -math.sqrt(0.5)) * math.sqrt(2 / math.pi)
    samples = [((3, 2),), ((),)]


# logarithms that are 0 at 0

@op
class entr:
    """-x * log(x), 0 at 0 and -inf below."""
    tags, names = FLOATING - {"inplace"}, "special.entr"

    def forward(x):
        return _real("entr_cpu", kernels.entr, x)

    def grad_x(g, x):
        return g * (-x.log() - 1)
    samples = [((3, 2),), ((),)]


@op
class xlogy:
    """x * log(y), 0 where x is 0."""
    tags, names, native = FLOATING, "xlogy special.xlogy", "xlogy"

    def forward(x, y):
        return _real("xlogy_cpu", kernels.xlogy, x, y)

    def grad_x(g, x, y):
        return _log_where(g, x, y, 0.0, math.log if not isinstance(y, Tensor) else Tensor.log)

    def grad_y(g, x, y):
        return g * x / y
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class xlog1py:
    """x * log(1 + y), 0 where x is 0."""
    tags, names = FLOATING - {"inplace"}, "special.xlog1py"

    def forward(x, y):
        return _real("xlog1py_cpu", kernels.xlog1py, x, y)

    def grad_x(g, x, y):
        return _log_where(g, x, y, -1.0, math.log1p if not isinstance(y, Tensor) else Tensor.log1p)

    def grad_y(g, x, y):
        return g * x / (y + 1)
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


def _log_where(g, x, y, bound, log):
    """g * log(y), but 0 where x is 0 and y has no logarithm."""
    if not isinstance(y, Tensor):
        if y > bound:
            return g * log(y)
        return _keep(g * (-math.inf if y == bound else math.nan), x != 0)
    return _keep(g * log(y), (x != 0).logical_or((y <= bound).logical_not()))


# gamma functions

@op
class lgamma:
    """log |gamma(x)|."""
    tags, names, native = FLOATING, "lgamma special.gammaln", "lgamma"

    def forward(x):
        return _real("lgamma_vml_cpu", kernels.lgamma, x)

    def grad_x(g, x):
        return g * digamma(x)
    samples = [((3, 2),), ((),)]


@op
class digamma:
    """The derivative of lgamma."""
    tags, names = FLOATING, "digamma special.digamma special.psi"

    def forward(x):
        return _real("digamma", kernels.digamma, x)

    def grad_x(g, x):
        return g * _polygamma(x, 1)
    samples = [((3, 2),), ((),)]


@op
class _polygamma:
    """The n-th derivative of digamma."""
    tags, method, node_name = FLOATING, False, "PolygammaBackward0"
    promotes = "x"

    def forward(x, n):
        if n < 0:
            fail(RuntimeError, f"polygamma(n, x) does not support negative n, got {n}", "give n >= 0")
        refuse("polygamma", x, "c")
        return kernels.polygamma(n, x)

    def grad_x(g, x, n):
        return g * _polygamma(x, n + 1)
    samples = [((3, 2), 1), ((), 2)]


@op
class polygamma:
    """The n-th derivative of digamma at x."""
    names, method = "polygamma special.polygamma", False
    out_types = "castable"

    def compose(n, input):
        return _polygamma(input, n)
    samples = [(1, (3, 2))]


def _polygamma_method(self, n):
    """The n-th derivative of digamma at this tensor's elements.

    >>> import weft
    >>> weft.ones(2).polygamma(1)
    tensor([1.6449, 1.6449])
    """
    return _polygamma(self, n)


def _polygamma_in_place(self, n):
    """polygamma, written into this tensor.

    >>> import weft
    >>> weft.ones(2).polygamma_(1)
    tensor([1.6449, 1.6449])
    """
    return OPS.run_inplace(_polygamma.op, self, (n,), {})


method(_polygamma_method, "polygamma")
method(_polygamma_in_place, "polygamma_")


MOST_TERMS = 2**20


@op
class mvlgamma:
    """The logarithm of the gamma function of p-by-p matrices."""
    tags, names = FLOATING, "mvlgamma special.multigammaln"
    promotes = "x"

    def forward(x, p):
        if p < 1:
            fail(RuntimeError, f"mvlgamma: p has to be greater than or equal to 1, got {p}", "give p >= 1")
        if p > MOST_TERMS:
            fail(RuntimeError, f"mvlgamma: p is {p}, and as many terms are summed", f"give p <= {MOST_TERMS}")
        return _real("mvlgamma", kernels.multigammaln, x, p)

    def grad_x(g, x, p):
        total = digamma(x)
        for k in range(1, p):
            total = total + digamma(x - k / 2)
        return g * total
    samples = [((3, 2), 2)]


@op
class igamma:
    """The lower regularized incomplete gamma function of order x at y."""
    tensors = "x y"
    tags, names = POINTWISE, "igamma special.gammainc"

    def forward(x, y):
        refuse("igamma_cpu", x, "biuc")
        return kernels.igamma(x, y)

    def grad_y(g, x, y):
        return g * ((x - 1) * y.log() - y - lgamma(x)).exp()
    samples = [(fixed(3, 2), (3, 2))]      # by its order no derivative is known, in PyTorch neither


@op
class igammac:
    """The upper regularized incomplete gamma function of order x at y."""
    tensors = "x y"
    tags, names = POINTWISE, "igammac special.gammaincc"

    def forward(x, y):
        refuse("igammac_cpu", x, "biuc")
        return kernels.igammac(x, y)

    def grad_y(g, x, y):
        return -g * ((x - 1) * y.log() - y - lgamma(x)).exp()
    samples = [(fixed(3, 2), (3, 2))]      # by its order no derivative is known, in PyTorch neither


@op
class zeta:
    """The Hurwitz zeta function: the sum of (k + y)**-x over k = 0, 1, 2, ..."""
    tags, names = FLOATING - {"inplace"}, "special.zeta"

    def forward(x, y):
        return _real("zeta_cpu", kernels.zeta, x, y)

    def grad_y(g, x, y):
        return g * -x * zeta(x + 1, y)
    samples = [(2.5, (3, 2))]


# modified Bessel functions

@op
class i0:
    """The modified Bessel function of the first kind, of order 0."""
    tags, names = FLOATING, "i0 special.i0"

    def forward(x):
        return _real("i0_cpu", kernels.i0, x)

    def grad_x(g, x):
        return g * i1(x)
    samples = [((3, 2),), ((),)]


@op
class i0e:
    """i0(x) * e**-|x|."""
    tags, names = FLOATING - {"inplace"}, "special.i0e"

    def forward(x):
        return _real("i0e_cpu", kernels.i0e, x)

    def grad_x(g, x, out):
        return g * (i1e(x) - x.sgn() * out)
    samples = [((3, 2),), ((),)]


@op
class i1:
    """The modified Bessel function of the first kind, of order 1."""
    tags, names = FLOATING - {"inplace"}, "special.i1"

    def forward(x):
        return _real("i1_cpu", kernels.i1, x)

    def grad_x(g, x, out):
        return g * (i0(x) - _ratio(out, x))
    samples = [((3, 2),), ((),)]


@op
class i1e:
    """i1(x) * e**-|x|."""
    tags, names = FLOATING - {"inplace"}, "special.i1e"

    def forward(x):
        return _real("i1e_cpu", kernels.i1e, x)

    def grad_x(g, x, out):
        return g * (i0e(x) - out * x.sgn() - _ratio(out, x))
    samples = [((3, 2),), ((),)]


def _ratio(out, x):
    """out / x, whose limit at 0 is 1/2."""
    flat = x == 0
    return (out / x.masked_fill(flat, 1)).masked_fill(flat, 0.5)
