# compiled
"""max_pool and adaptive_max_pool over one to three dimensions.

For the gradient a pooling keeps the place that each window took its value from, as one byte (the index in its plane
where windows are larger than 256 or unequal, or where the indices were asked for); its input isn't kept.
"""
import numpy as np

from weft.core.modes import GRAD_OFF
from weft.core.runtime import mode_bits
from weft.kernels import fast
from weft.ops.core.registry import NOGRAD, op
from weft.ops.core.samples import ints
from weft.ops.index.arrays import contiguous
from weft.ops.nn.images import images, inner_channels, laid_out
from weft.ops.nn.pool_index import _plane_gather, _plane_scatter
from weft.ops.nn.pool_window import NONE, WHOLE, Window, adaptive, need_kind, need_tensor, sliding
from weft.tensor.tensor import needs_grad

VALUES, PICKS, INDICES = 0, 1, 2        # what a pooling is to give
SMALL = 256                             # windows whose places a byte can count


# the reference

def _pooled(x, window, want):
    """The values, and with PICKS or INDICES where they came from."""
    turned = inner_channels(x)
    if turned is not None:
        found = fast.max_pool_last(turned, window.dims, window.out, window.kernel, window.stride, window.padding,
                                   window.dilation, window.adaptive, want)
        if found is not None:
            return found
    found = fast.max_pool(contiguous(x), window.dims, window.out, window.kernel, window.stride,
                          window.padding, window.dilation, window.adaptive, want)
    if found is None:
        found = _reference(x, window, want)
    return laid_out(found, x) if want == VALUES else (laid_out(found[0], x), laid_out(found[1], x))


def _reference(x, window, want):
    dims = window.dims
    lead = x.shape[:x.ndim - dims]
    planes = x.reshape(-1, *window.size)
    index, inside = _places(window)
    # (planes, out..., places)
    seen = planes[(slice(None), *index)].reshape(len(planes), *window.out, window.places)
    inside = np.broadcast_to(np.broadcast_to(inside, window.out + window.kernel).reshape(*window.out, window.places),
                             seen.shape)
    pick = _first_greatest(seen, inside)
    values = np.take_along_axis(seen, pick[..., None], -1)[..., 0]
    values = np.where(inside.any(-1), values, _least(x.dtype)).reshape(*lead, *window.out)
    if want == VALUES:
        return values
    picks = pick.reshape(values.shape)
    return values, picks.astype(np.uint8) if want == PICKS else _indices(picks, window)


def _places(window):
    """The index along each axis of every place of every window, (out..., kernel...) when broadcast, and whether it is
    inside.
    """
    dims, index, inside = window.dims, [], True
    for axis in range(dims):
        start, first, last = window.bounds(axis)
        k = np.arange(window.kernel[axis])
        at = start[:, None] + k * window.dilation[axis]
        shape = [1] * (2 * dims)
        shape[axis], shape[dims + axis] = at.shape
        index.append(np.clip(at, 0, window.size[axis] - 1).reshape(shape))
        inside = inside & ((k >= first[:, None]) & (k < last[:, None])).reshape(shape)
    return index, inside


def _first_greatest(seen, inside):
    """The place of the greatest element: the first of equal ones, the last of several NaN."""
    if seen.size == 0:
        return np.zeros(seen.shape[:-1], np.int64)
    values = np.where(inside, seen, _least(seen.dtype))
    pick = ((values == np.fmax.reduce(values, axis=-1, keepdims=True)) & inside).argmax(-1)
    if seen.dtype.kind == "f":
        nan = np.isnan(values)
        pick = np.where(nan.any(-1), seen.shape[-1] - 1 - nan[..., ::-1].argmax(-1), pick)
    return pick


def _least(np_dtype):
    return -np.inf if np_dtype.kind == "f" else np.iinfo(np_dtype).min


def _indices(picks, window):
    """The places in the windows (..., out...) as places in the planes."""
    index, _ = _places(window)
    flat = 0
    for size, at in zip(window.size, index):
        flat = flat * size + at
    flat = np.broadcast_to(flat, window.out + window.kernel).reshape(*window.out, window.places)
    flat = np.broadcast_to(flat, picks.shape[:picks.ndim - window.dims] + flat.shape)
    return np.ascontiguousarray(np.take_along_axis(flat, picks.astype(np.int64)[..., None], -1)[..., 0])


# the ops that the public ones choose from

def _spec(x, window, dtype=None):
    """What a pooling of x gives."""
    return images((*x.shape[:x.ndim - window.dims], *window.out), x.dtype if dtype is None else dtype, x)


