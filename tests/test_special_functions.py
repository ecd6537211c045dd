"""Special functions against golden values (mpmath, 60 digits), PyTorch's edge rules, and PyTorch and SciPy if there.

Golden arguments are float32 numbers wherever float32 can hold them, so one table serves both dtypes.
"""
import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

from weft.kernels import special, special_bessel, special_poly

GOLDEN = json.loads((Path(__file__).parent / "data" / "special_golden.json").read_text())
ONE, TWO, POLYNOMIALS = GOLDEN["one argument"], GOLDEN["two arguments"], GOLDEN["polynomials"]
DTYPES = [np.float32, np.float64]
inf, nan = math.inf, math.nan

# relative error allowed in float64; the default is a few ulps
DEFAULT_TOLERANCE = 1.5e-15
TOLERANCE = {"igamma": 2e-14, "igammac": 2e-14, "polygamma": 2e-13, "zeta": 5e-15}


@pytest.fixture(autouse=True)
def no_warning_leaks():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def function(name):
    for module in (special, special_bessel, special_poly):
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(name)


def call_two(name, a, b):
    if name in ("polygamma", "multigammaln"):  # the order comes first in the table and is one number per call
        calls = [special.polygamma(int(n), x) if name == "polygamma" else special.multigammaln(x, int(n))
                 for n, x in zip(a, b[:, None])]
        return np.concatenate(calls)
    return function(name)(a, b)


def assert_close(got, want, rel, what):
    want = np.asarray(want, np.float64)
    error = np.abs(got.astype(np.float64) - want) / np.where(want == 0, 1, np.abs(want))
    worst = int(np.argmax(np.where(np.isnan(error), inf, error)))
    assert error.flat[worst] <= rel, f"{what[worst]}: got {got.flat[worst]!r}, want {want.flat[worst]!r}"


def in_float32(*columns):
    """Rows that float32 can hold, as float32 columns (the last is the value)."""
    columns = [np.array(c) for c in columns]
    with np.errstate(all="ignore"):
        keep = np.all([c.astype(np.float32) == c for c in columns[:-1]], axis=0)
    keep &= (np.abs(columns[-1]) > 1.2e-38) & (np.abs(columns[-1]) < 3.4e38)
    return [c[keep] for c in columns]


@pytest.mark.parametrize("name", ONE)
def test_one_argument_float64(name):
    x = np.array(ONE[name]["x"])
    assert_close(function(name)(x), ONE[name]["y"], TOLERANCE.get(name, DEFAULT_TOLERANCE), x)


