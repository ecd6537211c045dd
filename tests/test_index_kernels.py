"""The native kernels that move, choose and sort elements, each beside its NumPy reference."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft.kernels import fast

pytestmark = pytest.mark.skipif(fast.lib is None, reason="the NumPy references are in use")
SIZES = [1, 3, 7, 8, 9, 31, 33, 100, 1000, 4097]
MOVED = ["float32", "float64", "float16", "int64", "int32", "int16", "uint8", "bool", "complex64", "complex128"]
SORTED = ["float32", "float64", "int64", "int32", "int16", "int8", "uint8", "bool"]
NAN = float("nan")
rng = np.random.default_rng(3)
START = rng.bit_generator.state


@pytest.fixture(autouse=True)
def same_numbers_each_time():
    """Whatever ran before in this process."""
    rng.bit_generator.state = START



def values(shape, dtype="float32", levels=1000):
    return np.asarray(rng.integers(-levels, levels, shape)).astype(dtype)


def layouts(x):
    """The same values in other layouts: with gaps, and in another order of the dimensions."""
    yield x
    if x.ndim:
        yield np.repeat(x, 2, -1)[..., ::2]
        yield np.asfortranarray(x)
        yield np.concatenate([x, x], 0)[:len(x)]


def both_threads(call):
    """The result, after a look that it is the same with one thread and with two."""
    had, made = weft.get_num_threads(), []
    try:
        for n in (1, 2):
            weft.set_num_threads(n)
            made.append(call())
    finally:
        weft.set_num_threads(had)
    for a, b in zip(*[m if isinstance(m, tuple) else (m,) for m in made]):
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
    return made[0]


# copies

@pytest.mark.parametrize("dtype", MOVED)
@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (7, 9), (33, 17), (3, 40, 5), (2, 3, 4, 5, 6), (70, 300),
                                   (1, 1000, 3)])
def test_copies_of_any_layout(shape, dtype):
    x = values(shape, dtype)
    for view in (*layouts(x), x.T, x[(..., *[slice(None, None, -1)] * x.ndim)]):
        made = fast.copied(view)
        np.testing.assert_array_equal(made, view)
        assert made.flags.c_contiguous and not np.shares_memory(made, view)
        target = np.zeros(view.shape, dtype, "F")
        assert fast.copy_into(target, view)
        np.testing.assert_array_equal(target, view)


def test_large_copies_are_the_same_with_any_number_of_threads():
    x = values((700, 900))
    for view in (x, x.T, x[::2], x[:, ::3], x[::-1], x[:, ::-1], np.broadcast_to(x[:1], x.shape),
                 np.broadcast_to(x[:, :1], x.shape)):
        np.testing.assert_array_equal(both_threads(lambda view=view: fast.copied(view)), view)
        target = np.zeros((*view.shape[::-1],), np.float32).T
        assert fast.copy_into(target, view)
        np.testing.assert_array_equal(target, view)


def test_broadcast_and_what_is_not_copied():
    target = np.zeros((4, 3, 5))
    assert fast.copy_into(target, np.arange(5.0))
    np.testing.assert_array_equal(target, np.broadcast_to(np.arange(5.0), target.shape))
    assert fast.copy_into(target, np.arange(6.0)) is None                     # no such shape
    assert fast.copy_into(target, np.arange(5)) is None                       # another type
    assert fast.copy_into(target[0], target[0, ::-1]) is None                 # its own memory
    assert fast.copy_into(np.broadcast_to(target[:1], target.shape), target) is None
    assert fast.copied(np.array(["a"], object)) is None and fast.copied(np.zeros(2, "S3")) is None


@given(st.lists(st.integers(0, 6), min_size=1, max_size=5), st.randoms())
@settings(max_examples=60, deadline=None)
def test_any_permutation_is_copied(shape, random):
    x = values(tuple(shape), "int16")
    order = list(range(x.ndim))
    random.shuffle(order)
    np.testing.assert_array_equal(fast.copied(x.transpose(order)), x.transpose(order))


@pytest.mark.parametrize("dtype", ["float32", "complex128", "int8"])
def test_rolls_repeats_and_joins(dtype):
    for shape, shifts, dims in [((7,), (3,), (0,)), ((5, 8), (2, -3), (0, 1)), ((40, 33), (5,), (1,)),
                                ((3, 4, 5), (7, 1, 1), (0, 2, 2))]:
        for x in layouts(values(shape, dtype)):
            np.testing.assert_array_equal(fast.rolled(x, shifts, dims), np.roll(x, shifts, dims))
    for shape, repeats in [((3,), (4,)), ((2, 5), (3, 2)), ((2, 1, 3), (0, 2, 2)), ((4, 6), (1, 1))]:
        for x in layouts(values(shape, dtype)):
            np.testing.assert_array_equal(fast.repeated(x, repeats), np.tile(x, repeats))
    for axis in (0, 1, -1):
        parts = [values((3, 4, 5) if axis == 0 else (3, n, 5) if axis == 1 else (3, 4, n), dtype) for n in (4, 1, 0, 2)]
        parts = [p.transpose(2, 1, 0).copy().transpose(2, 1, 0) if i % 2 else p for i, p in enumerate(parts)]
        np.testing.assert_array_equal(fast.joined(parts, axis), np.concatenate(parts, axis))
    assert fast.joined([np.zeros(3), np.zeros((3, 1))], 0) is None and fast.joined([np.zeros(3),
                                                                                    np.zeros(3, np.float32)], 0) is None
    assert fast.joined([], 0) is None and fast.joined([np.zeros(3)], 1) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.complex128])
def test_stacks(dtype):
    for shape in [(), (1,), (5,), (3, 4), (0, 3), (70, 40), (2, 1, 3), (4, 30, 50)]:
        some = [np.asarray(values(shape, dtype) + dtype(i)) for i in range(3)]
        turned = [x.T.copy().T for x in some]
        for axis in range(-len(shape) - 1, len(shape) + 1):
            for parts in (some, tuple(turned), [some[0], turned[1]], some[:1]):
                made = fast.stacked(parts, axis)
                assert made.dtype == dtype and made.flags.c_contiguous
                np.testing.assert_array_equal(made, np.stack(parts, axis))
    assert fast.stacked([np.zeros(3)], 2) is None and fast.stacked([np.zeros(3)], -3) is None
    assert fast.stacked([], 0) is None and fast.stacked([np.zeros(3), np.zeros(4)], 0) is None
    assert fast.stacked([np.zeros(3), np.zeros(3, np.float32)], 0) is None
    assert fast.stacked([np.zeros(3), 3.0], 0) is None


def test_new_arrays():
    for dtype in ("float32", "bool", "complex128", "float16"):
        number = np.dtype(dtype).num
        np.testing.assert_array_equal(fast.zeros((3, 50, 700), number), np.zeros((3, 50, 700), dtype))
        assert fast.zeros((0, 3), number).shape == (0, 3) and fast.zeros((), number).shape == ()
        np.testing.assert_array_equal(fast.filled((33, 1000), np.ones((), dtype)), np.ones((33, 1000), dtype))
        assert fast.uninitialised((4, 5), number).dtype == dtype
    assert fast.zeros((-1,), 11) is None and fast.zeros((2 ** 40, 2 ** 40), 11) is None and fast.zeros((2,), 17) is None


def test_whole_numbers_are_counted_up():
    for first, gap, n in ((0, 1, 0), (-5, 3, 100), (7, -2, 40001), (2 ** 62 - 3, 1, 3)):
        np.testing.assert_array_equal(fast.counted(first, gap, n), np.arange(n) * gap + first)
    assert fast.counted(2 ** 70, 1, 3) is None and fast.counted(0, 1, -1) is None
    for args in ((5,), (3, 3), (-4, 9, 4), (2 ** 62 - 1, 2 ** 62), (0, 7, 2 ** 62)):
        np.testing.assert_array_equal(weft.arange(*args).numpy(), np.arange(*args))


@pytest.mark.parametrize("first, gap", [(0, 1), (1, 0.1), (-3.7, 1e-3), (1e6, -0.7), (0, 1e30)])
def test_evenly_spaced_numbers_are_the_references(first, gap, monkeypatch):
    from weft.ops.create import ranges
    for n in (0, 1, 15, 16, 17, 1000, 70001):
        for wide in (np.float32, np.float64):
            made = fast.spaced(float(first), float(gap), n, wide is np.float64)
            with monkeypatch.context() as patch:
                patch.setattr(fast, "spaced", lambda *_: None)
                np.testing.assert_array_equal(made, ranges._spaced(first, gap, n, np.dtype(wide)))
            if n > 1:
                last = wide(first + gap * (n - 1))
                step = float((last - wide(first)) / wide(n - 1))
                made = fast.line(float(wide(first)), float(last), step, n, wide is np.float64)
                np.testing.assert_array_equal(made, ranges._line(first, last, n, np.dtype(wide)).astype(wide))


# slices by index

@pytest.mark.parametrize("dtype", MOVED)
@pytest.mark.parametrize("shape, dim", [((9,), 0), ((7, 5), 0), ((7, 5), 1), ((3, 6, 4), 1), ((40, 16), 0),
                                        ((5, 300), 1), ((2, 3, 2, 2), 2)])
def test_slices_are_taken_and_written(shape, dim, dtype):
    x = values(shape, dtype)
    n = shape[dim]
    for index in (rng.integers(-n, n, 11), rng.integers(0, n, (2, 3)), np.zeros(0, np.int64), np.array(n - 1)):
        for view in layouts(x):
            made = fast.take_dim(view, dim, index)
            if made is not None:
                np.testing.assert_array_equal(made, np.take(view, index, dim))
        place = (slice(None),) * dim + (index,)
        source = values(x[place].shape, dtype)
        for add in (False, True):
            for data in (source, source.reshape(-1)[:1].reshape(()) if source.size else source):
                target, want = x.copy(), x.copy()
                if not fast.write_dim(target, dim, index, data, add):
                    assert add and dtype in ("float16", "bool", "complex64", "complex128")
                    continue
                if add:
                    np.add.at(want, place, data)
                else:
                    for k in np.ndindex(index.shape):      # in order: the last one stays
                        want[(slice(None),) * dim + (index[k],)] = data if data.ndim == 0 else source[(slice(None),)
                                                                                                      * dim + k]
                np.testing.assert_array_equal(target, want)


@pytest.mark.parametrize("rows, width", [(50, 1), (50, 3), (1000, 64), (7, 4000), (3000, 20)])
def test_sums_by_index_do_not_depend_on_threads(rows, width):
    index = rng.integers(0, rows, 20000 // min(width, 40))
    source = rng.standard_normal((len(index), width)).astype(np.float32)

    def add():
        made = np.zeros((rows, width), np.float32)
        assert fast.write_dim(made, 0, index, source, True)
        return made
    want = np.zeros((rows, width), np.float32)
    np.add.at(want, index, source)
    np.testing.assert_array_equal(both_threads(add), want)


def test_indices_out_of_range_write_nothing():
    x, kept = np.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4)
    for bad in (4, -5, 2 ** 62, -2 ** 63, 2 ** 63 - 1):
        index = np.array([0, 1, bad])
        assert fast.take_dim(x, 0, index) is None
        assert fast.write_dim(x, 0, index, np.ones((3, 4)), True) is None
        assert fast.write_dim(x, 0, index, np.ones((3, 4)), False) is None
        wide = np.array([[0, 0, bad, 0]])
        assert fast.gather(x, 0, wide) is None and fast.gather(x, 1, wide) is None
        for how in range(6):
            for dim in (0, 1):
                assert fast.scatter(x, dim, wide, np.ones((1, 4)), how, True, False) is None
        assert fast.joined_index([index], (3,)) is None
    assert fast.gather(x, 0, np.array([[-1]])) is None
    np.testing.assert_array_equal(x, kept)


def test_joined_indices():
    i, j = rng.integers(-7, 7, (5, 1)), rng.integers(-9, 9, 6)
    np.testing.assert_array_equal(fast.joined_index([i, j], (7, 9)), (i % 7) * 9 + j % 9)
    np.testing.assert_array_equal(fast.joined_index([i[::2], np.array(3)], (7, 9)), (i[::2] % 7) * 9 + 3)
    assert fast.joined_index([i, np.zeros((2, 3), np.int64)], (7, 9)) is None
    assert fast.joined_index([i.astype(np.int32)], (7,)) is None


@pytest.mark.parametrize("index", [
    lambda h: (h["rows"],), lambda h: (slice(None), h["cols"]), lambda h: (h["rows"], h["cols"]),
    lambda h: (h["rows"][:, None], h["cols"]), lambda h: (h["mask"],), lambda h: (h["mask"][:, 0],),
    lambda h: (slice(None), h["mask"][0]), lambda h: (h["cube"],),
    lambda h: (slice(None), h["rows"] % 5, h["cols"] % 3)])
def test_reading_writing_and_gradients_are_numpys(index):
    here = {"rows": rng.integers(-6, 6, 7), "cols": rng.integers(-5, 5, 7), "mask": rng.random((6, 5)) < 0.5,
            "cube": rng.random((6, 5, 3)) < 0.5}
    key = index(here)
    x = rng.standard_normal((6, 5, 3))
    t = weft.tensor(x, requires_grad=True)
    their = tuple([k if isinstance(k, slice) else weft.tensor(k) for k in key])
    out = t[their]
    np.testing.assert_array_equal(out.detach().numpy(), x[key])
    g = rng.standard_normal(out.shape)
    out.backward(weft.tensor(g))
    want = np.zeros_like(x)
    np.add.at(want, key, g)
    np.testing.assert_allclose(t.grad.numpy(), want)
    for value in (1.5, g):
        made, want = weft.tensor(x), x.copy()
        made[their] = value if isinstance(value, float) else weft.tensor(value)
        want[key] = value
        np.testing.assert_array_equal(made.numpy(), want)
    assert weft.autograd.gradcheck(lambda v: v[their], (t,)) and weft.autograd.gradgradcheck(lambda v: v[their], (t,))


# gather and scatter

SCATTERS = {1: np.add, 2: np.multiply, 3: np.maximum, 4: np.minimum}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int16", "uint8"])
@pytest.mark.parametrize("shape, cut", [((7,), (20,)), ((5, 6), (5, 6)), ((5, 6), (3, 2)), ((4, 3, 5), (2, 3, 4)),
                                        ((33, 70), (40, 64)), ((3, 1), (3, 1))])
def test_gather_and_scatter(shape, cut, dtype):
    for dim in range(len(shape)):
        size = tuple([c if d == dim else min(c, n) for d, (c, n) in enumerate(zip(cut, shape))])
        index = rng.integers(0, shape[dim], size)
        x, source = values(shape, dtype, 9), values(size, dtype, 9)
        at = list(np.ogrid[tuple(map(slice, size))])
        at[dim] = index
        for view in layouts(x):
            for places in (index, np.asfortranarray(index)):
                np.testing.assert_array_equal(fast.gather(view, dim, places), x[tuple(at)])
        for how in range(6):
            for include_self in (True, False):
                for data in (source, np.asfortranarray(source), np.array(3, dtype)):
                    want = reference_scatter(x, index, dim, at, np.broadcast_to(data, size), how, include_self)
                    for target in (x.copy(), np.asfortranarray(x)):
                        assert fast.scatter(target, dim, index, data, how, include_self, False)
                        np.testing.assert_allclose(target, want, rtol=1e-6)


@pytest.mark.parametrize("shape, dim, count, own", [
    ((6, 7), 0, 9, (9, 1)), ((6, 70), 0, 4, (4, 1)), ((6, 3, 5), 0, 9, (9, 1, 1)), ((6, 3, 5), 0, 9, (9, 3, 1)),
    ((6, 3, 5), 1, 8, (6, 8, 1)), ((6, 3, 5), 1, 8, (1, 8, 1)), ((2, 4, 3, 5), 1, 6, (2, 6, 1, 1)),
    ((5, 4, 3), 0, 3, (3, 1, 3)), ((4, 300), 0, 200, (200, 1))])
def test_an_index_that_is_repeated_along_whole_slices(shape, dim, count, own):
    size = tuple([count if d == dim else n for d, n in enumerate(shape)])
    index = np.broadcast_to(rng.integers(0, shape[dim], own), size)
    narrow = tuple([slice(None)] * (len(shape) - 1)) + (slice(1, 3),)
    for cut in (Ellipsis, narrow):
        picked = index if cut is Ellipsis else index[narrow]
        at = list(np.ogrid[tuple(map(slice, picked.shape))])
        at[dim] = picked
        for dtype in ("float32", "float64", "int16", "uint8"):
            x, source = values(shape, dtype, 9), values(picked.shape, dtype, 9)
            for view in layouts(x):
                found = both_threads(lambda v=view, i=picked: fast.gather(v, dim, i))
                np.testing.assert_array_equal(found, x[tuple(at)])
            for how in range(6):
                backwards = source[..., ::-1].copy()[..., ::-1]
                for data in (source, np.asfortranarray(source), backwards, np.array(3, dtype)):
                    want = reference_scatter(x, picked, dim, at, np.broadcast_to(data, picked.shape), how, how % 2 == 0)

                    def run(how=how, data=data, x=x, picked=picked, want=want):
                        for target in (np.asfortranarray(x), x.copy()):
                            assert fast.scatter(target, dim, picked, data, how, how % 2 == 0, False)
                            np.testing.assert_allclose(target, want, rtol=1e-6)
                        return target
                    both_threads(run)
    for wrong in (-1, shape[dim]):
        far = index.copy()
        far[(-1,) * len(shape)] = wrong
        far = np.broadcast_to(far[tuple([slice(-1, None) if n == 1 else slice(None) for n in own])], size)
        x = values(shape)
        assert fast.gather(x, dim, far) is None
        before = x.copy()
        assert fast.scatter(x, dim, far, values(size), 1, True, False) is None
        np.testing.assert_array_equal(x, before)
        assert fast.scatter(x, dim, far, values(size), 1, True, True) is None


def reference_scatter(x, index, dim, at, source, how, include_self):
    want = x.copy()
    if how == 0:
        for k in np.ndindex(index.shape):
            place = list(k)
            place[dim] = index[k]
            want[tuple(place)] = source[k]
        return want
    limits = np.iinfo if x.dtype.kind in "iu" else np.finfo
    if not include_self:
        least, most = (limits(x.dtype).min, limits(x.dtype).max) if x.dtype.kind in "iu" else (-np.inf, np.inf)
        want[tuple(at)] = {1: 0, 2: 1, 3: least, 4: most, 5: 0}[how]
    SCATTERS.get(how, np.add).at(want, tuple(at), source)
    if how == 5:
        counts = np.full(x.shape, int(include_self))
        np.add.at(counts, tuple(at), 1)
        counts = np.maximum(counts, 1)
        want = (want.astype(np.int64) // counts).astype(x.dtype) if x.dtype.kind in "iu" else want / counts
    return want


@pytest.mark.parametrize("shape, dim", [((60000,), 0), ((300, 400), 0), ((300, 400), 1), ((2500, 64), 0),
                                        ((4, 90000), 1)])
def test_large_scatters_do_not_depend_on_threads(shape, dim):
    x = rng.standard_normal(shape).astype(np.float32)
    index, source = rng.integers(0, shape[dim], shape), rng.standard_normal(shape).astype(np.float32)
    at = list(np.ogrid[tuple(map(slice, shape))])
    at[dim] = index
    for how in range(6):
        def run(how=how):
            made = x.copy()
            assert fast.scatter(made, dim, index, source, how, True, how % 2 == 0)
            return made
        np.testing.assert_allclose(both_threads(run), reference_scatter(x, index, dim, at, source, how, True) if how
                                   else run(), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(both_threads(lambda: fast.gather(x, dim, index)), x[tuple(at)])


def test_scatter_knows_nan():
    x = np.array([1.0, NAN, 3.0, 4.0])
    for how, want in ((3, [NAN, NAN, 9, 4]), (4, [NAN, NAN, 3, 4])):
        made = x.copy()
        assert fast.scatter(made, 0, np.array([0, 1, 2]), np.array([NAN, 2.0, 9.0]), how, True, False)
        np.testing.assert_array_equal(made, want)


def test_what_scatter_does_not_take():
    x, index = np.zeros((3, 4)), np.zeros((2, 2), np.int64)
    assert fast.scatter(x, 2, index, np.ones((2, 2)), 1, True, False) is None
    assert fast.scatter(x, 0, index, np.ones((1, 2)), 1, True, False) is None           # too short
    assert fast.scatter(x, 0, np.zeros((2, 5), np.int64), np.ones((2, 5)), 1, True, False) is None
    assert fast.scatter(x, 0, index, np.ones((2, 2), np.float32), 1, True, False) is None
    assert fast.scatter(np.broadcast_to(x[:1], (3, 4)), 0, index, np.ones((2, 2)), 1, True, False) is None
    assert fast.scatter(x, 0, index, x[:2, :2], 1, True, False) is None                 # its own memory
    assert fast.scatter(x, 0, index, np.ones((2, 2)), 7, True, False) is None
    assert fast.scatter(x > 0, 0, index, np.ones((2, 2), bool), 1, True, False) is None


# masks

@pytest.mark.parametrize("n", [0, *SIZES, 40000])
@pytest.mark.parametrize("part", [0, 0.5, 1])
def test_masks(n, part):
    mask = rng.random(n) < part
    for dtype in ("float32", "uint8", "complex128", "int64", "float16"):
        x = values(n, dtype)
        np.testing.assert_array_equal(both_threads(lambda x=x: fast.masked_select(x, mask)), x[mask])
        source, want = values(n, dtype), x.copy()
        want[mask] = source[:mask.sum()]
        made = x.copy()
        assert fast.masked_place(made, mask, source)
        np.testing.assert_array_equal(made, want)
        want = np.zeros(n, dtype)
        want[mask] = source[:mask.sum()]
        np.testing.assert_array_equal(fast.masked_place(None, mask, source[:mask.sum()].copy()), want)
    np.testing.assert_array_equal(fast.true_places(mask), np.flatnonzero(mask))
    if mask.sum():
        assert fast.masked_place(np.zeros(n), mask, np.zeros(mask.sum() - 1)) is None


@pytest.mark.parametrize("shape", [(5,), (3, 7), (0, 4), (4, 0), (2, 3, 5), (40, 1000), (30, 30, 40), (1, 20000, 2)])
def test_nonzero(shape):
    for dtype in ("bool", "float32", "float64", "int64", "uint8"):
        x = (rng.integers(-2, 3, shape) * (rng.random(shape) < 0.4)).astype(dtype)
        if x.dtype.kind == "f":
            x[x == 1] = -0.0
            x[x == 2] = NAN
        np.testing.assert_array_equal(both_threads(lambda x=x: fast.nonzero(x)), np.stack(np.nonzero(x)))


# sorting and selecting

def odd_rows(shape, dtype):
    """Many equal elements, the type's ends, NaN, infinities and both zeros."""
    x = values(shape, dtype, 5)
    if np.dtype(dtype).kind == "f":
        x = rng.standard_normal(shape).astype(dtype) if x.size % 2 else x
        for value in (NAN, np.inf, -np.inf, -0.0, 0.0):
            x[rng.random(shape) < 0.1] = value
    elif dtype != "bool":
        x[rng.random(shape) < 0.1] = np.iinfo(dtype).min
        x[rng.random(shape) < 0.1] = np.iinfo(dtype).max
    return x


