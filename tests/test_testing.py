"""assert_close's verdicts and texts, make_tensor's ranges."""
import doctest
import math

import numpy as np
import pytest

import weft
from weft.testing import assert_close, close, make_tensor

T = weft.tensor
NAN, INF = math.nan, math.inf

CLOSE = [
    (T([1.0, 2.0]), T([1.0, 2.0 + 1e-6]), {}), (T([1, 2]), T([1, 2]), {}), (1.0, 1.0 + 1e-9, {}), (None, None, {}),
    (True, True, {}), (T([INF]), T([INF]), {}), (T([NAN]), T([NAN]), dict(equal_nan=True)),
    (NAN, NAN, dict(equal_nan=True)), (1, 1.0, dict(check_dtype=False)),
    (T([1.0]), T([1.0]).double(), dict(check_dtype=False)), ([T(1.0), {"a": 2}], [T(1.0), {"a": 2}], {}),
    ((1, 2), [1, 2], {}), (np.ones(2), np.ones(2), {}), (T([1.0]).half(), T([1.0009]).half(), {}),
    (T([1.0]).bfloat16(), T([1.01]).bfloat16(), {}), (T([]), T([]), {}), (T([1, 5]), T([2, 5]), dict(rtol=0, atol=1)),
    (weft.zeros(2, 3).t(), weft.zeros(3, 2), {}), (T([1.0]), weft.nn.Parameter(T([1.0])), {}),
]


@pytest.mark.parametrize("actual, expected, options", CLOSE)
def test_close(actual, expected, options):
    assert_close(actual, expected, **options)


FAR = [
    (T([1.0, 2.0]), T([1.0, 3.0]), {}, "Tensor-likes are not close!\n\nMismatched elements: 1 / 2 (50.0%)\n"
     "Greatest absolute difference: 1.0 at index (1,) (up to 1e-05 allowed)\n"
     "Greatest relative difference: 0.3333333432674408 at index (1,) (up to 1.3e-06 allowed)"),
    (T([[0, 1], [2, 3]]), T([[0, 1], [2, 7]]), {}, "Tensor-likes are not equal!\n\nMismatched elements: 1 / 4 (25.0%)\n"
     "Greatest absolute difference: 4 at index (1, 1)\nGreatest relative difference: 0.5714285714285714 at index (1, "
     "1)"),
    (T(1.0), T(2.0), {}, "Scalars are not close!\n\nExpected 2.0 but got 1.0.\nAbsolute difference: 1.0 (up to 1e-05 "
     "allowed)\nRelative difference: 0.5 (up to 1.3e-06 allowed)"),
    (1, 3, {}, "Scalars are not equal!\n\nExpected 3 but got 1.\nAbsolute difference: 2\nRelative difference: "
     "0.6666666666666666"),
    (True, False, {}, "Booleans mismatch: True is not False"),
    (None, 1, {}, "None mismatch: None is not 1"),
    (T([1.0]), T([1.0]).double(), {}, "The values for attribute 'dtype' do not match: torch.float32 != torch.float64."),
    (T([1.0]), T([1.0, 2.0]), {}, "The values for attribute 'shape' do not match: torch.Size([1]) != torch.Size([2])."),
    (weft.zeros(2, 3).t(), weft.zeros(3, 2), dict(check_stride=True),
    "The values for attribute 'stride()' do not match: (1, 3) != (2, 1)."),
    (T([1.0]), weft.ones(1, device="meta"), {}, "The values for attribute 'device' do not match: cpu != meta."),
    ([1], [1, 2], {}, "The length of the sequences mismatch: 1 != 2"),
    ({"a": 1}, {"b": 1}, {}, "The keys of the mappings do not match:\nMissing keys in the actual mapping: ['b']\n"
     "Additional keys in the actual mapping: ['a']"),
    ({"a": [True]}, {"a": [False]}, {},
     "Booleans mismatch: True is not False\n\nThe failure occurred for item ['a'][0]"),
    ([[1], [1, 2]], [[1], [1]], {},
     "The length of the sequences mismatch: 2 != 1\n\nThe failure occurred for item [1]"),
    (1, 1.0, {}, "The (d)types do not match: <class 'int'> != <class 'float'>."),
    (T([1.0]), T([2.0]), dict(msg="mine"), "mine"),
    (T([1.0]), T([2.0]), dict(msg=lambda text: text.splitlines()[0] + "?"), "Tensor-likes are not close!?"),
]


