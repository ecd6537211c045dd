"""Regions pooled from the level of a pyramid that fits their size."""
import math

import weft
from weft.nn import Module
from weft.vision.ops._rois import as_rois, pair
from weft.vision.ops.roi import roi_align

__all__ = ["MultiScaleRoIAlign"]


class MultiScaleRoIAlign(Module):
    """roi_align on the level of {name: (N, C, H, W)} that fits each region's size, as in feature pyramid networks.

    A region of canonical_scale pixels is taken from the level canonical_level (2 ** level pixels are one of its own).

    >>> import weft
    >>> pool = weft.vision.ops.MultiScaleRoIAlign(["a", "b"], 3, 2)
    >>> maps = {"a": weft.rand(1, 5, 64, 64), "b": weft.rand(1, 5, 32, 32)}
    >>> pool(maps, [weft.tensor([[10., 10., 60., 60.]])], [(512, 512)]).shape
    torch.Size([1, 5, 3, 3])
    """

    def __init__(self, featmap_names, output_size, sampling_ratio, *, canonical_scale=224, canonical_level=4):
        super().__init__()
        self.featmap_names, self.output_size, self.sampling_ratio = featmap_names, pair(output_size), sampling_ratio
        self.canonical_scale, self.canonical_level = canonical_scale, canonical_level

    def forward(self, x, boxes, image_shapes):
        maps = [x[name] for name in self.featmap_names if name in x]
        largest = [max(shape[i] for shape in image_shapes) for i in (0, 1)]
        scales = [2.0 ** round(math.log2(m.shape[-2] / largest[0])) for m in maps]
        rois = as_rois(boxes)
        if len(maps) == 1:
            return roi_align(maps[0], rois, self.output_size, scales[0], self.sampling_ratio)
        levels = self._levels(rois, scales)
        made = weft.zeros((len(rois), maps[0].shape[1], *self.output_size), dtype=maps[0].dtype)
        for level, (each, scale) in enumerate(zip(maps, scales)):
            found = weft.where(levels == level)[0]
            pooled = roi_align(each, rois[found], self.output_size, scale, self.sampling_ratio)
            made = made.index_put((found,), pooled.to(made.dtype))
        return made

    def _levels(self, rois, scales):
        first, last = -math.log2(scales[0]), -math.log2(scales[-1])
        sides = weft.sqrt((rois[:, 3] - rois[:, 1]) * (rois[:, 4] - rois[:, 2]))
        found = weft.floor(self.canonical_level + weft.log2(sides / self.canonical_scale) + 1e-6)
        return (found.clamp(first, last) - first).to(weft.int64)

    def __repr__(self):
        return (f"MultiScaleRoIAlign(featmap_names={self.featmap_names}, output_size={self.output_size}, "
                f"sampling_ratio={self.sampling_ratio})")
