"""Gamma and Dirichlet numbers, and how they move with their parameters (for reparameterized gradients)."""
import numpy as np

from weft.core import random as draw
from weft.core.size import broadcast_shapes
from weft.kernels.special import digamma
from weft.ops.core.registry import op
from weft.ops.core.samples import fixed
from weft.ops.index.arrays import contiguous
from weft.ops.random.generators import source


@op
class _standard_gamma:
    """Gamma numbers of scale 1 with the shapes `x`."""
    random = "generator"
    method = False

    def forward(x, generator=None):
        return contiguous(draw.standard_gamma(source(generator, "_standard_gamma"), x))

    def shape(x, generator=None):
        return x.shape, x.dtype

    def grad_x(g, x, out):
        return g * _standard_gamma_grad(x, out)
    samples = [((3, 2),)]


@op
class _standard_gamma_grad:
    """d sample / d shape, with the probability to be below the sample held fixed."""
    method = False

    def forward(x, output):
        shape, value = np.broadcast_arrays(x.astype(np.float64), output.astype(np.float64))
        with np.errstate(all="ignore"):
            made = np.where(shape > 1000, _far(shape, value), _by_series(np.minimum(shape, 1000), value))
            made = np.where(value > 0, made, 0)
        return made.astype(x.dtype, order="C")

    def shape(x, output):
        return broadcast_shapes(x.shape, output.shape), x.dtype
    samples = [(fixed(3, 2), fixed(3, 2))]     # PyTorch has no second derivative either


def _by_series(a, x):
    """From the power series of the incomplete gamma function and its derivative by `a`, term by term."""
    term = np.ones_like(a)
    total, weighted, harmonic = term.copy(), np.zeros_like(a), np.zeros_like(a)
    for k in range(1, 20000):
        term = term * (x / (a + k))
        harmonic += 1 / (a + k)
        total += term
        weighted += term * harmonic
        if not np.any(term * (1 + harmonic) > 1e-17 * (total + weighted)):
            break
    return -(x / a) * (total * (np.log(x) - digamma(a + 1)) - weighted)


def _far(a, x):
    """For large shapes: x is nearly a * (1 - 1/(9a) + z/(3 sqrt a))**3 with a normal z (Wilson and Hilferty)."""
    root = np.cbrt(x / a)
    z = (root - 1 + 1 / (9 * a)) * 3 * np.sqrt(a)
    slope = 1 / (9 * a * a) - z / (6 * a * np.sqrt(a))
    return x / a + 3 * a * root * root * slope


@op
class _sample_dirichlet:
    """Dirichlet vectors along the last dimension."""
    random = "generator"
    method = False

    def forward(x, generator=None):
        return contiguous(draw.dirichlet(source(generator, "_sample_dirichlet"), x))

    def shape(x, generator=None):
        return x.shape, x.dtype

    def grad_x(g, x, out):
        total = x.sum(-1, True).expand(x._form.shape)
        return _dirichlet_grad(out, x, total) * (g - (out * g).sum(-1, True))
    samples = [((3, 2),)]


@op
class _dirichlet_grad:
    """d x_i / d alpha_i over (1 - x_i), where x_i is Beta(alpha_i, total - alpha_i) with its probability held fixed."""
    method = False

    def forward(x, alpha, total):
        value, a, whole = np.broadcast_arrays(*(part.astype(np.float64) for part in (x, alpha, total)))
        with np.errstate(all="ignore"):
            made = _beta_slope(value, a, whole - a) / (1 - value)
        return np.where(np.isfinite(made), made, 0).astype(x.dtype, order="C")

    def shape(x, alpha, total):
        return broadcast_shapes(x.shape, alpha.shape, total.shape), x.dtype
    samples = [(fixed(3, 2), fixed(3, 2), fixed(3, 2))]


def _beta_slope(x, a, b):
    """-(dF/da) / (dF/dx) of the Beta distribution F(x; a, b), integrated where its density lives."""
    # the nearer end is integrated, so that a tail never comes from a difference of large numbers:
    # mass = integral of t**(p-1) (1-t)**(q-1) up to y, with t = y e**-u
    upper = x > a / (a + b)
    y, p, q = np.where(upper, 1 - x, x), np.where(upper, b, a), np.where(upper, a, b)
    nodes, weights = np.polynomial.legendre.leggauss(64)
    reach = _reach(y, p, q)[..., None]
    u = reach * (nodes + 1) / 2
    rest = -np.expm1(np.log(y)[..., None] - u)              # 1 - t
    log_kernel = -p[..., None] * u + (q[..., None] - 1) * (np.log(rest) - np.log1p(-y)[..., None])
    kernel = np.exp(log_kernel) * (weights * reach / 2)     # over the value at y
    mass = kernel.sum(-1)
    mean_log = np.where(upper, (kernel * np.log(rest)).sum(-1) / mass, np.log(y) - (kernel * u).sum(-1) / mass)
    moved = mean_log - (digamma(a) - digamma(a + b))        # d log F / d a
    ratio = mass * y                                        # F over its density
    return np.where(upper, ratio * moved, -ratio * moved)


def _reach(y, p, q):
    """How far in u the integrand falls to e**-40 of what it is at y."""
    low, high = np.zeros_like(y), (45 + np.maximum(q - 1, 0) * -np.log1p(-y)) / p
    for _ in range(40):
        middle = (low + high) / 2
        fallen = p * middle - (q - 1) * (np.log1p(-y * np.exp(-middle)) - np.log1p(-y)) > 40
        low, high = np.where(fallen, low, middle), np.where(fallen, middle, high)
    return high


PUBLIC = {f.__name__: f for f in (_standard_gamma, _standard_gamma_grad, _sample_dirichlet, _dirichlet_grad)}
