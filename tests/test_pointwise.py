"""The elementwise ops: values, types, gradients where they are delicate, operators, complex views, refusals."""
import math
import warnings

import numpy as np
import pytest

import weft
from weft.ops.core.registry import FUNCTIONS

inf, nan = math.inf, math.nan


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def gradients(name, *values):
    """The gradients at a point, of an output gradient of 1."""
    inputs = [weft.tensor(v, dtype=weft.complex128 if isinstance(v, complex) else weft.float64, requires_grad=True)
              for v in values]
    out = FUNCTIONS[name](*inputs)
    found = weft.autograd.grad(out, inputs, weft.tensor(np.ones_like(out.detach().numpy())))
    return [g.item() for g in found]


# values at ordinary and at odd points; the reference is NumPy's or a number worked out by hand
VALUES = [
    ("add", [1.0, inf], [2.0, -inf], [3.0, nan]),
    ("div", [1.0, -1.0, 0.0], [0.0, 0.0, 0.0], [inf, -inf, nan]),
    ("floor_divide", [7.0, -7.0, 1.0], [2.0, 2.0, 0.0], [3.0, -4.0, inf]),
    ("remainder", [7.0, -7.0, 1.0], [3.0, 3.0, 0.0], [1.0, 2.0, nan]),
    ("fmod", [7.0, -7.0, 1.0], [3.0, 3.0, 0.0], [1.0, -1.0, nan]),
    ("pow", [2.0, -8.0, 0.0], [3.0, 1 / 3, 0.0], [8.0, nan, 1.0]),
    ("maximum", [1.0, nan, 2.0], [2.0, 1.0, nan], [2.0, nan, nan]),
    ("fmax", [1.0, nan, 2.0], [2.0, 1.0, nan], [2.0, 1.0, 2.0]),
    ("hypot", [3.0, 1e300], [4.0, 1e300], [5.0, math.sqrt(2) * 1e300]),
    ("atan2", [0.0, 1.0, -0.0], [-1.0, 0.0, -1.0], [math.pi, math.pi / 2, -math.pi]),
    ("logaddexp", [0.0, -inf, 1000.0], [0.0, -inf, 1000.0], [math.log(2), -inf, 1000 + math.log(2)]),
    ("xlogy", [0.0, 0.0, 2.0], [0.0, nan, math.e], [0.0, nan, 2.0]),
    ("copysign", [1.0, 2.0], [-0.0, 1.0], [-1.0, 2.0]),
    ("heaviside", [-1.0, 0.0, 1.0, nan], [5.0, 5.0, 5.0, 5.0], [0.0, 5.0, 1.0, 0.0]),
    ("sign", [-2.0, 0.0, nan], [-1.0, 0.0, 0.0]),
    ("round", [0.5, 1.5, -0.5, 2.4], [0.0, 2.0, -0.0, 2.0]),
    ("frac", [1.5, -1.5], [0.5, -0.5]),
    ("nan_to_num", [nan, inf, -inf], [0.0, np.finfo(np.float64).max, np.finfo(np.float64).min]),
    ("sinc", [0.0, 0.5, 1.0], [1.0, 2 / math.pi, 0.0]),
    ("logit", [0.5, 0.0, 1.0, 2.0], [0.0, -inf, inf, nan]),
    ("sigmoid", [0.0, 1000.0, -1000.0], [0.5, 1.0, 0.0]),
    ("erf", [0.0, inf], [0.0, 1.0]),
    ("lgamma", [1.0, 4.0, 0.0], [0.0, math.log(6), inf]),
    ("digamma", [1.0], [-0.5772156649015329]),
    ("special.entr", [0.0, -1.0, 1.0], [0.0, -inf, 0.0]),
    ("special.ndtr", [0.0], [0.5]),
    ("special.i1", [0.0], [0.0]),
    ("relu", [-1.0, nan, 2.0], [0.0, nan, 2.0]),
    ("nn.functional.gelu", [0.0, 1.0], [0.0, 0.8413447460685429]),
    ("nn.functional.silu", [0.0, 1.0], [0.0, 0.7310585786300049]),
    ("nn.functional.softplus", [0.0, 100.0], [math.log(2), 100.0]),
    ("nn.functional.hardswish", [-3.0, 3.0, 1.0], [0.0, 3.0, 2 / 3]),
    ("nn.functional.logsigmoid", [0.0, -1000.0], [-math.log(2), -1000.0]),
]


