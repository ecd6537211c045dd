"""Programs that run once for each row (cpp/chain.cpp), against NumPy; and what is not taken."""
import numpy as np
import pytest

from weft.kernels import fast
from weft.kernels.codes import BINARY, UNARY

rng = np.random.default_rng(0)
native = pytest.mark.skipif(fast.lib is None, reason="needs the kernels")
ROWS, SHARED, NUMBER, COPY, ZERO = 0, 1, 2, 0, -1


def numbers(modes, written, registers, steps, scratch):
    """A program: `written` is the first array that is written to."""
    flat = [len(modes), len(registers), len(steps), scratch, written, *modes]
    for part in (*registers, *steps):
        flat += part
    return np.array(flat, np.int64)


# out0 = tanh(x[rows] + bias) * 0.5; out1 = its two halves, added, then zeros
MODES = [ROWS, SHARED, NUMBER, ROWS, ROWS]
REGISTERS = [(0, 0, 6), (1, 0, 6), (2, 0, 1), (-1, 0, 6), (-1, 6, 6), (3, 0, 6), (3, 0, 3), (3, 3, 3), (4, 0, 3),
             (4, 3, 3)]
STEPS = [(BINARY["add"], 0, 1, 3), (UNARY["tanh"], 3, -1, 4), (BINARY["mul"], 4, 2, 5), (BINARY["add"], 6, 7, 8),
         (ZERO, 9, -1, 9)]


def given(kind, n=70):
    x = rng.standard_normal((9, 1, 12)).astype(kind)[..., 3:9]      # rows that lie apart
    return [x, rng.integers(0, 9, n), rng.standard_normal((1, 6)).astype(kind), None, np.array(0.5, kind), None,
            np.full((n, 6), 7, kind), None, np.full((n, 1, 6), 7, kind), None]


@native
@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("n", [0, 1, 70, 5000])
def test_runs(kind, n):
    args = given(kind, n)
    assert fast.chain(numbers(MODES, 3, REGISTERS, STEPS, 12), n, *args) is True
    x, rows, bias, out, halves = args[0], args[1], args[2], args[6], args[8].reshape(n, 6)
    expected = np.tanh(x[rows].reshape(n, 6) + bias) * np.array(0.5, kind)
    np.testing.assert_allclose(out, expected, rtol=1e-5 if kind == "f4" else 1e-13)
    np.testing.assert_array_equal(halves, np.concatenate([out[:, :3] + out[:, 3:], np.zeros((n, 3), kind)], 1))


@native
def test_copies_and_pieces_that_are_written():
    x, out = rng.standard_normal((8, 4)), np.zeros((8, 10))
    steps = [(COPY, 0, -1, 1), (UNARY["neg"], 0, -1, 2)]
    program = numbers([ROWS, ROWS], 1, [(0, 0, 4), (1, 1, 4), (1, 6, 4)], steps, 0)
    assert fast.chain(program, 8, x, None, out[:, :], None) is True
    np.testing.assert_array_equal(out[:, 1:5], x)
    np.testing.assert_array_equal(out[:, 6:], -x)
    assert (out[:, [0, 5]] == 0).all()


def changed(at, value):
    made = list(given("f4"))
    made[at] = value
    return made


BAD = {
    "a row that isn't there": changed(1, np.full(70, 9)),
    "a row below 0": changed(1, np.full(70, -1)),
    "too few rows": changed(1, np.zeros(69, np.int64)),
    "rows of another type": changed(1, np.zeros(70, np.int32)),
    "another type": changed(2, np.zeros((1, 6), "f8")),
    "a narrower row": changed(2, np.zeros((1, 5), "f4")),
    "two numbers": changed(4, np.zeros(2, "f4")),
    "too few examples": changed(6, np.zeros((69, 6), "f4")),
    "elements that lie apart": changed(6, np.zeros((70, 12), "f4")[:, ::2]),
    "rows of what is written": changed(7, np.arange(70)),
    "no array": changed(0, "x"),
    "whole numbers": [None if a is None else a.astype(np.int64) for a in given("f4")],
}


@native
@pytest.mark.parametrize("args", BAD.values(), ids=BAD)
def test_arrays_that_are_not_taken(args):
    before = args[6].copy()
    assert fast.chain(numbers(MODES, 3, REGISTERS, STEPS, 12), 70, *args) is None
    np.testing.assert_array_equal(args[6], before)


@native
@pytest.mark.parametrize("registers, steps, scratch, written", [
    (REGISTERS, [(BINARY["add"], 0, 1, 10)], 12, 3), (REGISTERS, [(BINARY["add"], -1, 1, 3)], 12, 3),
    (REGISTERS, [(BINARY["add"], 0, 1, 8)], 12, 3), (REGISTERS, [(BINARY["eq"], 0, 1, 3)], 12, 3),
    (REGISTERS, [(BINARY["mm"], 0, 1, 3)], 12, 3), (REGISTERS, [(99999, 0, 1, 3)], 12, 3),
    (REGISTERS, [(-2, 0, -1, 3)], 12, 3), (REGISTERS, [(COPY, 2, -1, 3)], 12, 3),
    (REGISTERS, [(COPY, 1, -1, 0)], 12, 3), (REGISTERS, STEPS, 12, 5), (REGISTERS, STEPS, 11, 3),
    (REGISTERS, STEPS, -1, 3), (REGISTERS, STEPS, 1 << 40, 3), (REGISTERS, [], 12, 3), ([(5, 0, 6)], STEPS[:1], 12, 3),
    ([(0, 1, 6), *REGISTERS[1:]], STEPS, 12, 3), ([(0, -1, 6), *REGISTERS[1:]], STEPS, 12, 3),
    ([(0, 2 ** 62, 2 ** 62), *REGISTERS[1:]], STEPS, 12, 3)])
def test_programs_that_are_not_taken(registers, steps, scratch, written):
    assert fast.chain(numbers(MODES, written, registers, steps, scratch), 70, *given("f4")) is None


@native
def test_calls_that_are_not_taken():
    program, args = numbers(MODES, 3, REGISTERS, STEPS, 12), given("f4")
    for bad in ((program, -1, *args), (program, "x", *args), (program[:-1], 70, *args),
                (program.astype("i4"), 70, *args), (program, 70, *args[:-1]), (program, 70), (program,), (program[:4], 70, *args)):
        assert fast.chain(*bad) is None
