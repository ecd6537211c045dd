"""Blocks of images (unfold, fold) and channels that change places (pixel_shuffle and its kin)."""
import itertools
import math

import numpy as np

from weft.core import layout as layouts
from weft.core.errors import fail
from weft.kernels import fast
from weft.ops.core.registry import op
from weft.ops.core.samples import size
from weft.ops.index.arrays import contiguous
from weft.ops.nn.images import channels_last
from weft.tensor.tensor import describe


def _pair(value, name, least):
    """One number for both dimensions, or two."""
    made = (value, value) if isinstance(value, (int, np.integer)) else tuple(value)
    made = made * 2 if len(made) == 1 else made
    if len(made) != 2 or min(made) < least:
        fail(RuntimeError, f"{name} should be {'greater than' if least else 'at least'} zero, one or two numbers, but "
             f"got {value}")
    return int(made[0]), int(made[1])


def _blocks_along(n, kernel, dilation, padding, stride):
    return (n + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def _windows(image, kernel, dilation, stride, counts):
    """For each place of the kernel, the view of a padded image (..., H, W) of what it sees: (..., counts)."""
    for i, j in itertools.product(range(kernel[0]), range(kernel[1])):
        y, x = i * dilation[0], j * dilation[1]
        yield i, j, image[..., y:y + stride[0] * counts[0]:stride[0], x:x + stride[1] * counts[1]:stride[1]]


@op
class _image_blocks:
    """The blocks of images (n, c, h, w) as columns: (n, c * kernel, blocks)."""
    method, node_name = False, "Im2ColBackward0"

    def forward(x, kernel, dilation, padding, stride):
        found = fast.unfold_blocks(contiguous(x), kernel, dilation, padding, stride)
        if found is not None:
            return found
        n, c, h, w = x.shape
        counts = [_blocks_along(s, k, d, p, t) for s, k, d, p, t in zip((h, w), kernel, dilation, padding, stride)]
        wide = np.zeros((n, c, h + 2 * padding[0] + stride[0], w + 2 * padding[1] + stride[1]), x.dtype)
        wide[:, :, padding[0]:padding[0] + h, padding[1]:padding[1] + w] = x
        made = np.empty((n, c, *kernel, *counts), x.dtype)
        for i, j, seen in _windows(wide, kernel, dilation, stride, counts):
            made[:, :, i, j] = seen
        return made.reshape(n, c * math.prod(kernel), math.prod(counts))

    def shape(x, kernel, dilation, padding, stride):
        n, c, *sizes = x.shape
        counts = [_blocks_along(*each) for each in zip(sizes, kernel, dilation, padding, stride)]
        return (n, c * math.prod(kernel), math.prod(counts)), x.dtype

    def grad_x(g, x_shape, kernel, dilation, padding, stride):
        return FOLD.compute([g, tuple(x_shape[2:]), kernel, dilation, padding, stride])
    samples = [((2, 3, 4, 5), size(2, 3), size(1, 1), size(1, 0), size(2, 1))]


@op
class _blocks_image:
    """Columns (n, c * kernel, blocks) added up to images (n, c, *size)."""
    method, node_name = False, "Col2ImBackward0"

    def forward(x, size, kernel, dilation, padding, stride):
        found = fast.fold_blocks(contiguous(x), size, kernel, dilation, padding, stride)
        if found is not None:
            return found
        n, c, (h, w) = x.shape[0], x.shape[1] // math.prod(kernel), size
        counts = [_blocks_along(s, k, d, p, t) for s, k, d, p, t in zip(size, kernel, dilation, padding, stride)]
        columns = x.reshape(n, c, *kernel, *counts)
        wide = np.zeros((n, c, h + 2 * padding[0] + stride[0], w + 2 * padding[1] + stride[1]), x.dtype)
        for i, j, seen in _windows(wide, kernel, dilation, stride, counts):
            seen += columns[:, :, i, j]
        return wide[:, :, padding[0]:padding[0] + h, padding[1]:padding[1] + w].copy()

    def shape(x, size, kernel, dilation, padding, stride):
        return (x.shape[0], x.shape[1] // math.prod(kernel), *size), x.dtype

    def grad_x(g, kernel, dilation, padding, stride):
        return UNFOLD.compute([g, kernel, dilation, padding, stride])
    samples = [((2, 18, 9), size(4, 5), size(2, 3), size(1, 1), size(1, 0), size(2, 1))]


UNFOLD, FOLD = _image_blocks.op, _blocks_image.op


def _settings(kernel_size, dilation, padding, stride):
    return _pair(kernel_size, "kernel_size", 1), _pair(dilation, "dilation",
                                                       1), _pair(padding, "padding", 0), _pair(stride, "stride", 1)


@op
class unfold_images:
    """Sliding blocks of images (n, c, h, w) or (c, h, w) as columns: (n, c * kernel, blocks)."""
    names, method = "nn.functional.unfold", False

    def compose(input, kernel_size, dilation=1, padding=0, stride=1):
        settings = _settings(kernel_size, dilation, padding, stride)
        shape = input._form.shape
        if len(shape) not in (3, 4) or 0 in shape[-3:]:
            fail(RuntimeError, "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
                 "dimensions for input, but "
                 f"got: {list(shape)}")
        counts = [_blocks_along(n, *each) for n, each in zip(shape[-2:], zip(*settings))]
        if min(counts) < 1:
            fail(RuntimeError, f"Given input with spatial size {list(shape[-2:])}, kernel_size={settings[0]}, "
                 f"dilation={settings[1]}, padding={settings[2]}, stride={settings[3]}, calculated shape of the array "
                 f"of sliding blocks as {tuple(counts)}, but its "
                 "components must be at least one.", "pad more, or take a smaller kernel")
        made = UNFOLD.compute([input if len(shape) == 4 else input.unsqueeze(0), *settings])
        return made if len(shape) == 4 else made.squeeze(0)
    samples = [((1, 2, 4, 5), 2), ((2, 4, 5), [2, 3], 1, 1, 2)]


@op
class fold_images:
    """Columns (n, c * kernel, blocks) added up to images of `output_size`: what unfold took apart, summed where blocks
    overlap.
    """
    names, method = "nn.functional.fold", False

    def compose(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
        settings = _settings(kernel_size, dilation, padding, stride)
        size, shape = _pair(output_size, "output_size", 1), input._form.shape
        if len(shape) not in (2, 3) or 0 in shape[-2:]:
            fail(RuntimeError, "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
                 "non-zero dimensions for input, but "
                 f"got: {list(shape)}")
        if shape[-2] % math.prod(settings[0]):
            fail(RuntimeError, "Expected size of input's dimension 1 to be divisible by the product of kernel_size, "
                 "but got input.size(1)="
                 f"{shape[-2]} and kernel_size={settings[0]}.")
        counts = [_blocks_along(n, *each) for n, each in zip(size, zip(*settings))]
        if min(counts) < 1:
            fail(RuntimeError, f"Given output_size={size}, kernel_size={settings[0]}, dilation={settings[1]}, "
                 f"padding={settings[2]}, stride={settings[3]}, calculated shape of the array of sliding blocks as "
                 f"({counts[0]}, {counts[1]}), which is too small (non-positive)",
                 "the kernel spans more than the output: give a smaller one, or padding")
        if math.prod(counts) != shape[-1]:
            fail(RuntimeError, f"Given output_size={size}, kernel_size={settings[0]}, dilation={settings[1]}, "
                 f"padding={settings[2]}, stride={settings[3]}, expected size of input's dimension 2 to match the "
                 f"calculated number of sliding blocks {counts[0]} * {counts[1]} = "
                 f"{math.prod(counts)}, but got input.size(2)={shape[-1]}.")
        made = FOLD.compute([input if len(shape) == 3 else input.unsqueeze(0), size, *settings])
        return made if len(shape) == 3 else made.squeeze(0)
    samples = [((1, 8, 12), [4, 5], 2)]


# channels

def _as_given(made, input):
    """A result with its channels innermost in memory, where the input has them there."""
    if not channels_last(describe(input)):
        return made
    return made.contiguous(memory_format=layouts.channels_last if made._form.ndim == 4 else layouts.channels_last_3d)


@op
class pixel_shuffle:
    """(..., c * r * r, h, w) to (..., c, h * r, w * r)."""
    names, method = "pixel_shuffle nn.functional.pixel_shuffle", False

    def compose(input, upscale_factor):
        shape, r = input._form.shape, upscale_factor
        if len(shape) < 3:
            fail(RuntimeError, f"pixel_shuffle expects input to have at least 3 dimensions, but got input with "
                 f"{len(shape)} dimension(s)")
        if r <= 0:
            fail(RuntimeError, f"pixel_shuffle expects a positive upscale_factor, but got {r}")
        if shape[-3] % (r * r):
            fail(RuntimeError, f"pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
                 f"of upscale_factor, but input.size(-3)={shape[-3]} is not divisible by {r * r}")
        lead, (c, h, w) = shape[:-3], shape[-3:]
        n = len(lead)
        apart = input.reshape((*lead, c // (r * r), r, r, h, w))
        made = apart.permute((*range(n), n, n + 3, n + 1, n + 4, n + 2)).reshape((*lead, c // (r * r), h * r, w * r))
        return _as_given(made, input)
    samples = [((1, 4, 2, 3), 2)]


@op
class pixel_unshuffle:
    """(..., c, h * r, w * r) to (..., c * r * r, h, w)."""
    names, method = "pixel_unshuffle nn.functional.pixel_unshuffle", False

    def compose(input, downscale_factor):
        shape, r = input._form.shape, downscale_factor
        if len(shape) < 3:
            fail(RuntimeError, f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with "
                 f"{len(shape)} dimension(s)")
        if r <= 0:
            fail(RuntimeError, f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
        for which, n in (("height", shape[-2]), ("width", shape[-1])):
            if n % r:
                fail(RuntimeError, f"pixel_unshuffle expects {which} to be divisible by downscale_factor, but {n} is "
                     f"not divisible by {r}")
        lead, (c, h, w) = shape[:-3], shape[-3:]
        n = len(lead)
        apart = input.reshape((*lead, c, h // r, r, w // r, r))
        made = apart.permute((*range(n), n, n + 2, n + 4, n + 1, n + 3)).reshape((*lead, c * r * r, h // r, w // r))
        return _as_given(made, input)
    samples = [((1, 1, 4, 6), 2)]


@op
class channel_shuffle:
    """The channels of `groups` groups taken in turn."""
    names, method = "channel_shuffle native_channel_shuffle nn.functional.channel_shuffle", False

    def compose(input, groups):
        shape = input._form.shape
        if len(shape) < 3:
            fail(RuntimeError, f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(shape)}")
        if groups <= 0:
            fail(RuntimeError, f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
        if shape[1] % groups:
            fail(RuntimeError, f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} "
                 f"groups.")
        made = input.reshape((shape[0], groups, shape[1] // groups, *shape[2:])).transpose(1, 2).reshape(shape)
        return _as_given(made, input)
    samples = [((1, 4, 2), 2)]
