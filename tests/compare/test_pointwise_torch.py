"""The elementwise ops against PyTorch: values, types, refusals, gradients and second gradients, at ordinary and at odd
points.
"""
import math
import warnings

import numpy as np
import pytest

import weft
from weft.ops.core.registry import FUNCTIONS

torch = pytest.importorskip("torch")

DTYPES = "float32 float64 float16 bfloat16 int64 int8 uint8 bool complex64 complex128".split()
ODD = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -3.5, 1e-9, 7.25, math.inf, -math.inf, math.nan]
ODD_COMPLEX = [0j, 0.5 + 0.25j, -0.5 + 1j, 1.5 - 2j, -1 - 0.5j, 0.3j, 2 + 0j, -2 + 0.1j]
TOLERANCE = {"float32": 2e-5, "float64": 1e-8, "float16": 4e-3, "bfloat16": 3e-2, "complex64": 2e-4, "complex128": 1e-8}

UNARY = """abs acos acosh angle asin asinh atan atanh ceil conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 floor
frac i0 isfinite isinf isnan isneginf isposinf isreal lgamma log log10 log1p log2 logical_not logit nan_to_num neg positive rad2deg
reciprocal relu round rsqrt sgn sigmoid sign signbit sin sinc sinh sqrt square tan tanh trunc bitwise_not selu celu hardshrink
special.entr special.erfcx special.i0e special.i1 special.i1e special.log_ndtr special.ndtr special.ndtri
nn.functional.elu nn.functional.gelu nn.functional.hardsigmoid nn.functional.hardswish nn.functional.hardtanh
nn.functional.leaky_relu nn.functional.logsigmoid nn.functional.mish nn.functional.relu6 nn.functional.silu nn.functional.softplus
nn.functional.softshrink nn.functional.softsign nn.functional.tanhshrink""".split()
BINARY = """add sub mul div true_divide floor_divide remainder fmod pow float_power atan2 hypot copysign logaddexp logaddexp2 maximum
minimum fmax fmin xlogy special.xlog1py eq ne lt le gt ge logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor
bitwise_left_shift bitwise_right_shift gcd lcm ldexp heaviside nextafter isclose""".split()
# values that PyTorch rounds, or computes in a lower precision, otherwise
LOOSE = {("floor_divide", "float16"), ("floor_divide", "bfloat16"), ("remainder", "float16"), ("remainder", "bfloat16"),
         ("fmod", "float16"), ("fmod", "bfloat16"), ("ldexp", "float16"), ("pow", "float16"),
         ("signbit", "bfloat16"), ("copysign", "bfloat16")}             # of NaN
ONE_TYPE = "gcd lcm heaviside isclose nextafter ldexp floor_divide true_divide fmod remainder".split()
# PyTorch refuses a bool minus a float; here it is promoted like any other
BOOL_MINUS = {"sub", "nn.functional.tanhshrink"}
# where PyTorch's vector and scalar loops differ, or its formula runs into inf / inf
NAN_EITHER_WAY = {"selu", "celu", "hardshrink", "special.i1", "special.i1e", "nn.functional.elu",
                  "nn.functional.hardswish", "nn.functional.hardtanh", "nn.functional.relu6",
                  "nn.functional.softshrink"}


def theirs(name):
    found = torch
    for part in name.split("."):
        found = getattr(found, part)
    return found


def points(dtype):
    """The odd points as an array that both libraries make their tensors of."""
    if dtype.startswith("complex"):
        return np.array(ODD_COMPLEX, dtype)
    if dtype == "bool":
        return np.array([True, False])
    if dtype in ("int64", "int8", "uint8"):
        return np.array([0, 1, 2, 3, 7, 100] if dtype == "uint8" else [0, 1, -1, 2, -3, 7, 100], dtype)
    return np.array(ODD, np.float32 if dtype == "bfloat16" else dtype)


def pair(array, dtype, grad=False):
    ours, their = weft.tensor(array).to(getattr(weft, dtype)), torch.tensor(array).to(getattr(torch, dtype))
    return (ours.requires_grad_(), their.requires_grad_()) if grad else (ours, their)