@pytest.mark.parametrize("name", ONE)
def test_one_argument_float32(name):
    x, y = in_float32(ONE[name]["x"], ONE[name]["y"])
    assert len(x) > 8
    assert_close(function(name)(x.astype(np.float32)), y, 6.1e-8, x)  # rounded once: half an ulp


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", TWO)
def test_two_arguments(name, dtype):
    a, b, y = (np.array(TWO[name][k]) for k in "aby")
    if dtype == np.float32:
        a, b, y = in_float32(a, b, y)
    got = call_two(name, a.astype(dtype), b.astype(dtype))
    assert got.dtype == dtype
    rel = 6.1e-8 if dtype == np.float32 else TOLERANCE.get(name, DEFAULT_TOLERANCE)
    assert_close(got, y, rel, list(zip(a, b)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials(name, dtype):
    x, n = np.array(POLYNOMIALS[name]["x"])[:, None], np.array(POLYNOMIALS[name]["n"])
    want, got = np.array(POLYNOMIALS[name]["y"]), function(name)(x.astype(dtype), n.astype(dtype))
    assert got.dtype == dtype and got.shape == want.shape
    finite = np.isfinite(got)  # float32 overflows to NaN on the way up, as in PyTorch
    assert finite.all() or (dtype == np.float32 and (np.abs(want[~finite]) > 1e30).all())
    rel, floor = (2e-4, 2e-5) if dtype == np.float32 else (1e-11, 1e-12)  # recurrences cancel near the zeros
    np.testing.assert_allclose(got[finite], want[finite], rtol=rel, atol=floor * max(1, np.median(np.abs(want))))


EDGES = {  # name: (x, value), the values PyTorch gives
    "erf": [(0.0, 0.0), (-0.0, -0.0), (inf, 1), (-inf, -1), (nan, nan), (1e-310, 1.1283791670955e-310)],
    "erfc": [(0.0, 1), (inf, 0), (-inf, 2), (nan, nan), (1e300, 0), (30.0, 0)],
    "erfcx": [(0.0, 1), (inf, 0), (-inf, inf), (nan, nan), (-30.0, inf)],
    "erfinv": [(0.0, 0.0), (-0.0, -0.0), (1.0, inf), (-1.0, -inf), (1.5, nan), (-2.0, nan), (inf, nan), (nan, nan)],
    "ndtr": [(0.0, 0.5), (inf, 1), (-inf, 0), (nan, nan), (-1e300, 0)],
    "ndtri": [(0.0, -inf), (-0.0, -inf), (1.0, inf), (0.5, 0), (-0.1, nan), (1.1, nan), (inf, nan), (nan, nan)],
    "log_ndtr": [(inf, 0), (-inf, -inf), (nan, nan), (-1e300, -inf)],
    "entr": [(0.0, 0), (-0.0, 0), (1.0, 0), (-1.0, -inf), (inf, -inf), (-inf, -inf), (nan, nan)],
    "sinc": [(0.0, 1), (-0.0, 1), (1.0, 0), (-2.0, 0), (inf, nan), (nan, nan), (1e-310, 1)],
    "expit": [(0.0, 0.5), (inf, 1), (-inf, 0), (nan, nan)],
    "logit": [(0.0, -inf), (1.0, inf), (0.5, 0), (-1.0, nan), (2.0, nan), (inf, nan), (nan, nan)],
    "lgamma": [(0.0, inf), (-0.0, inf), (1.0, 0), (2.0, 0), (-1.0, inf), (-30.0, inf), (inf, inf), (-inf, inf),
               (nan, nan), (1e-310, 713.8013788281542), (-1e-310, 713.8013788281542), (-1e17, inf), (1.7e308, inf)],
    "digamma": [(0.0, -inf), (-0.0, inf), (-1.0, nan), (-1e17, nan), (inf, inf), (-inf, nan), (nan, nan),
                (1e-310, -inf), (-1e-310, inf)],
    "i0": [(0.0, 1), (inf, nan), (-inf, nan), (nan, nan), (1e300, inf)],
    "i1": [(0.0, 0), (inf, nan), (nan, nan), (-1e300, -inf)],
    "i0e": [(0.0, 1), (inf, 0), (-inf, 0), (nan, nan)],
    "i1e": [(0.0, 0), (inf, 0), (-inf, 0), (nan, nan)],
    "bessel_j0": [(0.0, 1), (inf, nan), (nan, nan)],
    "bessel_j1": [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (nan, nan)],
    "bessel_y0": [(0.0, -inf), (-1.0, nan), (inf, nan), (nan, nan)],
    "bessel_y1": [(0.0, -inf), (-1.0, nan), (1e-310, -inf), (inf, nan), (nan, nan)],
    "modified_bessel_i0": [(0.0, 1), (inf, nan)],
    "modified_bessel_i1": [(0.0, 0), (inf, nan)],
    "modified_bessel_k0": [(0.0, inf), (-1.0, nan), (inf, 0), (nan, nan), (1e300, 0)],
    "modified_bessel_k1": [(0.0, inf), (-1.0, nan), (inf, 0), (nan, nan), (1e-310, inf)],
    "scaled_modified_bessel_k0": [(0.0, inf), (-1.0, nan), (inf, 0), (nan, nan)],
    "scaled_modified_bessel_k1": [(0.0, inf), (-1.0, nan), (inf, 0), (nan, nan)],
    "spherical_bessel_j0": [(0.0, 1), (inf, 0), (-inf, 0), (nan, nan)],
    "airy_ai": [(0.0, 0.3550280538878172), (inf, nan), (-inf, nan), (nan, nan), (1e17, 0), (-1e300, nan)],
}
PAIR_EDGES = {
    "zeta": [((1.0, 3.0), inf), ((1.0, nan), inf), ((0.5, 2.0), nan), ((2.0, 0.0), inf), ((2.0, -3.0), inf),
             ((2.0, -inf), inf), ((2.5, -1.5), nan), ((3.0, inf), nan), ((nan, 0.0), inf), ((nan, 2.0), nan),
             ((inf, 1.0), 1), ((inf, 0.5), inf), ((inf, 2.0), nan), ((inf, -1.5), inf), ((1e10, 2.0), 0)],
    "igamma": [((0.0, 0.0), nan), ((0.0, 1.0), 1), ((0.0, inf), 1), ((-1.0, 1.0), nan), ((1.0, -1.0), nan),
               ((1.0, 0.0), 0), ((nan, 0.0), 0), ((inf, 1.0), 0), ((inf, inf), nan), ((2.0, inf), 1), ((nan, 1.0), nan),
               ((inf, nan), 0), ((nan, inf), 1), ((1.0, nan), nan), ((1e10, 1.0), 0)],
    "xlogy": [((0.0, 0.0), 0), ((0.0, inf), 0), ((0.0, -1.0), 0), ((0.0, nan), nan), ((nan, 1.0), nan),
              ((1.0, 0.0), -inf)],
    "xlog1py": [((0.0, -1.0), 0), ((0.0, inf), 0), ((0.0, nan), nan), ((nan, 0.0), nan), ((1.0, -1.0), -inf)],
}
PAIR_EDGES["igammac"] = [(pair, 1 - value) for pair, value in PAIR_EDGES["igamma"]]


def assert_edges(got, want):
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=0, equal_nan=True)
    for g, w in zip(got, want):
        if w == 0 and math.copysign(1, w) < 0:
            assert math.copysign(1, g) < 0


@pytest.mark.parametrize("name", EDGES)
def test_edges(name):
    x, want = zip(*EDGES[name])
    assert_edges(function(name)(np.array(x)), want)


@pytest.mark.parametrize("name", PAIR_EDGES)
def test_pair_edges(name):
    pairs, want = zip(*PAIR_EDGES[name])
    a, b = np.array(pairs).T
    assert_edges(function(name)(a, b), want)


POLYGAMMA_EDGES = [(1, 0.0, inf), (1, -1.0, inf), (1, inf, 0), (1, -inf, nan), (1, nan, nan), (2, 0.0, -inf),
                   (2, -2.0, -inf), (2, inf, nan), (2, -inf, -inf), (3, -2.0, inf), (5, -0.0, inf)]


@pytest.mark.parametrize("n, x, want", POLYGAMMA_EDGES)
def test_polygamma_edges(n, x, want):
    np.testing.assert_equal(special.polygamma(n, np.array([x])), [want])


POLYNOMIAL_EDGES = [  # (name, x, n, value)
    ("chebyshev_polynomial_t", 0.5, -1.0, 0), ("chebyshev_polynomial_t", 0.5, nan, 0),
    ("chebyshev_polynomial_t", 0.5, inf, 0), ("chebyshev_polynomial_t", 0.5, 1e30, 0),
    ("chebyshev_polynomial_t", 0.5, -0.5, 1), ("chebyshev_polynomial_t", nan, 0.9, 1),
    ("chebyshev_polynomial_t", inf, 2.0, inf), ("chebyshev_polynomial_t", inf, 3.0, nan),
    ("chebyshev_polynomial_t", -1.0, 7.0, -1), ("chebyshev_polynomial_u", -1.0, 7.0, -8),
    ("chebyshev_polynomial_v", -1.0, 4.0, 9), ("chebyshev_polynomial_w", 1.0, 4.0, 9),
    ("shifted_chebyshev_polynomial_t", 0.0, 7.0, -1), ("shifted_chebyshev_polynomial_u", 1.0, 7.0, 8),
    ("shifted_chebyshev_polynomial_v", 0.0, 4.0, 9), ("shifted_chebyshev_polynomial_w", 1.0, 4.0, 9),
    ("chebyshev_polynomial_t", 30.0, 512.0, nan), ("shifted_chebyshev_polynomial_t", 1.7e308, 1.0, inf),
    ("hermite_polynomial_h", 0.3, 513.0, nan), ("hermite_polynomial_he", 0.3, 1e9, nan),
    ("hermite_polynomial_h", 0.3, -2.0, 0), ("laguerre_polynomial_l", 0.0, 50.0, 1),
    ("laguerre_polynomial_l", -0.0, -1.0, 0), ("legendre_polynomial_p", -1.0, 9.0, -1),
    ("legendre_polynomial_p", 1.0, 1e9, 1),
]


@pytest.mark.parametrize("name, x, n, want", POLYNOMIAL_EDGES)
def test_polynomial_edges(name, x, n, want):
    np.testing.assert_equal(function(name)(np.array([x]), np.array([n])), [want])


def test_hermite_limit_is_128_in_float32():
    x, n = np.float32([0.3]), np.float32([129])
    assert np.isnan(special_poly.hermite_polynomial_he(x, n)).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ONE)