@pytest.mark.parametrize("actual, expected, options, text", FAR)
def test_far(actual, expected, options, text):
    with pytest.raises(AssertionError) as caught:
        assert_close(actual, expected, **options)
    assert str(caught.value) == text


@pytest.mark.parametrize("actual, expected", [
    (T([NAN]), T([NAN])), (T([INF]), T([-INF])), (T([INF]), T([1.0])), (T([1.0]), T([INF])), (INF, 1.0),
    (T([1 + 1j]), T([1 + 2j])), (T([True]), T([False])), (T([255]).to(weft.uint8), T([0]).to(weft.uint8)),
    (T([0.0]), T([1e-4])), (T([1.0]).half(), T([1.01]).half()), (np.ones(2), np.zeros(2))])
def test_far_values(actual, expected):
    with pytest.raises(AssertionError):
        assert_close(actual, expected)


@pytest.mark.parametrize("actual, expected", [(T([1.0]), 1.0), (T([1.0]), np.ones(1)), ("a", "a"),
                                              (object(), object()), ([T(1.0)], [1.0])])
def test_what_cannot_be_compared(actual, expected):
    with pytest.raises(TypeError, match="No comparison pair was able to handle inputs of type"):
        assert_close(actual, expected)


def test_subclasses_can_be_refused():
    with pytest.raises(TypeError):
        assert_close(T([1.0]), weft.nn.Parameter(T([1.0])), allow_subclasses=False)


def test_one_tolerance_alone():
    with pytest.raises(ValueError, match="rtol and atol"):
        assert_close(T([1.0]), T([1.0]), rtol=1e-3)


def test_structure_is_checked_before_values():
    with pytest.raises(AssertionError, match="length of the sequences"):
        assert_close([T(1.0), [1]], [T(2.0), [1, 2]])


def test_deeply_nested_lists():
    deep = other = T(1.0)
    for _ in range(5000):
        deep, other = [deep], [other]
    assert_close(deep, other)


DTYPES = [weft.bool, weft.uint8, weft.int8, weft.int16, weft.int32, weft.int64, weft.uint16, weft.uint32, weft.uint64,
          weft.float16, weft.bfloat16, weft.float32, weft.float64, weft.complex64, weft.complex128]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_make_tensor(dtype):
    t = make_tensor(200, 3, dtype=dtype)
    assert t.shape == (200, 3) and t.dtype is dtype and t.is_contiguous()
    values = np.array(t.tolist())
    parts = np.concatenate([values.real.ravel(), values.imag.ravel()]) if dtype.is_complex else values
    assert parts.min() >= (-9 if dtype.is_signed else 0) and parts.max() <= 9 and len(np.unique(parts)) > 1


@pytest.mark.parametrize("dtype", [weft.int64, weft.uint8, weft.float32, weft.complex64], ids=str)
def test_make_tensor_options(dtype):
    t = make_tensor((50,), dtype=dtype, low=0, high=2, exclude_zero=True, noncontiguous=True)
    assert not t.is_contiguous() and (t != 0).all().item()
    assert make_tensor(dtype=dtype).dim() == 0 and make_tensor(0, 3, dtype=dtype).numel() == 0


@pytest.mark.parametrize("options", [dict(low=3, high=2), dict(low=NAN), dict(dtype=weft.int64, requires_grad=True),
    dict(low=2, high=2, dtype=weft.int64),
                                     dict(noncontiguous=True, memory_format=weft.channels_last),
                                     dict(dtype=weft.uint8, low=300, high=400)])
def test_make_tensor_errors(options):
    with pytest.raises(ValueError):
        make_tensor(2, 2, **{"dtype": weft.float32, **options})


def test_make_tensor_takes_the_extremes():
    for dtype in (weft.int64, weft.uint64, weft.int8):
        t = make_tensor(20, dtype=dtype, low=-INF, high=INF)
        assert t.dtype is dtype
    assert np.isfinite(make_tensor(20, dtype=weft.float32, low=-INF, high=INF).numpy()).all()


def test_docstrings():
    assert doctest.testmod(close).failed == 0
