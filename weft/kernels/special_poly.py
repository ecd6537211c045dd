"""Orthogonal polynomials, elementwise in (x, n), with PyTorch's values and edge rules.

The degree is truncated to an integer; a negative (or NaN or infinite) one gives 0. Unlike the other special functions
these run in the arrays' own dtype, so that a recurrence overflows to NaN at the same degree as PyTorch's.
"""
import numpy as np

from .special import laid_flat


def _prepare(x, n):
    """x and n as 1-d arrays of one float dtype, n integral, and the result to fill, as it is and in one dimension."""
    args = [a if isinstance(a, (int, float)) else np.asarray(a) for a in (x, n)]
    dtype = np.result_type(*args)
    dtype = dtype if dtype.kind == "f" else np.dtype(np.float64)
    out, flat_out, (x, n) = laid_flat(args, dtype)
    x, n = x.astype(dtype), n.astype(dtype)
    with np.errstate(invalid="ignore"):
        n = np.where(np.abs(n) < 2.0 ** 63, np.trunc(n), -1.0)  # what int64 can't hold counts as negative, NaN too
    return x, n.astype(np.int64), out, flat_out


def _recur(x, n, first, step):
    """The value at degree n from those at 0 and 1, step(k, x, last, before) giving the one at degree k + 1."""
    out = np.ones_like(x)
    at = np.flatnonzero(n > 0)  # the elements still climbing; they leave when their degree, or NaN, is reached
    x, n = x[at], n[at]
    before, last, k = np.ones_like(x), first(x), 1
    while at.size:
        ready = (n == k) | np.isnan(last)
        if ready.any():
            out[at[ready]] = last[ready]
            keep = ~ready
            at, x, n, before, last = at[keep], x[keep], n[keep], before[keep], last[keep]
        before, last, k = last, step(k, x, last, before), k + 1
    return out


def _polynomial(x, n, first, step, *special):
    """0 for n < 0; each special (mask, function) where its mask holds, the first one wins; else the recurrence."""
    x, n, made, out = _prepare(x, n)
    with np.errstate(all="ignore"):
        out[:] = 0
        open_ = n >= 0
        for mask, function in special:
            at = np.flatnonzero(mask(x, n) & open_)
            out[at] = function(x[at], n[at])
            open_[at] = False
        at = np.flatnonzero(open_)
        out[at] = _recur(x[at], n[at], first, step)
    return made


def _parity(n):
    return np.where(n % 2 == 0, 1, -1)


def _one(x, n):
    return 1


# ---- Chebyshev: closed forms at the ends of [-1, 1]; inside it the trigonometric form for higher degrees, since the
# recurrence costs n steps; outside and for low degrees p[k+1] = 2x p[k] - p[k-1]. The degree from which PyTorch goes
# over to the trigonometric form differs per kind and is given to each.

def _angles(numerator, denominator):
    """numerator(n, angle) / denominator(angle), angle = arccos x, in x's dtype."""
    def value(x, n):
        angle = np.arccos(x)
        return numerator(n.astype(x.dtype), angle) / denominator(angle)
    return value


_T_INSIDE = _angles(lambda n, angle: np.cos(n * angle), np.ones_like)
_U_INSIDE = _angles(lambda n, angle: np.sin((n + 1) * angle), np.sin)
_V_INSIDE = _angles(lambda n, angle: np.cos((n + 0.5) * angle), lambda angle: np.cos(angle * 0.5))
_W_INSIDE = _angles(lambda n, angle: np.sin((n + 0.5) * angle), lambda angle: np.sin(angle * 0.5))


def _chebyshev(x, n, first, inside, trig_from, at_one, at_minus_one):
    return _polynomial(
        x, n, first, lambda k, x, last, before: (x + x) * last - before,
        (lambda x, n: x == 1, at_one), (lambda x, n: x == -1, at_minus_one),
        (lambda x, n: (np.abs(x) < 1) & (n >= trig_from), inside))


def _t(x, n, trig_from=7):
    return _chebyshev(x, n, lambda x: x, _T_INSIDE, trig_from, _one, lambda x, n: _parity(n))


def _u(x, n, trig_from=9):
    return _chebyshev(x, n, lambda x: x + x, _U_INSIDE, trig_from,
                      lambda x, n: n + 1, lambda x, n: (n + 1) * _parity(n))


def _v(x, n, trig_from=9):
    return _chebyshev(x, n, lambda x: x + x - 1, _V_INSIDE, trig_from,
                      _one, lambda x, n: (2 * n + 1) * _parity(n))


def _w(x, n, trig_from=9):
    return _chebyshev(x, n, lambda x: x + x + 1, _W_INSIDE, trig_from,
                      lambda x, n: 2 * n + 1, lambda x, n: _parity(n))


def _shifted(x):
    x = x if isinstance(x, (int, float)) else np.asarray(x)
    with np.errstate(all="ignore"):
        return x + x - 1


def chebyshev_polynomial_t(x, n):
    """The Chebyshev polynomial of the first kind T_n(x)."""
    return _t(x, n)


def chebyshev_polynomial_u(x, n):
    """The Chebyshev polynomial of the second kind U_n(x)."""
    return _u(x, n)


def chebyshev_polynomial_v(x, n):
    """The Chebyshev polynomial of the third kind V_n(x)."""
    return _v(x, n)


def chebyshev_polynomial_w(x, n):
    """The Chebyshev polynomial of the fourth kind W_n(x)."""
    return _w(x, n)


def shifted_chebyshev_polynomial_t(x, n):
    """T_n(2x - 1)."""
    return _t(_shifted(x), n)


def shifted_chebyshev_polynomial_u(x, n):
    """U_n(2x - 1)."""
    return _u(_shifted(x), n, trig_from=7)


def shifted_chebyshev_polynomial_v(x, n):
    """V_n(2x - 1)."""
    return _v(_shifted(x), n, trig_from=7)


def shifted_chebyshev_polynomial_w(x, n):
    """W_n(2x - 1)."""
    return _w(_shifted(x), n, trig_from=5)


# ---- the others

def _hermite(x, n, first, step):
    """Past these degrees every value has overflowed: NaN at once instead of after n steps."""
    def beyond(x, n):
        return n > (128 if x.dtype.itemsize <= 4 else 512)
    return _polynomial(x, n, first, step, (beyond, lambda x, n: np.nan))


def hermite_polynomial_h(x, n):
    """The physicist's Hermite polynomial H_n(x)."""
    return _hermite(x, n, lambda x: x + x, lambda k, x, last, before: (x + x) * last - (k + k) * before)


def hermite_polynomial_he(x, n):
    """The probabilist's Hermite polynomial He_n(x)."""
    return _hermite(x, n, lambda x: x, lambda k, x, last, before: x * last - k * before)


def laguerre_polynomial_l(x, n):
    """The Laguerre polynomial L_n(x)."""
    return _polynomial(x, n, lambda x: 1 - x,
                       lambda k, x, last, before: ((k + k + 1 - x) * last - k * before) / (k + 1),
                       (lambda x, n: x == 0, _one))


def legendre_polynomial_p(x, n):
    """The Legendre polynomial P_n(x)."""
    return _polynomial(x, n, lambda x: x,
                       lambda k, x, last, before: ((k + k + 1) * x * last - k * before) / (k + 1),
                       (lambda x, n: x == 1, _one), (lambda x, n: x == -1, lambda x, n: _parity(n)))
