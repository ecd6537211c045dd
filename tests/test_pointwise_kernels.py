"""The elementwise kernels against NumPy: values, strides, broadcasting, odd sizes, threads, copies, conversions,
activations, dropout.
"""
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft.autograd import gradcheck, gradgradcheck
from weft.core.spec import Spec, broadcast
from weft.kernels import fast, native
from weft.kernels.codes import BINARY, PRODUCTS, UNARY

F = weft.nn.functional
kernels = pytest.mark.skipif(fast.lib is None, reason="the kernels are not in use")
SIZES = (0, 1, 3, 7, 8, 9, 31, 33, 1000, 4097)
FLOATS = (np.float32, np.float64)
OF_FLOATS = [name for name, code in [*UNARY.items(), *BINARY.items()]
             if code not in PRODUCTS and not name.startswith("bitwise_")]


def erf_like(function):
    return lambda x: np.array([float(function(float(v))) for v in x.astype(np.float64).reshape(-1)]).reshape(x.shape)


def normal_below(v):
    """The normal distribution by erfc, corrected for what rounding -v / sqrt(2) changes."""
    y = -v / math.sqrt(2)
    rest = float(-np.longdouble(v) / np.sqrt(np.longdouble(2)) - np.longdouble(y))
    return math.erfc(y) / 2 - rest * math.exp(-y * y) / math.sqrt(math.pi)


def unit_sigmoid(x):
    return 1 / (1 + np.exp(-x))


# function -> (reference, range, error in units of the last place); references run in long double, those of erf in
# double
REFERENCE = {
    "exp": (np.exp, (-87, 88), 2), "exp2": (np.exp2, (-126, 127), 2), "expm1": (np.expm1, (-20, 88), 3),
    "log": (np.log, (0, 10), 1), "log1p": (np.log1p, (-1, 10), 2), "log2": (np.log2, (0, 10), 2),
    "log10": (np.log10, (0, 10), 2), "tanh": (np.tanh, (-10, 10), 3), "sigmoid": (unit_sigmoid, (-80, 40), 3),
    "sin": (np.sin, (-1000, 1000), 3), "cos": (np.cos, (-1000, 1000), 3), "tan": (np.tan, (-100, 100), 4),
    "atan": (np.arctan, (-20, 20), 2), "sqrt": (np.sqrt, (0, 100), 1), "rsqrt": (lambda x: 1 / np.sqrt(x), (0.01, 100),
                                                                                 2), "erf": (erf_like(math.erf),
                                                                                             (-5, 5), 5),
    "erfc": (erf_like(math.erfc), (-5, 9), 9), "ndtr": (erf_like(normal_below), (-12, 6), 8),
}


def distance(got, exact, kind):
    """In units of the last place of the exact result."""
    with np.errstate(all="ignore"):
        unit = np.spacing(np.maximum(np.abs(exact.astype(kind)), np.finfo(kind).tiny)).astype(np.longdouble)
        return np.abs(got.astype(np.longdouble) - exact) / unit


@kernels
@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("name", REFERENCE)
def test_functions_are_right_to_a_few_last_places(name, kind):
    reference, (low, high), most = REFERENCE[name]
    rng = np.random.default_rng(1)
    n = 2000 if name in ("erf", "erfc", "ndtr") else 40000
    x = rng.uniform(low, high, n)
    near_zero = rng.uniform(-1, 1, n) * np.exp(rng.uniform(-20, 0, n))
    for values in (x, np.abs(near_zero) if low >= 0 else near_zero):
        values = values.astype(kind)
        wide = values if name in ("erf", "erfc", "ndtr") else values.astype(np.longdouble)
        with np.errstate(all="ignore"):
            exact = np.asarray(reference(wide), np.longdouble)
        normal = np.abs(exact) >= np.finfo(kind).tiny
        assert distance(native.unary(UNARY[name], values), exact, kind)[normal & np.isfinite(exact)].max() <= most


EDGES = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e-310, 1e-40, -1e-40, 5e-324, 3e38, -3e38, 1e300, -1e300, 1.0,
         -1.0, 2.0, 709.0, 89.0, -104.0]
EDGE_CASES = {"exp": np.exp, "expm1": np.expm1, "exp2": np.exp2, "log": np.log, "log1p": np.log1p, "log2": np.log2,
              "log10": np.log10, "tanh": np.tanh, "sin": np.sin, "cos": np.cos, "tan": np.tan, "atan": np.arctan,
              "asin": np.arcsin, "acos": np.arccos, "sinh": np.sinh, "cosh": np.cosh, "asinh": np.arcsinh,
              "acosh": np.arccosh, "atanh": np.arctanh, "sqrt": np.sqrt, "abs": np.abs, "neg": np.negative,
              "square": np.square, "reciprocal": np.reciprocal, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
              "round": np.rint}