def test_dtype_shape_and_strides(name, dtype):
    f, x = function(name), np.linspace(0.05, 0.95, 600, dtype=dtype).reshape(20, 30)
    assert f(dtype(0.5)).shape == () and f(dtype(0.5)).dtype == dtype
    assert f(np.zeros((0, 3), dtype)).shape == (0, 3)
    np.testing.assert_allclose(f(x.T[::-2, ::3]), f(x).T[::-2, ::3], rtol=3e-16 if dtype == np.float64 else 0)


def test_broadcasting_and_python_numbers_keep_the_dtype():
    x = np.float32([[0.5], [2.0]])
    assert special.zeta(x + 1, np.float32([1, 2, 3])).shape == (2, 3)
    assert special.xlogy(2.0, x).dtype == np.float32
    assert special_poly.legendre_polynomial_p(x, 3).dtype == np.float32
    assert special_poly.legendre_polynomial_p(x, np.arange(3, dtype=np.float32)).shape == (2, 3)


def test_large_array_equals_its_blocks():
    x = np.linspace(-5, 5, 20000)
    np.testing.assert_array_equal(special.lgamma(x)[9000:9100], special.lgamma(x[9000:9100]))


@pytest.mark.parametrize("eps, x, clamped", [
    (0.1, [-1.0, 0.0, 0.3, 1.0, 2.0], [0.1, 0.1, 0.3, 0.9, 0.9]), (0.7, [0.0, 1.0, 0.5], [0.7, 0.3, 0.7]),
    (0.0, [0.0, 1.0], [0.0, 1.0])])
