"""Parts of a picture (regions of interest) pooled to one size.

Aligning, and averaging by position, are linear in the picture, and every region's weights are a product of those of the
rows and those of the columns: out = rows @ picture @ columns.T, which runs on the region's pixels only. So a region is
a `Region`, and what goes forth and what goes back (`Pool`, `Spread`) are each other's gradient, to any order.
"""
import math
from typing import NamedTuple

import numpy as np

import weft
from weft.autograd import Function
from weft.nn import Module
from weft.vision.ops._rois import as_rois, pair

__all__ = ["roi_align", "RoIAlign", "roi_pool", "RoIPool", "ps_roi_align", "PSRoIAlign", "ps_roi_pool", "PSRoIPool"]


class Region(NamedTuple):
    """What a region takes of a picture."""
    picture: int            # in the batch
    y: slice
    x: slice
    rows: np.ndarray        # (out height, rows of the slice)
    columns: np.ndarray     # (out width, columns of the slice)


class Pool(Function):
    """(N, C, H, W) -> (regions, C, h, w)."""

    @staticmethod
    def forward(ctx, input, regions, size, by_position):
        ctx.regions, ctx.by_position, ctx.shape, ctx.size = regions, by_position, tuple(input.shape), size
        x = input.detach().numpy()
        channels = x.shape[1] // (size[0] * size[1]) if by_position else x.shape[1]
        out = np.zeros((len(regions), channels, *size), x.dtype)
        for made, r in zip(out, regions):
            part = x[r.picture, :, r.y, r.x]
            if by_position:     # each place of the output has channels of its own
                part = part.reshape(channels, *size, *part.shape[1:])
                np.einsum("py,cpqyx,qx->cpq", r.rows, part, r.columns, out=made, optimize=False)
            else:
                np.matmul(np.matmul(r.rows, part), r.columns.T, out=made)
        return weft.from_numpy(out)

    @staticmethod
    def backward(ctx, grad):
        return Spread.apply(grad, ctx.regions, ctx.shape, ctx.by_position), None, None, None


class Spread(Function):
    """(regions, C, h, w) -> (N, C, H, W): Pool's transpose."""

    @staticmethod
    def forward(ctx, grad, regions, shape, by_position):
        g = grad.detach().numpy()
        ctx.regions, ctx.by_position, ctx.size = regions, by_position, g.shape[2:]
        out = np.zeros(shape, g.dtype)
        for one, r in zip(g, regions):
            place = out[r.picture, :, r.y, r.x]
            if by_position:
                made = np.einsum("py,cpq,qx->cpqyx", r.rows, one, r.columns)
                place += made.reshape(place.shape)
            else:
                place += np.matmul(r.rows.T, np.matmul(one, r.columns))
        return weft.from_numpy(out)

    @staticmethod
    def backward(ctx, grad):
        return Pool.apply(grad, ctx.regions, ctx.size, ctx.by_position), None, None, None


def _check(input, name):
    if input.ndim != 4 or not input.is_floating_point():
        raise RuntimeError(f"{name}: input must be floats (N, C, H, W), not {input.dtype} {tuple(input.shape)}")


def _samples(start, step, bins, count, length):
    """(weights (bins, pixels), slice of the pixels) of `count` samples in each bin along an axis."""
    points = start + step * (np.arange(bins)[:, None] + (np.arange(count) + 0.5) / max(count, 1))   # (bins, count)
    inside = (points >= -1.0) & (points <= length)
    points = np.maximum(points, 0.0)
    low = np.minimum(np.floor(points).astype(np.int64), length - 1)
    high = np.minimum(low + 1, length - 1)
    part = np.where(low >= length - 1, 0.0, points - low)
    weights = np.zeros((bins, length), points.dtype)
    rows = np.broadcast_to(np.arange(bins)[:, None], points.shape)
    np.add.at(weights, (rows, low), np.where(inside, 1.0 - part, 0.0))
    np.add.at(weights, (rows, high), np.where(inside, part, 0.0))
    used = np.flatnonzero(weights.any(0))
    place = slice(int(used[0]), int(used[-1]) + 1) if len(used) else slice(0, 1)
    return weights[:, place] / max(count, 1), place


