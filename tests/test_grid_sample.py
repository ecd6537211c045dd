"""grid_sampler: values worked out by hand, gradients against differences, errors."""
import itertools

import numpy as np
import pytest

import weft
from weft.autograd import gradcheck, gradgradcheck

IMAGE = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
MODES = [*itertools.product((2,), (0, 1, 2), (0, 1, 2), (False, True)),
         *itertools.product((3,), (0, 1), (0, 1, 2), (False, True))]


def sample(points, mode, padding, align):
    grid = weft.tensor([[points]])
    return weft.grid_sampler_2d(weft.tensor([[IMAGE]]), grid, mode, padding, align).flatten().tolist()


def inputs(dims):
    """A small image and a grid with places on it and off it, none near where the slope jumps."""
    draw = np.random.default_rng(dims)
    x = weft.from_numpy(draw.standard_normal((1, 2, 3, 4) if dims == 2 else (1, 1, 2, 3, 4))).requires_grad_()
    places = draw.choice([-1.37, -0.83, -0.29, 0.07, 0.41, 0.93, 1.21], (1, 2, 3, 2) if dims == 2 else (1, 1, 2, 2, 3))
    return x, weft.from_numpy(places).requires_grad_()


@pytest.mark.parametrize("points, mode, padding, align, want", [
    # the corners are the corner elements
    ([[-1.0, -1.0], [1.0, 1.0], [0.0, 0.0], [0.5, -1.0]], 0, 0, True, [1, 6, 3.5, 2.5]),
    # the corners' corners: a quarter is image
    ([[-1.0, -1.0], [1.0, 1.0], [0.0, 0.0], [3.0, 0.0]], 0, 0, False, [0.25, 1.5, 3.5, 0]),
    ([[-1.0, -1.0], [9.0, 9.0], [-9.0, 0.0]], 0, 1, False, [1, 6, 2.5]),                      # the border goes on
    # mirrored at the corner elements
    ([[2.0, -1.0], [3.0, -1.0], [-2.0, -1.0]], 0, 2, True, [2, 1, 2]),
    # mirrored at their outer edges
    ([[5 / 3, -0.5], [-4 / 3, -0.5]], 0, 2, False, [2.5, 1]),
    # halves go to the even row
    ([[0.3, -0.4], [0.6, 0.4], [-1.2, 0.0], [2.0, 0.0]], 1, 0, True, [2, 6, 1, 0]),
    ([[0.0, 0.0], [1.0, 1.0]], 2, 1, True, [3.5, 6]),
])
def test_values(points, mode, padding, align, want):
    np.testing.assert_allclose(sample(points, mode, padding, align), want, atol=1e-5)


@pytest.mark.parametrize("dims", [2, 3])
def test_the_identity_grid_gives_the_image_back(dims):
    shape = (2, 3, 4, 5)[:dims + 2] if dims == 2 else (2, 3, 4, 5, 3)
    x = np.random.default_rng(0).standard_normal(shape)
    axes = np.meshgrid(*(np.linspace(-1, 1, n) for n in shape[2:]), indexing="ij")
    grid = np.broadcast_to(np.stack(axes[::-1], -1), (shape[0], *shape[2:], dims)).copy()
    for mode in (0, 1, 2)[:3 if dims == 2 else 2]:
        for padding in (0, 1, 2):
            got = weft.grid_sampler(weft.from_numpy(x), weft.from_numpy(grid), mode, padding, True)
            np.testing.assert_allclose(got.numpy(), x, atol=1e-12)


@pytest.mark.parametrize("dims, mode, padding, align", MODES)
def test_gradients(dims, mode, padding, align):
    def call(x, grid):
        return weft.grid_sampler(x, grid, mode, padding, align)
    assert gradcheck(call, inputs(dims))
    assert gradgradcheck(call, inputs(dims))


def test_a_third_derivative_of_the_cubic():
    grid = weft.tensor([[[[0.1, 0.2]]]], dtype=weft.float64, requires_grad=True)
    x = weft.tensor([[[[(j - 1.0) ** 3 for j in range(7)]] * 5]], dtype=weft.float64)
    out, found = weft.grid_sampler_2d(x, grid, 2, 1, True).sum(), []
    for _ in range(3):
        (slope,) = weft.autograd.grad(out, grid, create_graph=True)
        out = slope[..., 0].sum()
        found.append(out.item())

    def cubic(c, step=1e-2):    # the weights are cubic in the coordinate: third differences are exact
        at = [weft.grid_sampler_2d(x, weft.tensor([[[[c + k * step, 0.2]]]], dtype=weft.float64), 2, 1, True).item()
              for k in range(4)]
        return (at[3] - 3 * at[2] + 3 * at[1] - at[0]) / step**3
    assert found[2] == pytest.approx(cubic(0.1), rel=1e-5)


def test_only_what_is_asked_for_gets_a_gradient():
    x, grid = inputs(2)
    weft.grid_sampler_2d(x.detach(), grid, 0, 0, False).sum().backward()
    assert x.grad is None and grid.grad.shape == grid.shape
    assert weft.grid_sampler_2d(x, grid, 0, 0, False).grad_fn.name() == "GridSampler2DBackward0"
    assert weft.grid_sampler_3d(*inputs(3), 0, 0, False).grad_fn.name() == "GridSampler3DBackward0"


@pytest.mark.parametrize("dtype", [weft.float16, weft.bfloat16, weft.float32, weft.float64])
def test_types_stay(dtype):
    out = weft.grid_sampler(weft.ones(1, 1, 2, 2, dtype=dtype), weft.zeros(1, 1, 1, 2, dtype=dtype), 0, 0, False)
    assert out.dtype == dtype and out.item() == 1


def test_what_lies_off_the_image_does_not_spread():
    x = weft.full((1, 1, 2, 2), float("inf"))
    assert weft.grid_sampler_2d(x, weft.full((1, 1, 1, 2), 5.0), 0, 0, False).item() == 0


@pytest.mark.parametrize("x, grid, args, error, words", [
    ((1, 1, 2, 3), (1, 5, 2), (0, 0, False), RuntimeError, "4D or 5D input and grid with same number"),
    ((2, 1, 2, 3), (1, 1, 5, 2), (0, 0, False), RuntimeError, "same batch size"),
    ((1, 1, 2, 3), (1, 1, 5, 1), (0, 0, False), RuntimeError, "size 2 in last dimension"),
    ((1, 1, 0, 3), (1, 1, 5, 2), (0, 0, False), RuntimeError, "dimension 2 being empty"),
    ((1, 1, 2, 2, 2), (1, 1, 1, 5, 3), (2, 0, False), RuntimeError, "bicubic interpolation only supports 4D"),
    ((1, 1, 2, 3), (1, 1, 5, 2), (3, 0, False), RuntimeError, "interpolation_mode 3"),
    ((1, 1, 2, 3), (1, 1, 5, 2), (0, 0), TypeError, "align")])
def test_errors(x, grid, args, error, words):
    with pytest.raises(error, match=words):
        weft.grid_sampler(weft.zeros(x), weft.zeros(grid), *args)


def test_types_that_do_not_fit():
    x, grid = weft.zeros(1, 1, 2, 3), weft.zeros(1, 1, 5, 2)
    with pytest.raises(RuntimeError, match="expected scalar type"):
        weft.grid_sampler_2d(x.double(), grid, 0, 0, False)
    with pytest.raises(NotImplementedError, match="int64"):
        weft.grid_sampler_2d(x.long(), grid.long(), 0, 0, False)