@kernels
@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("name", EDGE_CASES)
def test_edges(name, kind):
    with np.errstate(all="ignore"):
        x = np.array(EDGES, np.float64).astype(kind)
        expected = EDGE_CASES[name](x)
    got = native.unary(UNARY[name], x)
    np.testing.assert_allclose(got, expected, rtol=1e-6 if kind is np.float32 else 1e-14,
                               atol=float(np.finfo(kind).tiny))
    zero = expected == 0
    if name not in ("exp", "exp2", "square", "log"):        # what underflows has the sign of the exact result there too
        assert (np.signbit(got[zero]) == np.signbit(expected[zero])).all()


@kernels
@pytest.mark.parametrize("kind", FLOATS)
def test_pow_has_the_special_cases_of_c(kind):
    values = np.array([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 4.0, 1e30, -1e30, math.inf, -math.inf,
                       math.nan, 1e-40], kind)
    x, y = np.meshgrid(values, values)
    with np.errstate(all="ignore"):
        expected = np.power(x.astype(np.float64), y.astype(np.float64)).astype(kind)
    got = native.binary(BINARY["pow"], x, y)
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    known = ~np.isnan(expected)
    assert (np.signbit(got[known]) == np.signbit(expected[known])).all()


BINARIES = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide, "maximum": np.maximum,
            "minimum": np.minimum, "atan2": np.arctan2, "hypot": np.hypot, "logaddexp": np.logaddexp, "fmod": np.fmod,
            "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
            "ge": np.greater_equal}


def some(shape, kind, seed=0):
    rng = np.random.default_rng(seed)
    if kind == np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if np.dtype(kind).kind in "iu":
        return rng.integers(0 if np.dtype(kind).kind == "u" else -9, 100, shape).astype(kind)
    made = np.asarray(rng.standard_normal(shape)).astype(kind)
    if made.size > 20:
        made.reshape(-1)[[1, 5, 11]] = math.nan, math.inf, -math.inf
    return made


def close(got, expected):
    assert got.shape == expected.shape and got.dtype == expected.dtype
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(got, expected, rtol=2e-6 if expected.dtype.itemsize == 4 else 1e-14,
                                   atol=1e-7 if expected.dtype.itemsize == 4 else 1e-15)
    else:
        np.testing.assert_array_equal(got, expected)


@kernels
@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("name", BINARIES)
def test_two_arrays_of_odd_sizes(name, kind):
    for n in SIZES:
        x, y = some(n, kind), some(n, kind, 1)
        with np.errstate(all="ignore"):
            close(native.binary(BINARY[name], x, y), BINARIES[name](x, y))
            close(native.binary(BINARY[name], x, 2.5), BINARIES[name](x, kind(2.5)))
            close(native.binary(BINARY[name], 1.5, x), BINARIES[name](kind(1.5), x))


@kernels
@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_integers_wrap(kind):
    x, y = some((7, 9), kind), some((7, 9), kind, 1)
    for name in ("add", "sub", "mul", "maximum", "minimum", "eq", "lt"):
        close(native.binary(BINARY[name], x, y), BINARIES[name](x, y))
        close(native.binary(BINARY[name], x, 3), BINARIES[name](x, kind(3)))
    top = np.full(5, np.iinfo(kind).max, kind)
    with np.errstate(all="ignore"):
        close(native.binary(BINARY["add"], top, top), top + top)
        close(native.binary(BINARY["mul"], top, top), top * top)
    assert native.binary(BINARY["add"], x, 2.5) is None and native.binary(BINARY["div"], x, y) is None
    assert native.binary(BINARY["add"], x, 1 << 70) is None


LAYOUTS = {
    "transposed": lambda a: a.T, "sliced": lambda a: a[::2, 1::3], "one column": lambda a: a[:, :1],
    "one row": lambda a: a[:1], "expanded": lambda a: np.broadcast_to(a[:1], a.shape),
    "turned slice": lambda a: a.T[::3, ::2],
}


@kernels
@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("shape", [(5, 7), (70, 130), (3, 300), (300, 3)])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_strides(layout, shape, kind):
    x, y = LAYOUTS[layout](some(shape, kind)), LAYOUTS[layout](some(shape, kind, 1))
    plain = np.ascontiguousarray(y)
    with np.errstate(all="ignore"):
        for a, b in ((x, y), (x, plain), (plain, x), (x, y[:1]), (y[:, :1], x), (x, y[-1]), (x, np.array(2, kind))):
            expected = np.add(a, b)
            got = native.binary(BINARY["add"], a, b)
            close(got, expected)
            assert got.strides == broadcast([Spec(v.shape, v.dtype, v.strides) for v in (a, b)], kind).strides
            close(native.binary(BINARY["lt"], a, b), np.less(a, b))
        close(native.binary(BINARY["mul"], x, 3.0), x * kind(3))
        expected = np.tanh(x)
        got = native.unary(UNARY["tanh"], x)
        close(got, expected)
        assert got.strides == expected.strides
        close(native.unary(UNARY["gelu"], x), native.unary(UNARY["gelu"], np.ascontiguousarray(x)))
    close(fast.copied(x), np.ascontiguousarray(x))