def _aligned(input, rois, size, scale, ratio, offset, least):
    """Regions of roi_align and ps_roi_align; least: the smallest side of a region."""
    height, width = input.shape[2:]
    kind = np.float64 if input.dtype is weft.float64 else np.float32
    scale, offset = kind(scale), kind(offset)
    regions, own = [], input.detach().numpy().dtype
    for roi in rois.detach().numpy().astype(kind):
        x1, y1, x2, y2 = roi[1:] * scale - offset
        wide, high = x2 - x1, y2 - y1
        if least is not None:
            wide, high = max(wide, kind(least)), max(high, kind(least))
        step_y, step_x = high / kind(size[0]), wide / kind(size[1])
        count_y = ratio if ratio > 0 else int(math.ceil(step_y))
        count_x = ratio if ratio > 0 else int(math.ceil(step_x))
        rows, y = _samples(y1, step_y, size[0], max(count_y, 0), height)
        columns, x = _samples(x1, step_x, size[1], max(count_x, 0), width)
        regions.append(Region(int(roi[0]), y, x, rows.astype(own), columns.astype(own)))
    return regions


def roi_align(input, boxes, output_size, spatial_scale=1.0, sampling_ratio=-1, aligned=False):
    """Regions of pictures (N, C, H, W), each the mean of samples between pixels: (regions, C, h, w).

    boxes: (K, 5), the picture's index and the corners, or a list of (L, 4) for each picture; spatial_scale: from the
    boxes' pixels to the input's; aligned: pixels' middles are at 0.5.

    >>> import weft
    >>> picture = weft.arange(16.).view(1, 1, 4, 4)
    >>> weft.vision.ops.roi_align(picture, [weft.tensor([[0., 0., 4., 4.]])], 2, aligned=True)
    tensor([[[[ 2.5000,  4.5000],
              [10.5000, 12.5000]]]])
    """
    _check(input, "roi_align")
    size, rois = pair(output_size), as_rois(boxes)
    regions = _aligned(input, rois, size, spatial_scale, sampling_ratio, 0.5 if aligned else 0.0,
                       None if aligned else 1.0)
    return Pool.apply(input, regions, size, False)


def ps_roi_align(input, boxes, output_size, spatial_scale=1.0, sampling_ratio=-1):
    """roi_align where each place of the output has channels of its own: (regions, C / (h * w), h, w).

    >>> import weft
    >>> picture = weft.ones(1, 8, 4, 4)
    >>> weft.vision.ops.ps_roi_align(picture, [weft.tensor([[0., 0., 4., 4.]])], 2).shape
    torch.Size([1, 2, 2, 2])
    """
    _check(input, "ps_roi_align")
    size, rois = pair(output_size), as_rois(boxes)
    _divides(input, size, "ps_roi_align")
    return Pool.apply(input, _aligned(input, rois, size, spatial_scale, sampling_ratio, 0.5, None), size, True)


def _divides(input, size, name):
    if input.shape[1] % (size[0] * size[1]):
        raise RuntimeError(f"{name}: {input.shape[1]} channels can't be shared among {size[0]} x {size[1]} places")


def _away(value):
    """Rounded as C does it: halves go away from zero."""
    return int(math.floor(abs(value) + 0.5)) * (1 if value >= 0 else -1)


def _bins(start, step, bins, length, kind):
    """[(first, last + 1)] of the pixels of each bin."""
    found = []
    for i in range(bins):
        low = int(math.floor(kind(i) * step)) + start
        high = int(math.ceil(kind(i + 1) * step)) + start
        found.append((min(max(low, 0), length), min(max(high, 0), length)))
    return found


