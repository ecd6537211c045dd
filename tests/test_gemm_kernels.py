"""The native matrix products against float64 references: sizes around every tile border, strides, stacks, bias,
threads.
"""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft.kernels import fast

pytestmark = pytest.mark.skipif(fast.lib is None, reason="no native kernels here")
SIZES = (1, 2, 5, 6, 7, 13, 16, 17, 33, 130)
DEPTHS = (1, 3, 7, 8, 9, 33, 330)


def values(*shape, kind=np.float32, seed=0):
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(kind)


def agree(got, exact, depth):
    """Within the rounding of sums of `depth` products of numbers of size 1."""
    assert got.shape == exact.shape
    unit = np.finfo(got.dtype).eps
    assert np.abs(got - exact).max(initial=0) <= 4 * unit * (depth + 8 * np.sqrt(depth) + 8)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("m", SIZES)
def test_all_layouts_of_all_sizes(m, kind):
    for n in SIZES:
        for k in DEPTHS:
            a, b, bias = values(m, k, kind=kind), values(k, n, kind=kind, seed=1), values(n, kind=kind, seed=2)
            exact = a.astype(np.float64) @ b.astype(np.float64)
            a_turned, b_turned = np.ascontiguousarray(a.T), np.ascontiguousarray(b.T)
            agree(fast.matmul(a, b, False, False, None), exact, k)
            agree(fast.matmul(a, b_turned, False, True, bias), exact + bias, k)
            agree(fast.matmul(a_turned, b, True, False, None), exact, k)
            agree(fast.matmul(a_turned.T, b_turned.T, False, False, bias), exact + bias, k)
            agree(fast.linear(a, b_turned, bias), exact + bias, k)


@pytest.mark.parametrize("m, n, k", [(64, 64, 4096), (9, 200, 3000), (700, 40, 700), (300, 3500, 50), (3, 5000, 2000),
                                     (2, 3000, 1501), (1, 1, 9000)])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_every_way_through(m, n, k, kind):
    a, b = values(m, k, kind=kind), values(k, n, kind=kind, seed=1)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    agree(fast.matmul(a, b, False, False, None), exact, k)
    agree(fast.matmul(a, np.ascontiguousarray(b.T), False, True, None), exact, k)
    agree(fast.matmul(np.ascontiguousarray(a.T), b, True, False, None), exact, k)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 60), st.integers(1, 3), st.integers(1, 3), st.booleans(),
       st.booleans())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_sliced_operands(m, n, k, step_a, step_b, turn_a, turn_b):
    a = values(m * step_a, k * step_b)[::step_a, ::step_b]
    b = values(k * step_b, n * step_a, seed=3)[::step_b, ::step_a]
    a, b = (np.ascontiguousarray(a.T).T if turn_a else a), (np.ascontiguousarray(b.T).T if turn_b else b)
    agree(fast.matmul(a, b, False, False, None), a.astype(np.float64) @ b.astype(np.float64), k)


@pytest.mark.parametrize("lead_a, lead_b", [((3,), (3,)), ((2, 1), (1, 4)), ((5,), ()), ((), (2, 3)), ((2, 3), (3,))])
def test_stacks_broadcast(lead_a, lead_b):
    a, b = values(*lead_a, 7, 5), values(*lead_b, 5, 9)
    agree(fast.matmul(a, b, False, False, None), a.astype(np.float64) @ b.astype(np.float64), 5)
    agree(fast.matmul(a, np.ascontiguousarray(np.swapaxes(b, -1, -2)), False, True, None),
          a.astype(np.float64) @ b.astype(np.float64), 5)


@pytest.mark.parametrize("shapes", [((0, 3), (3, 4)), ((3, 0), (0, 4)), ((3, 4), (4, 0)), ((0, 2, 3), (0, 3, 4))])
def test_empty(shapes):
    a, b = (np.zeros(s, np.float32) for s in shapes)
    assert np.array_equal(fast.matmul(a, b, False, False, None), a @ b)


def test_no_terms_leave_the_bias():
    assert np.array_equal(fast.matmul(np.zeros((2, 0), "f"), np.zeros((0, 3), "f"), False, False,
                                      np.arange(3, dtype="f")), [[0, 1, 2]] * 2)


@pytest.mark.parametrize("bad", [
    (values(2, 3), values(4, 5)), (values(2, 3), values(3, 4, kind=np.float64)), (values(3), values(3, 2)),
    (values(2, 3, 4), values(5, 4, 2)), (values(2, 3).astype(int), values(3, 2).astype(int)),
    (values(2, 3).astype(">f4"), values(3, 2))])
def test_what_it_does_not_take_is_left_to_the_reference(bad):
    assert fast.matmul(*bad, False, False, None) is None
    assert fast.matmul(values(2, 3), values(3, 4), False, False, values(5)) is None


def test_nan_and_inf_stay_in_their_row_and_column():
    a, b = values(20, 40), values(40, 30)
    a[3, 4], b[7, 8] = np.nan, np.inf
    got = fast.matmul(a, b, False, False, None)
    assert np.isnan(got[3]).all() and not np.isfinite(got[:, 8]).any()
    rest = np.delete(np.delete(got, 3, 0), 8, 1)
    assert np.isfinite(rest).all()


@pytest.mark.parametrize("m, n, k", [(150, 150, 150), (64, 64, 5000), (1000, 30, 100), (1, 3000, 1000),
                                     (500, 700, 900), (3, 4000, 700)])
def test_any_number_of_threads_gives_the_same_bits(m, n, k):
    a, b = values(m, k), values(k, n)
    was, found = weft.get_num_threads(), []
    try:
        for threads in (1, 2, 3, 8):
            weft.set_num_threads(threads)
            found.append([fast.matmul(a, b, False, False, None), fast.matmul(a, np.ascontiguousarray(b.T), False, True,
                                                                             None),
                          fast.matmul(np.stack([a] * 3), np.stack([b] * 3), False, False, None)])
    finally:
        weft.set_num_threads(was)
    for other in found[1:]:
        assert all(np.array_equal(x, y) for x, y in zip(found[0], other))
