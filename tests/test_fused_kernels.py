"""A chain of elementwise functions in one pass gives the very bits that the functions give one after the other."""
import numpy as np
import pytest

import weft
from weft.kernels import fast
from weft.kernels.codes import BINARY, CHAINED, UNARY
from weft.kernels.native import binary, unary

pytestmark = pytest.mark.skipif(fast.lib is None, reason="the plain core has no kernels")


def program(n_inputs, tiles, results, shape, steps):
    numbers = [n for code, *operands, out in steps for n in (code, *operands, *[-1] * (4 - len(operands)), out)]
    return np.array([n_inputs, len(steps), tiles, results, len(shape), *shape, *numbers], np.int64)


def chain(shape, x, y, z):
    """tanh(x + y) * z, and that squared: one tile twice, two results."""
    steps = [(BINARY["add"], 0, 1, 3), (UNARY["tanh"], 3, 4), (BINARY["mul"], 4, 2, 5), (UNARY["square"], 5, 6)]
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
    steps = [(BINARY["add"], 0, 1, 2), (UNARY["neg"], 2, 3)]
    good = program(2, 1, 1, (64, 64), steps)

    def run(*inputs, p=good):
        return fast.fused(p, *inputs)
    assert np.array_equal(run(x, x)[0], -2 * x)
    assert run(x, x.astype("f8")) is None and run(x.astype("i4"), x.astype("i4")) is None
    assert run(x, x[::2]) is None and run(x, x[:, ::-1]) is None and run(np.ones((64, 128), "f4")[:, ::2], x) is None
    assert run(x) is None and run(x, x, x) is None and run(x, None) is None
    assert run(x, x, p=program(2, 1, 1, (64, 64), [(BINARY["eq"], 0, 1, 2), (UNARY["neg"], 2, 3)])) is None     # a bool
    assert run(x, x, p=program(2, 1, 1, (64, 64), [(CHAINED["where"], 0, 0, 1, 3)])) is None                    # no bool
    assert run(x, x, p=program(2, 1, 1, (64, 64), [(UNARY["neg"], 2, 3)])) is None              # nobody made the tile
    assert run(x, x, p=program(2, 1, 1, (64, 64), [(UNARY["neg"], 0, 2)])) is None              # nobody makes the result
    assert run(x > 0, x > 0, p=program(2, 0, 1, (64, 64), [(CHAINED["both"], 0, 1, 2)])) is None    # no floating type
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
    steps = [(UNARY["exp"], 0, 2), (BINARY["mul"], 2, 1, 3), (BINARY["sub"], 3, 1, 4)]
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


# masks, strides

@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(1,), (333,), (7, 130), (3, 5, 100)])
def test_masks_inside_a_chain_choose_as_numpy_does(shape, dtype):
    """Comparisons, where, clamp, a clamp's gradient, dropout, shares of a minimum, masks of masks."""
    rng = np.random.default_rng(0)
    x, y, g = (rng.choice(np.array([-2.0, -1.0, -0.0, 0.0, 0.5, 1.0, np.nan, np.inf]), shape).astype(dtype) for _ in "xyg")
    mask, low, high, scale = rng.random(shape) < 0.5, np.array(-1, dtype), np.array(0.5, dtype), np.array(1.25, dtype)
    inputs = [x, y, g, mask, low, high, scale]
    n = len(inputs)
    steps = [(BINARY["gt"], 0, 1, n), (CHAINED["both"], n, 3, n + 1), (CHAINED["either"], n, 3, n + 2),
             (CHAINED["opposite"], n + 2, n + 3), (CHAINED["where"], n + 1, 0, 1, n + 4), (CHAINED["clamp"], 0, 4, 5, n + 5),
             (CHAINED["inside"], 2, 0, 4, 5, n + 6), (CHAINED["dropout"], 0, 3, 6, n + 7),
             (CHAINED["winner_share"], 2, 0, 1, n + 8), (CHAINED["number_of"], n + 3, n + 9)]
    found = fast.fused(program(n, 0, 10, shape, steps), *inputs)
    with np.errstate(invalid="ignore"):
        expected = [x > y, (x > y) & mask, (x > y) | mask, ~((x > y) | mask), np.where((x > y) & mask, x, y),
                    fast.activate(7, x, -1.0, 0.5, 0.0), fast.activate_backward(7, g, x, -1.0, 0.5, 0.0),
                    fast.dropout(x, mask, 1.25, 0.0, 0.0),
                    np.where(x == y, g * g.dtype.type(0.5), np.where(x < y, g.dtype.type(0), g)),
                    (~((x > y) | mask)).astype(dtype)]
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == b.dtype and a.tobytes() == b.tobytes()