def attempt(function, arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            return function(*arguments), None
        except Exception as error:      # noqa: BLE001  the kind is compared
            return None, error


def array_of(t):
    if isinstance(t, torch.Tensor):
        t = t.detach().resolve_conj().resolve_neg()
        return (t.float() if t.dtype == torch.bfloat16 else t).numpy(force=True)
    t = t.detach()
    return (t.float() if t.dtype is weft.bfloat16 else t).numpy()


def agree(ours, their, tolerance, what):
    assert str(ours.dtype) == str(their.dtype), what
    x, y = array_of(ours), array_of(their)
    assert x.shape == y.shape, what
    np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance, equal_nan=True, err_msg=what)


def compare_call(name, arguments, dtype):
    ours, our_error = attempt(FUNCTIONS[name], [a for a, _ in arguments])
    their, their_error = attempt(theirs(name), [b for _, b in arguments])
    if their_error is not None or our_error is not None:
        lenient = (our_error is None and (name in BOOL_MINUS or isinstance(their_error, NotImplementedError)
                                          and "float16" in dtype))
        both = (our_error is not None and (isinstance(our_error, type(their_error))
                                           or isinstance(their_error, type(our_error))))
        assert lenient or both, f"{name} {dtype}: {our_error!r}, PyTorch: {their_error!r}"
        return
    if (name, dtype) not in LOOSE:
        agree(ours, their, TOLERANCE.get(dtype, 2e-5), f"{name} {dtype}")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype):
    array = points(dtype)
    if dtype.startswith("complex") and name.startswith(("acos", "asin", "atan", "asinh", "atanh")):
        array = array[np.abs(array.imag) > 0]       # on the branch cuts the side is the C library's choice
    if name == "nn.functional.gelu" and dtype in ("float32", "bfloat16", "float16"):
        array = array[np.isfinite(array)]       # PyTorch's kernels for AVX-512 give NaN at infinity, where x is the limit
    compare_call(name, [pair(array, dtype)], dtype)
    compare_call(name, [pair(array[2], dtype)] if array.size > 2 else [pair(array[0], dtype)], dtype)
    compare_call(name, [pair(array[:0].reshape(0, 3), dtype)], dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BINARY)
def test_binary(name, dtype):
    array = points(dtype)
    if name in ("floor_divide", "remainder", "fmod") and dtype in ("int64", "int8", "uint8"):
        array = array[array != 0]
    if dtype.startswith("complex") and name in ("pow", "float_power"):
        array = array[array != 0]
    column, row = array[:, None], array[::-1].copy()
    compare_call(name, [pair(column, dtype), pair(row, dtype)], dtype)
    other = "int64" if dtype.startswith(("float", "bfloat", "complex")) else "float32"
    if name not in ONE_TYPE:
        compare_call(name, [pair(column, dtype), pair(points(other)[:6], other)], dtype if other == "int64"
                     else "float32")


def derivatives(library, function, inputs, cotangents):
    """First and second gradients; None where the library gives none."""
    out = function(*inputs)
    wanted = [t for t in inputs if t.requires_grad]
    first = library.autograd.grad(out, wanted, cotangents[0](out), create_graph=True, allow_unused=True)
    found = [g for g in first if g is not None and g.requires_grad]
    if not found:
        return first, [None] * len(wanted)
    total = sum((g * cotangents[1](g)).sum() for g in found)
    total = total.real if "complex" in str(total.dtype) else total
    return (first, library.autograd.grad(total, wanted, allow_unused=True) if total.requires_grad
            else [None] * len(wanted))


def cotangent_of(library, seed):
    def make(t):
        rng = np.random.default_rng(seed)
        values = rng.standard_normal(tuple(t.shape))
        if "complex" in str(t.dtype):
            values = values + 1j * rng.standard_normal(tuple(t.shape))
        return library.tensor(values)
    return make


def compare_derivatives(ours, their, our_inputs, their_inputs, what):
    w1, w2 = derivatives(weft, ours, our_inputs, [cotangent_of(weft, 1), cotangent_of(weft, 2)])
    t1, t2 = derivatives(torch, their, their_inputs, [cotangent_of(torch, 1), cotangent_of(torch, 2)])
    for order, ws, ts in (("first", w1, t1), ("second", w2, t2)):
        for w, t in zip(ws, ts, strict=True):
            if w is None or t is None:
                left = w if w is not None else t
                assert left is None or not np.any(array_of(left)), f"{what} {order}"
            else:
                agree(w, t, 1e-6, f"{what} {order}")


