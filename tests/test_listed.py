"""Tensors of Python lists: the native reader takes what it can, and gives what NumPy's way gives for the same list."""
import math

import numpy as np
import pytest

import weft
from weft._pure import PURE
from weft.kernels.listed import listed
from weft.ops.create.data import from_sequence

F4, F8, I8, BOOL = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64), np.dtype(bool)
compiled_only = pytest.mark.skipif(PURE, reason="the plain twin takes nothing")

TAKEN = [[3], (3,), [1, 2, -2 ** 63, 2 ** 63 - 1], [1.5, -0.0, math.inf, -math.inf, 1e-45, 0.1], [True, False],
         [[1, 2], [3, 4]], [(1.0, 2.0), [3.0, 4.0], (5.0, 6.0)], [[[[[[[[7]]]]]]]], [[[1.0], [2.0]]] * 3]
LEFT = [[], [[]], [1, 2.0], [1, True], [2 ** 63], [1, -2 ** 63 - 1], [1j], ["a"], [None], [np.float32(1)],
        [[1], [2, 3]], [[1], 2], [1, [2]], [weft.tensor(1)], [[[[[[[[[7]]]]]]]]], {1: 2}, "ab", 3, range(3)]


@compiled_only
@pytest.mark.parametrize("data", TAKEN, ids=str)
@pytest.mark.parametrize("floats", [F4, F8])
def test_what_it_takes_is_what_numpy_makes(data, floats):
    found = listed(data, floats, None)
    kind = floats if isinstance(np.asarray(data).flat[0], float) else np.asarray(data).dtype
    assert found.dtype == kind and found.flags.c_contiguous and found.flags.owndata
    np.testing.assert_array_equal(found, np.array(data, kind))
    assert np.array_equal(np.signbit(found), np.signbit(np.array(data, kind))) if kind.kind == "f" else True


@pytest.mark.parametrize("data", LEFT, ids=repr)
def test_what_it_leaves_to_others(data):
    assert listed(data, F4, None) is None


def test_lists_that_stand_in_themselves_or_everywhere():
    inner = [1.0]
    inner.append(inner)
    wide = [0]
    for _ in range(7):
        wide = [wide] * 100
    for data in (inner, [inner], wide):
        assert listed(data, F4, None) is None
    loop = []
    loop.append(loop)
    assert listed(loop, F4, None) is None


@compiled_only
@pytest.mark.parametrize("data, want, taken", [
    ([1, 2], F4, True), ([1, 2], F8, True), ([1, 2], I8, True), ([2 ** 53 + 1], F4, True),
    ([1, 2], np.dtype(np.int32), False), ([1.5], I8, False), ([1.5], F8, True), ([1.5], F4, True),
    ([1.5], np.dtype(np.float16), False), ([True], BOOL, True),
    ([True], F4, False), ([1], BOOL, False), ([1.0], F4.newbyteorder(">"), False)])
def test_a_type_that_is_wanted(data, want, taken):
    found = listed(data, F4, want)
    assert (found is not None) == taken
    if taken:
        assert found.dtype == want
        np.testing.assert_array_equal(found, np.array(data, np.float64 if want.kind == "f" else want).astype(want))


@pytest.mark.parametrize("data", [d for d in TAKEN if d], ids=str)
@pytest.mark.parametrize("kind", [None, weft.float32, weft.float64, weft.int64, weft.bool, weft.int32, weft.bfloat16])
def test_tensor_is_the_same_without_it(data, kind):
    """`tensor` gives what the general way gives, values, types and errors."""
    def attempt(function):
        try:
            return function(), None
        except (RuntimeError, ValueError, TypeError, OverflowError) as error:
            return None, type(error)
    found, error = attempt(lambda: weft.tensor(data, dtype=kind))
    wanted, other = attempt(lambda: from_sequence(data, None if kind is None else kind.np))
    assert error is other
    if error is None:
        assert found._array.dtype == wanted.dtype
        np.testing.assert_array_equal(found._array, wanted)


def test_numbers_alone():
    assert weft.tensor(3).dtype is weft.int64 and weft.tensor(3).shape == ()
    assert weft.tensor(-2 ** 63).item() == -2 ** 63
    assert weft.tensor(0.1).dtype is weft.float32 and weft.tensor(1e300).item() == math.inf
    assert weft.tensor(True).dtype is weft.bool
    with pytest.raises((ValueError, RuntimeError, OverflowError)):
        weft.tensor(2 ** 63)
    weft.set_default_dtype(weft.float64)
    try:
        assert weft.tensor([0.1]).item() == weft.tensor(0.1).item() == 0.1
    finally:
        weft.set_default_dtype(weft.float32)
