# compiled, -Og
"""Convolutions of arrays: the native kernels, and the NumPy reference where they take no case (integers, complex
numbers, no compiler).

Arrays are (images, channels, spatial...), weights (out channels, channels of a group, kernel...). `geometry` is
(stride, padding, dilation, groups), the first three one number per spatial dimension. The other side's sizes are given,
since they don't follow from a stride or a one-sided padding: positions outside of the input are zeros.
"""
import numpy as np
from numpy.lib.stride_tricks import as_strided

from weft.kernels import fast

conv_forward, conv_input, conv_weight, conv_bias = fast.conv_forward, fast.conv_input, fast.conv_weight, fast.conv_bias


def forward(x, w, bias, size, geometry):
    """The convolution of x with w, of `size` positions."""
    stride, padding, dilation, groups = geometry
    found = last_forward(x, w, bias, size, geometry)
    if found is None:
        found = conv_forward(x, w, bias, size, stride, padding, dilation, groups)
    if found is None and x.dtype.kind == "f":
        found = conv_forward(_whole(x), _whole(w), _row(bias), size, stride, padding, dilation, groups)
    return found if found is not None else reference_forward(x, w, bias, size, geometry)


def backward_input(g, w, bias, size, geometry):
    """The gradient of a convolution's input of `size`, from that of its output; also a transposed convolution."""
    stride, padding, dilation, groups = geometry
    found = last_input(g, w, bias, size, geometry)
    if found is None:
        found = patch_input(g, w, bias, size, geometry)
    if found is None:
        found = conv_input(g, w, bias, size, stride, padding, dilation, groups)
    if found is None and g.dtype.kind == "f":
        found = conv_input(_whole(g), _whole(w), _row(bias), size, stride, padding, dilation, groups)
    return found if found is not None else reference_input(g, w, bias, size, geometry)


def backward_weight(g, x, size, geometry):
    """The gradient of a convolution's weight, whose kernel has `size`."""
    stride, padding, dilation, groups = geometry
    found = last_weight(g, x, size, geometry)
    if found is None:
        found = conv_weight(g, x, size, stride, padding, dilation, groups)
    if found is None and g.dtype.kind == "f":
        found = conv_weight(_whole(g), _whole(x), size, stride, padding, dilation, groups)
    return found if found is not None else reference_weight(g, x, size, geometry)


def backward_bias(g):
    """The sum of a gradient over images and positions."""
    found = conv_bias(g) if g.flags.c_contiguous else None
    if found is None:
        last = _last(g)
        found = None if last is None else fast.reduce_sum(last.reshape(-1, g.shape[1]), 0, False)
    if found is not None:
        return found
    with np.errstate(all="ignore"):
        return g.sum((0, *range(2, g.ndim)), dtype=g.dtype)


def _row(bias):
    return bias if bias is None else np.ascontiguousarray(bias)


def _whole(array):
    """The array, or a copy, in one piece."""
    if array.flags.c_contiguous:
        return array
    found = fast.copied(array)
    return found if found is not None else np.ascontiguousarray(array)


# images whose channels lie innermost: what is a product of their rows, or goes channel by channel, needs no other order

def _last(images):
    """The images as (images, spatial..., channels), if they lie in memory so and not as their shape says."""
    if images.flags.c_contiguous or images.dtype.char not in "fd" or images.ndim < 3:
        return None
    turned = _turned(images)
    return turned if turned.flags.c_contiguous else None


def _turned(images):
    return images.transpose(0, 2, 3, 1) if images.ndim == 4 else np.moveaxis(images, 1, -1)


def _back(images):
    """(images, channels, spatial...) of (images, spatial..., channels)."""
    return images.transpose(0, 3, 1, 2) if images.ndim == 4 else np.moveaxis(images, -1, 1)


def _is_product(kernel, inner, outer, geometry):
    """Whether no two positions' windows overlap and all lie inside, so that a convolution is one product."""
    stride, padding, dilation, groups = geometry
    if groups != 1:
        return False
    for k, i, o, s, p, d in zip(kernel, inner, outer, stride, padding, dilation):
        if k < 1 or p or (s < k and o > 1) or (d != 1 and k > 1) or (o - 1) * (s if o > 1 else 1) + k > i:
            return False
    return True


def _is_depthwise(channels, shape, geometry):
    return geometry[3] == channels == shape[0] and shape[1] == 1 and channels > 1 and len(shape) < 5


def _windows_of(last, kernel, out, stride):
    """(images, positions..., kernel..., channels) of (images, spatial..., channels), a view."""
    steps = last.strides[1:-1]
    return as_strided(last, (last.shape[0], *out, *kernel, last.shape[-1]),
                      (last.strides[0], *[s * t if o > 1 else 0 for s, t, o in zip(steps, stride, out)], *steps,
                       last.strides[-1]))