SMOOTH = [n for n in UNARY if n not
          in ("isfinite isinf isnan isneginf isposinf isreal logical_not signbit bitwise_not").split()]
RANGES = {"acosh": (1.2, 3.0), "erfinv": (-0.9, 0.9), "logit": (0.1, 0.9), "atanh": (-0.9, 0.9), "acos": (-0.9, 0.9),
          "asin": (-0.9, 0.9), "special.ndtri": (0.1, 0.9), "digamma": (0.3, 3.0), "lgamma": (0.3, 3.0)}


@pytest.mark.parametrize("name", SMOOTH)
def test_unary_derivatives(name):
    low, high = RANGES.get(name, (-2.2, 2.3))
    if name.startswith("log") or name in ("sqrt", "rsqrt", "special.entr"):
        low, high = max(low, 0.1), min(high, 0.9)
    array = np.random.default_rng(0).uniform(low, high, (3, 4))
    w, t = pair(array, "float64", grad=True)
    if name == "nn.functional.hardsigmoid":             # PyTorch has no second derivative of it
        agree(weft.autograd.grad(FUNCTIONS[name](w).sum(), w)[0], torch.autograd.grad(theirs(name)(t).sum(), t)[0],
              1e-6, name)
        return
    compare_derivatives(FUNCTIONS[name], theirs(name), [w], [t], name)


COMPLEX = """abs acos acosh angle asin asinh atan atanh conj_physical cos cosh exp exp2 expm1 log log10 log1p log2 neg reciprocal rsqrt
sgn sigmoid sin sinc sinh sqrt square tan tanh real imag view_as_real""".split()


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_derivatives(name):
    rng = np.random.default_rng(1)
    array = rng.uniform(0.2, 1.5, (3, 2)) + 1j * rng.uniform(0.2, 1.5, (3, 2))
    w, t = pair(array, "complex128", grad=True)
    compare_derivatives(FUNCTIONS[name], theirs(name), [w], [t], name)


DIFFERENTIABLE = """add sub mul div remainder fmod pow float_power atan2 hypot copysign logaddexp logaddexp2 maximum minimum fmax fmin
xlogy special.xlog1py ldexp polar complex""".split()


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_binary_derivatives(name):
    rng = np.random.default_rng(2)
    a, b = pair(rng.uniform(0.2, 2.0, (3, 1)), "float64", grad=True), pair(rng.uniform(0.2, 2.0, (4,)), "float64",
                                                                           grad=True)
    compare_derivatives(FUNCTIONS[name], theirs(name), [a[0], b[0]], [a[1], b[1]], name)


@pytest.mark.parametrize("name", "add sub mul div pow logaddexp".split())
def test_complex_binary_derivatives(name):
    rng = np.random.default_rng(3)
    values = [rng.uniform(0.2, 1.0, s) + 1j * rng.uniform(0.2, 1.0, s) for s in ((3, 1), (2,))]
    a, b = pair(values[0], "complex128", grad=True), pair(values[1], "complex128", grad=True)
    compare_derivatives(FUNCTIONS[name], theirs(name), [a[0], b[0]], [a[1], b[1]], name)
    if name == "logaddexp":
        return                              # PyTorch's has no gradient for one real operand
    c = pair(rng.uniform(0.2, 1.0, (2,)), "float64", grad=True)       # a real operand gets a real gradient
    compare_derivatives(FUNCTIONS[name], theirs(name), [a[0], c[0]], [a[1], c[1]], name)
    compare_derivatives(FUNCTIONS[name], theirs(name), [c[0], a[0]], [c[1], a[1]], name)


