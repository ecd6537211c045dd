"""Convolutions: the native kernels against the NumPy reference in float64, gradients to second order, threads, strides,
errors.
"""
import numpy as np
import pytest

import weft
import weft.nn.functional as F
from weft.kernels import conv as kernels
from weft.kernels import fast

TOLERANCE = {np.float32: 8e-6, np.float64: 1e-12}
native = pytest.mark.skipif(fast.lib is None, reason="the native kernels are not in use")


def out_sizes(x, kernel, stride, padding, dilation):
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(x, kernel, stride, padding, dilation))


def close(found, wanted, dtype, what):
    assert found is not None, what
    assert found.shape == wanted.shape and found.dtype == dtype, what
    if wanted.size:
        error = np.abs(found - wanted).max() / max(1.0, np.abs(wanted).max())
        assert error < TOLERANCE[dtype], f"{what}: {error}"


def check_all(x, w, stride, padding, dilation, groups, dtype, size=None, seed=0):
    """The three sums of one convolution against the reference in float64."""
    rng = np.random.default_rng(seed)
    out = size or out_sizes(x[2:], w[2:], stride, padding, dilation)
    make = [rng.standard_normal(shape).astype(dtype) for shape in (x, w, (x[0], w[0], *out), (w[0],), (x[1],))]
    a, b, g, bias, bias_in = make
    wide = [m.astype(np.float64) for m in make]
    geometry, what = (stride, padding, dilation,
                      groups), f"x {x} w {w} stride {stride} padding {padding} dilation {dilation} groups {groups}"
    close(fast.conv_forward(a, b, bias, out, *geometry), kernels.reference_forward(wide[0], wide[1], wide[3], out,
                                                                                   geometry), dtype, what)
    close(fast.conv_input(g, b, bias_in, x[2:], *geometry), kernels.reference_input(wide[2], wide[1], wide[4], x[2:],
                                                                                    geometry), dtype, what)
    close(fast.conv_weight(g, a, w[2:], *geometry), kernels.reference_weight(wide[2], wide[0], w[2:], geometry), dtype,
          what)
    close(fast.conv_bias(g), wide[2].sum((0, *range(2, len(x)))), dtype, what)