def _patches(last, kernel, out, stride):
    """(positions of all images, kernel * channels) of (images, spatial..., channels)."""
    c = last.shape[-1]
    if _count(kernel) == 1 and last.shape[1:-1] == tuple(out):
        return last.reshape(-1, c)
    return _whole(_windows_of(last, kernel, out, stride)).reshape(-1, _count(kernel) * c)


def last_forward(x, w, bias, size, geometry):
    """The same as forward for such images, in their order; None for a case that is no product."""
    last = _last(x)
    if last is None:
        return None
    kernel = w.shape[2:]
    if _is_depthwise(x.shape[1], w.shape, geometry):
        made = fast.conv_lanes(last, _whole(w), _row(bias), size, *geometry[:3], False)
        return made if made is None else _back(made)
    if not last.size or not _is_product(kernel, x.shape[2:], size, geometry):
        return None
    rows = _whole(_turned(w)).reshape(w.shape[0], -1)           # (O, kernel * C)
    made = fast.linear(_patches(last, kernel, size, geometry[0]), rows, _row(bias))
    return made if made is None else _back(made.reshape(x.shape[0], *size, w.shape[0]))


def last_input(g, w, bias, size, geometry):
    """The same as backward_input."""
    last = _last(g)
    if last is None:
        return None
    kernel, channels = w.shape[2:], w.shape[1]
    if _is_depthwise(g.shape[1], w.shape, geometry):
        made = fast.conv_lanes(last, _whole(w), _row(bias), size, *geometry[:3], True)
        return made if made is None else _back(made)
    if not last.size or bias is not None or not _is_product(kernel, size, g.shape[2:], geometry):
        return None
    rows = _whole(_turned(w)).reshape(w.shape[0], -1)           # (O, kernel * C)
    made = fast.matmul(last.reshape(-1, g.shape[1]), rows, False, False, None)
    if made is None or _count(kernel) == 1 and g.shape[2:] == tuple(size):
        return made if made is None else _back(made.reshape(g.shape[0], *size, channels))
    out = g.shape[2:]
    wide = np.zeros((g.shape[0], *size, channels), g.dtype)     # what no window covers has no gradient
    _windows_of(wide, kernel, out, geometry[0])[...] = made.reshape(g.shape[0], *out, *kernel, channels)
    return _back(wide)