# of the samples
WINDOW = Window((6, 5), (3, 2), (2, 3), (2, 2), (0, 1), (1, 1))
INSIDE = Window((6, 5), (3, 2), (2, 3), (2, 2), (0, 0), (1, 1))        # every place of its windows lies on the image
PLACES = ints(2, 3, 3, 2, below=6, dtype="uint8")


@op
class _max_pool:
    """The greatest element of each window."""
    method, tags = False, NOGRAD
    steady = True

    def forward(x, window):
        return _pooled(x, window, VALUES)

    def shape(x, window):
        return _spec(x, window)
    samples = [((2, 3, 6, 5), WINDOW)]


@op
class _max_pool_picked:
    """The same, and the place in its window that each was taken from."""
    method, outputs, node_name = False, "values picks", "MaxPool2DWithIndicesBackward0"
    steady = True

    def forward(x, window):
        return _pooled(x, window, PICKS)

    def shape(x, window):
        return _spec(x, window), _spec(x, window, np.uint8)

    def grad_x(g, picks, window):
        return _max_pool_spread(g, picks, window)
    samples = [((2, 3, 6, 5), WINDOW)]


@op
class _max_pool_indexed:
    """The same, and the index in its plane."""
    method, outputs, node_name = False, "values indices", "MaxPool2DWithIndicesBackward0"

    def forward(x, window):
        return _pooled(x, window, INDICES)

    def shape(x, window):
        return _spec(x, window), _spec(x, window, np.int64)

    def grad_x(g, indices, window):
        return _plane_scatter(g, indices, window.dims, window.size, True)
    samples = [((2, 3, 6, 5), WINDOW)]


@op
class _max_pool_spread:
    """The gradient of a max pooling: each element goes where its window's greatest stood."""
    method, node_name = False, "MaxPool2DWithIndicesBackwardBackward0"
    steady = True

    def forward(x, picks, window):
        turned, places = inner_channels(x), inner_channels(picks)
        if turned is not None and places is not None:
            found = fast.max_pool_spread_last(turned, places, (len(x), *window.size, x.shape[1]), window.dims,
                                              window.kernel, window.stride, window.padding, window.dilation)
            if found is not None:
                return found
        shape = (*x.shape[:x.ndim - window.dims], *window.size)
        found = fast.max_pool_spread(contiguous(x), contiguous(picks), shape, window.dims, window.kernel,
                                     window.stride, window.padding, window.dilation)
        if found is not None:
            return laid_out(found, x)
        return _plane_scatter.op.forward(x, _indices(picks, window), window.dims, window.size, True)

    def shape(x, picks, window):
        return images((*x.shape[:x.ndim - window.dims], *window.size), x.dtype, x)

    def grad_x(g, picks, window):
        return _max_pool_collect(g, picks, window)
    samples = [((2, 3, 3, 2), PLACES, INSIDE)]


@op
class _max_pool_collect:
    """What stands where each window's greatest stood: the transpose of `_max_pool_spread`."""
    method, node_name = False, "MaxPool2DWithIndicesBackwardBackward0"

    def forward(x, picks, window):
        return _plane_gather.op.forward(x, _indices(picks, window), window.dims)

    def shape(x, picks, window):
        return _spec(x, window)

    def grad_x(g, picks, window):
        return _max_pool_spread(g, picks, window)
    samples = [((2, 3, 6, 5), PLACES, INSIDE)]


def _pool(x, window, indices):
    """The pooling in the form that what follows needs."""
    if indices:
        return tuple(_max_pool_indexed(x, window))
    if mode_bits() & GRAD_OFF or not needs_grad(x):
        return _max_pool(x, window)
    if window.places <= SMALL and not window.adaptive:
        return _max_pool_picked(x, window)[0]
    return _max_pool_indexed(x, window)[0]


# the public ops