@kernels
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_broadcast(data):
    shape = data.draw(st.lists(st.integers(1, 6), min_size=0, max_size=5))
    axes = data.draw(st.permutations(range(len(shape))))

    def operand(seed):
        own = [n if data.draw(st.booleans()) else 1 for n in shape]
        return np.asarray(some([own[a] for a in axes], np.float32, seed)).transpose(np.argsort(axes))
    a, b = operand(0), operand(1)
    with np.errstate(all="ignore"):
        expected = np.subtract(a, b)
        got = native.binary(BINARY["sub"], a, b)
        np.testing.assert_array_equal(got, expected)
        condition = np.asarray(a > 0)
        np.testing.assert_array_equal(fast.where(condition, a, b), np.where(condition, a, b))
    assert native.binary(BINARY["sub"], np.zeros((2, 3), "f4"), np.zeros((2, 4), "f4")) is None


@kernels
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, np.int32, np.uint8])
@pytest.mark.parametrize("n", [1, 2, 7, 15, 16, 17, 33, 64, 95, 96, 97, 130])
def test_a_column_beside_short_rows(n, kind):
    """Rows are put together for the loop, over the borders of the outer dimensions too."""
    numbers = np.random.default_rng(n)
    x, y = numbers.integers(0, 99, (2, 5, 3, 67, n)).astype(kind)
    for a in (x[..., :1], x[:, :1, :, :1], x[:, :, :1], x[:1, :, :1, :1], x[::-1].copy()[:, :, 3:4, :1], x[:, :1]):
        for b in (y, np.repeat(y, 2, -1)[..., ::2], np.concatenate([y, y], -1)[..., :n], y[:, :, ::-1].copy()):
            np.testing.assert_array_equal(native.binary(BINARY["sub"], a, b), a - b)
            np.testing.assert_array_equal(native.binary(BINARY["sub"], b, a), b - a)


@kernels
def test_results_do_not_depend_on_the_number_of_threads():
    before = weft.get_num_threads()
    x, y = some(300_003, np.float32), some(300_003, np.float32, 1)
    square = some((700, 701), np.float32)
    work = {
        **{name: (lambda name=name: native.unary(UNARY[name], x)) for name in UNARY if name in OF_FLOATS},
        **{name: (lambda name=name: native.binary(BINARY[name], x, y)) for name in BINARY if name in OF_FLOATS},
        "turned": lambda: native.binary(BINARY["add"], square, square[:, :700].T.copy().T[:, :1]),
        "copy": lambda: fast.copied(square.T), "cat": lambda: fast.joined([square, square], 1),
        "half": lambda: fast.cast(x, np.dtype(np.float16).num),
        "softplus": lambda: fast.activate(2, x, 1.0, 20.0, 0.0), "where": lambda: fast.where(x > 0, x, y),
    }
    try:
        for name, run in work.items():
            made = []
            for threads in (1, 2, 3):
                weft.set_num_threads(threads)
                made.append(run().tobytes())
            assert made[0] == made[1] == made[2], name
    finally:
        weft.set_num_threads(before)


@kernels
def test_in_place_only_where_memory_allows():
    x = some((6, 50), np.float32)
    expected = x + 1
    assert native.binary_into(BINARY["add"], x, 1.0)
    np.testing.assert_array_equal(x, expected)
    assert native.binary_into(BINARY["mul"], x, x)
    flat = some(100, np.float32, 2)
    assert not native.binary_into(BINARY["add"], flat[1:], flat[:-1])          # would read what it wrote
    assert not native.binary_into(BINARY["add"], x, np.zeros((3, 6, 50), "f4"))
    assert not native.binary_into(BINARY["add"], np.broadcast_to(flat, (3, 100)), flat)
    turned = x.T
    expected = turned + turned[:, :1]
    other = turned[:, :1].copy()
    assert native.binary_into(BINARY["add"], turned, other)
    np.testing.assert_array_equal(turned, expected)


def test_in_place_ops_through_views_and_overlap():
    a = np.arange(12, dtype="f4").reshape(3, 4)
    x = weft.tensor(a)
    x.t().add_(weft.ones(4, 3))
    x[:, 1:].mul_(x[:, :-1])
    expected = a + 1
    expected[:, 1:] = expected[:, 1:] * expected[:, :-1].copy()
    np.testing.assert_array_equal(x.numpy(), expected)
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        weft.ones(3).add_(weft.ones(2, 3))


# copies and conversions