@pytest.mark.parametrize("case", VALUES, ids=[c[0] for c in VALUES])
def test_values(case):
    name, *arguments, expected = case
    made = FUNCTIONS[name](*[weft.tensor(a, dtype=weft.float64) for a in arguments])
    np.testing.assert_allclose(made.numpy(), expected, rtol=1e-12, atol=1e-15)


# (op, point, gradients there)
DELICATE = [
    ("abs", (0.0,), [0.0]), ("abs", (nan,), [0.0]), ("sqrt", (0.0,), [inf]), ("sinc", (0.0,), [0.0]),
    ("pow", (0.0, 0.0), [0.0, 0.0]), ("pow", (2.0, 0.0), [0.0, math.log(2)]), ("pow", (0.0, -1.0), [-inf, -inf]),
    ("maximum", (1.0, 1.0), [0.5, 0.5]), ("maximum", (nan, 1.0), [1.0, 1.0]), ("minimum", (1.0, 2.0), [1.0, 0.0]),
    ("fmax", (1.0, 1.0), [1.0, 0.0]), ("fmax", (nan, 1.0), [0.0, 1.0]), ("fmin", (1.0, nan), [1.0, 0.0]),
    ("clamp", (1.0, 1.0, 2.0), [1.0, 0.0, 0.0]), ("clamp", (1.0, 2.0, 0.0), [0.0, 0.0, 1.0]),
    ("clamp", (0.0, 1.0, 2.0), [0.0, 1.0, 0.0]), ("xlogy", (0.0, 0.0), [0.0, nan]),
    ("xlogy", (0.0, 2.0), [math.log(2), 0.0]), ("special.xlog1py", (0.0, -1.0), [0.0, nan]),
    ("atan2", (0.0, 0.0), [0.0, 0.0]), ("hypot", (0.0, 0.0), [nan, nan]), ("logit", (2.0,), [nan]),
    ("logit", (0.0,), [inf]), ("special.i1", (0.0,), [0.5]), ("special.i1e", (0.0,), [0.5]),
    ("special.i0e", (0.0,), [0.0]), ("polar", (0.0, 0.0), [0.0, 0.0]), ("copysign", (0.0, -1.0), [0.0, 0.0]),
    ("angle", (-1.0,), [0.0]), ("angle", (0j,), [0j]), ("sgn", (0j,), [0j]), ("abs", (0j,), [0j]),
    ("imag", (1 + 2j,), [1j]), ("nan_to_num", (inf,), [0.0]), ("floor", (1.5,), [0.0]),
    ("remainder", (-5.0, 3.0), [1.0, 2.0]), ("relu", (0.0,), [0.0]), ("nn.functional.hardtanh", (1.0,), [0.0]),
    ("nn.functional.hardswish", (3.0,), [1.0]), ("nn.functional.hardswish", (-3.0,), [0.0]),
    ("nn.functional.leaky_relu", (0.0,), [0.01]), ("nn.functional.elu", (0.0,), [1.0]),
    ("nn.functional.softshrink", (0.5,), [0.0]),
]


@pytest.mark.parametrize("name,point,expected", DELICATE, ids=[f"{n}{p}" for n, p, _ in DELICATE])
def test_gradients_where_they_are_delicate(name, point, expected):
    np.testing.assert_allclose(gradients(name, *point), expected, rtol=1e-12)


def test_second_derivatives_of_the_fused_rules():
    for name, second in (("tanh", lambda x: -2 * math.tanh(x) / math.cosh(x) ** 2), ("relu", lambda x: 0.0),
                         ("sigmoid", lambda x: math.exp(-x) * (math.exp(-x) - 1) / (1 + math.exp(-x)) ** 3)):
        x = weft.tensor(0.7, dtype=weft.float64, requires_grad=True)
        slope, = weft.autograd.grad(FUNCTIONS[name](x), x, create_graph=True)
        curve, = weft.autograd.grad(slope, x)
        assert curve.item() == pytest.approx(second(0.7), abs=1e-12)