def laid(kind, shape, dtype, rng):
    """An operand of a shape of three dimensions that lies in a way of its own."""
    a, b, c = shape

    def new(*sizes):
        return rng.standard_normal(sizes).astype(dtype)
    return {"rows of wider ones": lambda: new(a, b, 3 * c)[..., c:2 * c], "every second row": lambda: new(a, 2 * b, c)[:, ::2],
            "turned outside": lambda: new(b, a, c).transpose(1, 0, 2), "upside down": lambda: new(a, b, c)[::-1],
            "middle": lambda: new(1, b, 1), "plane": lambda: new(b, c), "first": lambda: new(a, 1, 1), "row": lambda: new(c),
            "column": lambda: new(a, b, 1), "without the middle": lambda: new(a, 1, c), "whole": lambda: new(a, b, c)}[kind]()


KINDS = ["rows of wider ones", "every second row", "turned outside", "upside down", "middle", "plane", "first", "row", "column",
         "without the middle", "whole"]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(3, 5, 64), (2, 7, 1100), (1, 4, 70), (5, 1, 65)])
@pytest.mark.parametrize("first", KINDS)
def test_rows_may_lie_anywhere(first, shape, dtype):
    rng = np.random.default_rng(0)
    for second in KINDS:
        x, y, z = (laid(kind, shape, dtype, rng) for kind in ("whole", first, second))
        found = chain(shape, x, y, z)[0]
        expected = chain(shape, *[np.ascontiguousarray(np.broadcast_to(v, shape)) for v in (x, y, z)])[1]
        for a, b in zip(found, expected, strict=True):
            assert a.flags.c_contiguous and np.array_equal(a, b), second


# the end of a chain

REDUCTIONS = [lambda x, dim, keepdim: fast.reduce_sum(x, dim, keepdim), lambda x, dim, keepdim: fast.reduce_mean(x, dim, keepdim),
              lambda x, dim, keepdim: fast.reduce_extreme(x, dim, keepdim, True),
              lambda x, dim, keepdim: fast.reduce_extreme(x, dim, keepdim, False)]
SHAPES = [(), (1,), (5,), (1023,), (300_000,), (4, 70_001), (3, 64), (100, 130), (7, 3, 65), (40, 9, 100), (70, 5000), (3, 2000, 90),
          (2, 4, 8, 70)]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("what", range(4))
