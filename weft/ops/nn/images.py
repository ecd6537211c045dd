# compiled, -Og
"""Images whose channels lie innermost in memory (channels_last): what is computed from them is laid out alike, as in
PyTorch. Most kernels work on contiguous arrays, so such a result is copied once; what treats all channels alike reads
them as they lie (`inner_channels`).
"""
import numpy as np

from weft.core.spec import Spec, ordered
from weft.ops.index.arrays import contiguous


def channels_last(x):
    """Whether an array or Spec is a stack of images or volumes, (N, C, H, W) or (N, C, D, H, W), in that order."""
    if x.flags.c_contiguous:
        return False
    n = len(x.shape)
    if n != 4 and n != 5 or not x.size or not x.strides[1]:
        return False
    least = 0
    for d in (1, *range(n - 1, 1, -1), 0):
        step = x.strides[d]
        if step < least or d == 0 and least == x.strides[1]:
            return False
        least = step * max(x.shape[d], 1)
    return True


def _wanted(shape, inputs):
    for x in inputs:
        if channels_last(x):
            return len(shape) == len(x.shape)
    return False


def images(shape, dtype, *inputs):
    """The Spec of a result of these inputs: channels_last where one of them is, else contiguous."""
    return ordered(shape, dtype, (0, *range(2, len(shape)), 1)) if _wanted(shape, inputs) else Spec(shape, dtype)


def laid_out(made, *inputs):
    """A result (array) in the order that `images` says."""
    if not _wanted(made.shape, inputs):
        return contiguous(made)
    return np.moveaxis(contiguous(np.moveaxis(made, 1, -1)), -1, 1)


def inner_channels(x):
    """Images or volumes as (samples, ..., channels), if they are channels_last, without gaps."""
    if not channels_last(x):
        return None
    turned = np.moveaxis(x, 1, -1)
    return turned if turned.flags.c_contiguous else None


def channel_rows(x):
    """(samples * positions, channels) of such an array; else None."""
    turned = inner_channels(x)
    return None if turned is None else turned.reshape(-1, x.shape[1])


def from_rows(rows, shape):
    """An array of `shape` whose channels lie innermost, of its rows."""
    return np.moveaxis(rows.reshape(shape[0], *shape[2:], shape[1]), -1, 1)
