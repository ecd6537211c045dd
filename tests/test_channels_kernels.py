"""Kernels that read images as they lie with their channels innermost: the same results as of contiguous images."""
import math

import numpy as np
import pytest

import weft
from weft.kernels import fast
from weft.nn import functional as F

NAN, INF = float("nan"), float("inf")
CHANNELS = (1, 3, 16, 37, 64, 300)      # fewer than a vector, whole vectors, a rest, more than a block


def images(shape, dtype="float32", kind="normal"):
    draw = np.random.default_rng(math.prod(shape))
    made = draw.standard_normal(shape) if kind == "normal" else draw.integers(-2, 3, shape).astype(float)
    if kind == "nan":
        made[draw.random(shape) < 0.2] = NAN
    if kind == "inf":
        made[draw.random(shape) < 0.7] = -INF
    return weft.from_numpy(made.astype(dtype))


def inner(x):
    return x.contiguous(memory_format=weft.channels_last if x.ndim == 4 else weft.channels_last_3d)


def run(call, x, *arguments, **options):
    """The results and the gradient of a weighted sum; the gradient that comes back has the order of the result."""
    x = x.detach().requires_grad_()
    found = call(x, *arguments, **options)
    outs = found if isinstance(found, tuple) else (found,)
    weights = weft.arange(outs[0].numel()).reshape(outs[0].shape).to(x.dtype).cos()
    weights = weft.empty_like(outs[0]).copy_(weights)
    grad, = weft.autograd.grad(outs[0], x, weights)
    return [*(out.detach() for out in outs), grad]


def same(call, x, limit, *arguments, **options):
    plain, turned = run(call, x, *arguments, **options), run(call, inner(x), *arguments, **options)
    for a, b in zip(turned, plain, strict=True):
        assert a.dtype is b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=limit, atol=limit)
    if turned[0].numel() and not turned[0].is_contiguous():     # one place has either order
        for a in (turned[0], turned[-1]):
            assert a.is_contiguous(memory_format=weft.channels_last if x.ndim == 4 else weft.channels_last_3d)


MAX = [(2,), (3, 2, 1), (3, 1, 1), ((2, 3), (1, 2), (1, 1), (2, 1)), (3, 2, 1, 1, True)]


@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_max_pool(channels, dtype):
    for arguments in MAX:
        for kind in ("normal", "ties", "nan", "inf"):
            x = images((2, channels, 7, 9), dtype, kind)
            same(F.max_pool2d, x, 0, *arguments)
            same(F.max_pool2d, x, 0, *arguments, return_indices=True)
    same(F.adaptive_max_pool2d, x, 0, (3, 4))
    same(F.max_pool2d, x, 0, 7, return_indices=True)


@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("dtype, limit", [("float32", 2e-6), ("float64", 1e-14)])
def test_avg_pool(channels, dtype, limit):
    x = images((2, channels, 7, 9), dtype)
    for arguments in ((2,), (3, 2, 1), (3, 2, 1, False, False), ((2, 3), 1, 0, True), (2, 3, 1, False, True, 7)):
        same(F.avg_pool2d, x, limit, *arguments)
    for size in (1, (3, 4), (7, 9), (9, 11)):
        same(F.adaptive_avg_pool2d, x, limit, size)


def test_volumes_and_odd_shapes():
    for x in (images((2, 5, 4, 5, 6)), images((1, 33, 3, 6, 2))):
        same(F.max_pool3d, x, 0, 2)
        same(F.max_pool3d, x, 0, 3, 2, 1, return_indices=True)
        same(F.avg_pool3d, x, 2e-6, 2, 1)
        same(F.adaptive_avg_pool3d, x, 2e-6, (2, 3, 1))
    for shape in ((0, 16, 6, 6), (3, 16, 2, 2), (1, 16, 1, 5)):
        same(F.max_pool2d, images(shape), 0, (1, 2))
        same(F.avg_pool2d, images(shape), 2e-6, (1, 2))


