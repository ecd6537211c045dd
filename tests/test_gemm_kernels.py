"""The native matrix products against float64 references: sizes around every tile border, strides, stacks, bias,
threads.
"""
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft.kernels import fast

pytestmark = pytest.mark.skipif(fast.lib is None, reason="no native kernels here")
SIZES = (1, 2, 5, 6, 7, 13, 16, 17, 33, 130)
DEPTHS = (1, 2, 3, 4, 5, 7, 8, 9, 33, 330)


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


# flat, narrow, deep, tall, of one row or column, more than one slice of B: each way to divide, and its edges
DIVIDED = [(768, 128, 512), (20, 200, 800), (64, 9216, 128), (512, 512, 65), (150, 700, 150), (150, 40, 700),
           (25, 1000, 1000), (1500, 330, 10), (2000, 64, 7), (300, 800, 2900), (1, 2000, 3001), (3001, 2000, 1),
           (2, 501, 4000), (24, 3000, 500), (8, 9000, 8), (7, 333, 2050), (400, 17, 400), (13, 5000, 12),
           (32, 784, 130), (36, 321, 101), (37, 400, 150), (130, 32, 3001), (300, 20, 900), (90, 130, 1000),
           (512, 2, 768), (3001, 4, 100), (801, 1, 1024), (700, 3, 1025), (600, 384, 65), (70, 200, 196),
           (130, 801, 1000), (200, 390, 49), (333, 700, 264), (385, 1001, 120), (12, 5000, 7), (3, 6000, 16),
           (1, 4500, 1003)]


def layouts(a, b):
    """Both as they are, either or both as transposes, and neither with neighbours in memory."""
    a_turned, b_turned = np.ascontiguousarray(a.T), np.ascontiguousarray(b.T)
    apart = [np.repeat(np.repeat(x, 2, 0), 2, 1)[::2, ::2] for x in (a, b)]
    return [(a, b), (a, b_turned.T), (a_turned.T, b), (a_turned.T, b_turned.T), tuple(apart)]


@pytest.mark.parametrize("m, k, n", DIVIDED)
def test_divided_products_are_right_and_the_same_bits_on_any_number_of_threads(m, k, n):
    a, b, bias = values(m, k), values(k, n, seed=1), values(n, seed=2)
    exact = a.astype(np.float64) @ b.astype(np.float64) + bias
    was = weft.get_num_threads()
    try:
        for x, y in layouts(a, b):
            weft.set_num_threads(1)
            first = fast.matmul(x, y, False, False, bias)
            agree(first, exact, k)
            for threads in (2, 3, 8):
                weft.set_num_threads(threads)
                assert np.array_equal(fast.matmul(x, y, False, False, bias), first)
    finally:
        weft.set_num_threads(was)