def test_logit_clamps(eps, x, clamped):
    np.testing.assert_allclose(special.logit(np.array(x), eps), special.logit(np.array(clamped)), rtol=1e-14)
    assert np.isnan(special.logit(np.array([nan]), eps)).all()


def test_wrong_orders_are_refused():
    with pytest.raises(RuntimeError, match="does not support negative n"):
        special.polygamma(-1, np.ones(2))
    with pytest.raises(RuntimeError, match="greater than or equal to 1"):
        special.multigammaln(np.ones(2), 0)


def test_fraction_does_not_drift_while_others_converge():
    # elements that had converged went on being multiplied by 1 + ulp until the slowest was done
    x = np.full(50, 1.2)
    x[1:] = 1.11
    alone = special.igammac(1.05, np.array([1.2]))
    np.testing.assert_allclose(special.igammac(np.full(50, 1.05), x)[:1], alone, rtol=1e-15)


def test_airy_phase_keeps_its_precision():
    # the phase's rounding was 2e5 ulps of the phase at this argument
    x = np.array([-4786.3])
    want = ONE["airy_ai"]["y"][ONE["airy_ai"]["x"].index(-4786.3)]
    np.testing.assert_allclose(special_bessel.airy_ai(x), want, rtol=1e-14)


SCIPY = {"erf": "erf", "erfc": "erfc", "erfcx": "erfcx", "erfinv": "erfinv", "lgamma": "gammaln", "digamma": "psi",
         "ndtr": "ndtr", "ndtri": "ndtri", "log_ndtr": "log_ndtr", "entr": "entr", "expit": "expit", "logit": "logit",
         "i0": "i0", "i0e": "i0e", "i1": "i1", "i1e": "i1e", "bessel_j0": "j0", "bessel_j1": "j1", "bessel_y0": "y0",
         "bessel_y1": "y1", "modified_bessel_k0": "k0", "modified_bessel_k1": "k1", "scaled_modified_bessel_k0": "k0e",
         "scaled_modified_bessel_k1": "k1e"}
GRID = np.concatenate([np.linspace(-25, 25, 2001), np.geomspace(1e-10, 500, 300), np.linspace(-1, 1, 401)])


@pytest.mark.parametrize("name", SCIPY)
def test_against_scipy(name):
    scipy_special = pytest.importorskip("scipy.special")
    with np.errstate(all="ignore"):
        got, want = function(name)(GRID), getattr(scipy_special, SCIPY[name])(GRID)
    poles = (GRID <= 0) & (GRID == np.floor(GRID)) | (GRID < 0 if "_y" in name or "_k" in name else False)
    np.testing.assert_allclose(got[~poles], want[~poles], rtol=1e-12, atol=2e-14)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*EDGES, *POLYNOMIALS])
def test_against_torch(name, dtype):
    torch = pytest.importorskip("torch")
    reference = getattr(torch.special, {"lgamma": "gammaln"}.get(name, name))
    args = [GRID.astype(dtype)] if name in EDGES else np.broadcast_arrays(
        np.linspace(-3, 3, 49).astype(dtype)[:, None], np.arange(-2, 40).astype(dtype))
    want = reference(*(torch.from_numpy(a.copy()) for a in args)).numpy()
    # PyTorch's own J, Y and Ai are only good to 1e-8 to 1e-6
    coarse = name.startswith(("bessel", "airy"))
    rel, floor = (2e-4, 2e-5) if dtype == np.float32 else (1e-9, 4e-6 if coarse else 1e-11)
    got = function(name)(*args)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, want, rtol=rel, atol=floor)


@pytest.mark.parametrize("table", [EDGES, PAIR_EDGES], ids=["one", "pair"])
def test_edge_tables_are_pytorchs(table):
    torch = pytest.importorskip("torch")
    names = {"lgamma": "gammaln", "igamma": "gammainc", "igammac": "gammaincc"}
    for name, rows in table.items():
        args, want = zip(*rows)
        columns = torch.tensor(args, dtype=torch.float64).reshape(len(rows), -1).T.contiguous()
        got = getattr(torch.special, names.get(name, name))(*columns).numpy()
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-16, equal_nan=True, err_msg=name)