@pytest.mark.parametrize("dtype", SORTED)
@pytest.mark.parametrize("shape, axis", [*[((n,), 0) for n in SIZES], ((5, 41), 1), ((41, 5), 0), ((3, 50, 20), 1),
                                         ((300, 300), 1), ((300, 40), 0)])
def test_sort_is_stable(shape, axis, dtype):
    for x in (odd_rows(shape, dtype), np.sort(odd_rows(shape, dtype), axis), np.zeros(shape, dtype)):
        for descending in (False, True):
            made, places = both_threads(lambda x=x, d=descending: fast.sort(x, axis, d, True))
            want = weft.ops.reduce.sort.order_of(x, axis, descending)
            np.testing.assert_array_equal(places, want)
            np.testing.assert_array_equal(made.view(f"u{made.itemsize}"),
                                          np.take_along_axis(x, want, axis).view(f"u{made.itemsize}"))
            none, again = fast.sort(x, axis, descending, False)
            assert none is None
            np.testing.assert_array_equal(again, places)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
def test_a_long_row_is_sorted_by_all_threads(dtype):
    x = (rng.standard_normal(150000) * 100).astype(dtype)
    made, places = both_threads(lambda: fast.sort(x, 0, False, True))
    np.testing.assert_array_equal(places, np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(made, np.sort(x))


@pytest.mark.parametrize("dtype", SORTED[:-1])
@pytest.mark.parametrize("n, k", [(1, 1), (7, 3), (100, 1), (100, 50), (1000, 3), (1000, 400), (5000, 700),
                                  (5000, 5000)])
def test_topk_and_kthvalue(n, k, dtype):
    for x in (odd_rows((3, n), dtype), rng.permutation(n * 3).reshape(3, n).astype(dtype)):
        for axis, view in ((1, x), (0, np.ascontiguousarray(x.T))):
            ranked = np.sort(view, axis)
            for largest in (True, False):
                for in_order in (True, False):
                    made, places = both_threads(lambda v=view, a=axis, b=largest, c=in_order: fast.topk(v, k, a, b, c))
                    want = np.take(ranked, np.arange(n - 1, n - 1 - k, -1) if largest else np.arange(k), axis)
                    np.testing.assert_array_equal(made if in_order else np.sort(made, axis), want if in_order
                                                  else np.sort(want, axis))
                    np.testing.assert_array_equal(np.take_along_axis(view, places, axis), made)
                    assert all(len(set(row)) == k for row in np.moveaxis(places, axis, -1))
            made, places = fast.kthvalue(view, k - 1, axis, True)
            np.testing.assert_array_equal(made, np.take(ranked, [k - 1], axis))
            np.testing.assert_array_equal(np.take_along_axis(view, places, axis), made)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int8"])
@pytest.mark.parametrize("shape, axis", [((1, 1), 1), ((6, 33), 1), ((33, 6), 0), ((2, 1000), 1), ((3, 40, 5), 1)])
def test_medians(shape, axis, dtype, monkeypatch):
    x = odd_rows(shape, dtype)
    for data in (x, np.abs(np.nan_to_num(x)) if x.dtype.kind == "f" else x):
        t = weft.from_numpy(data)
        for function in (weft.median, weft.nanmedian):
            got = function(t, axis)
            with monkeypatch.context() as patch:
                patch.setattr(fast, "median", lambda *_: None)
                want = function(t, axis)
            np.testing.assert_array_equal(got.values.numpy(), want.values.numpy())
            np.testing.assert_array_equal(got.indices.numpy(), want.indices.numpy())


@pytest.mark.parametrize("dtype", SORTED)
@pytest.mark.parametrize("n", [1, 5, 33, 1000, 70000])
def test_unique(n, dtype):
    for x in (odd_rows((n,), dtype), values(n, dtype, 100000)):
        got = both_threads(lambda x=x: fast.unique(x, True, True))
        want = np.unique(x, return_inverse=True, return_counts=True, equal_nan=False)
        number = x == x
        for a, b in zip((got[0], got[1][number], got[2]), (want[0], want[1][number], want[2])):
            np.testing.assert_array_equal(a, b)
        # each NaN is an element of its own
        np.testing.assert_array_equal(np.sort(got[1][~number]), np.sort(want[1][~number]))
        assert fast.unique(x, False, False)[1:] == (None, None)


@pytest.mark.parametrize("dtype", SORTED[:-1])
@pytest.mark.parametrize("n", [0, *SIZES])
def test_places_among_sorted_values(n, dtype):
    sequence, wanted = np.sort(odd_rows((n,), dtype)), odd_rows((257,), dtype)
    for right in (False, True):
        side = "right" if right else "left"
        np.testing.assert_array_equal(fast.search(sequence, wanted, right), np.searchsorted(sequence, wanted, side))
        np.testing.assert_array_equal(fast.search(sequence, wanted[:3].copy(), right),
                                      np.searchsorted(sequence, wanted[:3], side))
        rows, row_values = np.sort(odd_rows((4, n), dtype)), odd_rows((4, 50), dtype)
        want = np.stack([np.searchsorted(a, b, side) for a, b in zip(rows, row_values)])
        np.testing.assert_array_equal(fast.search(rows, row_values, right), want)
    assert fast.search(sequence, wanted.reshape(1, -1).astype(np.complex64), True) is None


@pytest.mark.parametrize("n, bins", [(1, 1), (100, 7), (5000, 5000), (200000, 100), (200000, 20000)])
def test_bincount(n, bins):
    x = rng.integers(0, bins, n)
    np.testing.assert_array_equal(both_threads(lambda: fast.bincount(x, None, bins + 2)),
                                  np.bincount(x, minlength=bins + 2))
    for dtype in (np.float32, np.float64):
        weights = rng.standard_normal(n).astype(dtype)
        np.testing.assert_array_equal(fast.bincount(x, weights, 0), np.bincount(x, weights).astype(dtype))
    assert fast.bincount(-x - 1, None, 0) is None


def test_the_ops_use_what_they_may(monkeypatch):
    """Half types, empty and zero-dim tensors, and views go through the same ops."""
    half = weft.tensor([3.0, 1.0, 2.0], dtype=weft.bfloat16)
    assert half.sort().indices.tolist() == [1, 2, 0] and half[weft.tensor([2, 0])].tolist() == [2.0, 3.0]
    assert half.index_add(0, weft.tensor([0, 0]), half[:2]).tolist() == [7.0, 1.0, 2.0]
    assert weft.zeros(0, 3).sort().values.shape == (0, 3) and weft.tensor(5.0).sort().indices.item() == 0
    x = weft.arange(24.0).reshape(4, 6)
    np.testing.assert_array_equal(x.t()[weft.tensor([1, -1])].numpy(), x.numpy().T[[1, -1]])
    x.t().index_add_(0, weft.tensor([1]), weft.ones(1, 4))
    assert x[:, 1].tolist() == [2, 8, 14, 20]
    with pytest.raises(RuntimeError, match="out of bounds"):
        x.scatter_(1, weft.tensor([[0, 6]]), 0.0)
    assert x[0, 0] == 0 and x[0, 1] == 2
    with pytest.raises(IndexError, match="out of"):
        x[weft.tensor([4])]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("skewed", [False, True])
def test_index_add_writes_each_slice_once(dtype, skewed):
    """A copy, then sums into it by other tasks: two threads were no quicker than one."""
    x, source = values((300, 70), dtype), values((2000, 70), dtype)
    index = np.minimum(rng.integers(0, 300, 2000), 2 if skewed else 290)        # some slices are named by none
    want = x.copy()
    np.add.at(want, index, source)
    found = both_threads(lambda: weft.index_add(weft.tensor(x), 0, weft.tensor(index), weft.tensor(source)).numpy())
    np.testing.assert_array_equal(found, want)
    inside = both_threads(lambda: weft.tensor(x).index_add_(0, weft.tensor(index), weft.tensor(source)).numpy())
    np.testing.assert_array_equal(inside, want)
    made = fast.added_slices(x, index, source)
    assert (made is None) == skewed
    assert fast.added_slices(x, np.full(2000, 300), source) is None      # out of range: the caller says so