GRID = [0.0, 1.0, -1.0, 2.0, 0.5, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("name", [n for n in DIFFERENTIABLE if n not in ("complex", "polar")])
def test_binary_gradients_at_odd_points(name):
    xs, ys = (np.array(v).reshape(-1) for v in np.meshgrid(GRID, GRID))
    a, b = pair(xs, "float64", grad=True), pair(ys, "float64", grad=True)
    found = weft.autograd.grad(FUNCTIONS[name](a[0], b[0]).sum(), [a[0], b[0]])
    expected = torch.autograd.grad(theirs(name)(a[1], b[1]).sum(), [a[1], b[1]])
    for w, t, which in zip(found, expected, "xy", strict=True):
        for x, y, got, want in zip(xs, ys, array_of(w), array_of(t), strict=True):
            assert got == pytest.approx(want, rel=1e-9,
                                        nan_ok=True), f"{name}({x}, {y}) d{which}: {got}, PyTorch: {want}"


@pytest.mark.parametrize("name", [n for n in SMOOTH if n not in ("real", "imag")])
def test_unary_gradients_at_odd_points(name):
    if name in ("special.ndtri", "nn.functional.mish", "digamma", "special.log_ndtr"):
        pytest.skip("PyTorch's own limits there are accidents of its formula")
    xs = np.array([*GRID, -0.5, 3.0, -3.0, 6.0])
    xs = xs[xs == xs] if name in NAN_EITHER_WAY else xs
    w, t = pair(xs, "float64", grad=True)
    found, = weft.autograd.grad(FUNCTIONS[name](w).sum(), [w])
    expected, = torch.autograd.grad(theirs(name)(t).sum(), [t])
    for x, got, want in zip(xs, array_of(found), array_of(expected), strict=True):
        assert got == pytest.approx(want, rel=1e-7, abs=1e-9, nan_ok=True), f"{name}({x}): {got}, PyTorch: {want}"


@pytest.mark.parametrize("low,high", [(-0.5, 0.5), (None, 0.5), (-0.5, None), (0.5, -0.5)])
def test_clamp_with_tensor_bounds(low, high):
    x = pair(np.array(ODD), "float64", grad=True)
    bounds = [None if b is None else pair(np.array(b), "float64", grad=True) for b in (low, high)]
    w = [x[0], *[None if b is None else b[0] for b in bounds]]
    t = [x[1], *[None if b is None else b[1] for b in bounds]]
    found = weft.autograd.grad(weft.clamp(*w).sum(), [v for v in w if v is not None])
    expected = torch.autograd.grad(torch.clamp(*t).sum(), [v for v in t if v is not None])
    for a, b in zip(found, expected, strict=True):
        agree(a, b, 0, f"clamp {low} {high}")


ORTHOGONAL = sorted(n for n in FUNCTIONS if n.startswith("special.") and "polynomial" in n)


@pytest.mark.parametrize("name", ORTHOGONAL)
def test_orthogonal_polynomials(name):
    x = np.linspace(-1.5, 1.5, 13)[:, None]
    a, b = pair(x, "float64"), pair(np.arange(-1.0, 9.0), "float64")
    agree(FUNCTIONS[name](a[0], b[0]), theirs(name)(a[1], b[1]), 1e-6, name)


def test_forms_of_polygamma_and_mvlgamma():
    x = pair(np.linspace(1.7, 5, 7), "float64", grad=True)
    for n in range(4):
        compare_derivatives(lambda v, n=n: weft.polygamma(n, v), lambda v, n=n: torch.polygamma(n, v), [x[0]], [x[1]],
                            f"polygamma {n}")
        agree(x[0].detach().polygamma(n), x[1].detach().polygamma(n), 1e-9, "method")
    compare_derivatives(lambda v: weft.mvlgamma(v, 3), lambda v: torch.mvlgamma(v, 3), [x[0]], [x[1]], "mvlgamma")


def test_ternary_derivatives():
    rng = np.random.default_rng(4)
    shapes = [(3, 1), (4,), (3, 4)]
    values = [pair(rng.uniform(0.3, 2.0, s), "float64", grad=True) for s in shapes]
    w, t = [v[0] for v in values], [v[1] for v in values]
    for name, keywords in (("addcmul", {}), ("addcmul", {"value": 2.5}), ("addcdiv", {}), ("addcdiv", {"value": -2}),
                           ("lerp", {})):
        compare_derivatives(lambda *a, name=name, keywords=keywords: FUNCTIONS[name](*a, **keywords),
                            lambda *a, name=name, keywords=keywords: theirs(name)(*a, **keywords), w, t, name)


def test_rounding_modes_of_div():
    for dtype in ("float64", "float32", "int64", "int8", "uint8"):
        array = points(dtype)
        x, y = pair(array[:, None], dtype), pair(array[array != 0], dtype)
        for mode in (None, "floor", "trunc"):
            agree(weft.div(x[0], y[0], rounding_mode=mode), torch.div(x[1], y[1], rounding_mode=mode), 1e-6,
                  f"{dtype} {mode}")


NEED_TENSORS = ("atan2 fmax fmin maximum minimum heaviside isclose gcd lcm nextafter igamma igammac hypot logaddexp "
                "logaddexp2 ldexp logical_and logical_or logical_xor complex polar").split()
NUMBERS_TOO = ("add sub mul div true_divide floor_divide remainder fmod pow float_power eq ne lt le gt ge copysign "
               "xlogy bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift special.xlog1py "
               "special.zeta special.chebyshev_polynomial_t special.hermite_polynomial_h rsub clamp_min "
               "clamp_max").split()


@pytest.mark.parametrize("name", NEED_TENSORS + NUMBERS_TOO)
def test_numbers_as_operands(name):
    """isclose(t, 9), heaviside(t, -2) and the backward of fmax(t, 9) ended in an AttributeError.

    What PyTorch takes has its result and gradient; what it refuses is refused the same way, or (with a loop of its own)
    answered as if the number were a tensor."""
    def found(lib, kind, first, second):
        function = lib
        for part in name.split("."):
            function = getattr(function, part)
        t = lib.tensor([1, 2, 3], dtype=getattr(lib, kind), requires_grad=kind == "float64")
        try:
            out = function(*(t if v is None else v for v in (first, second)))
            grad = lib.autograd.grad(out.sum(), t)[0].tolist() if out.requires_grad else None
            return str(out.dtype), out.tolist(), grad
        except Exception as error:
            return type(error)
    for kind in ("float64", "int64"):
        for first, second in ((None, 9), (9, None), (None, 2.5), (None, -2), (None, True)):
            want, made = (found(lib, kind, first, second) for lib in (torch, weft))
            if isinstance(want, type):
                answered = not isinstance(made, type)
                assert answered or issubclass(made, want) or want in (TypeError,) and made is NotImplementedError, \
                    (kind, first, second, want, made)
                assert not answered or name not in ("heaviside", "isclose", "fmax", "fmin", "complex", "polar", "ldexp")
            else:
                assert not isinstance(made, type), (kind, first, second, made)
                assert want[0] == made[0], (kind, first, second)
                np.testing.assert_allclose(made[1], want[1], rtol=3e-7 if "float32" in want[0] else 1e-9)
                assert (want[2] is None) == (made[2] is None)
                if want[2] is not None:
                    np.testing.assert_allclose(made[2], want[2], rtol=1e-9)


def converted(value):
    """PyTorch's value as weft's."""
    if isinstance(value, torch.Tensor):
        array = value.detach().resolve_conj().resolve_neg()
        made = weft.tensor((array.float() if array.dtype == torch.bfloat16 else array).numpy())
        return made.to(getattr(weft, str(value.dtype)[6:]))
    if isinstance(value, torch.dtype):
        return getattr(weft, str(value)[6:])
    if isinstance(value, (list, tuple)):
        return type(value)(converted(v) for v in value)
    return {key: converted(v) for key, v in value.items()} if isinstance(value, dict) else value


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_refusals_have_pytorchs_exceptions():
    """PyTorch's own table of wrong arguments: 34 of them raised another exception, or none.

    An `out=` that shares memory with the inputs is filled, with what they were."""
    database = pytest.importorskip("torch.testing._internal.common_methods_invocations").op_db
    skipped = ("sparse", "jiterator", "narrow_copy", "__rdiv__", "embedding", "chalf",
               "segment_reduce")
    wrong, tried = [], 0
    for op in database:
        function = weft
        for part in op.name.split("."):
            function = getattr(function, part, None)
        if function is None or op.error_inputs_func is None or op.variant_test_name == "in_place" \
           or any(s in op.name for s in skipped):
            continue
        for case in op.error_inputs("cpu"):
            sample = case.sample_input
            try:
                op.op(sample.input, *sample.args, **sample.kwargs)
                continue
            except Exception as error:
                want = error
            try:
                given = converted((sample.input, sample.args, sample.kwargs))
            except (TypeError, ValueError):
                continue        # no values, or too many dimensions for NumPy
            tried += 1
            try:
                function(given[0], *given[1], **given[2])
                if "out" not in sample.kwargs:
                    wrong.append((op.name, type(want).__name__, "nothing"))
            except Exception as error:
                if not isinstance(error, type(want)) and not isinstance(error, NotImplementedError):
                    wrong.append((op.name, type(want).__name__, type(error).__name__, str(error)[:80]))
    assert tried > 400 and not wrong, wrong
