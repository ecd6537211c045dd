"""A chain of elementwise functions in one pass gives the very bits that the functions give one after the other."""
import numpy as np
import pytest

from weft.kernels import fast
from weft.kernels.codes import BINARY, UNARY
from weft.kernels.native import binary, unary

pytestmark = pytest.mark.skipif(fast.lib is None, reason="the plain core has no kernels")


def program(n_inputs, tiles, results, shape, steps):
    return np.array([n_inputs, len(steps), tiles, results, len(shape), *shape, *np.ravel(steps)], np.int64)


def chain(shape, x, y, z):
    """tanh(x + y) * z, and that squared: one tile twice, two results."""
    steps = [(BINARY["add"], 0, 1, 3), (UNARY["tanh"], 3, -1, 4), (BINARY["mul"], 4, 2, 5), (UNARY["square"], 5, -1, 6)]
    found = fast.fused(program(3, 2, 2, shape, steps), x, y, z)
    first = binary(BINARY["mul"], unary(UNARY["tanh"], binary(BINARY["add"], x, y)), z)
    return found, (first, unary(UNARY["square"], first))


def other(kind, shape, rng, dtype):
    """An operand that lies against the shape in one of the ways."""
    if kind == "full":
        return rng.standard_normal(shape).astype(dtype)
    if kind == "one":
        return np.array(rng.standard_normal(), dtype)
    if kind == "repeated":
        return np.broadcast_to(np.array(rng.standard_normal(), dtype), shape)
    if kind == "row":
        return rng.standard_normal(shape[-1]).astype(dtype)
    return rng.standard_normal((*shape[:-1], 1)).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(1,), (7, 64), (3, 5, 100), (2, 1025), (40, 1, 1500), (0, 64), (100, 2049)])
@pytest.mark.parametrize("kinds", [("full", "full"), ("one", "row"), ("column", "full"), ("row", "column"),
                                   ("repeated", "full"), ("row", "row")])
def test_a_chain_is_its_functions_bit_for_bit(shape, kinds, dtype):
    rng = np.random.default_rng(len(shape))
    x = rng.standard_normal(shape).astype(dtype)
    x.ravel()[:2] = [np.nan, np.inf][:x.size]
    y, z = (other(kind, shape, rng, dtype) for kind in kinds)
    found, expected = chain(shape, x, y, z)
    if found is None:
        assert shape[-1] < 64 and {"row", "column"} & set(kinds)        # rows that are too short to gain
        return
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == b.dtype and a.flags.c_contiguous and np.array_equal(a, b, equal_nan=True)


def test_what_a_chain_does_not_take_is_refused():
    x = np.ones((64, 64), "f4")
    steps = [(BINARY["add"], 0, 1, 2), (UNARY["neg"], 2, -1, 3)]
    good = program(2, 1, 1, (64, 64), steps)

    def run(*inputs, p=good):
        return fast.fused(p, *inputs)
    assert np.array_equal(run(x, x)[0], -2 * x)
    assert run(x, x.astype("f8")) is None and run(x.astype("i4"), x.astype("i4")) is None
    assert run(x, x[::2]) is None and run(x, x[:, ::-1]) is None and run(np.ones((64, 128), "f4")[:, ::2], x) is None
    assert run(x) is None and run(x, x, x) is None and run(x, None) is None
    assert run(x, x, p=program(2, 1, 1, (64, 64), [(BINARY["eq"], 0, 1, 3)])) is None
    assert run(x, x, p=program(2, 1, 1, (64, 64), [(BINARY["add"], 0, 9, 3)])) is None
    assert run(x, x, p=program(2, 1, 1, (64, 64), [(9999, 0, 1, 3)])) is None
    assert run(x, x, p=program(2, 99, 1, (64, 64), steps)) is None
    assert run(x, x, p=np.zeros(3, np.int64)) is None


def test_results_are_the_same_with_any_number_of_threads():
    import weft
    x = np.random.default_rng(0).standard_normal(300_000).astype("f4")
    before, made = weft.get_num_threads(), []
    try:
        for n in (1, 2, 3):
            weft.set_num_threads(n)
            made.append(chain(x.shape, x, x, x)[0])
    finally:
        weft.set_num_threads(before)
    assert all(np.array_equal(a, b) for other in made[1:] for a, b in zip(made[0], other))


@pytest.mark.parametrize("shape", [(7, 64), (3, 1025), (3_000_000,)])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_result_lies_where_an_input_was_that_nobody_holds(shape, dtype):
    """exp(x) * y, and that less y: the first result may take x's memory, the second y's."""
    steps = [(UNARY["exp"], 0, -1, 2), (BINARY["mul"], 2, 1, 3), (BINARY["sub"], 3, 1, 4)]
    made = np.append(program(2, 1, 2, shape, steps), [0, 1])
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(shape).astype(dtype), rng.standard_normal(shape).astype(dtype)
    kept = x.copy(), y.copy()
    expected = fast.fused(made, x, y)           # both are held here: nothing is overwritten
    assert np.array_equal(x, kept[0]) and np.array_equal(y, kept[1])
    first = binary(BINARY["mul"], unary(UNARY["exp"], x), y)
    for a, b in zip(expected, (first, binary(BINARY["sub"], first, y)), strict=True):
        np.testing.assert_array_equal(a, b)
    given = [x, y]
    places = [a.ctypes.data for a in given]
    del x, y
    found = fast.fused(made, given.pop(0), given.pop(0))
    assert [a.ctypes.data for a in found] == places
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_a_result_can_not_take_is_left_alone():
    """A view, a row that repeats, memory that can't be written; and numbers of no input."""
    steps = [(BINARY["add"], 0, 1, 2)]
    made = np.append(program(2, 0, 1, (8, 64), steps), [0])
    y = np.ones((8, 64), "f4")
    for x in (np.ones((16, 64), "f4")[:8], np.ones(64, "f4"), np.ones((8, 64), "f4")):
        x.flags.writeable = x.base is not None
        before, place = x.copy(), x.ctypes.data
        held = x if x.base is None else x.base      # so that its memory stays
        given = [x]
        del x
        found = fast.fused(made, given.pop(), y)[0]
        assert found.ctypes.data != place and np.array_equal(found, before + y)
        assert np.array_equal(held[:8] if held.ndim > 1 else held, before)
    for wrong in ([2], [-2], [0, 0]):
        assert fast.fused(np.append(program(2, 0, 1, (8, 64), steps), wrong), y, y) is None