CASES = [   # x, w, stride, padding, dilation, groups
    ((2, 3, 17), (5, 3, 4), (2,), (1,), (2,), 1),
    ((1, 1, 1000), (1, 1, 5), (1,), (2,), (1,), 1),
    ((3, 8, 300), (20, 8, 3), (1,), (1,), (1,), 1),
    ((2, 9, 4097), (7, 9, 5), (1,), (0,), (1,), 1),
    ((2, 4, 31), (6, 2, 3), (3,), (2,), (2,), 2),
    ((1, 1, 7, 7), (1, 1, 7, 7), (1, 1), (3, 3), (1, 1), 1),
    ((2, 1, 28, 28), (8, 1, 3, 3), (1, 1), (0, 0), (1, 1), 1),
    ((2, 3, 33, 31), (9, 3, 7, 7), (2, 2), (3, 3), (1, 1), 1),
    ((3, 16, 12, 13), (10, 16, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    ((3, 16, 12, 13), (10, 16, 1, 1), (2, 3), (1, 0), (1, 1), 1),
    ((3, 64, 12, 13), (18, 64, 1, 1), (1, 1), (0, 0), (1, 1), 1), ((9, 70, 100), (33, 70, 1), (1,), (0,), (1,), 1),
    ((2, 64, 2, 100), (33, 64, 1, 1), (2, 1), (0, 0), (1, 1), 1),
    ((2, 64, 1, 100), (33, 64, 1, 1), (3, 1), (1, 0), (1, 1), 1),
    ((17, 5, 4, 4), (7, 5, 2, 2), (1, 1), (0, 0), (1, 1), 1),
    ((2, 33, 9, 31), (13, 33, 3, 5), (1, 2), (1, 2), (2, 1), 1),
    ((2, 12, 9, 8), (6, 4, 3, 3), (2, 1), (1, 1), (1, 2), 3),
    ((3, 6, 10, 10), (6, 1, 3, 3), (1, 1), (1, 1), (1, 1), 6),
    ((3, 6, 11, 9), (12, 1, 5, 3), (2, 1), (2, 0), (1, 2), 6),
    ((2, 40, 40, 40), (40, 1, 3, 3), (1, 1), (1, 1), (1, 1), 40),
    ((2, 64, 11, 33), (70, 64, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((2, 20, 15, 14), (24, 20, 4, 4), (2, 2), (1, 1), (1, 1), 1),
    ((1, 3, 5, 6, 7), (4, 3, 2, 3, 2), (1, 2, 1), (0, 1, 1), (2, 1, 1), 1),
    ((2, 8, 4, 9, 9), (9, 8, 3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1), 1),
    ((2, 4, 4, 5, 6), (4, 1, 2, 2, 2), (2, 2, 2), (0, 1, 1), (1, 1, 1), 4),
    ((1, 2, 6, 6, 6), (3, 2, 1, 2, 1), (3, 1, 2), (0, 0, 0), (1, 3, 1), 1),
    # one tap that skips elements (conv_strided.h: of_points): odd sizes, a rest at the end, groups, three dimensions
    ((3, 64, 21, 22), (18, 64, 1, 1), (2, 2), (0, 0), (1, 1), 1),
    ((2, 6, 10, 7), (4, 3, 1, 1), (3, 2), (0, 0), (1, 1), 2),
    ((2, 5, 8), (3, 5, 1), (5,), (0,), (1,), 1), ((2, 3, 5, 4, 7), (6, 3, 1, 1, 1), (2, 1, 3), (0, 0, 0), (1, 1, 1), 1),
    ((2, 6, 10, 7), (6, 1, 1, 1), (2, 2), (0, 0), (1, 1), 6),
    # fewer taps than the stride: elements that no window reaches
    ((2, 7, 13, 15), (9, 7, 2, 2), (3, 4), (0, 1), (1, 1), 1),
    ((1, 8, 20, 20), (16, 4, 3, 1), (2, 2), (1, 0), (1, 1), 2),
    # few targets of many taps, few positions under a stride
    ((2, 3, 40, 41), (40, 3, 7, 7), (2, 2), (3, 3), (1, 1), 1),
    ((2, 4, 9, 40), (70, 4, 5, 5), (1, 1), (2, 2), (1, 1), 1),
    ((8, 40, 12, 11), (200, 40, 3, 3), (2, 2), (1, 1), (1, 1), 1),
]


@native
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_kernels_against_the_reference(case, dtype):
    check_all(*case, dtype)


@native
@pytest.mark.parametrize("seed", range(40))
def test_random_geometry(seed):
    rng = np.random.default_rng(seed)
    dims, groups = int(rng.integers(1, 4)), int(rng.choice([1, 1, 2, 3]))
    pick = lambda low, high: tuple(int(v) for v in rng.integers(low, high, dims))  # noqa: E731
    x = (int(rng.integers(1, 6)), groups * int(rng.integers(1, 12)), *pick(1, (50, 20, 8)[dims - 1]))
    w = (groups * int(rng.integers(1, 20)), x[1] // groups, *pick(1, 5))
    stride, padding, dilation = pick(1, 4), pick(0, 4), pick(1, 3)
    if min(out_sizes(x[2:], w[2:], stride, padding, dilation)) > 0:
        check_all(x, w, stride, padding, dilation, groups, np.float32, seed=seed)


WINOGRAD = [((9, 16, 8, 8), 64, 1), ((9, 17, 9, 7), 31, 1), ((40, 20, 4, 4), 33, 1), ((2, 32, 26, 26), 64, 0),
            ((2, 48, 33, 18), 16, 2),
            # the last one has more weights than are transformed at once
            ((4, 24, 5, 57), 25, 1), ((2, 300, 8, 8), 310, 1)]


@native
@pytest.mark.parametrize("kernel", [3, 5])
@pytest.mark.parametrize("x, targets, padding", WINOGRAD)
def test_winograd_sizes(x, targets, padding, kernel):
    check_all(x, (targets, x[1], kernel, kernel), (1, 1), (padding, padding), (1, 1), 1, np.float32)


@native
@pytest.mark.parametrize("x, kernel, stride", [((3, 20, 25, 30), (2, 2), 1), ((3, 20, 33, 30), (3, 3), 2),
                                               ((3, 19, 33, 30), (4, 4), 2), ((2, 6, 60, 61), (7, 7), 2),
                                               ((5, 16, 501), (5,), 1), ((5, 16, 501), (3,), 1),
                                               ((2, 8, 6, 17, 16), (3, 3, 3), 1), ((2, 8, 6, 17, 16), (2, 4, 4), 2)])
def test_winograd_schemes(x, kernel, stride):
    check_all(x, (37, x[1], *kernel), (stride,) * len(kernel), (1,) * len(kernel), (1,) * len(kernel), 1, np.float32)


@native
@pytest.mark.parametrize("x, targets", [((2, 40, 6, 900), 20), ((1, 18, 9, 1300), 33), ((3, 200, 5, 300), 260)])
def test_winograd_of_long_rows(x, targets):
    """Rows of tiles that are divided among tasks: each reads a part of the source's rows."""
    check_all(x, (targets, x[1], 3, 3), (1, 1), (1, 1), (1, 1), 1, np.float32)


STRIDED = [((16, 40, 15, 18), 33), ((9, 7, 31, 24), 70), ((40, 64, 8, 7), 5), ((3, 20, 20, 400), 40),
           ((30, 260, 6, 6), 270)]


@native
@pytest.mark.parametrize("kernel", [(3, 3), (4, 4), (3, 4)])
@pytest.mark.parametrize("padding", [(0, 0), (1, 1), (2, 1), (0, 3)])
@pytest.mark.parametrize("x, targets", STRIDED)
def test_winograd_of_a_stride(x, targets, padding, kernel):
    """The phases of the input's gradient are computed together: they begin and end at different places."""
    check_all(x, (targets, x[1], *kernel), (2, 2), padding, (1, 1), 1, np.float32)


@native
def test_winograd_of_a_stride_within_depths():
    check_all((2, 24, 4, 15, 14), (40, 24, 3, 3, 3), (1, 2, 2), (1, 1, 1), (1, 1, 1), 1, np.float32)
    check_all((2, 24, 5, 15, 14), (40, 24, 2, 4, 4), (2, 2, 2), (1, 1, 1), (1, 1, 1), 1, np.float32)
    check_all((4, 60, 15, 14), (40, 30, 3, 3), (2, 2), (1, 1), (1, 1), 2, np.float32)


@native
@pytest.mark.parametrize("size", [(21, 20), (22, 22), (19, 21), (30, 17)])
def test_winograd_of_a_stride_with_other_sizes(size):
    """A transposed convolution with an output padding: some targets have no source."""
    rng = np.random.default_rng(0)
    g, w = rng.standard_normal((6, 30, 10, 10), np.float32), rng.standard_normal((30, 50, 3, 3), np.float32)
    bias, geometry = rng.standard_normal(50).astype(np.float32), ((2, 2), (1, 1), (1, 1), 1)
    wanted = kernels.reference_input(g.astype(np.float64), w.astype(np.float64), bias.astype(np.float64), size,
                                     geometry)
    close(fast.conv_input(g, w, bias, size, *geometry), wanted, np.float32, size)


@native
def test_winograd_keeps_images_apart():
    """A NaN of one image stays in it, whatever else its vectors hold."""
    rng = np.random.default_rng(0)
    for stride, side in ((1, 8), (2, 4)):
        x, w = rng.standard_normal((5, 20, 8, 8), np.float32), rng.standard_normal((33, 20, 3, 3), np.float32)
        g, geometry = rng.standard_normal((5, 33, side, side), np.float32), ((stride,) * 2, (1, 1), (1, 1), 1)
        x[2, 3, 4, 4] = g[2, 7, 1, 1] = np.nan
        for found in (fast.conv_forward(x, w, None, (side, side), *geometry),
                      fast.conv_input(g, w, None, (8, 8), *geometry)):
            assert np.isnan(found[2]).any() and not np.isnan(np.delete(found, 2, 0)).any()


@native
def test_winograd_is_accurate():
    """Relative to the greatest output: 3e-6 at 512 channels."""
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((4, 512, 8,
                                8)).astype(np.float32), rng.standard_normal((128, 512, 3, 3)).astype(np.float32)
    geometry = ((1, 1), (1, 1), (1, 1), 1)
    found = fast.conv_forward(x, w, None, (8, 8), *geometry)
    wanted = kernels.reference_forward(x.astype(np.float64), w.astype(np.float64), None, (8, 8), geometry)
    assert np.abs(found - wanted).max() < 3e-6 * np.abs(wanted).max()


@native
@pytest.mark.parametrize("size", [(9, 9), (12, 4), (3, 3), (0, 5)])
def test_sizes_other_than_the_usual(size):
    """What lies outside of the input is zero, so that one-sided padding needs no copy."""
    for dtype in (np.float32, np.float64):
        check_all((2, 10, 6, 6), (12, 10, 3, 3), (1, 1), (1, 2), (1, 1), 1, dtype, size=size)
        check_all((2, 4, 6, 6), (4, 1, 3, 2), (2, 1), (1, 0), (1, 1), 4, dtype, size=size)


@native
def test_empty():
    for x, w, out in [((0, 3, 5, 5), (4, 3, 3, 3), (3, 3)), ((2, 3, 5, 5), (0, 3, 3, 3), (3, 3)),
                      ((2, 0, 5, 5), (4, 0, 3, 3), (3, 3))]:
        a, b = np.ones(x, np.float32), np.ones(w, np.float32)
        g = np.ones((x[0], w[0], *out), np.float32)
        geometry = ((1, 1), (0, 0), (1, 1), 1)
        bias = np.full(w[0], 2, np.float32)
        found = fast.conv_forward(a, b, bias, out, *geometry)
        assert found.shape == g.shape and (found == 2).all()
        assert (fast.conv_input(g, b, None, (5, 5), *geometry) == 0).all()
        assert (fast.conv_weight(g, a, (3, 3), *geometry) == 0).all()


@native
def test_kernels_refuse_what_does_not_fit():
    x, w = np.ones((2, 4, 5, 5), np.float32), np.ones((6, 4, 3, 3), np.float32)
    ones, zeros = (1, 1), (0, 0)
    assert fast.conv_forward(x, w, None, (3, 3), ones, zeros, ones, 2) is None
    assert fast.conv_forward(x, w, np.ones(5, np.float32), (3, 3), ones, zeros, ones, 1) is None
    assert fast.conv_forward(x, w.astype(np.float64), None, (3, 3), ones, zeros, ones, 1) is None
    assert fast.conv_forward(x[:, :, ::2], w, None, (3, 3), ones, zeros, ones, 1) is None
    assert fast.conv_forward(x, w, None, (3, -3), ones, zeros, ones, 1) is None
    assert fast.conv_forward(x, w, None, (3,), ones, zeros, ones, 1) is None
    assert fast.conv_forward(x, w, None, (3, 3), (0, 1), zeros, ones, 1) is None
    assert fast.conv_input(x, w, None, (7, 7), ones, zeros, ones, 1) is None
    assert fast.conv_weight(x[:1].copy(), x, (3, 3), ones, zeros, ones, 1) is None
    assert fast.conv_weight(x, x, (3, 3), ones, zeros, ones, 3) is None


THREADED = [((8, 64, 20, 20), (64, 64, 3, 3), 1, 1, 1), ((8, 32, 28, 28), (48, 32, 3, 3), 2, 1, 1),
            ((4, 1, 64, 64), (32, 1, 3, 3), 1, 0, 1), ((4, 64, 40, 40), (64, 1, 3, 3), 1, 1, 64),
            ((4, 300, 8, 8), (310, 300, 3, 3), 1, 1, 1), ((16, 64, 16, 16), (64, 64, 1, 1), 1, 0, 1),
            ((1, 32, 20, 20), (40, 32, 5, 5), 1, 2, 1), ((4, 24, 30, 30), (32, 24, 4, 4), 2, 1, 1),
            ((8, 96, 4, 4), (128, 96, 3, 3), 1, 1, 1), ((8, 64, 22, 21), (128, 64, 1, 1), 2, 0, 1),
            ((4, 3, 64, 64), (64, 3, 7, 7), 2, 3, 1), ((8, 96, 12, 12), (128, 96, 3, 3), 2, 1, 1),
            ((9, 17, 12, 12), (33, 17, 3, 3), 2, 1, 1), ((1, 128, 28, 28), (128, 128, 3, 3), 1, 1, 1)]


@native
@pytest.mark.parametrize("x, w, stride, padding, groups", THREADED)
def test_results_do_not_depend_on_the_threads(x, w, stride, padding, groups):
    rng = np.random.default_rng(0)
    geometry = ((stride,) * 2, (padding,) * 2, (1, 1), groups)
    out = out_sizes(x[2:], w[2:], *geometry[:3])
    a, b, g = (rng.standard_normal(shape).astype(np.float32) for shape in (x, w, (x[0], w[0], *out)))
    before, found = weft.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            weft.set_num_threads(threads)
            found.append((fast.conv_forward(a, b, None, out, *geometry), fast.conv_input(g, b, None, x[2:], *geometry),
                          fast.conv_weight(g, a, w[2:], *geometry), fast.conv_bias(g)))
    finally:
        weft.set_num_threads(before)
    for other in found[1:]:
        for one, two in zip(found[0], other):
            assert np.array_equal(one, two)


@native
def test_infinities_stay_where_they_are():
    """Padding, and what a vector reads too much, never turn into NaN (large 3x3 ones do spread them through a tile, as
    documented).
    """
    x = np.ones((1, 1, 12, 19), np.float32)
    x[0, 0, 5, 18] = np.inf
    for groups, w in ((1, np.ones((2, 1, 3, 3), np.float32)), (2, np.ones((2, 1, 3, 3), np.float32))):
        image = np.repeat(x, groups, 1)
        geometry = ((1, 1), (1, 1), (1, 1), groups)
        found = fast.conv_forward(image, w, None, (12, 19), *geometry)
        assert np.array_equal(found, kernels.reference_forward(image, w, None, (12, 19), geometry))


# the ops

def tensor(shape, seed=0, grad=False, dtype=np.float64):
    return weft.tensor(np.random.default_rng(seed).standard_normal(shape).astype(dtype), requires_grad=grad)


OPS = [(F.conv1d, (2, 4, 8), (6, 2, 3), 6, dict(stride=2, padding=1, groups=2)),
       (F.conv2d, (2, 3, 6, 5), (4, 3, 3, 2), 4, dict(padding=(1, 0), dilation=(1, 2))),
       (F.conv2d, (2, 2, 5, 5), (2, 1, 3, 3), 2, dict(padding="same", groups=2)),
       (F.conv2d, (2, 5, 5), (3, 2, 2, 2), 3, dict(padding="same")),
       (F.conv3d, (1, 2, 3, 4, 3), (2, 2, 2, 2, 2), 2, dict(padding=1, stride=(1, 2, 1))),
       (F.conv_transpose1d, (2, 4, 5), (4, 2, 3), 4, dict(stride=2, padding=1, output_padding=1, groups=2)),
       (F.conv_transpose2d, (2, 3, 3, 4), (3, 2, 3, 3), 2,
        dict(stride=(2, 3), padding=1, dilation=(2, 1), output_padding=(1, 0))),
       (F.conv_transpose2d, (2, 3, 3), (2, 3, 2, 2), 3, dict()),
       (F.conv_transpose3d, (1, 2, 2, 2, 3), (2, 2, 2, 2, 2), 2, dict(stride=2))]


@pytest.mark.parametrize("f, x, w, out, options", OPS)
def test_gradients_to_second_order(f, x, w, out, options):
    args = tensor(x, 1, True), tensor(w, 2, True), tensor((out,), 3, True)
    weft.autograd.gradcheck(lambda a, b, c: f(a, b, c, **options), args)
    weft.autograd.gradgradcheck(lambda a, b, c: f(a, b, c, **options), args)


def test_strided_inputs():
    x, w = tensor((3, 8, 9, 4), dtype=np.float32), tensor((3, 3, 5, 4), 1, dtype=np.float32)
    for a, b in ((x.permute(0, 3, 1, 2), w.permute(2, 3, 0, 1)),
                 (x.permute(0, 3, 1, 2)[:, :, ::2], w.permute(2, 3, 0, 1)),
                 (x[:1].expand(3, 8, 9, 4).permute(0, 3, 1, 2), w.permute(2, 3, 1, 0))):
        found, wanted = F.conv2d(a, b, padding=1), F.conv2d(a.contiguous(), b.contiguous(), padding=1)
        assert np.array_equal(found.numpy(), wanted.numpy())
    y = F.conv2d(x.permute(0, 3, 1, 2).requires_grad_(), w.permute(2, 3, 0, 1).clone().requires_grad_())
    y.sum().backward()          # an expanded gradient


def test_public_names_are_one_op():
    x, w = tensor((1, 2, 5, 5)), tensor((3, 2, 3, 3))
    wanted = F.conv2d(x, w, None, 2, 1).numpy()
    assert np.array_equal(weft.conv2d(x, w, None, 2, 1).numpy(), wanted)
    assert np.array_equal(weft.convolution(x, w, None, [2, 2], [1, 1], [1, 1], False, [0, 0], 1).numpy(), wanted)
    assert weft.convolution(x, w.transpose(0, 1), None, [2, 2], [1, 1], [1, 1], True, [1, 1], 1).shape == (1, 3, 10, 10)


def test_integers_and_complex_numbers():
    x, w = weft.arange(25).reshape(1, 1, 5, 5), weft.ones(1, 1, 3, 3, dtype=weft.int64)
    assert F.conv2d(x, w).dtype == weft.int64 and F.conv2d(x, w)[0, 0, 0, 0].item() == 54
    a, b = weft.complex(tensor((1, 2, 5), 1), tensor((1, 2, 5), 2)), weft.complex(tensor((2, 2, 3), 3),
                                                                                  tensor((2, 2, 3), 4))
    weft.autograd.gradcheck(F.conv1d, (a.requires_grad_(), b.requires_grad_()))


@pytest.mark.parametrize("call, says", [
    (lambda: F.conv2d(tensor((2, 3)), tensor((4, 3, 3, 3))), "Expected 3D"),
    (lambda: F.conv2d(tensor((2, 5, 4, 4)), tensor((4, 3, 3, 3))), "to have 3 channels, but got 5 channels"),
    (lambda: F.conv2d(tensor((2, 3, 2, 2)), tensor((4, 3, 3, 3))),
     "Kernel size can't be greater than actual input size"),
    (lambda: F.conv2d(tensor((2, 3, 4, 4)), tensor((4, 3, 3, 3)), tensor((3,))),
     "expected bias to be 1-dimensional with 4 elements"),
    (lambda: F.conv2d(tensor((2, 3, 4, 4)), tensor((4, 3, 3, 3)), stride=0), "non-positive stride"),
    (lambda: F.conv2d(tensor((2, 3, 4, 4)), tensor((4, 3, 3, 3)), padding=-1), "negative padding"),
    (lambda: F.conv2d(tensor((2, 3, 4, 4)), tensor((4, 3, 3, 3)), stride=(1, 1, 1)), "list of 2 values"),
    (lambda: F.conv2d(tensor((2, 3, 4, 4)), tensor((4, 3, 3, 3)), stride=2, padding="same"),
     "not supported for strided"),
    (lambda: F.conv2d(tensor((2, 3, 4, 4)), tensor((4, 3, 3, 3)), padding="full"), "Invalid padding string"),
    (lambda: F.conv2d(tensor((2, 3, 4, 4)), tensor((4, 3, 3, 3)), groups=3), "divisible by 3"),
    (lambda: F.conv2d(tensor((2, 3, 4, 4)), tensor((4, 3, 3, 3)).float()), "should be the same"),
    (lambda: F.conv_transpose2d(tensor((2, 3, 4, 4)), tensor((4, 3, 3, 3))), "to have 4 channels"),
    (lambda: F.conv_transpose2d(tensor((2, 4, 4, 4)), tensor((4, 3, 3, 3)), output_padding=1),
     "output padding must be smaller"),
])
def test_errors(call, says):
    with pytest.raises(RuntimeError, match=says):
        call()


@pytest.mark.parametrize("huge", [2**20, 2**33, 2**62, 2**63 - 1])
def test_a_stride_or_dilation_beyond_the_input(huge):
    """Of a single result the stride doesn't matter; 2**62 once was multiplied and read foreign memory."""
    x, w = weft.randn(1, 2, 4, 4, requires_grad=True), weft.randn(3, 2, 3, 3, requires_grad=True)
    ours, plain = F.conv2d(x, w, None, huge, 1), F.conv2d(x[..., :2, :2], w[..., 1:, 1:])
    assert weft.allclose(ours, plain, atol=1e-5)
    for got, expected in zip(weft.autograd.grad(ours.sum(), (x, w)), weft.autograd.grad(plain.sum(), (x, w))):
        assert weft.allclose(got, expected, atol=1e-5)
    one = weft.randn(3, 2, 1, 1)
    assert weft.equal(F.conv2d(x, one, dilation=huge), F.conv2d(x, one))
    assert F.conv_transpose2d(x[..., :1, :1], w.transpose(0, 1), None, huge, 1).shape == (1, 3, 1, 1)
    for pool in (F.max_pool2d, F.avg_pool2d):
        assert weft.equal(pool(x, 2, huge), pool(x, 2)[..., :1, :1])


@pytest.mark.parametrize("channels, shape, advice", [
    (3, (4, 8, 8, 3), "input.permute(0, 3, 1, 2)"), (3, (8, 8, 3), "input.permute(2, 0, 1)"),
    (1, (4, 8, 8), "input.unsqueeze(1)"), (3, (4, 5, 8, 8), "give the input 3 channels")])
def test_channels_in_another_place_are_seen(channels, shape, advice):
    with pytest.raises(RuntimeError) as error:
        weft.nn.Conv2d(channels, 2, 3)(weft.ones(shape))
    assert advice in str(error.value)


@native
@pytest.mark.parametrize("images, channels, outs, kernel, size, stride, padding, dilation", [
    (1, 256, 257, (1, 1), (2, 2), (1, 1), (0, 0), (1, 1)), (3, 96, 172, (2, 2), (2, 4), (2, 2), (0, 0), (1, 1)),
    (3, 64, 114, (3, 3), (4, 5), (1, 1), (1, 1), (1, 1)), (5, 120, 95, (3, 2), (7, 5), (2, 3), (2, 1), (2, 1)),
    (2, 210, 105, (3,), (6,), (1,), (1,), (2,)), (2, 90, 184, (2, 1, 2), (2, 2, 3), (1, 1, 1), (0, 0, 1), (1, 1, 1)),
    (2, 64, 120, (3, 3), (6, 4), (2, 2), (-1, 3), (1, 1)), (8, 64, 114, (3, 3), (4, 5), (1, 1), (1, 1), (1, 1)),
    (1, 40, 66, (5, 5), (6, 6), (1, 1), (2, 2), (1, 1))])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_few_positions_are_one_product(images, channels, outs, kernel, size, stride, padding, dilation, kind):
    # cpp/conv_rows.cpp: at most 160 positions (96 for the weight's gradient), a weight of at least 2**16 numbers
    rng = np.random.default_rng(0)
    x, w, bias = (rng.standard_normal(shape).astype(kind)
                  for shape in ((images, channels, *size), (outs, channels, *kernel), (outs,)))
    out = tuple((n + 2 * p - d * (k - 1) - 1) // s + 1
                for n, p, d, k, s in zip(size, padding, dilation, kernel, stride))
    assert w.size >= 2**16 and 0 < images * np.prod(out) <= 160
    g, geometry = rng.standard_normal((images, outs, *out)).astype(kind), (stride, padding, dilation, 1)
    back = rng.standard_normal(channels).astype(kind)
    close = dict(rtol=2e-4, atol=2e-4) if kind == np.float32 else dict(rtol=1e-11, atol=1e-11)
    for whole, reference, given in [
            (kernels.forward, kernels.reference_forward, (x, w, bias, out, geometry)),
            (kernels.forward, kernels.reference_forward, (x, w, None, out, geometry)),
            (kernels.forward, kernels.reference_forward, (x[:, ::-1], w[::-1], bias, out, geometry)),
            (kernels.backward_input, kernels.reference_input, (g, w, back, size, geometry)),
            (kernels.backward_weight, kernels.reference_weight, (g, x, kernel, geometry))]:
        made = whole(*given)
        np.testing.assert_allclose(made, reference(*given), **close)
        assert made.dtype == kind and made.flags.c_contiguous


@native
@pytest.mark.parametrize("images, outs, channels, kernel, out", [
    (3, 8, 5, (2, 2), (13, 11)), (1, 64, 3, (16, 16), (2, 3)), (2, 16, 7, (4, 2), (5, 9)), (2, 40, 6, (3,), (211,)),
    (2, 9, 5, (2, 3, 2), (5, 4, 6))])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_patches_side_by_side_are_a_product(images, outs, channels, kernel, out, kind, monkeypatch):
    monkeypatch.setattr(kernels, "PATCHES", 1)
    rng = np.random.default_rng(0)
    g, w, bias = (rng.standard_normal(shape).astype(kind)
                  for shape in ((images, outs, *out), (outs, channels, *kernel), (channels,)))
    size, ones, none = tuple(o * k for o, k in zip(out, kernel)), (1,) * len(out), (0,) * len(out)
    geometry = (kernel, none, ones, 1)
    close = dict(rtol=2e-4, atol=2e-5) if kind == np.float32 else dict(rtol=1e-12, atol=1e-12)
    for given in ((g, w, bias), (g, w, None), (np.asfortranarray(g), w[:, ::-1], bias)):
        made = kernels.patch_input(*given, size, geometry)
        np.testing.assert_allclose(made, kernels.reference_input(*given, size, geometry), **close)
        assert made.dtype == kind and made.flags.c_contiguous and made.shape == (images, channels, *size)
    before, found = weft.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            weft.set_num_threads(threads)
            found.append(kernels.patch_input(g, w, bias, size, geometry))
    finally:
        weft.set_num_threads(before)
    assert all(np.array_equal(found[0], other) for other in found[1:])
    for other in ((tuple(k + 1 for k in kernel), none, ones, 1), (kernel, ones, ones, 1),
                  (kernel, none, tuple(d + 1 for d in ones), 1), (kernel, none, ones, 2)):
        assert kernels.patch_input(g, w, bias, size, other) is None
    assert kernels.patch_input(g, w, bias, tuple(n + 1 for n in size), geometry) is None
    assert kernels.patch_input(g[:0], w, bias, size, geometry) is None


@native
@pytest.mark.parametrize("x, w, stride", [
    ((8, 20, 40, 40), (36, 20, 3, 3), (1, 1)), ((8, 20, 44, 30), (40, 20, 5, 5), (1, 1)),
    ((4, 33, 2000), (40, 33, 5), (1,)), ((8, 16, 83, 80), (40, 16, 3, 3), (2, 2)),
])
def test_weight_gradients_of_tasks_with_tiles_of_their_own(x, w, stride):
    """Two threads that read each other's transforms were no quicker than one."""
    padding, one = (1,) * len(stride), (1,) * len(stride)
    check_all(x, w, stride, padding, one, 1, np.float32)
    rng = np.random.default_rng(1)
    a = rng.standard_normal(x).astype(np.float32)
    g = rng.standard_normal((x[0], w[0], *out_sizes(x[2:], w[2:], stride, padding, one))).astype(np.float32)
    before, found = weft.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            weft.set_num_threads(threads)
            found.append(fast.conv_weight(g, a, w[2:], stride, padding, one, 1))
    finally:
        weft.set_num_threads(before)
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)