def test_what_a_chain_is_reduced_to_has_the_bits_of_the_reduction(shape, what, dtype):
    """tanh(x) * y: squared and handed out, and reduced over any dimensions."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(shape).astype(dtype), rng.standard_normal(shape).astype(dtype)
    product = binary(BINARY["mul"], unary(UNARY["tanh"], x), y)
    steps = [(UNARY["tanh"], 0, 2), (BINARY["mul"], 2, 1, 4), (UNARY["square"], 4, 3)]
    numbers = program(2, 1, 2, shape, steps)
    nd = len(shape)
    taken = 0
    for dim in [None, *range(nd), *[(i, j) for i in range(nd) for j in range(i)]]:
        for keepdim in (False, True):
            expected = REDUCTIONS[what](product, dim, keepdim)
            found = fast.fused_reduce(numbers, what, dim, keepdim, x, y)
            if found is None:
                continue
            taken += 1
            assert len(found) == 2 and np.array_equal(found[0], product * product)
            assert found[1].shape == expected.shape and found[1].tobytes() == expected.tobytes()
    assert taken >= 2


def test_reductions_at_the_end_are_the_same_with_any_number_of_threads():
    import weft
    x = np.random.default_rng(0).standard_normal((500, 1000)).astype("f4")
    numbers = program(1, 0, 1, x.shape, [(UNARY["tanh"], 0, 1)])
    before, made = weft.get_num_threads(), []
    try:
        for n in (1, 2, 3):
            weft.set_num_threads(n)
            made.append([fast.fused_reduce(numbers, 0, dim, False, x)[0] for dim in (None, 0, 1)])
    finally:
        weft.set_num_threads(before)
    for other in made[1:]:
        for a, b in zip(made[0], other, strict=True):
            assert np.array_equal(a, b)


def test_what_can_not_be_the_end_of_a_chain_is_refused():
    x, empty = np.ones((64, 64), "f4"), np.ones((0, 64), "f4")
    numbers = program(1, 0, 1, (64, 64), [(UNARY["neg"], 0, 1)])
    assert fast.fused_reduce(numbers, 0, None, False, x)[0] == -4096
    for wrong in ((4, None, False), (-1, None, False), (0, 2, False), (0, (0, 0), False), (0, "0", False), (0, None, None)):
        assert fast.fused_reduce(numbers, *wrong, x) is None
    assert fast.fused_reduce(numbers, 0, None, False) is None and fast.fused_reduce(numbers, 0, None, False, None) is None
    mask = program(1, 0, 1, (64, 64), [(BINARY["gt"], 0, 0, 1)])
    assert fast.fused_reduce(mask, 0, None, False, x) is None
    assert fast.fused_reduce(program(1, 0, 1, (0, 64), [(UNARY["neg"], 0, 1)]), 0, None, False, empty) is None


HALF = [weft.bfloat16, weft.float16]


def half_step(x, y, row):
    a = weft.nn.functional.silu(x) * y + 0.1
    b = (1 - a) / (y * y + 1.0009765625)
    c = b.exp() - row
    return a, c.tanh(), c > 0.3, (c < a) & (a != 0.5)


@pytest.mark.parametrize("kind", HALF, ids=str)
@pytest.mark.parametrize("shape", [(64, 64), (3, 700), (2, 5, 129), (1, 1025)])
def test_chains_of_half_types_are_rounded_after_each_function(kind, shape):
    weft.manual_seed(0)
    x, y = (weft.randn(*shape).to(kind) for _ in "xy")
    x.view(-1)[:3] = weft.tensor([float("nan"), float("inf"), -0.0], dtype=kind)
    row = weft.randn(shape[-1]).to(kind)
    captured = weft.compile(half_step)
    expected = half_step(x, y, row)
    for _ in range(5):
        for made, plain in zip(captured(x, y, row), expected, strict=True):
            assert made.dtype == plain.dtype and made.shape == plain.shape
            assert made.view(weft.uint8).tolist() == plain.view(weft.uint8).tolist()


def test_a_chain_of_half_types_takes_floats_as_numbers():
    x = weft.randn(64, 64).to(weft.bfloat16)
    third = np.array(1 / 3, np.float32)             # not rounded to bfloat16
    steps = [(BINARY["mul"], 0, 1, 2), (BINARY["add"], 2, 0, 3)]
    (found,) = fast.fused(program(2, 1, 1, (64, 64), steps), x._array, third)
    expected = x * (1 / 3) + x
    assert found.dtype == expected._array.dtype and found.tobytes() == expected._array.tobytes()
    assert fast.fused(program(2, 1, 1, (64, 64), steps), x._array, np.ones((64, 64), np.float32)) is None


@pytest.mark.parametrize("kind", HALF, ids=str)
def test_the_reduced_end_of_a_chain_of_half_types_is_that_of_the_rounded_values(kind):
    x, y = (weft.randn(64, 130).to(kind) for _ in range(2))
    steps = [(BINARY["mul"], 0, 1, 2), (UNARY["neg"], 2, 3)]
    made = -(x * y)
    for what, expected in enumerate((made.sum, made.mean, made.amax, made.amin)):
        for dim, keepdim in (((0, 1), False), ((1,), True), ((0,), False)):
            (found,) = fast.fused_reduce(program(2, 1, 1, (64, 130), steps), what, dim, keepdim, x._array, y._array)
            wanted = expected(dim, keepdim=keepdim)._array
            assert found.dtype == wanted.dtype and found.shape == wanted.shape and found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("kind", HALF, ids=str)
def test_a_captured_training_step_of_half_types(kind):
    def run(captured):
        weft.manual_seed(1)
        w = weft.randn(64, 64).to(kind).requires_grad_()
        x = weft.randn(32, 64).to(kind)

        def step(x):
            h = x @ w
            loss = (weft.nn.functional.silu(h) * h.sigmoid() + h * 0.3).float().mean()
            loss.backward()
            return loss
        step = weft.compile(step) if captured else step
        made = []
        for _ in range(5):
            w.grad = None
            made.append((step(x).item(), w.grad.view(weft.uint8).tolist()))
        return made
    assert run(True) == run(False)