def last_weight(g, x, size, geometry):
    """The same as backward_weight, if one of the two lies so."""
    inner, outer = _last(x), _last(g)
    if inner is None and outer is None or x.dtype != g.dtype:
        return None
    depthwise = _is_depthwise(x.shape[1], (g.shape[1], x.shape[1] // geometry[3]), geometry) and x.ndim < 5
    if not depthwise and not (x.size and g.size and _is_product(size, x.shape[2:], g.shape[2:], geometry)):
        return None
    inner = _whole(_turned(x)) if inner is None else inner
    outer = _whole(_turned(g)) if outer is None else outer
    if depthwise:
        return fast.conv_lanes_weight(outer, inner, size, *geometry[:3])
    rows = outer.reshape(-1, g.shape[1])
    made = fast.matmul(rows, _patches(inner, size, g.shape[2:], geometry[0]), True, False, None)     # (O, kernel * C)
    return made if made is None else _whole(_back(made.reshape(g.shape[1], *size, x.shape[1])))


# windows that lie side by side: a patch of the image for each position, and a product for each image

PATCHES = 2**17     # multiplications from which on the product is worth its preparation


def patch_input(g, w, bias, size, geometry):
    """The same as backward_input where the windows cover the images without gap or overlap; else None."""
    stride, padding, dilation, groups = geometry
    kernel, out = w.shape[2:], g.shape[2:]
    count = _count(kernel)
    if (groups != 1 or count == 1 or g.dtype.char not in "fd" or g.size * w.shape[1] * count < PATCHES or any(padding)
            or tuple(stride) != kernel or any([d != 1 for d in dilation])
            or any([o * k != n for o, k, n in zip(out, kernel, size)])):
        return None
    n, channels, dims = g.shape[0], w.shape[1], len(kernel)
    rows = _whole(w).reshape(w.shape[0], channels * count)
    made = fast.matmul(_whole(g).reshape(n, g.shape[1], _count(out)), np.broadcast_to(rows, (n, *rows.shape)), True,
                       False, None if bias is None else np.repeat(bias, count))
    if made is None:
        return None
    # (images, positions..., channels, kernel...) -> (images, channels, position, place in it, ...)
    order = [0, dims + 1] + [axis for d in range(dims) for axis in (1 + d, dims + 2 + d)]
    return _whole(made.reshape(n, *out, channels, *kernel).transpose(order)).reshape(n, channels, *size)


# the reference: all windows side by side as a matrix

def _padded(x, kernel, out, geometry):
    """x with zeros around it, so that every window lies inside."""
    stride, padding, dilation, _ = geometry
    spans = [(n - 1) * s + (k - 1) * d + 1 if n else 0 for n, k, s, d in zip(out, kernel, stride, dilation)]
    made = np.zeros((*x.shape[:2], *[max(span, p + n, 0) for span, p, n in zip(spans, padding, x.shape[2:])]), x.dtype)
    inside = tuple(slice(max(p, 0), max(p + n, 0)) for p, n in zip(padding, x.shape[2:]))
    made[(..., *inside)] = x[(..., *[slice(min(max(-p, 0), n), None) for p, n in zip(padding, x.shape[2:])])]
    return made


def _windows(x, kernel, out, geometry):
    """(images, groups, channels of a group * kernel, positions), copied."""
    stride, _, dilation, groups = geometry
    wide = _padded(x, kernel, out, geometry)
    n, c = x.shape[:2]
    steps = wide.strides[2:]
    # the stride of a single result doesn't matter, and may be too great for a number of bytes
    view = as_strided(wide, (n, c, *kernel, *out),
                      (*wide.strides[:2], *[s * d if k > 1 else 0 for s, d, k in zip(steps, dilation, kernel)],
                       *[s * t if o > 1 else 0 for s, t, o in zip(steps, stride, out)]))
    return view.reshape(n, groups, c // groups * _count(kernel), _count(out))


def _count(sizes):
    total = 1
    for n in sizes:
        total *= n
    return total


def reference_forward(x, w, bias, size, geometry):
    groups = geometry[3]
    windows = _windows(x, w.shape[2:], size, geometry)
    rows = w.reshape(groups, w.shape[0] // groups, _count(w.shape[1:]))
    with np.errstate(all="ignore"):
        made = np.matmul(rows, windows).reshape(x.shape[0], w.shape[0], *size)
        return made if bias is None else made + bias.reshape(-1, *[1] * len(size))


def reference_input(g, w, bias, size, geometry):
    groups = geometry[3]
    kernel, out = w.shape[2:], g.shape[2:]
    n, channels = g.shape[0], w.shape[1]
    rows = w.reshape(groups, w.shape[0] // groups, channels * _count(kernel))
    with np.errstate(all="ignore"):
        windows = np.matmul(rows.swapaxes(1, 2), g.reshape(n, groups, w.shape[0] // groups, _count(out)))
    return _scattered(windows.reshape(n, groups * channels, *kernel, *out), kernel, bias, size, geometry)


def _scattered(windows, kernel, bias, size, geometry):
    """The sum of windows (images, channels, kernel..., positions...) where they lie in images of `size`, plus bias."""
    stride, padding, dilation, _ = geometry
    n, channels, out = windows.shape[0], windows.shape[1], windows.shape[2 + len(kernel):]
    spans = [max((o - 1) * s + (k - 1) * d + 1, p + m, 0)
             for o, k, s, d, p, m in zip(out, kernel, stride, dilation, padding, size)]
    wide = np.zeros((n, channels, *spans), windows.dtype)
    with np.errstate(all="ignore"):
        for tap in np.ndindex(*kernel):
            place = tuple(slice(t * d, t * d + (o - 1) * s + 1 if o else t * d, s)
                          for t, d, o, s in zip(tap, dilation, out, stride))
            wide[(..., *place)] += windows[(slice(None), slice(None), *tap)]
        made = np.zeros((n, channels, *size), windows.dtype)
        made[(..., *[slice(min(max(-p, 0), m), None) for p, m in zip(padding, size)])] = \
            wide[(..., *[slice(max(p, 0), max(p + m, 0)) for p, m in zip(padding, size)])]
        return made if bias is None else made + bias.reshape(-1, *[1] * len(size))


def reference_weight(g, x, size, geometry):
    groups = geometry[3]
    n, out_channels, channels = g.shape[0], g.shape[1], x.shape[1]
    windows = _windows(x, size, g.shape[2:], geometry)
    with np.errstate(all="ignore"):
        each = np.matmul(g.reshape(n, groups, out_channels // groups, _count(g.shape[2:])), windows.swapaxes(2, 3))
        return each.sum(0, dtype=g.dtype).reshape(out_channels, channels // groups, *size)