@kernels
@pytest.mark.parametrize("kind", ["f4", "f8", "f2", "i8", "i4", "i2", "i1", "u1", "?", "c8", "c16"])
def test_copies(kind):
    a = np.arange(90 * 75).reshape(90, 75).astype(kind)
    for x in (a, a.T, a[::2, ::3], a.T[3:, 5:], np.broadcast_to(a[:1], (9, 75)), a[0, :0], np.asarray(a[5, 5]),
              a.reshape(9, 10, 75).transpose(2, 0, 1), a.reshape(9, 10, 75).transpose(0, 2, 1),
              a.reshape(3, 3, 10, 75).transpose(3, 1, 0, 2)):
        made = fast.copied(np.asarray(x))
        assert made.flags.c_contiguous and made.dtype == x.dtype
        np.testing.assert_array_equal(made, x)
        target = np.zeros(x.shape[::-1], kind).T
        assert x.size == 0 or native.copy_into(target, x)
        np.testing.assert_array_equal(target, x)
    target = np.zeros((4, 75), kind)
    assert native.copy_into(target, a[0])
    np.testing.assert_array_equal(target, np.broadcast_to(a[0], (4, 75)))
    assert not native.copy_into(target, a[:3]) and not native.copy_into(a[1:, ::2], a[:-1, ::2])
    for axis in (0, 1, -1):
        parts = [a, a, np.asfortranarray(a)]
        np.testing.assert_array_equal(fast.joined(parts, axis), np.concatenate(parts, axis))
    assert fast.joined([a, a[:, 1:]], 0) is None and fast.joined([], 0) is None and fast.joined([a], 2) is None


@kernels
def test_half_types_round_to_nearest_even():
    every = np.arange(65536, dtype=np.uint16)
    halves = every.view(np.float16)
    wide = fast.cast(halves, np.dtype("f4").num)
    np.testing.assert_array_equal(wide, halves.astype("f4"))
    rng = np.random.default_rng(0)
    floats = np.concatenate([rng.integers(0, 2**32, 100_001, dtype=np.uint64).astype(np.uint32).view("f4"), wide,
                             wide * np.float32(1.0004), np.array([65519.9, 65520, 2.0**-25, 2.0**-24, 6e-8, -0.0],
                                                                 "f4")])
    with np.errstate(all="ignore"):
        expected = floats.astype(np.float16)
    got = fast.cast(floats, np.dtype(np.float16).num)
    assert (np.isnan(got) == np.isnan(expected)).all()
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(got[known].view(np.uint16), expected[known].view(np.uint16))
    brain = pytest.importorskip("ml_dtypes").bfloat16
    values = every.view(brain)
    assert fast.cast(values, np.dtype("f4").num) is not None
    np.testing.assert_array_equal(fast.cast(values, np.dtype("f4").num).view(np.uint32), every.astype(np.uint32) << 16)
    with np.errstate(all="ignore"):
        expected = floats.astype(brain)
    got = fast.cast(floats, np.dtype(brain).num)
    assert (np.isnan(got.astype("f4")) == np.isnan(expected.astype("f4"))).all()
    known = ~np.isnan(expected.astype("f4"))
    np.testing.assert_array_equal(got[known].view(np.uint16), expected[known].view(np.uint16))


@kernels
def test_conversions():
    for source in ("f4", "f8", "i8", "i4", "i2", "i1", "u1", "?"):
        for target in ("f4", "f8", "i8", "i4", "u1", "?"):
            x = np.arange(-3, 60).reshape(7, 9).astype(source)
            for a in (x, x.T, x[::2, ::2], x[0, 0:1].reshape(())):
                made = fast.cast(np.asarray(a), np.dtype(target).num)
                if made is None:
                    assert source == target or source in ("f4",
                                                          "f8") and target not in ("f4", "f8", "?"), (source, target)
                    continue
                np.testing.assert_array_equal(made, a.astype(target))
                assert made.strides == a.astype(target).strides
                out = np.zeros(a.shape[::-1], target).T
                assert fast.cast_to(out, np.asarray(a))
                np.testing.assert_array_equal(out, a.astype(target))


@pytest.mark.parametrize("kind", [weft.float16, weft.bfloat16])
def test_half_arithmetic_rounds_once(kind):
    x, y = (weft.tensor(some((9, 65), np.float32, seed)).to(kind) for seed in (0, 1))
    for made, wide in ((x * y, x.float() * y.float()), (x.exp(), x.float().exp()), (x + 0.1, x.float() + 0.1),
                       (1.5 - x, 1.5 - x.float()), (x.t() + y.t(), x.float().t() + y.float().t()),
                       (x * y[0], x.float() * y[0].float()), (F.gelu(x), F.gelu(x.float()))):
        assert made.dtype is kind
        np.testing.assert_array_equal(made.float().numpy(), wide.to(kind).float().numpy())
    np.testing.assert_array_equal((x < y).numpy(), (x.float() < y.float()).numpy())


# functions of three