TYPES = [
    (lambda: weft.tensor([1, 2]) / 2, weft.float32), (lambda: weft.tensor([1, 2]) // 2, weft.int64),
    (lambda: weft.tensor([1, 2]) * 2.0, weft.float32), (lambda: weft.tensor([True]) + True, weft.bool),
    (lambda: weft.tensor([True]) + 1, weft.int64), (lambda: weft.tensor([1], dtype=weft.uint8) * 2, weft.uint8),
    (lambda: weft.tensor([1.0], dtype=weft.float16) * 2, weft.float16),
    (lambda: weft.tensor([1.0], dtype=weft.bfloat16).exp(), weft.bfloat16),
    (lambda: weft.tensor([1.0]) * weft.tensor(2.0, dtype=weft.float64), weft.float32),
    (lambda: weft.tensor([1.0]) * 1j, weft.complex64), (lambda: weft.tensor([1 + 1j]).abs(), weft.float32),
    (lambda: weft.tensor([1]).sqrt(), weft.float32), (lambda: weft.tensor([True]).square(), weft.int64),
    (lambda: weft.tensor([1.0]) > 0, weft.bool), (lambda: weft.float_power(weft.tensor([1]), 2), weft.float64),
    (lambda: weft.clamp(weft.tensor([1]), 0.5), weft.float32),
    (lambda: weft.complex(weft.tensor([1.0]), weft.tensor([1.0])), weft.complex64),
    (lambda: weft.frexp(weft.tensor([1.0])).exponent, weft.int32), (lambda: weft.tensor([3], dtype=weft.uint8) & 1,
                                                                    weft.uint8), (lambda: weft.tensor([True]) << 1,
                                                                                  weft.int64),
]


@pytest.mark.parametrize("i", range(len(TYPES)))
def test_result_types(i):
    make, expected = TYPES[i]
    assert make().dtype is expected


REFUSED = [
    (lambda: weft.tensor([True]) - weft.tensor([True]), RuntimeError, "two bool tensors"),
    (lambda: -weft.tensor([True]), RuntimeError, "bool tensor is not supported"),
    (lambda: weft.tensor([1]) // 0, RuntimeError, "ZeroDivisionError"), (lambda: weft.tensor([1]) % 0, RuntimeError,
                                                                         "ZeroDivisionError"),
    (lambda: weft.tensor([1]) ** -1, RuntimeError, "Integers to negative integer powers"),
    (lambda: weft.tensor([1.0]) & weft.tensor([1.0]), NotImplementedError, "not implemented for 'Float'"),
    (lambda: ~weft.tensor([1.0]), TypeError, "only implemented on integer and Boolean"),
    (lambda: weft.tensor([1j]) < 1, NotImplementedError, "not implemented for 'ComplexFloat'"),
    (lambda: weft.tensor([1.0]) < None, TypeError, None),
    (lambda: weft.eq(weft.tensor([1.0]), None), TypeError, "must be a tensor or a number"),
    (lambda: weft.clamp(weft.tensor([1.0])), RuntimeError, "At least one of 'min' or 'max'"),
    (lambda: weft.tensor([1.0]).imag, RuntimeError, "imag is not implemented"),
    (lambda: weft.div(weft.tensor([1.0]), 2, rounding_mode="up"), RuntimeError, "rounding_mode"),
    (lambda: weft.add(weft.tensor([1]), weft.tensor([1]), alpha=1.5), RuntimeError,
     "must not be a floating point number"),
    (lambda: weft.view_as_complex(weft.ones(3)), RuntimeError, "last dimension of size 2"),
    (lambda: weft.view_as_real(weft.ones(3)), RuntimeError, "only supported for complex"),
    (lambda: weft.isclose(weft.ones(1), weft.ones(1).double()), RuntimeError, "did not match"),
    (lambda: weft.sign(weft.tensor([1j])), NotImplementedError, "not intended to support complex"),
    (lambda: weft.mvlgamma(weft.ones(1), 0), RuntimeError, "greater than or equal to 1"),
    (lambda: weft.polygamma(-1, weft.ones(1)), RuntimeError, "negative n"),
    (lambda: FUNCTIONS["nn.functional.gelu"](weft.ones(1), approximate="x"), RuntimeError, "none or tanh"),
    (lambda: FUNCTIONS["nn.functional.leaky_relu"](weft.tensor([1])), NotImplementedError,
     "not implemented for 'Long'"),
    (lambda: weft.tensor([1.0]).float_power_(2), RuntimeError, "requires dtype"),
]


@pytest.mark.parametrize("i", range(len(REFUSED)))
def test_refusals(i):
    make, kind, text = REFUSED[i]
    with pytest.raises(kind, match=text):
        make()


def test_operators():
    x = weft.tensor([7, -7])
    assert (x // 2).tolist() == [3, -4] and (x % 3).tolist() == [1, 2] and (2 ** weft.tensor([3])).tolist() == [8]
    assert (1 / weft.tensor([2.0, 4.0])).tolist() == [0.5, 0.25] and (7 // weft.tensor([2])).tolist() == [3]
    assert (10 % weft.tensor([4])).tolist() == [2] and (1
                                                        - weft.tensor([3])).tolist() == [-2] and abs(x).tolist() == [7,
                                                                                                                     7]
    assert (x & 3).tolist() == [3, 1] and (x | 8).tolist() == [15,
                                                               -7] and (x ^ 1).tolist() == [6,
                                                                                            -8] and (~x).tolist() == [-8, 6]
    assert (x << 1).tolist() == [14, -14] and (x >> 1).tolist() == [3, -4] and (1 << weft.tensor([3])).tolist() == [8]
    assert (x << 70).tolist() == [0, 0] and (x >> 70).tolist() == [0, -1]
    for augmented, expected in (("+=", 9), ("-=", 5), ("*=", 14), ("//=", 3), ("%=", 1), ("**=", 49), ("&=", 2),
                                ("|=", 7), ("^=", 5), ("<<=", 28), (">>=", 1)):
        scope = {"x": weft.tensor([7])}
        kept = scope["x"]
        exec(f"x {augmented} 2", scope)
        assert scope["x"] is kept and kept.tolist() == [expected], augmented


def test_comparing_with_what_is_no_number_is_left_to_python():
    class Other:
        def __eq__(self, other):
            return "mine"
    x = weft.ones(2)
    assert (x == None) is False and (x != None) is True and (x == "a") is False and (x == Other()) == "mine"    # noqa: E711


def test_parts_of_complex_tensors_are_views():
    z = weft.tensor([1 + 2j, 3 - 1j])
    z.real = 0.0
    z.imag[0] = 5.0
    weft.view_as_real(z)[1, 0] = 9.0
    assert z.tolist() == [5j, 9 - 1j]
    pairs = weft.zeros(2, 2)
    weft.view_as_complex(pairs)[0] = 1 + 2j
    assert pairs.tolist() == [[1.0, 2.0], [0.0, 0.0]]
    x = weft.ones(2)
    assert x.real is x and x.conj() is x and x.resolve_conj() is x and weft.positive(x) is x


def test_a_write_through_a_part_becomes_history():
    z = weft.tensor([1 + 2j], requires_grad=True)
    y = z * 1
    weft.view_as_real(y)[..., 1].mul_(3)
    (y.real + y.imag).sum().backward()
    assert z.grad.tolist() == [1 + 3j]


def test_activations_in_place():
    for name, arguments in (("relu", ()), ("leaky_relu", (0.1,)), ("elu", ()), ("hardtanh", ()), ("silu", ()),
                            ("threshold", (0.0, 7.0))):
        function = FUNCTIONS["nn.functional." + name]
        x = weft.tensor([-2.0, 0.5])
        expected = function(x, *arguments).tolist()
        assert function(x, *arguments, inplace=True) is x and x.tolist() == expected
    y = weft.tensor([-2.0])
    assert FUNCTIONS["nn.functional.elu_"](y) is y and y.item() == pytest.approx(math.expm1(-2))


def test_closeness():
    a, b = weft.tensor([1.0, nan, inf]), weft.tensor([1.0 + 1e-7, nan, inf])
    assert a.isclose(b).tolist() == [True, False, True] and a.isclose(b, equal_nan=True).all()
    assert (weft.allclose(a, b, equal_nan=True) is True and weft.equal(a, a) is False
            and weft.equal(b[:1], b[:1]) is True)
    assert weft.equal(weft.ones(2), weft.ones(3)) is False


# faults that PyTorch's own tests found

@pytest.mark.parametrize("call", [lambda m: 1 - m, lambda m: m - 1, lambda m: weft.ones(1) - m,
                                  lambda m: weft.rsub(m, 1.5), lambda m: m - weft.ones(1, dtype=weft.int64),
                                  lambda m: weft.ones(1).sub_(m)])
def test_a_mask_takes_no_part_in_subtraction(call):
    with pytest.raises(RuntimeError, match="with a bool tensor is not supported"):
        call(weft.tensor([True]))


def test_lerp_with_a_number_as_tensor():
    for dtype in (weft.float64, weft.complex64, weft.float16):
        x = weft.zeros(2, dtype=dtype).lerp(weft.ones(2, dtype=dtype), weft.tensor(0.5))
        assert x.dtype is dtype and x.tolist() == [0.5, 0.5]
    with pytest.raises(RuntimeError, match="expected dtype float64"):
        weft.zeros(2, dtype=weft.float64).lerp(weft.ones(2, dtype=weft.float64), weft.tensor([0.5]))


def test_log1p_of_small_complex_numbers():
    z = weft.tensor([1e-19 + 1e-18j, 0.25j, 3 + 4j, -1e-9 + 0j], dtype=weft.complex128)
    expected = [1e-19 + 1e-18j, complex(math.log(1.0625) / 2, math.atan(0.25)), complex(math.log(32) / 2, math.pi / 4),
                math.log1p(-1e-9)]
    assert np.allclose(z.log1p()._array, expected, rtol=1e-14, atol=0)


def test_exp2_of_infinite_complex_numbers():
    assert weft.exp2(weft.tensor([complex(-inf, inf), complex(-inf, 2)])).abs().tolist() == [0, 0]


def test_ldexp_keeps_the_type_of_its_first_operand():
    for dtype in (weft.float16, weft.bfloat16, weft.float64):
        assert weft.ldexp(weft.ones(1, dtype=dtype), weft.tensor([2])).dtype is dtype
    assert weft.ldexp(weft.ones(1, dtype=weft.int64), weft.tensor([2])).dtype is weft.float32
    assert weft.ldexp(weft.tensor([2.0 ** -10], dtype=weft.float16), weft.tensor([20])).tolist() == [1024]
    assert weft.ldexp(weft.tensor([1.0], dtype=weft.float64), weft.tensor([300])).tolist() == [2.0 ** 300]
    with pytest.raises(RuntimeError, match="Boolean alpha"):
        weft.sub(weft.ones(1), weft.ones(1), alpha=True)
    for other in (weft.ones(1, dtype=weft.float16), weft.tensor([1j])):
        with pytest.raises(RuntimeError, match="heaviside is not yet implemented"):
            weft.heaviside(weft.ones(1, dtype=weft.bfloat16), other)


def test_slope_of_sinc_at_the_smallest_number():
    x = weft.tensor([0.0, weft.finfo(weft.float64).tiny, 1.0], dtype=weft.float64, requires_grad=True)
    weft.sinc(x).sum().backward()
    assert np.allclose(x.grad._array, [0, 0, -1])


@pytest.mark.parametrize("low, high", [(float("nan"), 1.0), (0.0, float("nan"))])
def test_hardtanh_with_a_bound_that_is_no_number(low, high):
    assert weft.nn.functional.hardtanh(weft.tensor([-1.0, 0.5, 2.0]), low, high).isnan().all()
