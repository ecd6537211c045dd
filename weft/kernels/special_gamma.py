"""The regularized incomplete gamma functions on NumPy arrays, without SciPy; `special` has the tools and the other
families.
"""
import math

import numpy as np

from .special import Fit, _exp_square, _lgamma1p, _stirling, elementwise, erfc, evaluate, horner, pieces

_SQRT_2PI = math.sqrt(2.0 * math.pi)

# Fitted as described in special.py: _LOG1PMX (log1p(s)-s)/s^2 on [-.35, .5];  _GAMMA gamma on [2, 3].
_LOG1PMX = Fit(0.0625, (
    -0.02037524976954188, 0.028387713471710006, -0.011075240276304204, 0.006870803624686983, -0.016618079466999645,
    0.020793425011693983, -0.021069184494738175, 0.02318705565097546, -0.026519955786697948, 0.030114497524450962,
    -0.03422782010691536, 0.039134959152067925, -0.04501802363848616, 0.05213926147353079, -0.06088098421183927,
    0.07179328025733253, -0.08569872628691852, 0.10388621987878974, -0.1284954362375366, 0.16335775872495456,
    -0.21608401818468734, 0.3042745503540054, -0.4800968149926803))
_GAMMA = Fit(2.5, (
    2.038631996005556e-07, -5.060382483924732e-07, 1.0675361551610872e-06, -2.5237611386457594e-06,
    7.257335209971111e-06, -1.2810259356350584e-05, 6.132951527532448e-05, 3.942933739732899e-06,
    0.0007544741634534283, 0.001607400398278153, 0.010392403424525895, 0.028360780598296692, 0.10967323400218487,
    0.253871246841081, 0.6545585779813367, 0.9347345216260858, 1.329340388179137))
# Rows k of the uniform expansion of the incomplete gamma functions: Taylor coefficients in eta of C_k(eta), from
# mu mu' = eta (1 + mu), C_0 = 1/mu - 1/eta, C_k = (C'_{k-1}(eta) - C'_{k-1}(0) eta/mu) / eta, at 60 digits.
_TEMME = (
    (9.14769958223679e-10, -4.382036018453353e-09, 1.0261809784240309e-08, 6.707853543401498e-09,
     -1.7665952736826078e-07, 8.296711340953087e-07, -1.85406221071516e-06, -2.185448510679992e-06,
     3.919263178522438e-05, -0.0001787551440329218, 0.0003527336860670194, 0.0011574074074074073,
     -0.014814814814814815, 0.08333333333333333, -0.3333333333333333),
    (1.1951628599778148e-08, -5.752545603517705e-08, 1.378633446915721e-07, 4.647127802807434e-09,
     -1.6120900894563446e-06, 7.64916091608111e-06, -1.8098550334489977e-05, -4.018775720164609e-07,
     0.00020576131687242798, -0.0009902263374485596, 0.0026455026455026454, -0.003472222222222222,
     -0.001851851851851852),
    (1.4280614206064242e-07, -6.298992138380055e-07, 1.3721957309062934e-06, 3.423578734096138e-08,
     -1.2760635188618728e-05, 5.2923448829120125e-05, -0.0001073665322636516, 2.0093878600823047e-06,
     0.0007716049382716049, -0.0026813271604938273, 0.004133597883597883),
    (1.4230900732435883e-06, -5.6749528269915965e-06, 1.1082654115347302e-05, -2.396505113867297e-07,
     -7.561801671883977e-05, 0.00026772063206283885, -0.0004691894943952557, 0.00022947209362139917,
     0.0006494341563786008),
    (1.1375726970678419e-05, -3.968365047179435e-05, 6.641498215465122e-05, -1.4638452578843418e-06,
     -0.0002990724803031902, 0.0007840392217200666, -0.0008618882909167117),
    (-0.00019932570516188847, 0.0002772753244959392, -6.972813758365857e-05, -0.00033679855336635813),
    (0.0005313079364639922,),
)


def _gamma_prefix(a, x):
    """x^a exp(-x) / gamma(a + 1): powers for small a, Stirling's form beyond, where they would overflow."""
    return pieces((a, x), (a < 12.0, _prefix_by_powers), (a >= 12.0, _prefix_by_stirling))


def _prefix_by_powers(a, x):
    n = np.floor(a) - 1.0  # gamma(a + 1) = a (a - 1) .. (a - n + 1) gamma(a + 1 - n), the last one in [2, 3]
    gamma = evaluate(_GAMMA, a + 1.0 - n) / np.where(n < 0.0, a + 1.0, 1.0)
    for k in range(10):
        gamma *= np.where(k < n, a - k, 1.0)
    x = np.minimum(x, 2000.0)  # the result is 0 by then, and x^a could be inf
    return x ** a * np.exp(-0.5 * x) * np.exp(-0.5 * x) / gamma