@kernels
@pytest.mark.parametrize("kind", FLOATS)
def test_functions_of_three(kind):
    for n in SIZES:
        x, y, z = some(n, kind), some(n, kind, 1), some(n, kind, 2)
        number = np.array(0.25, kind)
        with np.errstate(all="ignore"):
            for a, b, c in ((x, y, z), (x, y, number), (x, number, z), (number, y, z)):
                close(fast.ternary(0, a, b, c, 0.5), a + b * c * kind(0.5))
                close(fast.ternary(1, a, b, c, 2.0), a + b / c * kind(2))
                close(fast.ternary(3, a, b, c, 0.0), np.minimum(np.maximum(a, b), c))
                way = b - a
                close(fast.ternary(2, a, b, c, 0.0), np.where(np.abs(c) < 0.5, a + c * way, b - way * (1 - c)))
        mask = some(n, np.bool_)
        np.testing.assert_array_equal(fast.where(mask, x, number), np.where(mask, x, number))
        np.testing.assert_array_equal(fast.masked_fill(x, mask, number), np.where(mask, number, x))
    square = some((40, 50), kind)
    np.testing.assert_array_equal(fast.masked_fill(square.T, square[0, :40] > 0, np.array(7, kind)),
                                  np.where(square[0, :40] > 0, kind(7), square.T))
    assert fast.masked_fill(square.T, square[0, :40] > 0, np.array(7, kind)).flags.c_contiguous
    assert fast.masked_fill(square[0], square > 0, np.array(7, kind)) is None
    assert fast.where(square, square, square) is None


# activations: the native body against the plain composition, first and second derivatives

ACTIVATIONS = {
    "relu": F.relu, "leaky_relu": F.leaky_relu, "threshold": lambda x: F.threshold(x, 0.1, 2.0),
    "hardtanh": F.hardtanh, "relu6": F.relu6, "hardsigmoid": F.hardsigmoid, "hardswish": F.hardswish,
    "hardshrink": F.hardshrink, "softshrink": F.softshrink, "elu": F.elu, "selu": F.selu,
    "celu": lambda x: F.celu(x, 1.5), "gelu": F.gelu, "gelu tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu, "mish": F.mish, "softplus": lambda x: F.softplus(x, 2.0, 3.0), "logsigmoid": F.logsigmoid,
    "tanh": weft.tanh, "sigmoid": weft.sigmoid, "clamp": lambda x: x.clamp(-0.5, 0.7), "softsign": F.softsign,
    "tanhshrink": F.tanhshrink,
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_derivatives_of_activations(name):
    x = weft.tensor(np.array([-7.0, -3.2, -1.3, -0.61, -0.2, 0.05, 0.33, 0.72, 1.9, 3.3, 8.0]), requires_grad=True)
    assert gradcheck(ACTIVATIONS[name], (x,)) and gradgradcheck(ACTIVATIONS[name], (x,))


def plain_value(name, x):
    """In double precision, straight from the definition."""
    with np.errstate(all="ignore"):
        s = 1 / (1 + np.exp(-x))
        phi = np.array([math.erfc(-v / math.sqrt(2)) / 2 if v == v else v for v in x])
        return {
            "relu": np.maximum(x, 0), "leaky_relu": np.where(x > 0, x, 0.01 * x),
            "threshold": np.where(x <= 0.1, 2.0, x), "hardtanh": np.clip(x, -1, 1), "relu6": np.clip(x, 0, 6),
            "hardsigmoid": np.clip(x + 3, 0, 6) / 6, "hardswish": x * np.clip(x + 3, 0, 6) / 6,
            "hardshrink": np.where(np.abs(x) <= 0.5, 0, x),
            "softshrink": np.where(x > 0.5, x - 0.5, np.where(x < -0.5, x + 0.5, x * 0)),
            "elu": np.where(x > 0, x, np.expm1(x)), "gelu": x * phi, "silu": x * s,
            "mish": x * np.tanh(np.logaddexp(x, 0)), "logsigmoid": -np.logaddexp(-x, 0),
            "softplus": np.where(2 * x > 3, x, np.logaddexp(2 * x, 0) / 2), "clamp": np.clip(x, -0.5, 0.7),
            "gelu tanh": x / (1 + np.exp(-2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))}[name]


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("name", [n for n in ACTIVATIONS if n not in ("selu", "celu", "tanh", "sigmoid", "softsign",
                                                                      "tanhshrink")])
def test_values_of_activations(name, kind):
    x = np.concatenate([np.random.default_rng(0).standard_normal(4097) * 4, np.linspace(-12, 12, 77),
                        [0.0, -0.0, math.nan]]).astype(kind)
    got = ACTIVATIONS[name](weft.tensor(x)).numpy()
    expected = plain_value(name, x.astype(np.float64))
    np.testing.assert_allclose(got, expected, rtol=2e-6 if kind is np.float32 and name != "gelu tanh" else 1e-5
                               if kind is np.float32 else 1e-12,
                               # only the kernels keep small results exact
                               atol=1e-37 if fast.lib is not None else 1e-6)
    turned = np.ascontiguousarray(x[:4096].reshape(64, 64))
    np.testing.assert_array_equal(ACTIVATIONS[name](weft.tensor(turned).t()).numpy(),
                                  ACTIVATIONS[name](weft.tensor(turned)).numpy().T)
    assert ACTIVATIONS[name](weft.zeros(0)).shape == (0,)


def test_activations_write_in_place():
    x = weft.tensor(some((5, 9), np.float32))
    for function in (F.relu, F.leaky_relu, F.elu, F.silu, F.mish, F.hardswish, F.hardtanh):
        y = x.clone()
        assert function(y, inplace=True) is y
        np.testing.assert_array_equal(y.numpy(), function(x).numpy())


# dropout

def test_dropout_scales_what_it_keeps_and_its_gradient_too():
    weft.manual_seed(0)
    x = weft.ones(200, 50, requires_grad=True)
    y = F.dropout(x, 0.25)
    kept = y.detach().numpy() != 0
    assert 0.7 < kept.mean() < 0.8
    np.testing.assert_array_equal(y.detach().numpy(), np.where(kept, np.float32(1) / np.float32(0.75), 0).astype("f4"))
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), y.detach().numpy())
    weft.manual_seed(0)
    np.testing.assert_array_equal(F.dropout(x, 0.25).detach().numpy(), y.detach().numpy())
    assert F.dropout(x, 0.5, training=False) is x and F.dropout(x, 0.0) is x
    assert not F.dropout(x, 1.0).detach().numpy().any()


