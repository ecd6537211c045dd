"""Depthwise convolutions with channels in the lanes, and convolutions of channels_last images without copies: against
the reference in float64, in both orders, gradients to second order, threads.
"""
import numpy as np
import pytest

import weft
import weft.nn.functional as F
from weft.kernels import conv as kernels
from weft.kernels import fast

TOLERANCE = {np.float32: 8e-6, np.float64: 1e-12}
native = pytest.mark.skipif(fast.lib is None, reason="the native kernels are not in use")


def last(images):
    """The same values with the channels innermost in memory."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(images, 1, -1)), -1, 1)


def out_sizes(x, kernel, stride, padding, dilation):
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(x, kernel, stride, padding, dilation))


def check(x, w, stride, padding, dilation, groups, dtype, size=None):
    """All sums of one convolution, planes and channels_last, against the reference."""
    rng = np.random.default_rng(0)
    out = size or out_sizes(x[2:], w[2:], stride, padding, dilation)
    make = [rng.standard_normal(shape).astype(dtype) for shape in (x, w, (x[0], w[0], *out), (w[0],), (x[1],))]
    a, b, g, bias, back = make
    geometry = stride, padding, dilation, groups
    wide = [m.astype(np.float64) for m in make]
    forward = kernels.reference_forward(wide[0], wide[1], wide[3], out, geometry)
    backward = kernels.reference_input(wide[2], wide[1], None, x[2:], geometry)
    transposed = kernels.reference_input(wide[2], wide[1], wide[4], x[2:], geometry)
    weight = kernels.reference_weight(wide[2], wide[0], w[2:], geometry)
    for lay in (np.ascontiguousarray, last):
        for found, wanted in [(kernels.forward(lay(a), b, bias, out, geometry), forward),
                              (kernels.forward(lay(a), lay(b), bias, out, geometry), forward),
                              (kernels.backward_input(lay(g), b, None, x[2:], geometry), backward),
                              (kernels.backward_input(lay(g), b, back, x[2:], geometry), transposed),
                              (kernels.backward_weight(lay(g), lay(a), w[2:], geometry), weight),
                              (kernels.backward_weight(g, lay(a), w[2:], geometry), weight),
                              (kernels.backward_weight(lay(g), a, w[2:], geometry), weight),
                              (kernels.backward_bias(lay(g)), wide[2].sum((0, *range(2, len(x)))))]:
            assert found.shape == wanted.shape and found.dtype == dtype
            if wanted.size:
                error = np.abs(found - wanted).max() / max(1.0, np.abs(wanted).max())
                assert error < TOLERANCE[dtype], (lay, error)


DEPTHWISE = [   # images, channels, sizes, kernel, stride, padding, dilation
    (2, 40, (16, 16), (7, 7), (1, 1), (3, 3), (1, 1)),
    (3, 17, (4, 5), (7, 7), (1, 1), (3, 3), (1, 1)),            # one channel more than lanes, taps beyond the plane
    (2, 16, (2, 2), (7, 7), (1, 1), (3, 3), (1, 1)),
    (5, 33, (1, 1), (5, 5), (1, 1), (2, 2), (1, 1)),
    (2, 9, (13, 9), (5, 3), (2, 3), (2, 0), (1, 2)),
    (1, 24, (31, 70), (3, 3), (2, 2), (1, 1), (1, 1)),          # pieces of rows
    (1, 8, (200, 90), (5, 5), (1, 1), (2, 2), (1, 1)),
    (1, 16, (3, 1500), (3, 9), (1, 1), (1, 4), (1, 1)),         # and of columns
    (2, 12, (9, 9), (2, 11), (3, 1), (0, 5), (2, 1)),           # more taps in a row than are summed at once
    (2, 20, (6, 7), (3, 3), (4, 4), (1, 1), (1, 1)),            # targets of the gradient that no tap reaches
    (2, 8, (8, 8), (3, 3), (1, 1), (5, 5), (1, 1)),             # targets that see zeros only
    (2, 10, (8, 9), (2, 2), (2, 1), (0, 0), (7, 3)),
    (3, 30, (57,), (4,), (1,), (3,), (1,)),
    (2, 8, (301,), (3,), (2,), (1,), (4,)),
    (2, 5, (3, 4, 5), (2, 2, 2), (1, 2, 1), (1, 0, 1), (1, 1, 1)),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n, c, sizes, kernel, stride, padding, dilation", DEPTHWISE)
def test_depthwise(n, c, sizes, kernel, stride, padding, dilation, dtype):
    check((n, c, *sizes), (c, 1, *kernel), stride, padding, dilation, c, dtype)


@pytest.mark.parametrize("size", [(9, 9), (12, 4), (1, 1), (0, 5)])
def test_depthwise_sizes_other_than_the_usual(size):
    check((2, 18, 6, 6), (18, 1, 3, 2), (2, 1), (1, 0), (1, 1), 18, np.float32, size)
    check((2, 18, 6, 6), (18, 1, 3, 3), (1, 1), (-1, 2), (1, 1), 18, np.float32, size)


def test_channels_times_a_number():
    check((2, 10, 9, 8), (20, 1, 3, 3), (1, 1), (1, 1), (1, 1), 10, np.float32)


PRODUCTS = [    # x, w, stride: a window for each position, side by side
    ((3, 20, 5, 6), (33, 20, 1, 1), (1, 1)), ((1, 3, 16, 16), (10, 3, 4, 4), (4, 4)),
    ((8, 24, 4, 4), (48, 24, 2, 2), (2, 2)), ((2, 7, 9, 11), (5, 7, 2, 3), (2, 3)),    # rows and columns left over
    ((2, 6, 3, 8), (4, 6, 3, 2), (9, 2)), ((2, 4, 12), (5, 4, 3), (3,)), ((2, 3, 4, 4, 6), (5, 3, 2, 1, 2), (2, 1, 2)),
    ((2, 9, 8, 8), (6, 9, 1, 1), (2, 2)), ((2, 9, 8, 8), (6, 9, 3, 3), (2, 2))]     # the last two are none


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("x, w, stride", PRODUCTS)
def test_windows_side_by_side(x, w, stride, dtype):
    check(x, w, stride, (0,) * len(stride), (1,) * len(stride), 1, dtype)


def test_channels_last_results_need_no_copy():
    """Layout of results and gradients, as in PyTorch: that of the input."""
    x = weft.tensor(last(np.random.default_rng(0).standard_normal((2, 24, 6, 6)).astype(np.float32)))
    for layer in (weft.nn.Conv2d(24, 24, 3, padding=1, groups=24), weft.nn.Conv2d(24, 8, 1),
                  weft.nn.Conv2d(24, 8, 2, 2)):
        leaf = x.detach().requires_grad_()
        y = layer(leaf)
        assert y.is_contiguous(memory_format=weft.channels_last)
        y.backward(weft.ones_like(y))
        assert leaf.grad.is_contiguous(memory_format=weft.channels_last) and layer.weight.grad.is_contiguous()


@pytest.mark.parametrize("w, options", [((4, 1, 3, 3), dict(padding=1, groups=4)), ((3, 4, 1, 1), {}),
                                        ((4, 1, 2, 3), dict(stride=2, groups=4, dilation=(2, 1))),
                                        ((3, 4, 2, 2), dict(stride=2))])
def test_gradients_to_second_order(w, options):
    rng = np.random.default_rng(1)
    x = weft.tensor(last(rng.standard_normal((2, 4, 5, 4))), requires_grad=True)
    weight, bias = (weft.tensor(rng.standard_normal(s), requires_grad=True) for s in (w, w[:1]))
    call = lambda *given: F.conv2d(*given, **options)  # noqa: E731
    weft.autograd.gradcheck(call, (x, weight, bias))
    weft.autograd.gradgradcheck(call, (x, weight, bias))


@native
def test_results_do_not_depend_on_the_threads():
    rng = np.random.default_rng(0)
    a, b, g = (rng.standard_normal(s).astype(np.float32) for s in ((6, 40, 20, 20), (40, 1, 7, 7), (6, 40, 20, 20)))
    geometry, before, found = ((1, 1), (3, 3), (1, 1), 40), weft.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            weft.set_num_threads(threads)
            for lay in (np.ascontiguousarray, last):
                found.append((kernels.forward(lay(a), b, None, (20, 20), geometry),
                              kernels.backward_input(lay(g), b, None, (20, 20), geometry),
                              kernels.backward_weight(lay(g), lay(a), (7, 7), geometry)))
    finally:
        weft.set_num_threads(before)
    for other in found[1:]:
        assert all(np.array_equal(one, two) for one, two in zip(found[0], other))


@native
def test_infinities_stay_where_they_are():
    x = np.ones((1, 20, 6, 7), np.float32)
    x[0, 18, 5, 6] = np.inf
    w, geometry = np.ones((20, 1, 3, 3), np.float32), ((1, 1), (1, 1), (1, 1), 20)
    for lay in (np.ascontiguousarray, last):
        assert np.array_equal(kernels.forward(lay(x), w, None, (6, 7), geometry),
                              kernels.reference_forward(x, w, None, (6, 7), geometry))


@native
def test_kernels_refuse_what_does_not_fit():
    x, w, ones = np.ones((2, 5, 5, 8), np.float32), np.ones((8, 1, 3, 3), np.float32), (1, 1)
    assert fast.conv_lanes(x, w, None, (5, 5), ones, ones, ones, False).shape == x.shape
    assert fast.conv_lanes(x[..., :4], w, None, (5, 5), ones, ones, ones, False) is None
    assert fast.conv_lanes(x, w[:4].copy(), None, (5, 5), ones, ones, ones, False) is None
    assert fast.conv_lanes(x, w, np.ones(7, np.float32), (5, 5), ones, ones, ones, False) is None
    assert fast.conv_lanes(x, w, None, (5, -5), ones, ones, ones, False) is None
    assert fast.conv_lanes(x, w.astype(np.float64), None, (5, 5), ones, ones, ones, False) is None
    assert fast.conv_lanes_weight(x, x[:1].copy(), (3, 3), ones, ones, ones) is None
    assert fast.conv_lanes_weight(x, x[..., :4].copy(), (3, 3), ones, ones, ones) is None
    assert fast.conv_lanes_weight(x, x, (3, -3), ones, ones, ones) is None


@pytest.mark.parametrize("huge", [2**20, 2**33, 2**62])
def test_strides_and_dilations_beyond_the_input(huge):
    x, w = weft.randn(1, 8, 4, 4), weft.randn(8, 1, 3, 3)
    for image in (x, x.contiguous(memory_format=weft.channels_last)):
        image = image.detach().requires_grad_()
        ours, plain = F.conv2d(image, w, None, huge, 1, groups=8), F.conv2d(x[..., :2, :2], w[..., 1:, 1:], groups=8)
        assert weft.allclose(ours, plain, atol=1e-5)
        ours.sum().backward()
        assert weft.allclose(image.grad[..., :2, :2], w[:, 0, 1:, 1:], atol=1e-5)
        assert image.grad[..., 2:].abs().max() == 0


GROUPED = [((3, 32, 14, 14), (32, 8, 3, 3), 1, 1, 4), ((2, 40, 11, 13), (60, 8, 3, 3), 1, 1, 5),
           ((2, 16, 12, 15), (80, 4, 5, 3), 2, 2, 4), ((1, 12, 6, 12), (6, 2, 1, 1), 1, 0, 6),
           ((2, 24, 10, 10), (72, 6, 1, 3), 1, 1, 4)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("x, w, stride, padding, groups", GROUPED)
def test_groups_of_narrow_planes(x, w, stride, padding, groups, dtype):
    check(x, w, (stride,) * 2, (padding,) * 2, (1, 1), groups, dtype)


def test_groups_do_not_depend_on_the_threads():
    rng = np.random.default_rng(0)
    a, b, g = (rng.standard_normal(s).astype(np.float32) for s in ((4, 64, 13, 13), (64, 8, 3, 3), (4, 64, 13, 13)))
    geometry, before, found = ((1, 1), (1, 1), (1, 1), 8), weft.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            weft.set_num_threads(threads)
            found.append((kernels.forward(a, b, None, (13, 13), geometry),
                          kernels.backward_input(g, b, None, (13, 13), geometry),
                          kernels.backward_weight(g, a, (3, 3), geometry)))
    finally:
        weft.set_num_threads(before)
    for other in found[1:]:
        assert all(np.array_equal(one, two) for one, two in zip(found[0], other))


@native
def test_short_rows_do_not_see_what_stands_after_them():
    for size in (11, 13, 14):
        x = np.full((1, 1, 5, size), np.nan, np.float32)
        x[0, 0, :4] = 1
        w, geometry = np.ones((4, 1, 1, 1), np.float32), ((1, 1), (0, 0), (1, 1), 1)
        found = fast.conv_forward(x, w, None, (4, size), *geometry)
        assert (found == 1).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(3, 5, 4, 6), (2, 37, 3, 3), (4, 3, 2, 3, 4)])
@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_of_channels_last_images(shape, training, dtype):
    rng = np.random.default_rng(0)
    x, g = rng.standard_normal(shape) * 3 + 1, rng.standard_normal(shape)
    made = []
    for lay, kind in ((np.ascontiguousarray, np.float64), (last, dtype)):
        a = weft.tensor(lay(x.astype(kind)), requires_grad=True)
        mean, var, w, b = (weft.tensor(rng_.astype(kind)) for rng_ in np.random.default_rng(1).random((4, shape[1])))
        y = F.batch_norm(a, mean, var, w.requires_grad_(), b.requires_grad_(), training)
        for layout in (np.ascontiguousarray, last):         # the gradient in either order
            grads = weft.autograd.grad(y, (a, w, b), weft.tensor(layout(g.astype(kind))), retain_graph=True)
        made.append([t.detach().numpy() for t in (y, *grads, mean, var)])
        assert np.array_equal(y.detach().numpy().strides, a.detach().numpy().strides)
    for wanted, found in zip(*made):
        np.testing.assert_allclose(found, wanted, **({"rtol": 1e-4, "atol": 1e-5} if dtype == np.float32 else
                                                     {"rtol": 1e-10, "atol": 1e-12}))


@pytest.mark.parametrize("mode, shape, scale", [("nearest", (2, 5, 4, 6), 2), ("bilinear", (2, 5, 4, 6), 1.7),
                                                ("bicubic", (1, 3, 5, 5), 2), ("trilinear", (1, 3, 2, 3, 4), 2)])
def test_resampling_of_channels_last_images(mode, shape, scale):
    rng = np.random.default_rng(0)
    x, made = rng.standard_normal(shape), []
    for lay in (np.ascontiguousarray, last):
        a = weft.tensor(lay(x), requires_grad=True)
        y = F.interpolate(a, scale_factor=scale, mode=mode)
        y.backward(weft.tensor(np.random.default_rng(1).standard_normal(tuple(y.shape))))
        made.append((y.detach().numpy(), a.grad.numpy()))
    for wanted, found in zip(*made):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    turned = np.moveaxis(made[1][0], 1, -1)
    assert turned.flags.c_contiguous