def test_gaps_between_channels_are_taken_too():
    wide = inner(images((2, 48, 6, 8)))
    for x in (wide[:, 8:40], wide[:, :, 1:5], wide[:, :, :, ::2], wide.flip(0)):
        for call in (lambda t: F.max_pool2d(t, 2), lambda t: F.avg_pool2d(t, 2), lambda t: F.group_norm(t, 4)):
            np.testing.assert_allclose(call(x).numpy(), call(x.contiguous()).numpy(), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("shape, groups", [((2, 6, 5, 7), 3), ((3, 64, 9, 9), 8), ((1, 40, 17, 16), 40),
                                           ((2, 33, 3, 3), 1), ((2, 128, 2, 3, 4), 32)])
@pytest.mark.parametrize("dtype, limit", [("float32", 3e-5), ("float64", 1e-12)])
def test_group_norm(shape, groups, dtype, limit):
    weight, bias = (images((shape[1], n), dtype)[:, 0].contiguous() for n in (1, 2))
    x = images(shape, dtype) + 3
    same(F.group_norm, x, limit, groups)
    same(F.group_norm, x, limit, groups, weight, bias)

    def parameters(x):
        w, b = weight.clone().requires_grad_(), bias.clone().requires_grad_()
        out = F.group_norm(x, groups, w, b)
        return weft.autograd.grad((out * out.detach().cos()).sum(), (w, b))
    for a, b in zip(parameters(inner(x)), parameters(x), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=limit * 30, atol=limit * 30)


def test_group_norm_far_from_zero_and_nan():
    x = images((2, 32, 16, 16)) * 1e-2 + 1e4
    exact = F.group_norm(x.double(), 4)
    assert (F.group_norm(inner(x), 4) - exact).abs().max() < 2 * (F.group_norm(x, 4) - exact).abs().max() + 1e-4
    x = images((2, 32, 4, 4))
    x[1, 3, 2, 2] = NAN
    found = F.group_norm(inner(x), 4)
    assert found[1, :8].isnan().all() and not found[0].isnan().any() and not found[1, 8:].isnan().any()


def test_the_same_bits_with_any_number_of_threads():
    x = inner(images((3, 96, 33, 31)))
    calls = (lambda t: F.max_pool2d(t, 3, 2, 1), lambda t: F.max_pool2d(t, 2, return_indices=True),
             lambda t: F.avg_pool2d(t, 3, 2, 1), lambda t: F.adaptive_avg_pool2d(t, 5),
             lambda t: F.group_norm(t, 8))
    before = weft.get_num_threads()
    try:
        found = []
        for threads in (1, 2, 5):
            weft.set_num_threads(threads)
            found.append([a.numpy() for call in calls for a in run(call, x)])
    finally:
        weft.set_num_threads(before)
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.skipif(fast.lib is None, reason="needs the kernels")
def test_kernels_take_nothing_that_they_cannot():
    x = np.zeros((2, 4, 4, 3), "f4")
    two, one, none = (2, 2), (1, 1), (0, 0)
    assert fast.max_pool_last(x, 2, two, two, two, none, one, False, 0).shape == (2, 3, 2, 2)
    for wrong in ((x[..., ::2], 2, two, two, two, none, one, False, 0), (x, 3, two, two, two, none, one, False, 0),
                  (x, 2, two, two, two, none, one, False, 3), (x.astype("i4"), 2, two, two, two, none, one, False, 0),
                  (x, 2, two, (0, 2), two, none, one, False, 0), (x, 2, (9, 9), two, two, none, one, False, 0)):
        assert fast.max_pool_last(*wrong) is None
    g, picks = np.zeros((2, 2, 2, 3), "f4"), np.full((2, 2, 2, 3), 255, "u1")
    made = fast.max_pool_spread_last(g + 1, picks, x.shape, 2, two, two, none, one)     # a place in no window
    assert not made.any()
    assert fast.max_pool_spread_last(g, picks[:1], x.shape, 2, two, two, none, one) is None
    assert fast.max_pool_spread_last(g, picks, (2, 4, 4, 5), 2, two, two, none, one) is None
    assert fast.avg_pool_last(x, 2, two, two, two, none, False, True, 0.0).shape == (2, 3, 2, 2)
    assert fast.avg_pool_spread_last(g, (2, 4, 4), 2, two, two, none, False, True, 0.0) is None
    assert fast.group_norm_last(x, 2, None, None, 1e-5) is None
    assert fast.group_norm_last(x, 3, np.ones(2, "f4"), None, 1e-5) is None
    assert fast.group_norm_last(x[:0], 3, None, None, 1e-5) is None