def ps_roi_pool(input, boxes, output_size, spatial_scale=1.0):
    """Means of the pixels of each bin, where each place of the output has channels of its own.

    >>> import weft
    >>> weft.vision.ops.ps_roi_pool(weft.ones(1, 8, 4, 4), [weft.tensor([[0., 0., 4., 4.]])], 2).shape
    torch.Size([1, 2, 2, 2])
    """
    _check(input, "ps_roi_pool")
    size, rois = pair(output_size), as_rois(boxes)
    _divides(input, size, "ps_roi_pool")
    height, width = input.shape[2:]
    kind = np.float64 if input.dtype is weft.float64 else np.float32
    regions, own = [], input.detach().numpy().dtype
    for roi in rois.detach().numpy().astype(kind):
        x1, y1, x2, y2 = (_away(v) for v in roi[1:] * kind(spatial_scale))
        wide, high = max(x2 - x1, 1), max(y2 - y1, 1)
        rows = _means(y1, kind(high) / kind(size[0]), size[0], height, kind)
        columns = _means(x1, kind(wide) / kind(size[1]), size[1], width, kind)
        regions.append(Region(int(roi[0]), slice(0, height), slice(0, width), rows.astype(own), columns.astype(own)))
    return Pool.apply(input, regions, size, True)


def _means(start, step, bins, length, kind):
    weights = np.zeros((bins, length), kind)
    for i in range(bins):
        low = min(max(int(math.floor(kind(i) * step + kind(start))), 0), length)
        high = min(max(int(math.ceil(kind(i + 1) * step + kind(start))), 0), length)
        if high > low:
            weights[i, low:high] = 1.0 / (high - low)
    return weights


class MaxPool(Function):
    """Picks by index: (N, C, H, W) -> the shape of the indices, into H * W; -1 gives 0."""

    @staticmethod
    def forward(ctx, input, pictures, index):
        ctx.shape, ctx.pictures, ctx.index = tuple(input.shape), pictures, index
        x = input.detach().numpy().reshape(*input.shape[:2], -1)
        k, c = index.shape[:2]
        flat = index.reshape(k, c, -1)
        made = np.take_along_axis(x[pictures], np.maximum(flat, 0), 2) * (flat >= 0)
        return weft.from_numpy(np.ascontiguousarray(made.reshape(index.shape).astype(x.dtype)))

    @staticmethod
    def backward(ctx, grad):
        return MaxSpread.apply(grad, ctx.pictures, ctx.index, ctx.shape), None, None


class MaxSpread(Function):
    """MaxPool's transpose."""

    @staticmethod
    def forward(ctx, grad, pictures, index, shape):
        ctx.pictures, ctx.index = pictures, index
        g = grad.detach().numpy()
        out = np.zeros((shape[0], shape[1], shape[2] * shape[3]), g.dtype)
        k, c = index.shape[:2]
        flat = index.reshape(k, c, -1)
        rows = np.broadcast_to(np.asarray(pictures)[:, None, None], flat.shape)
        columns = np.broadcast_to(np.arange(c)[None, :, None], flat.shape)
        valid = flat >= 0
        np.add.at(out, (rows[valid], columns[valid], flat[valid]), g.reshape(flat.shape)[valid])
        return weft.from_numpy(out.reshape(shape))

    @staticmethod
    def backward(ctx, grad):
        return MaxPool.apply(grad, ctx.pictures, ctx.index), None, None, None


