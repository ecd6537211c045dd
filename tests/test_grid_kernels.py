"""The kernels of grid_sampler against its NumPy code: every mode, derivatives, odd places, any number of threads."""
import itertools

import numpy as np
import pytest

import weft
from weft.kernels import fast
from weft.ops.nn import grid_sample

pytestmark = pytest.mark.skipif(fast.lib is None, reason="no kernels")
CASES = [*itertools.product((2,), (0, 1, 2), (0, 1, 2), (False, True)),
         *itertools.product((3,), (0, 1), (0, 1, 2), (False, True))]


def arrays(dims, dtype, places=(9, 11), draw=0):
    """An image and a grid whose places reach beyond it; the first few are at borders, far away, NaN and infinite."""
    draw = np.random.default_rng(draw)
    sizes = (3, 4, 5)[-dims:]
    x = draw.standard_normal((2, 3, *sizes)).astype(dtype)
    grid = draw.uniform(-1.8, 1.8, (2, *((2,) if dims == 3 else ()), *places, dims)).astype(dtype)
    odd = [-1, 1, 0, 1e9, -1e9, np.nan, np.inf, -np.inf]
    grid.reshape(-1)[:len(odd)] = odd
    return x, grid


def both(monkeypatch, function, *args):
    """What the kernel gives, and NumPy's code without it."""
    made = function(*args)
    with monkeypatch.context() as patch:
        patch.setattr(fast, "grid_gather", lambda *_: None)
        patch.setattr(fast, "grid_scatter", lambda *_: None)
        return made, function(*args)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("dims, mode, padding, align", CASES)
def test_they_give_what_the_numpy_code_gives(monkeypatch, dims, mode, padding, align, dtype):
    x, grid = arrays(dims, dtype)
    close = {"rtol": 2e-4, "atol": 2e-4} if dtype is np.float32 else {"rtol": 1e-10, "atol": 1e-10}
    for orders in itertools.product((0, 1, 2), repeat=dims):
        got, want = both(monkeypatch, grid_sample.gathered, x, grid, orders, mode, padding, align)
        assert got.dtype == dtype
        np.testing.assert_allclose(got, want, **close)
        g = np.random.default_rng(1).standard_normal(want.shape).astype(dtype)
        kept = np.where(np.isfinite(grid), grid, 0.3).astype(dtype)
        got, want = both(monkeypatch, grid_sample.scattered, g, kept, orders, x.shape, mode, padding, align)
        np.testing.assert_allclose(got, want, **close)


def test_the_kernels_take_these():
    x, grid = arrays(2, np.float32)
    made = fast.grid_gather(x, grid, (0, 0), 0, 0, False)
    assert made is not None and fast.grid_scatter(made, grid, (0, 0), x.shape[2:], 0, 0, False) is not None
    assert fast.grid_gather(x, grid.astype(np.float64), (0, 0), 0, 0, False) is None
    assert fast.grid_gather(x, grid[:1], (0, 0), 0, 0, False) is None
    assert fast.grid_gather(x[:, :, ::2], grid, (0, 0), 0, 0, False) is None
    assert fast.grid_gather(x, grid, (0, 0), 3, 0, False) is None
    assert fast.grid_scatter(made, grid, (0, 0), (1 << 20, 1 << 20), 0, 0, False) is None


def test_the_same_bits_for_any_number_of_threads():
    x = np.random.default_rng(0).standard_normal((2, 40, 33, 31)).astype(np.float32)
    grid = np.random.default_rng(1).uniform(-1.2, 1.2, (2, 70, 65, 2)).astype(np.float32)
    before, found = weft.get_num_threads(), []
    try:
        for threads in (1, 3):
            weft.set_num_threads(threads)
            made = grid_sample.gathered(x, grid, (0, 0), 2, 1, False)
            found.append((made.tobytes(), grid_sample.scattered(made, grid, (1, 0), x.shape, 2, 1, False).tobytes()))
    finally:
        weft.set_num_threads(before)
    assert found[0] == found[1]


def test_strided_empty_and_without_channels():
    x, grid = arrays(2, np.float32)
    image, places = weft.from_numpy(x).transpose(2, 3), weft.from_numpy(grid).transpose(1, 2)
    got = weft.grid_sampler_2d(image, places, 0, 1, True)
    want = weft.grid_sampler_2d(image.contiguous(), places.contiguous(), 0, 1, True)
    assert got.equal(want) or got.isnan().equal(want.isnan())
    assert weft.grid_sampler_2d(weft.ones(2, 0, 3, 3), weft.zeros(2, 4, 4, 2), 0, 0, False).shape == (2, 0, 4, 4)
    empty = weft.zeros(1, 0, 5, 2, requires_grad=True)
    image = weft.ones(1, 2, 3, 3, requires_grad=True)
    weft.grid_sampler_2d(image, empty, 0, 0, False).sum().backward()
    assert image.grad.eq(0).all() and empty.grad.shape == (1, 0, 5, 2)