def test_dropout_of_channels():
    weft.manual_seed(1)
    for function, shape in ((F.dropout1d, (8, 6, 5)), (F.dropout1d, (6, 5)), (F.dropout2d, (8, 6, 5, 4)),
                            (F.dropout3d, (8, 6, 3, 2, 2)), (F.dropout3d, (6, 3, 2, 2))):
        made = function(weft.ones(shape), 0.5).numpy()
        batched = len(shape) == {F.dropout1d: 3, F.dropout2d: 4, F.dropout3d: 5}[function]
        flat = made.reshape(shape[0] * shape[1] if batched else shape[0], -1)
        assert ((flat == flat[:, :1]).all() and set(np.unique(flat)) <= {0.0, 2.0}), shape
    made = F.feature_alpha_dropout(weft.zeros(4, 6, 7), 0.5, True).numpy()
    assert (made == made[:, :, :1]).all() and len(np.unique(made)) == 2


def test_alpha_dropout_keeps_mean_and_variance():
    weft.manual_seed(2)
    x = weft.randn(400, 500)
    y = F.alpha_dropout(x, 0.3, True).numpy()
    assert abs(y.mean()) < 0.02 and abs(y.var() - 1) < 0.02
    assert F.alpha_dropout(x) is x
    x = weft.ones(50, requires_grad=True)
    F.alpha_dropout(x, 0.3, True).sum().backward()
    assert set(np.round(np.unique(x.grad.numpy()), 4)) <= {0.0,
                                                           np.round(np.float32(1 / math.sqrt((1.7580993408473766**2
                                                                                              * 0.3 + 1) * 0.7)), 4)}


def test_dropout_in_place_and_its_errors():
    weft.manual_seed(3)
    x = weft.ones(40)
    assert F.dropout(x, 0.5, inplace=True) is x and set(np.unique(x.numpy())) == {0.0, 2.0}
    with pytest.raises(ValueError, match="has to be between 0 and 1, but got 1.5"):
        F.dropout(x, 1.5)
    with pytest.raises(RuntimeError, match="has to be between 0 and 1"):
        weft.dropout(x, -1, True)
    with pytest.raises(RuntimeError, match="Expected 2D or 3D input"):
        F.dropout1d(x)
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        weft.feature_dropout(x, 0.5, True)
    out, mask = weft.native_dropout(weft.ones(30), 0.5, True)
    assert mask.dtype is weft.bool and ((out.numpy() == 2) == mask.numpy()).all()


@kernels
def test_dropout_kernel_broadcasts_its_mask():
    x = some((4, 5, 7), np.float32)
    mask = some((4, 5, 1), np.bool_, 3)
    with np.errstate(all="ignore"):
        expected = x * np.where(mask, np.float32(2), np.float32(0)) + np.where(mask, np.float32(0.5), np.float32(-1))
    close(fast.dropout(x, mask, 2.0, 0.5, -1.0), expected)
    with np.errstate(all="ignore"):
        close(fast.dropout(x, x > 0, 2.0, 0.0, 0.0), x * np.where(x > 0, np.float32(2), np.float32(0)))
    assert fast.dropout(x, x, 2.0, 0.0, 0.0) is None