def _prefix_by_stirling(a, x):
    sigma = (x - a) / a
    exponent = np.where((sigma > -0.35) & (sigma < 0.5), a * sigma * sigma * evaluate(_LOG1PMX, sigma),
                        a * np.log(x / a) + (a - x))
    return np.exp(exponent - _stirling(a)) / (np.sqrt(a) * _SQRT_2PI)


def _lower_by_series(a, x):
    """The lower function by its power series, short where x <= a or x is small."""
    total, at = np.ones_like(x), np.arange(x.size)
    term, n = total.copy(), 0
    rest_a, rest_x = a, x
    while at.size and n < 2000:
        n += 1
        term *= rest_x / (rest_a + n)
        total[at] += term
        if n % 8 == 0:  # look only now and then which elements are done
            keep = term > 1e-17 * total[at]
            at, term, rest_a, rest_x = at[keep], term[keep], rest_a[keep], rest_x[keep]
    return _gamma_prefix(a, x) * total


def _upper_by_fraction(a, x):
    """The upper function by Legendre's continued fraction (Lentz's method), short where x > a."""
    fraction, at = 1.0 / (x + 1.0 - a), np.arange(x.size)
    b, c, d, rest_a, n = x + 1.0 - a, np.full_like(x, 1e300), fraction.copy(), a, 0
    while at.size and n < 2000:
        n += 1
        b += 2.0
        d = 1.0 / (b - n * (n - rest_a) * d)
        c = b - n * (n - rest_a) / c
        fraction[at] *= c * d
        if n % 8 == 0:
            keep = np.abs(c * d - 1.0) > 1e-15
            at, b, c, d, rest_a = at[keep], b[keep], c[keep], d[keep], rest_a[keep]
    return _gamma_prefix(a, x) * a * fraction


def _upper_by_series(a, x):
    """The upper function for a <= 1 and small x, where 1 - lower would cancel."""
    log_power = a * np.log(x) - _lgamma1p(a)
    power, total = np.ones_like(x), np.zeros_like(x)
    for n in range(1, 24):  # 1.1^24 / 24! < 1e-22
        power *= -x / n
        total += power / (a + n)
    return -np.expm1(log_power) - np.exp(log_power) * a * total


def _by_temme(a, x, upper):
    """Temme's uniform expansion, for large a and x near a, where series and fraction need sqrt(a) terms."""
    sigma = (x - a) / a
    eta = sigma * np.sqrt(-2.0 * evaluate(_LOG1PMX, sigma))
    total = np.zeros_like(a)
    for row in _TEMME[::-1]:
        total = total / a + horner(eta, row)
    y = eta * np.sqrt(0.5 * a)
    rest = _exp_square(y, -1.0) / (_SQRT_2PI * np.sqrt(a)) * total
    return 0.5 * erfc(y) + rest if upper else 0.5 * erfc(-y) - rest


def _incomplete_gamma(upper, a, x):
    inside = (a > 0.0) & (x > 0.0) & (a < np.inf) & (x < np.inf)
    corner = inside & (a <= 1.0) & (x <= 1.1)
    uniform = inside & (a > 200.0) & (np.abs(x - a) < 0.3 * a)
    lower = inside & ~uniform & ~corner & ((x <= a) | (x <= 1.1))
    rest = inside & ~corner & ~uniform & ~lower

    def one_minus(function):
        return lambda a, x: 1.0 - function(a, x)
    value = pieces((a, x), (corner, _upper_by_series if upper else _lower_by_series),
                   (lower, one_minus(_lower_by_series) if upper else _lower_by_series),
                   (rest, _upper_by_fraction if upper else one_minus(_upper_by_fraction)),
                   (uniform, lambda a, x: _by_temme(a, x, upper)))
    at_infinite_a = np.where(np.isinf(x), np.nan, 0.0)
    edge = np.select([(a < 0.0) | (x < 0.0), a == 0.0, x == 0.0, np.isinf(a), np.isinf(x)],
                     [np.nan, np.where(x > 0.0, 1.0, np.nan), 0.0, at_infinite_a, 1.0], np.nan)
    return np.where(inside, np.minimum(value, 1.0), 1.0 - edge if upper else edge)


@elementwise
def igamma(a, x):
    """The regularized lower incomplete gamma function P(a, x)."""
    return _incomplete_gamma(False, a, x)


@elementwise
def igammac(a, x):
    """The regularized upper incomplete gamma function Q(a, x) = 1 - P(a, x), without cancellation."""
    return _incomplete_gamma(True, a, x)
