"""Small arrays that serve again (weft/kernels/cpp/base/spares.cpp): nobody can tell, but by the time that it takes."""
import gc
import os
import sys
import threading
import weakref

import numpy as np
import pytest

import weft
from weft.kernels import fast

needs_kernels = pytest.mark.skipif(fast.lib is None, reason="the kernels are not built")
SHAPES = [(), (1,), (7,), (3, 5), (2, 1, 4), (1, 2, 3, 4), (2, 1, 2, 1, 3), (0,), (3, 0), (255,), (256,), (300,)]
DTYPES = [weft.float32, weft.float64, weft.float16, weft.int64, weft.bool, weft.complex64]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_results_are_right_whatever_was_there_before(shape, dtype):
    x = weft.ones(shape).to(dtype)
    for _ in range(5):
        values = [x + x for _ in range(4)]
        expected = (x._array + x._array).copy()
        del values[1:3]
        again = [x + x, x.reshape(-1) + x.reshape(-1)]
        for t in (*values, again[0]):
            assert t.dtype == dtype
            np.testing.assert_array_equal(t.numpy(), expected)
        assert again[1].shape == (x.numel(),)


@needs_kernels
@pytest.mark.skipif("WEFT_SANITIZED" in os.environ, reason="nothing is kept, so that uses of what was freed are found")
def test_array_of_a_dropped_tensor_serves_again():
    x = weft.ones(11)
    y = x + x
    place = y._array.ctypes.data
    del y
    assert (x * x)._array.ctypes.data == place


def test_array_that_somebody_holds_is_left_alone():
    x = weft.ones(12)
    y = x + x
    held, alias = y.numpy(), y.detach()
    del y
    others = [x * k for k in range(5)]
    assert (held == 2).all() and (alias == 2).all() and [float(t[0]) for t in others] == [0, 1, 2, 3, 4]
    del alias
    others += [x * k for k in range(5)]
    assert (held == 2).all()
    view = held[3:5]
    del held
    others += [x * k for k in range(5)]
    assert (view == 2).all()


def test_weak_references_to_an_array_end_with_its_tensor():
    x = weft.ones(13)
    y = x + x
    told = []
    ref = weakref.ref(y._array, told.append)
    del y
    assert ref() is None and told == [ref]


def test_array_with_other_flags_or_buffers_is_not_kept():
    x = weft.ones(14)
    y = x + x
    y._array.flags.writeable = False
    del y
    z = x + x
    assert z._array.flags.writeable
    z += 1
    seen = memoryview(z._array)
    del z
    assert (x * 5).tolist() == [5.0] * 14 and list(seen) == [3.0] * 14
    del seen
    assert (x * 5)._array.flags.owndata


@needs_kernels
def test_arrays_that_lie_otherwise_are_not_given_out():
    for made in (np.ones((1, 6), order="F"), np.ones((6, 1)).T,
                 np.lib.stride_tricks.as_strided(np.ones(6), (1, 6), (800, 8)), np.ones((1, 6), ">f8"),
                 np.ones((1, 6)).view(np.recarray)):
        t = weft.ones(1)
        t._array = made
        del t, made
        x = weft.ones(1, 6, dtype=weft.float64)
        y = x + x
        assert type(y._array) is np.ndarray and y._array.dtype.isnative and y._array.strides == (48, 8)
        assert y.tolist() == [[2.0] * 6]


@needs_kernels
def test_no_more_than_a_few_megabytes_are_kept():
    weft.memory.empty_cache()
    x = weft.ones(200)
    before = sys.getallocatedblocks()
    many = [x * k for k in range(20000)]
    del many
    assert sys.getallocatedblocks() - before < 15000
    for n in range(1, 250):         # shapes that come once make room for each other
        del x
        x = weft.ones(n) + 1
        kept = [x * 2 for _ in range(20)]
        assert all(float(t[0]) == 4 for t in kept)
        del kept
    weft.memory.empty_cache()
    gc.collect()
    assert sys.getallocatedblocks() - before < 3000


def test_threads_don_t_share_an_array():
    wrong = []

    def work(k):
        x = weft.full((17,), float(k))
        for n in range(2000):
            y, z = x + n, x * 2
            if y.tolist() != [k + n] * 17 or z.tolist() != [2.0 * k] * 17:
                wrong.append((k, n))
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