@op
class max_pool1d:
    """The greatest element of each window of a signal (N, C, L) or (C, L)."""
    names, method = "max_pool1d nn.functional.max_pool1d", False

    def compose(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        need_tensor(input, "max_pool1d")
        need_kind(input, "max_pool1d", WHOLE if return_indices else NONE)
        return _pool(input, sliding(input, 1, kernel_size, stride, padding, dilation, ceil_mode, "max_pool1d"),
                     return_indices)
    samples = [((2, 3, 7), 3, 2, 1), ((3, 8), 2), ((2, 9), 2, 2, 0, 3, True)]


@op
class max_pool2d:
    """The greatest element of each window of images (N, C, H, W) or (C, H, W)."""
    names, method = "max_pool2d nn.functional.max_pool2d", False

    def compose(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        need_tensor(input, "max_pool2d")
        need_kind(input, "max_pool2d", WHOLE)
        return _pool(input, sliding(input, 2, kernel_size, stride, padding, dilation, ceil_mode, "max_pool2d"),
                     return_indices)
    samples = [((1, 2, 6, 5), 2), ((2, 7, 7), 3, 2, 1), ((2, 7, 7), 3, 2, 1, 1, True)]


@op
class max_pool3d:
    """The greatest element of each window of volumes (N, C, D, H, W) or (C, D, H, W)."""
    autocast = "float32"
    names, method = "max_pool3d nn.functional.max_pool3d", False

    def compose(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        need_tensor(input, "max_pool3d")
        need_kind(input, "max_pool3d", WHOLE)
        return _pool(input, sliding(input, 3, kernel_size, stride, padding, dilation, ceil_mode, "max_pool3d"),
                     return_indices)
    samples = [((1, 2, 4, 4, 3), 2), ((1, 3, 5, 4), 3, 2, 1)]


@op
class max_pool1d_with_indices:
    """max_pool1d and the index of each result in its row."""
    names, method = "max_pool1d_with_indices nn.functional.max_pool1d_with_indices", False

    def compose(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=True):
        return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)
    samples = [((2, 3, 7), 3, 2, 1)]


@op
class max_pool2d_with_indices:
    """max_pool2d and the index of each result in its image."""
    names = "nn.functional.max_pool2d_with_indices"

    def compose(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=True):
        return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)
    samples = [((1, 2, 6, 5), 2)]


@op
class max_pool3d_with_indices:
    """max_pool3d and the index of each result in its volume."""
    names, autocast = "nn.functional.max_pool3d_with_indices", "same"

    def compose(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=True):
        return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)
    samples = [((1, 2, 4, 4, 3), 2)]


# adaptive

def _adaptive(input, dims, output_size, indices):
    who = f"adaptive_max_pool{dims}d"
    need_tensor(input, who)
    need_kind(input, who, NONE)
    return _pool(input, adaptive(input, dims, output_size, who), indices)


@op
class adaptive_max_pool1d:
    """The greatest elements of `output_size` windows over (N, C, L) or (C, L), and their indices."""
    method = False

    def compose(input, output_size):
        return _adaptive(input, 1, output_size, True)
    samples = [((2, 3, 7), 3)]


@op
class _adaptive_max_pool1d:
    """The greatest elements of `output_size` windows over (N, C, L) or (C, L)."""
    names = "nn.functional.adaptive_max_pool1d"

    def compose(input, output_size, return_indices=False):
        return _adaptive(input, 1, output_size, return_indices)
    samples = [((2, 3, 7), 3), ((3, 8), 2, True)]


@op
class adaptive_max_pool2d:
    """The greatest elements of `output_size` windows over (N, C, H, W) or (C, H, W)."""
    names = "nn.functional.adaptive_max_pool2d"

    def compose(input, output_size, return_indices=False):
        return _adaptive(input, 2, output_size, return_indices)
    samples = [((1, 2, 7, 5), 3), ((2, 6, 6), 2)]


@op
class adaptive_max_pool3d:
    """The greatest elements of `output_size` windows over (N, C, D, H, W) or (C, D, H, W)."""
    autocast = "float32"
    names = "nn.functional.adaptive_max_pool3d"

    def compose(input, output_size, return_indices=False):
        return _adaptive(input, 3, output_size, return_indices)
    samples = [((1, 2, 3, 5, 4), 2)]


@op
class adaptive_max_pool1d_with_indices:
    """adaptive_max_pool1d and the index of each result in its row."""
    names = "nn.functional.adaptive_max_pool1d_with_indices"

    def compose(input, output_size, return_indices=True):
        return _adaptive(input, 1, output_size, True)
    samples = [((2, 3, 7), 3)]


@op
class adaptive_max_pool2d_with_indices:
    """adaptive_max_pool2d and the index of each result in its image."""
    names = "nn.functional.adaptive_max_pool2d_with_indices"

    def compose(input, output_size, return_indices=True):
        return _adaptive(input, 2, output_size, True)
    samples = [((1, 2, 7, 5), 3)]


@op
class adaptive_max_pool3d_with_indices:
    """adaptive_max_pool3d and the index of each result in its volume."""
    names, autocast = "nn.functional.adaptive_max_pool3d_with_indices", "float32"

    def compose(input, output_size, return_indices=True):
        return _adaptive(input, 3, output_size, True)
    samples = [((1, 2, 3, 5, 4), 2)]