def roi_pool(input, boxes, output_size, spatial_scale=1.0):
    """Regions of pictures (N, C, H, W), the greatest value of each bin: (regions, C, h, w).

    >>> import weft
    >>> picture = weft.arange(16.).view(1, 1, 4, 4)
    >>> weft.vision.ops.roi_pool(picture, [weft.tensor([[0., 0., 3., 3.]])], 2)
    tensor([[[[ 5.,  7.],
              [13., 15.]]]])
    """
    _check(input, "roi_pool")
    size, rois = pair(output_size), as_rois(boxes)
    x = input.detach().numpy()
    height, width = x.shape[2:]
    kind = np.float64 if input.dtype is weft.float64 else np.float32
    values = rois.detach().numpy().astype(kind)
    index = np.full((len(values), x.shape[1], *size), -1, np.int64)
    pictures = values[:, 0].astype(np.int64)
    for k, roi in enumerate(values):
        x1, y1, x2, y2 = (_away(v) for v in roi[1:] * kind(spatial_scale))
        wide, high = max(x2 - x1 + 1, 1), max(y2 - y1 + 1, 1)
        columns = _bins(x1, kind(wide) / kind(size[1]), size[1], width, kind)
        for p, (top, bottom) in enumerate(_bins(y1, kind(high) / kind(size[0]), size[0], height, kind)):
            for q, (left, right) in enumerate(columns):
                if bottom > top and right > left:
                    part = x[pictures[k], :, top:bottom, left:right].reshape(x.shape[1], -1)
                    best = part.argmax(1)
                    index[k, :, p, q] = (best // (right - left) + top) * width + best % (right - left) + left
    return MaxPool.apply(input, pictures, index)


class _Roi(Module):
    """A pooling as a layer."""

    def __init__(self, output_size, spatial_scale):
        super().__init__()
        self.output_size, self.spatial_scale = output_size, spatial_scale

    def extra_repr(self):
        return ", ".join(f"{name}={getattr(self, name)}" for name in ("output_size", "spatial_scale", "sampling_ratio",
                                                                      "aligned") if hasattr(self, name))


class RoIAlign(_Roi):
    """roi_align as a layer: (N, C, H, W) and boxes to (regions, C, h, w).

    >>> import weft
    >>> weft.vision.ops.RoIAlign(2, 1.0, -1)(weft.ones(1, 3, 4, 4), [weft.tensor([[0., 0., 4., 4.]])]).shape
    torch.Size([1, 3, 2, 2])
    """

    def __init__(self, output_size, spatial_scale, sampling_ratio, aligned=False):
        super().__init__(output_size, spatial_scale)
        self.sampling_ratio, self.aligned = sampling_ratio, aligned

    def forward(self, input, rois):
        return roi_align(input, rois, self.output_size, self.spatial_scale, self.sampling_ratio, self.aligned)


class PSRoIAlign(_Roi):
    """ps_roi_align as a layer.

    >>> import weft
    >>> weft.vision.ops.PSRoIAlign(2, 1.0, -1)(weft.ones(1, 8, 4, 4), [weft.tensor([[0., 0., 4., 4.]])]).shape
    torch.Size([1, 2, 2, 2])
    """

    def __init__(self, output_size, spatial_scale, sampling_ratio):
        super().__init__(output_size, spatial_scale)
        self.sampling_ratio = sampling_ratio

    def forward(self, input, rois):
        return ps_roi_align(input, rois, self.output_size, self.spatial_scale, self.sampling_ratio)


class RoIPool(_Roi):
    """roi_pool as a layer.

    >>> import weft
    >>> weft.vision.ops.RoIPool(2, 1.0)(weft.ones(1, 3, 4, 4), [weft.tensor([[0., 0., 3., 3.]])]).shape
    torch.Size([1, 3, 2, 2])
    """

    def forward(self, input, rois):
        return roi_pool(input, rois, self.output_size, self.spatial_scale)


class PSRoIPool(_Roi):
    """ps_roi_pool as a layer.

    >>> import weft
    >>> weft.vision.ops.PSRoIPool(2, 1.0)(weft.ones(1, 8, 4, 4), [weft.tensor([[0., 0., 3., 3.]])]).shape
    torch.Size([1, 2, 2, 2])
    """

    def forward(self, input, rois):
        return ps_roi_pool(input, rois, self.output_size, self.spatial_scale)
