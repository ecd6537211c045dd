"""Copying and adding rows by their numbers (cpp/rows.cpp), against NumPy; and what is not taken."""
import numpy as np
import pytest

from weft.kernels import fast

rng = np.random.default_rng(0)
native = pytest.mark.skipif(fast.rows_copy(np.zeros((2, 1)), np.arange(2), np.zeros((2, 1)), np.arange(2)) is None,
                            reason="needs the kernels")
SHAPES = [(), (1,), (7,), (1, 40), (3, 0), (2, 3, 5), (300,)]


def arrays(shape, kind):
    """A dense array, rows that lie apart, and pieces of wider rows."""
    dense = (rng.standard_normal((9, *shape)) * 4).astype(kind)
    found = [dense, np.repeat(dense, 2, 0)[::2], dense[::-1]]
    if shape and shape[-1]:
        found.append(np.concatenate([dense, dense], -1)[..., :shape[-1]])
    return found


@native
@pytest.mark.parametrize("kind", ["f4", "f8", "f2", "i8", "i4", "?", "u1"])
@pytest.mark.parametrize("shape", SHAPES)
def test_copies(shape, kind):
    places, rows = rng.permutation(20)[:6], rng.integers(0, 9, 6)
    for source in arrays(shape, kind):
        target = np.zeros((20, *shape), kind)
        taken = fast.rows_copy(target, places, source, rows)
        rows_are_dense = len(shape) < 2 or source.flags.c_contiguous or source[0].flags.c_contiguous
        assert taken is (True if rows_are_dense else None)
        expected = np.zeros_like(target)
        if taken:
            expected[places] = source[rows]
        assert (target == expected).all()


@native
@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES)
def test_sums(shape, kind):
    rows, places = rng.integers(0, 4, 12), rng.integers(0, 9, 12)      # some of them several times
    for source in arrays(shape, kind):
        target = rng.standard_normal((4, *shape)).astype(kind)
        expected = target.copy()
        if fast.rows_add(target, rows, source, places):
            for row, place in zip(rows, places):
                expected[row] += source[place]
        np.testing.assert_array_equal(target, expected)


@native
def test_many_rows_with_threads():
    source, rows = rng.standard_normal((5000, 64)).astype("f4"), rng.permutation(5000)
    target = np.zeros_like(source)
    assert fast.rows_copy(target, np.arange(5000), source, rows)
    assert (target == source[rows]).all()


@native
@pytest.mark.parametrize("case", ["beyond", "negative", "types", "widths", "counts", "kinds", "numbers"])
def test_what_is_not_taken(case):
    target, places, source, rows = np.zeros((4, 3)), np.arange(2), np.ones((5, 3)), np.array([1, 4])
    if case == "beyond":
        rows = np.array([1, 5])
    elif case == "negative":
        places = np.array([0, -1])
    elif case == "types":
        source = source.astype("f4")
    elif case == "widths":
        source = np.ones((5, 2))
    elif case == "counts":
        rows = np.array([1])
    elif case == "kinds":
        rows = rows.astype("i4")
    else:
        target = target.astype("i8")
        source = source.astype("i8")
    assert fast.rows_add(target, places, source, rows) is None
    if case != "numbers":
        assert fast.rows_copy(target, places, source, rows) is None
    assert not target.any()
