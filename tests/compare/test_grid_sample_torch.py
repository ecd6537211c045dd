"""grid_sampler against PyTorch: values, both gradients, and the second ones where PyTorch has them."""
import itertools

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")
MODES = [*itertools.product((2,), (0, 1, 2), (0, 1, 2), (False, True)),
         *itertools.product((3,), (0, 1), (0, 1, 2), (False, True))]
SIZES = {2: ((2, 3, 5, 4), (2, 3, 6, 2)), 3: ((2, 2, 3, 4, 5), (2, 2, 3, 4, 3))}


def pair(dims, dtype=np.float64, shape=None):
    """An image and a grid that reaches beyond it; in NumPy."""
    draw = np.random.default_rng(dims)
    return draw.standard_normal(shape or SIZES[dims][0]).astype(dtype), (draw.standard_normal(SIZES[dims][1])
                                                                         * 1.3).astype(dtype)


@pytest.mark.parametrize("dims, mode, padding, align", MODES)
def test_values_and_gradients(dims, mode, padding, align):
    results = []
    for t in (weft, torch):
        x, grid = (t.tensor(a.tolist(), dtype=t.float64, requires_grad=True) for a in pair(dims))
        out = t.grid_sampler(x, grid, mode, padding, align)
        weights = t.arange(out.numel(), dtype=t.float64).reshape(out.shape).cos()
        first = t.autograd.grad((out * weights).sum(), (x, grid), create_graph=dims == 2)
        found = [out, *first]
        if dims == 2 and mode != 1:
            loss = (first[0].sin() * first[0]).sum() + (first[1] * first[1]).sum()
            found += t.autograd.grad(loss, (x, grid))
        results.append([f.detach().numpy() for f in found])
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("dims, mode, padding, align", MODES)
def test_other_types(dims, mode, padding, align, dtype):
    x, grid = pair(dims, np.float32)
    x, grid = x.astype(dtype), np.round(grid * 4).astype(dtype) / 4 + np.asarray(0.01, dtype)
    got = weft.grid_sampler(weft.from_numpy(x), weft.from_numpy(grid), mode, padding, align).numpy()
    want = torch.grid_sampler(torch.from_numpy(x), torch.from_numpy(grid), mode, padding, align).numpy()
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=2e-5 if dtype == "float32" else 2e-2, atol=1e-5 if dtype == "float32"
                               else 2e-2)


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (1, 2, 1, 3), (1, 2, 2, 1)])
@pytest.mark.parametrize("mode, padding, align", [*itertools.product((0, 1, 2), (0, 1, 2), (False, True))])
def test_on_the_edges(shape, mode, padding, align):
    """Coordinates that fall on the first and last elements, on an image of hardly any size."""
    steps = np.array([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0])
    grid = np.stack(np.meshgrid(steps, steps), -1)[None]
    x = np.arange(1.0, np.prod(shape) + 1).reshape(shape)
    results = []
    for t in (weft, torch):
        a, b = (t.tensor(v.tolist(), dtype=t.float64, requires_grad=True) for v in (x, grid))
        out = t.grid_sampler_2d(a, b, mode, padding, align)
        results.append([f.detach().numpy() for f in (out, *t.autograd.grad(out.sum(), (a, b)))])
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("dims, mode, padding, align", MODES)
def test_nan_and_infinity(dims, mode, padding, align):
    x = np.arange(6.0 if dims == 2 else 12.0, dtype=np.float32).reshape((1, 1, 2, 3) if dims == 2 else (1, 1, 2, 2, 3))
    grid = np.zeros((1, 1, 4, 2) if dims == 2 else (1, 1, 1, 4, 3), np.float32)
    grid[..., 0] = [np.nan, np.inf, -np.inf, 0]
    got = weft.grid_sampler(weft.from_numpy(x), weft.from_numpy(grid), mode, padding, align).numpy()
    np.testing.assert_allclose(got, torch.grid_sampler(torch.from_numpy(x), torch.from_numpy(grid), mode, padding,
                                                       align).numpy())


@pytest.mark.parametrize("x, grid, mode", [
    ((1, 1, 2, 3), (1, 5, 2), 0), ((1, 1, 2, 3), (1, 1, 5, 1), 0), ((2, 1, 2, 3), (1, 1, 5, 2), 0),
    ((1, 1, 0, 3), (1, 1, 5, 2), 0), ((1, 1, 2), (1, 1, 5, 2), 0), ((1, 1, 2, 2, 2), (1, 1, 1, 5, 3), 2)])
def test_the_same_is_refused(x, grid, mode):
    for t in (weft, torch):
        with pytest.raises(RuntimeError, match=r"grid_sampler\(\): (expected|bicubic)"):
            t.grid_sampler(t.zeros(x), t.zeros(grid), mode, 0, False)


@pytest.mark.parametrize("x, grid", [((0, 1, 2, 3), (0, 4, 5, 2)), ((1, 0, 2, 3), (1, 4, 5, 2)),
                                     ((1, 1, 2, 3), (1, 0, 5, 2))])
def test_empty(x, grid):
    for t in (weft, torch):
        a, b = t.zeros(x, requires_grad=True), t.zeros(grid, requires_grad=True)
        out = t.grid_sampler_2d(a, b, 0, 0, False)
        assert tuple(out.shape) == (*x[:2], *grid[1:3])
        out.sum().backward()
        assert tuple(a.grad.shape) == x and tuple(b.grad.shape) == grid