@pytest.mark.parametrize("dtype", [weft.float32, weft.float64, weft.bfloat16, weft.float16])
def test_gelu_at_its_ends(dtype):
    x = weft.tensor([float("inf"), float("nan"), 0.0, 80.0, -80.0], dtype=dtype)
    made = weft.nn.functional.gelu(x).tolist()
    assert made[0] == float("inf") and made[1] != made[1] and made[2:4] == [0.0, 80.0] and abs(made[4]) < 1e-6


@kernels
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", OF_FLOATS)
def test_a_sine_depended_on_its_neighbours(name, dtype):
    """One far number, or a NaN, sent all numbers of a vector to C's sine: bits changed with the place in the array."""
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(300).astype(dtype) for _ in "xy")
    x[[5, 40, 41, 99, 170]] = [np.nan, 1e30, -np.inf, 7e5, np.inf]

    def run(a, b):
        return native.unary(UNARY[name], a) if name in UNARY else native.binary(BINARY[name], a, b)
    whole = run(x, y)
    for start in (1, 3, 8, 13):
        part = run(x[start:].copy(), y[start:].copy())
        assert np.array_equal(whole[start:], part, equal_nan=True)


@pytest.mark.parametrize("dtype", [weft.float32, weft.float64, weft.bfloat16, weft.int64])
def test_results_too_large_for_the_caches(dtype):
    """The same values as those of small parts."""
    n = 14_000_011 // dtype.itemsize
    x, y = (weft.randn(n) * 10).to(dtype), (weft.randn(n) * 10).to(dtype)
    one = weft.tensor(3, dtype=dtype)
    calls = [lambda a, b: a + b, lambda a, b: a * 2, lambda a, b: 2 - a, lambda a, b: -a, lambda a, b: a * one,
             lambda a, b: weft.where(a > 0, a, b)]
    if dtype.is_floating_point:
        calls += [lambda a, b: a.exp(), lambda a, b: weft.relu(a), lambda a, b: weft.nn.functional.gelu(a)]
    for call in calls:
        whole = call(x, y)
        for part in (slice(0, 5000), slice(n // 2 - 777, n // 2 + 4096), slice(n - 70_001, n)):
            assert whole[part].equal(call(x[part].clone(), y[part].clone()))
    kept = x.clone()
    x.add_(y)
    assert x[-9999:].equal(kept[-9999:] + y[-9999:])


WHOLE = (np.int64, np.int32, np.uint8)
TRUTH = {"logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}
BITS = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}
TESTS = {"logical_not": np.logical_not, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}


def odd_numbers(shape, kind, seed=0):
    """Numbers of a type, 0 and what is special of it among them."""
    made = np.asarray(np.random.default_rng(seed).standard_normal(shape) * 5).astype(kind)
    if made.dtype.kind == "f" and made.size > 5:
        made.reshape(-1)[:5] = [np.nan, np.inf, -np.inf, 0.0, -0.0]
    elif made.dtype.kind in "iu" and made.size > 1:
        made.reshape(-1)[:2] = [np.iinfo(kind).min, np.iinfo(kind).max]
    return made


@kernels
@pytest.mark.parametrize("kind", [*FLOATS, np.float16, *WHOLE, np.bool_])
@pytest.mark.parametrize("shape", [(), (0,), (70,), (33, 9)])
def test_truth_values_and_bits_against_numpy(shape, kind):
    x, y = odd_numbers(shape, kind), odd_numbers(shape, kind, 1)
    for a, b in ((x, y), (x[..., ::2] if x.ndim else x, y[..., ::2] if y.ndim else y), (x.T, y.T)):
        for name, reference in TRUTH.items() if kind is np.bool_ or x.dtype.kind in "fiu" else ():
            assert np.array_equal(native.binary(BINARY[name], a, b), reference(a, b)), name
        for name, reference in TESTS.items():
            found = native.unary(UNARY[name], a)
            assert found.dtype == np.bool_ and np.array_equal(found, reference(a)), name
        if x.dtype.kind != "f":
            assert np.array_equal(native.unary(UNARY["bitwise_not"], a), np.invert(a))
            for name, reference in BITS.items():
                found = native.binary(BINARY[name], a, b)
                assert found.dtype == a.dtype and np.array_equal(found, reference(a, b)), name


@kernels
@pytest.mark.parametrize("kind", FLOATS)
def test_remainders_of_floats_are_numpys(kind):
    x, y = odd_numbers(4099, kind), odd_numbers(4099, kind, 1)[::-1].copy()
    with np.errstate(all="ignore"):
        for name, reference in (("remainder", np.remainder), ("floor_divide", np.floor_divide)):
            for a, b in ((x, y), (x, kind(0)), (x, kind(-2.5)), (kind(7), y), (x, kind(np.inf))):
                found = native.binary(BINARY[name], a if a is x else float(a), b if b is y else float(b))
                expected = reference(a, b)
                assert np.array_equal(found, expected, equal_nan=True), name
                assert np.array_equal(np.signbit(found), np.signbit(expected)), name


@kernels
@pytest.mark.parametrize("kind", WHOLE)
def test_integers_are_divided_by_numbers_and_not_by_zero(kind):
    x = odd_numbers(999, kind)
    for name, reference in (("remainder", np.remainder), ("floor_divide", np.floor_divide)):
        for number in (1, 3, 7) if kind is np.uint8 else (1, 3, -1, -7):
            with np.errstate(all="ignore"):
                assert np.array_equal(native.binary(BINARY[name], x, number), reference(x, kind(number))), number
            again = x.copy()
            assert native.binary_into(BINARY[name], again, number)
            assert np.array_equal(again, native.binary(BINARY[name], x, number))
        for b in (0, x):                # the op says what is wrong
            assert native.binary(BINARY[name], x, b) is None and not native.binary_into(BINARY[name], x.copy(), b)
        assert native.binary(BINARY[name], 7, x) is None
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        weft.tensor(x) % 0


def test_a_chain_of_tests_is_captured_with_their_bits():
    def step(x, y):
        return (x.isnan() | y.isinf()) & ~(x * y).isfinite(), weft.where(x.isnan(), y, x % 2.0) // 0.5
    x, y = (weft.tensor(odd_numbers((64, 64), np.float32, seed)) for seed in (0, 1))
    captured = weft.compile(step)
    for _ in range(4):
        for made, expected in zip(captured(x, y), step(x, y), strict=True):
            assert made.dtype == expected.dtype and made.numpy().tobytes() == expected.numpy().tobytes()


@kernels
@pytest.mark.parametrize("kind", [weft.float16, weft.bfloat16])
def test_the_sign_of_halves_of_any_kind(kind):
    """All 65,536 of them, as they lie, turned and in place; a NaN stays one."""
    words = np.arange(65536, dtype=np.uint16).reshape(256, 256)
    x = weft.from_numpy(words.view(np.int16)).view(kind)
    for y, were in ((x, words), (x.t(), words.T), (x[::3, 1:], words[::3, 1:])):
        flipped, bare = were ^ 0x8000, were & 0x7fff
        for made, wanted in ((-y, flipped), (y.abs(), bare), (y.clone().neg_(), flipped), (y.clone().abs_(), bare)):
            assert np.array_equal(made.contiguous().view(weft.int16).numpy().view(np.uint16), wanted)


@pytest.mark.parametrize("dtype", [weft.bool, weft.int8, weft.bfloat16, weft.int32, weft.float64, weft.complex128])
@pytest.mark.parametrize("n", [0, 1, 127, 128, 129, 2048, 2049, 5000, 300001])
def test_one_value_over_and_over(n, dtype):
    """Long runs are filled by copies of their beginning."""
    for value in (1, 0):
        made = weft.full((n,), value, dtype=dtype)
        filled = weft.empty(n + 2, dtype=dtype).fill_(not value)
        filled[1:-1].fill_(value)
        assert made.eq(value).all() and filled[1:-1].eq(value).all() and filled[[0, -1]].ne(value).all()


@pytest.mark.parametrize("kind", [weft.float16, weft.bfloat16])
@np.errstate(all="ignore")
def test_halves_to_and_from_all_types(kind):
    """By way of float, a piece at a time: what NumPy gives one by one; rows, turned, spread and single ones."""
    every = weft.from_numpy(np.arange(65536, dtype=np.uint16).view(np.int16)).view(kind)
    small = every[every.abs() <= 100].reshape(2, -1)        # what all whole numbers hold
    for other in (weft.float64, weft.int64, weft.int32, weft.int16, weft.int8, weft.uint8, weft.bool, weft.float16,
                  weft.bfloat16):
        values = small.abs() if other is weft.uint8 else small
        for x in (values, values.t(), values[:, ::3], values[:, :1].expand(2, 700), values[0, 5]):
            made = x.to(other)
            assert made.dtype is other and same_bits(made, x.float().numpy().astype(other.np))
            assert same_bits(made.to(kind), made.float().numpy().astype(kind.np))
    assert same_bits(every.double(), every.float().numpy().astype("d"))
    large = weft.tensor([2 ** 24 + 1, -70000, 2 ** 62 + 1, 65519, 65520])
    assert same_bits(large.to(kind), large.numpy().astype("f").astype(kind.np))
    unit = 2.0 ** (-11 if kind is weft.float16 else -8)     # rounded to float first, as PyTorch does
    assert (1 + weft.tensor([unit + 2.0 ** -40, 3 * unit - 2.0 ** -40], dtype=weft.float64)).to(kind).tolist() == [
        1, 1 + 4 * unit]


def same_bits(tensor, array):
    """Or both NaN."""
    words, given = np.dtype(f"u{array.dtype.itemsize}"), tensor.detach()._array
    nan = np.isnan(array) if array.dtype.kind not in "iub" else False
    return given.shape == array.shape and ((given.copy().view(words) == array.copy().view(words)) | nan).all()
