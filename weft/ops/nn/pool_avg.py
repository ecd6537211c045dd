# compiled
"""avg_pool, adaptive_avg_pool and lp_pool over one to three dimensions. Pooling by the mean is linear: nothing is kept
for its gradient.
"""
import math

import numpy as np

from weft.core.errors import fail
from weft.kernels import fast
from weft.ops.core.registry import op
from weft.ops.index.arrays import contiguous
from weft.ops.nn.images import images, inner_channels, laid_out
from weft.ops.nn.pool_max import max_pool1d, max_pool2d, max_pool3d
from weft.ops.nn.pool_window import LONG, NONE, Window, adaptive, ints, need_kind, need_tensor, one, sliding

WINDOW = Window((6, 5), (3, 2), (2, 3), (2, 2), (0, 1), (1, 1))        # of the samples
ADAPTIVE = Window((6, 5), (4, 2), (3, 4), (1, 1), (0, 0), (1, 1), True)


def _divisors(window):
    """What each window's sum is divided by: (out...), or a number."""
    if window.divisor:
        return window.divisor
    counts = window.counts(0)
    for axis in range(1, window.dims):
        counts = counts[..., None] * window.counts(axis)
    return counts


def _divided(sums, by):
    if sums.dtype.kind == "f":
        return np.divide(sums, by, dtype=sums.dtype)
    return (np.abs(sums) // np.abs(by) * np.sign(sums) * np.sign(by)).astype(sums.dtype)        # towards zero


@op
class _avg_pool:
    """The mean of each window."""
    method, node_name = False, "AvgPool2DBackward0"
    steady = True

    def forward(x, window):
        turned = inner_channels(x)
        if turned is not None:
            found = fast.avg_pool_last(turned, window.dims, window.out, window.kernel, window.stride, window.padding,
                                       window.adaptive, window.with_padding, window.divisor)
            if found is not None:
                return found
        return laid_out(_means(contiguous(x), window), x)

    def shape(x, window):
        return images((*x.shape[:x.ndim - window.dims], *window.out), x.dtype, x)

    def grad_x(g, window):
        return _avg_pool_spread(g, window)
    samples = [((2, 3, 6, 5), WINDOW), ((2, 3, 6, 5), ADAPTIVE)]


def _means(x, window):
    found = fast.avg_pool(x, window.dims, window.out, window.kernel, window.stride, window.padding,
                          window.adaptive, window.with_padding, window.divisor)
    if found is not None:
        return found
    dtype = x.dtype
    for axis in range(window.dims):
        at = x.ndim - window.dims + axis
        start, first, last = window.bounds(axis)
        before = (slice(None),) * at
        with np.errstate(invalid="ignore"):         # inf - inf
            parts = [np.add.reduce(x[(*before, slice(a, b))], axis=at) for a, b in zip(start + first, start + last)]
        x = np.stack(parts, at) if parts else np.zeros((*x.shape[:at], 0, *x.shape[at + 1:]), dtype)
    return _divided(x, _divisors(window)) if x.size else x


@op
class _avg_pool_spread:
    """The gradient of a mean pooling: each element, divided, goes to its whole window."""
    method, node_name = False, "AvgPool2DBackwardBackward0"
    steady = True

    def forward(x, window):
        turned = inner_channels(x)
        if turned is not None:
            found = fast.avg_pool_spread_last(turned, (len(x), *window.size, x.shape[1]), window.dims, window.kernel,
                                              window.stride, window.padding, window.adaptive, window.with_padding,
                                              window.divisor)
            if found is not None:
                return found
        return laid_out(_spread(contiguous(x), window), x)

    def shape(x, window):
        return images((*x.shape[:x.ndim - window.dims], *window.size), x.dtype, x)

    def grad_x(g, window):
        return _avg_pool(g, window)
    samples = [((2, 3, 3, 2), WINDOW), ((2, 3, 4, 2), ADAPTIVE)]


def _spread(x, window):
    lead = x.shape[:x.ndim - window.dims]
    found = fast.avg_pool_spread(x, (*lead, *window.size), window.dims, window.kernel, window.stride,
                                 window.padding, window.adaptive, window.with_padding, window.divisor)
    if found is not None:
        return found
    x = np.divide(x, _divisors(window), dtype=x.dtype) if x.size else x
    for axis in range(window.dims):
        at = x.ndim - window.dims + axis
        start, first, last = window.bounds(axis)
        before = (slice(None),) * at
        made = np.zeros((*x.shape[:at], window.size[axis], *x.shape[at + 1:]), x.dtype)
        with np.errstate(invalid="ignore"):
            for o, (a, b) in enumerate(zip(start + first, start + last)):
                made[(*before, slice(a, b))] += x[(*before, slice(o, o + 1))]
        x = made
    return x


def _pool(input, dims, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, who):
    need_tensor(input, who)
    need_kind(input, who, LONG)
    if divisor_override is None:
        divisor = 0
    else:
        divisor = one(divisor_override, who, "divisor_override")
        if divisor == 0:
            fail(RuntimeError, f"{who}(): divisor must be not zero", "leave divisor_override out")
    window = sliding(input, dims, kernel_size, stride, padding, 1, ceil_mode, who, bool(count_include_pad), divisor)
    if (dims == 3 and (window.size[0] < window.kernel[0] or window.size[1] < window.kernel[1]
                       or window.size[2] < window.kernel[2])):
        fail(RuntimeError, f"{who}(): input image {window.size} smaller than kernel size {window.kernel}",
             "make the kernel smaller")
    return _avg_pool(input, window)


# the public ops

@op
class avg_pool1d:
    """The mean of each window of a signal (N, C, L) or (C, L)."""
    names, method = "avg_pool1d nn.functional.avg_pool1d", False

    def compose(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        return _pool(input, 1, kernel_size, stride, padding, ceil_mode, count_include_pad, None, "avg_pool1d")
    samples = [((2, 3, 7), 3, 2, 1), ((3, 8), 2), ((2, 3, 8), 3, 2, 1, True, False)]


@op
class avg_pool2d:
    """The mean of each window of images (N, C, H, W) or (C, H, W)."""
    names = "nn.functional.avg_pool2d"

    def compose(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                divisor_override=None):
        return _pool(input, 2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override,
                     "avg_pool2d")
    samples = [((1, 2, 6, 5), 2), ((2, 7, 7), 3, 2, 1), ((2, 7, 7), 3, 2, 1, True, False),
               ((1, 4, 4), 3, 1, 0, False, True, 5)]


@op
class avg_pool3d:
    """The mean of each window of volumes (N, C, D, H, W) or (C, D, H, W)."""
    autocast = "float32"
    names = "nn.functional.avg_pool3d"

    def compose(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                divisor_override=None):
        return _pool(input, 3, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override,
                     "avg_pool3d")
    samples = [((1, 2, 4, 4, 3), 2), ((1, 3, 5, 4), 3, 2, 1)]


def _adaptive(input, dims, output_size):
    who = f"adaptive_avg_pool{dims}d"
    need_tensor(input, who)
    need_kind(input, who, NONE)
    return _avg_pool(input, adaptive(input, dims, output_size, who, 2))


@op
class adaptive_avg_pool1d:
    """The means of `output_size` windows over (N, C, L) or (C, L)."""
    names, method = "adaptive_avg_pool1d nn.functional.adaptive_avg_pool1d", False

    def compose(input, output_size):
        return _adaptive(input, 1, output_size)
    samples = [((2, 3, 7), 3), ((3, 8), 2)]


@op
class adaptive_avg_pool2d:
    """The means of `output_size` windows over (N, C, H, W) or (C, H, W)."""
    names = "nn.functional.adaptive_avg_pool2d"

    def compose(input, output_size):
        return _adaptive(input, 2, output_size)
    samples = [((1, 2, 7, 5), 3), ((2, 6, 6), 1)]


@op
class adaptive_avg_pool3d:
    """The means of `output_size` windows over (N, C, D, H, W) or (C, D, H, W)."""
    autocast = "float32"
    names = "nn.functional.adaptive_avg_pool3d"

    def compose(input, output_size):
        return _adaptive(input, 3, output_size)
    samples = [((1, 2, 3, 5, 4), 2)]


# by a norm

def _lp_pool(input, norm_type, dims, kernel_size, stride, ceil_mode):
    need_tensor(input, f"lp_pool{dims}d")
    if norm_type in (math.inf, -math.inf):
        greatest = (max_pool1d, max_pool2d, max_pool3d)[dims - 1]
        sign = 1 if norm_type > 0 else -1
        return sign * greatest(sign * input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    means = _pool(input.pow(norm_type), dims, kernel_size, stride, 0, ceil_mode, True, None, f"lp_pool{dims}d")
    places = math.prod(ints(kernel_size, dims, f"lp_pool{dims}d", "kernel_size"))
    return (means.sign() * means.abs().relu() * places).pow(1.0 / norm_type)


@op
class lp_pool1d:
    """The norm of each window of a signal: (sum of x**p)**(1/p)."""
    names = "nn.functional.lp_pool1d"

    def compose(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        return _lp_pool(input, norm_type, 1, kernel_size, stride, ceil_mode)
    samples = [((2, 3, 7), 2, 3, 2), ((3, 8), 1.5, 2)]


@op
class lp_pool2d:
    """The norm of each window of images: (sum of x**p)**(1/p)."""
    names = "nn.functional.lp_pool2d"

    def compose(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        return _lp_pool(input, norm_type, 2, kernel_size, stride, ceil_mode)
    samples = [((1, 2, 6, 5), 2, 2), ((2, 5, 5), math.inf, 3, 2)]


@op
class lp_pool3d:
    """The norm of each window of volumes: (sum of x**p)**(1/p)."""
    names = "nn.functional.lp_pool3d"

    def compose(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        return _lp_pool(input, norm_type, 3, kernel_size, stride, ceil_mode)
    samples = [((1, 2, 4, 4, 3), 3, 2)]