@pytest.mark.parametrize("step", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_operands_whose_rows_overlap(step, kind):
    """Windows of one line of numbers, which end where its memory ends: packing reads nothing beyond."""
    m, k, n = 300, 410, 70
    line = values(m + (k - 1) * step, kind=kind)
    windows = np.lib.stride_tricks.as_strided(line, (m, k), (line.itemsize, step * line.itemsize))
    b = values(k, n, kind=kind, seed=1)
    exact = windows.astype(np.float64) @ b.astype(np.float64)
    agree(fast.matmul(windows, b, False, False, None), exact, k)
    agree(fast.matmul(np.ascontiguousarray(b.T), windows.T, False, False, None), exact.T, k)


@pytest.mark.parametrize("m, k, n", [(1, 37, 50), (3, 8, 9), (5, 100, 40), (24, 2050, 33), (40, 70, 17),
                                     (100, 300, 200), (2, 600, 1030), (64, 3000, 64), (0, 3, 4), (3, 0, 4), (1, 1, 1),
                                     (30, 50, 1), (1, 2100, 37), (1, 64, 3), (1, 95, 13), (7, 4200, 30)])
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_half_products_are_summed_in_float_and_rounded_once(m, k, n, kind):
    half = np.dtype(np.float16) if kind == "float16" else weft.bfloat16.np
    a, b, bias = (x.astype(half) for x in (values(m, k), values(k, n, seed=1), values(n, seed=2)))
    wide_a, wide_b, wide_bias = (x.astype(np.float64) for x in (a, b, bias))
    exact = wide_a @ wide_b
    size = np.abs(wide_a) @ np.abs(wide_b) + np.abs(wide_bias)
    unit = 2.0 ** (-11 if kind == "float16" else -8)

    def close(got, wanted):
        assert got.dtype == half and got.shape == wanted.shape
        assert (np.abs(got.astype(np.float64) - wanted) <= unit * np.abs(wanted) + 1e-6 * size + 1e-7).all()
    for x, y in layouts(a, b):
        close(fast.matmul(x, y, False, False, None), exact)
        close(fast.matmul(x, y, False, False, bias), exact + wide_bias)
    if k:
        close(fast.linear(a, np.ascontiguousarray(b.T), bias), exact + wide_bias)
    close(fast.matmul(np.stack([a] * 3), np.stack([b] * 3), False, False, None), np.stack([exact] * 3))


def test_half_operands_of_two_types_are_left_to_the_check():
    assert fast.matmul(np.ones((2, 2), np.float16), np.ones((2, 2), "f"), False, False, None) is None
    x = weft.ones(2, 2, dtype=weft.bfloat16)
    for function in (weft.mm, weft.nn.functional.linear):
        with pytest.raises(RuntimeError, match="same dtype"):
            function(x, weft.ones(2, 2))


@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("m, n", [(1, 11), (3, 5), (7, 9)])
def test_sums_that_end_in_part_of_a_vector_take_nothing_twice(m, n, kind):
    """A zero beside an infinity that is counted already would make NaN of it."""
    dtype = weft.bfloat16.np if kind == "bfloat16" else np.dtype(kind)
    for k in range(8, 140):
        for place in {k - 8, max(0, k - 17), max(0, k - 33)}:
            a, b = np.ones((m, k), dtype), np.ones((n, k), dtype)
            b[2, place] = np.inf
            got = fast.matmul(a, b, False, True, None).astype("f")
            assert np.isposinf(got[:, 2]).all() and (np.delete(got, 2, 1) == float(np.array(k, dtype))).all()


def test_products_read_nothing_beyond_their_operands():
    """Each operand ends where its page does, and the next page can't be read: a process that reads on dies."""
    program = """
import ctypes, mmap
import numpy as np
from weft.core.dtype import bfloat16
from weft.kernels import fast

page, libc = mmap.PAGESIZE, ctypes.CDLL(None)

def at_the_end(values):
    size = (values.nbytes + page - 1) // page * page
    memory = mmap.mmap(-1, size + page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert libc.mprotect(ctypes.c_void_p(start + size), ctypes.c_size_t(page), 0) == 0
    array = np.frombuffer(memory, values.dtype, values.size, size - values.nbytes).reshape(values.shape)
    array[...] = values
    return array

rng = np.random.default_rng(0)
for m, k, n in [(8, 8, 8), (4, 4, 4), (3, 5, 7), (12, 3000, 9), (5, 40, 33), (1, 77, 21), (2, 600, 19), (30, 70, 41)]:
    for dtype in (np.float32, np.float64, np.float16, bfloat16.np):
        a, b = (rng.integers(-2, 3, shape).astype(dtype) for shape in ((m, k), (k, n)))
        exact = a.astype("d") @ b.astype("d")
        for x_turned in (False, True):
            for y_turned in (False, True):
                x, y = (at_the_end(np.ascontiguousarray(v.T if turned else v))
                        for v, turned in ((a, x_turned), (b, y_turned)))
                got = fast.matmul(x, y, x_turned, y_turned, None)
                assert np.array_equal(got.astype("d"), exact.astype(dtype).astype("d")), (m, k, n, dtype)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("m, k, n", [(9, 40, 24), (5, 64, 3), (300, 200, 100), (30, 2000, 400)])
@pytest.mark.parametrize("n_bias", [False, True])
def test_layers_backward_in_half_precision(m, k, n, n_bias):
    """Against the same layer in float32, on numbers of which the half types lose nothing."""
    rng = np.random.default_rng(m)
    made = [rng.integers(-2, 3, shape).astype("f") for shape in ((m, k), (n, k), (n,), (m, n))]

    def gradients(dtype):
        x, w, b, g = (weft.tensor(v).to(dtype) for v in made)
        inputs = [t.requires_grad_() for t in ((x, w, b) if n_bias else (x, w))]
        out = weft.nn.functional.linear(*inputs)
        return [out, *weft.autograd.grad(out, inputs, g)]
    for one, other in zip(gradients(weft.bfloat16), gradients(weft.float32)):
        assert one.dtype == weft.bfloat16
        assert np.array_equal(one.detach().float().numpy(), other.detach().bfloat16().float().numpy())


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


@pytest.mark.parametrize("m, k, n", [(32, 4, 64), (32, 2, 61), (5, 1, 8), (64, 32, 4), (33, 31, 6), (16, 3, 3)])
def test_nan_and_inf_stay_where_they_are_in_thin_products(m, k, n):
    """Vectors at the end go over elements that are done already, and nothing is padded."""
    for turned_a, turned_b in ((False, False), (False, True), (True, False)):
        a, b = values(m, k), values(k, n, seed=1)
        a[m - 1, k - 1], b[0, n - 1] = np.nan, np.inf
        exact = a.astype(np.float64) @ b.astype(np.float64)
        got = fast.matmul(np.ascontiguousarray(a.T) if turned_a else a, np.ascontiguousarray(b.T) if turned_b else b,
                          turned_a, turned_b, None)
        assert np.isnan(got[m - 1]).all() and not np.isfinite(got[:, n - 1]).any()
        agree(got[:-1, :-1], exact[:-1, :-1], k)


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


@pytest.mark.parametrize("m, k, n", [(512, 384, 1536), (400, 1500, 384), (384, 1500, 400), (700, 200, 800),
                                     (40, 900, 1300), (1300, 900, 40)])
@pytest.mark.parametrize("turned", [False, True])
def test_divisions_by_rows_only_and_by_columns_only_give_the_same_bits(m, k, n, turned):
    rng = np.random.default_rng(m + n)
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in (((k, m) if turned else (m, k)), (k, n)))
    left, right = weft.tensor(a), weft.tensor(b)
    before, found = weft.get_num_threads(), []
    try:
        for threads in (1, 2, 3, 8):
            weft.set_num_threads(threads)
            found.append(((left.T if turned else left) @ right).numpy())
    finally:
        weft.set_num_threads(before)
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)
    want = (a.T if turned else a).astype(np.float64) @ b
    assert np.abs(found[0] - want).max() < 2e-6 * k ** 0.5 * 10
