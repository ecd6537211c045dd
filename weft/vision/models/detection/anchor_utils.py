"""Boxes to start from."""
import math

import weft
from weft import nn


class AnchorGenerator(nn.Module):
    """Boxes of some sizes and aspect ratios (height over width) at every pixel of every map; one list of each per map.

    >>> import weft
    >>> from weft.vision.models.detection.anchor_utils import AnchorGenerator
    >>> from weft.vision.models.detection.image_list import ImageList
    >>> pictures = ImageList(weft.zeros(1, 3, 8, 8), [(8, 8)])
    >>> AnchorGenerator(((8,),), ((1.0,),))(pictures, [weft.zeros(1, 2, 2, 2)])[0].shape
    torch.Size([4, 4])
    """

    def __init__(self, sizes=((128, 256, 512),), aspect_ratios=((0.5, 1.0, 2.0),)):
        super().__init__()
        sizes = sizes if isinstance(sizes[0], (list, tuple)) else tuple((s,) for s in sizes)
        if not isinstance(aspect_ratios[0], (list, tuple)):
            aspect_ratios = (aspect_ratios,) * len(sizes)
        self.sizes, self.aspect_ratios = sizes, aspect_ratios
        self.cell_anchors = [self.generate_anchors(s, r) for s, r in zip(sizes, aspect_ratios)]

    @staticmethod
    def generate_anchors(scales, aspect_ratios, dtype=weft.float32):
        """Boxes (N, 4) about 0."""
        with weft.device("cpu"):
            scales, ratios = weft.as_tensor(scales, dtype=dtype), weft.as_tensor(aspect_ratios, dtype=dtype)
            tall = weft.sqrt(ratios)
            wide = ((1 / tall)[:, None] * scales[None, :]).view(-1)
            high = (tall[:, None] * scales[None, :]).view(-1)
            return (weft.stack([-wide, -high, wide, high], dim=1) / 2).round()

    def num_anchors_per_location(self):
        """How many boxes each map has at a pixel."""
        return [len(s) * len(r) for s, r in zip(self.sizes, self.aspect_ratios)]

    def forward(self, image_list, feature_maps):
        if len(feature_maps) != len(self.cell_anchors):
            raise ValueError(f"there are {len(feature_maps)} maps and sizes for {len(self.cell_anchors)}\n  fix: give "
                             "AnchorGenerator a tuple of sizes for each map")
        size, made = image_list.tensors.shape[-2:], []
        for each, base in zip(feature_maps, self.cell_anchors):
            h, w = each.shape[-2:]
            y, x = weft.meshgrid(weft.arange(h, dtype=weft.int32) * (size[0] // h),
                                 weft.arange(w, dtype=weft.int32) * (size[1] // w), indexing="ij")
            x, y = x.reshape(-1), y.reshape(-1)
            shifts = weft.stack((x, y, x, y), dim=1)
            made.append((shifts.view(-1, 1, 4) + base.to(each.dtype).view(1, -1, 4)).reshape(-1, 4))
        return [weft.cat(made) for _ in image_list.image_sizes]


class DefaultBoxGenerator(nn.Module):
    """SSD's boxes: for each map two squares and boxes of the aspect ratios, in parts of the picture.

    >>> from weft.vision.models.detection.anchor_utils import DefaultBoxGenerator
    >>> DefaultBoxGenerator([[2], [2, 3]]).num_anchors_per_location()
    [4, 6]
    """

    def __init__(self, aspect_ratios, min_ratio=0.15, max_ratio=0.9, scales=None, steps=None, clip=True):
        super().__init__()
        if steps is not None and len(aspect_ratios) != len(steps):
            raise ValueError("aspect_ratios and steps must have the same length")
        self.aspect_ratios, self.steps, self.clip = aspect_ratios, steps, clip
        n = len(aspect_ratios)
        if scales is None:
            step = (max_ratio - min_ratio) / (n - 1.0) if n > 1 else 0.0
            scales = [min_ratio + step * k for k in range(n)] + [1.0] if n > 1 else [min_ratio, max_ratio]
        self.scales = scales
        with weft.device("cpu"):
            self._wh_pairs = [self._pairs(k) for k in range(n)]

    def _pairs(self, k):
        scale, between = self.scales[k], math.sqrt(self.scales[k] * self.scales[k + 1])
        pairs = [[scale, scale], [between, between]]
        for ratio in self.aspect_ratios[k]:
            root = math.sqrt(ratio)
            w, h = scale * root, scale / root
            pairs += [[w, h], [h, w]]
        return weft.tensor(pairs, dtype=weft.float32)

    def num_anchors_per_location(self):
        """How many boxes each map has at a pixel."""
        return [2 + 2 * len(ratios) for ratios in self.aspect_ratios]

    def forward(self, image_list, feature_maps):
        size = image_list.tensors.shape[-2:]
        made = []
        for k, each in enumerate(feature_maps):
            h, w = each.shape[-2:]
            rows, columns = (size[0] / self.steps[k], size[1] / self.steps[k]) if self.steps is not None else (h, w)
            y, x = weft.meshgrid(((weft.arange(h) + 0.5) / rows).to(weft.float32),
                                 ((weft.arange(w) + 0.5) / columns).to(weft.float32), indexing="ij")
            x, y = x.reshape(-1), y.reshape(-1)
            pairs = self._wh_pairs[k].clamp(min=0, max=1) if self.clip else self._wh_pairs[k]
            middles = weft.stack((x, y), -1).repeat_interleave(len(pairs), 0)
            made.append(weft.cat((middles, pairs.repeat(h * w, 1)), 1))
        boxes = weft.cat(made, 0)
        scale = weft.tensor([size[1], size[0]], dtype=boxes.dtype)
        boxes = weft.cat([(boxes[:, :2] - 0.5 * boxes[:, 2:]) * scale, (boxes[:, :2] + 0.5 * boxes[:, 2:]) * scale], -1)
        return [boxes for _ in image_list.image_sizes]
