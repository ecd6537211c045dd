"""Sobol's points beside PyTorch's: the same ones, scrambled too."""
import copy
import pickle

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")


def both(*args, **kwargs):
    return (lib.quasirandom.SobolEngine(*args, **kwargs) for lib in (torch, weft))


def same(t, w):
    assert str(t.dtype) == str(w.dtype) and tuple(t.shape) == tuple(w.shape)
    np.testing.assert_array_equal(w.numpy(), t.numpy())


def test_direction_numbers_of_all_dimensions():
    t, w = both(21201)
    same(t.sobolstate, w.sobolstate)
    same(t.draw(5), w.draw(5))


@pytest.mark.parametrize("dimension", [1, 2, 3, 7, 40, 1111])
@pytest.mark.parametrize("scramble", [False, True])
def test_points(dimension, scramble):
    t, w = both(dimension, scramble, seed=4 if scramble else None)
    same(t.sobolstate, w.sobolstate)
    same(t.shift, w.shift)
    for n in (1, 1, 5, 100, 3):
        same(t.draw(n), w.draw(n))
        same(t.quasi, w.quasi)
    for engine in (t, w):
        engine.reset()
    same(t.draw(7, dtype=torch.float64), w.draw(7, dtype=weft.float64))
    same(t.fast_forward(13).draw(9), w.fast_forward(13).draw(9))
    t.reset(), w.reset()
    same(t.fast_forward(6).draw(2), w.fast_forward(6).draw(2))
    assert t.num_generated == w.num_generated and repr(t) == repr(w)


def test_the_global_stream_scrambles_where_there_is_no_seed():
    for lib in (torch, weft):
        lib.manual_seed(5)
    t, w = both(4, scramble=True)
    same(t.draw(3), w.draw(3))
    same(torch.rand(3), weft.rand(3))


def test_powers_of_two_out_and_copies():
    t, w = both(3)
    same(t.draw_base2(4), w.draw_base2(4))
    same(t.draw_base2(4), w.draw_base2(4))
    for engine in (t, w):
        with pytest.raises(ValueError, match="power of 2"):
            engine.draw_base2(2)
    out = weft.empty(0)
    assert w.draw(5, out=out) is out
    same(t.draw(5), out)
    for made in (copy.deepcopy(w), pickle.loads(pickle.dumps(w))):
        same(copy.deepcopy(t).draw(3), made.draw(3))
    for lib in (torch, weft):
        for wrong in (0, 21202):
            with pytest.raises(ValueError, match="Supported range"):
                lib.quasirandom.SobolEngine(wrong)
