"""Boxes as offsets of others, which box belongs to which, which are used for training."""
import math

import weft
from weft.nn import functional as F
from weft.vision.ops import losses

CLIP = math.log(1000.0 / 16)        # of the logarithms of sizes


class BoxCoder:
    """Boxes as weighted offsets and logarithms of sizes of others."""

    def __init__(self, weights, bbox_xform_clip=CLIP):
        self.weights, self.bbox_xform_clip = weights, bbox_xform_clip

    @staticmethod
    def _middles(boxes):
        w, h = boxes[..., 2] - boxes[..., 0], boxes[..., 3] - boxes[..., 1]
        return boxes[..., 0] + 0.5 * w, boxes[..., 1] + 0.5 * h, w, h

    def encode(self, reference_boxes, proposals):
        counts = [len(b) for b in reference_boxes]
        return self.encode_single(weft.cat(reference_boxes), weft.cat(proposals)).split(counts, 0)

    def encode_single(self, reference_boxes, proposals):
        wx, wy, ww, wh = self.weights
        x, y, w, h = self._middles(proposals)
        gx, gy, gw, gh = self._middles(reference_boxes)
        return weft.stack((wx * (gx - x) / w, wy * (gy - y) / h, ww * weft.log(gw / w), wh * weft.log(gh / h)), 1)

    def decode(self, rel_codes, boxes):
        whole = weft.cat(boxes, 0)
        if len(whole) > 0:
            rel_codes = rel_codes.reshape(len(whole), -1)
        made = self.decode_single(rel_codes, whole)
        return made.reshape(len(whole), -1, 4) if len(whole) > 0 else made

    def decode_single(self, rel_codes, boxes):
        wx, wy, ww, wh = self.weights
        x, y, w, h = (v[:, None] for v in self._middles(boxes.to(rel_codes.dtype)))
        dx, dy = rel_codes[:, 0::4] / wx, rel_codes[:, 1::4] / wy
        dw = (rel_codes[:, 2::4] / ww).clamp(max=self.bbox_xform_clip)
        dh = (rel_codes[:, 3::4] / wh).clamp(max=self.bbox_xform_clip)
        x, y, half_w, half_h = dx * w + x, dy * h + y, 0.5 * (dw.exp() * w), 0.5 * (dh.exp() * h)
        return weft.stack((x - half_w, y - half_h, x + half_w, y + half_h), dim=2).flatten(1)


class BoxLinearCoder:
    """Boxes as distances of their sides from the middles of others."""

    def __init__(self, normalize_by_size=True):
        self.normalize_by_size = normalize_by_size

    def _middles(self, boxes):
        return 0.5 * (boxes[..., 0] + boxes[..., 2]), 0.5 * (boxes[..., 1] + boxes[..., 3])

    def encode(self, reference_boxes, proposals):
        x, y = self._middles(reference_boxes)
        sides = weft.stack((x - proposals[..., 0], y - proposals[..., 1], proposals[..., 2] - x, proposals[..., 3] - y),
                           -1)
        return sides / self._sizes(reference_boxes) if self.normalize_by_size else sides

    def _sizes(self, boxes):
        w, h = boxes[..., 2] - boxes[..., 0], boxes[..., 3] - boxes[..., 1]
        return weft.stack((w, h, w, h), dim=-1)

    def decode(self, rel_codes, boxes):
        boxes = boxes.to(rel_codes.dtype)
        x, y = self._middles(boxes)
        rel_codes = rel_codes * self._sizes(boxes) if self.normalize_by_size else rel_codes
        return weft.stack((x - rel_codes[..., 0], y - rel_codes[..., 1], x + rel_codes[..., 2], y + rel_codes[..., 3]),
                          -1)


class Matcher:
    """For each of many boxes the true one that it overlaps most; -1 for little overlap, -2 for some."""

    BELOW_LOW_THRESHOLD, BETWEEN_THRESHOLDS = -1, -2

    def __init__(self, high_threshold, low_threshold, allow_low_quality_matches=False):
        self.high_threshold, self.low_threshold = high_threshold, low_threshold
        self.allow_low_quality_matches = allow_low_quality_matches

    def __call__(self, match_quality_matrix):
        if match_quality_matrix.numel() == 0:
            which = "true boxes" if match_quality_matrix.shape[0] == 0 else "boxes"
            raise ValueError(f"No {which} are there for one of the images during training")
        values, best = match_quality_matrix.max(dim=0)
        matches = best.clone()
        matches[values < self.low_threshold] = self.BELOW_LOW_THRESHOLD
        matches[(values >= self.low_threshold) & (values < self.high_threshold)] = self.BETWEEN_THRESHOLDS
        if self.allow_low_quality_matches:      # each true box has at least the one that overlaps it most
            most = match_quality_matrix.max(dim=1)[0]
            kept = weft.where(match_quality_matrix == most[:, None])[1]
            matches[kept] = best[kept]
        return matches


class SSDMatcher(Matcher):
    """A Matcher that gives each true box the one that overlaps it most."""

    def __init__(self, threshold):
        super().__init__(threshold, threshold, allow_low_quality_matches=False)

    def __call__(self, match_quality_matrix):
        matches = super().__call__(match_quality_matrix)
        best = match_quality_matrix.max(dim=1)[1]
        matches[best] = weft.arange(len(best), dtype=weft.int64)
        return matches


class BalancedPositiveNegativeSampler:
    """A fixed number of boxes for training, a fraction of them (at most) positive."""

    def __init__(self, batch_size_per_image, positive_fraction):
        self.batch_size_per_image, self.positive_fraction = batch_size_per_image, positive_fraction

    def __call__(self, matched_idxs):
        chosen = [], []
        for each in matched_idxs:
            positive, negative = weft.where(each >= 1)[0], weft.where(each == 0)[0]
            count = min(positive.numel(), int(self.batch_size_per_image * self.positive_fraction))
            rest = min(negative.numel(), self.batch_size_per_image - count)
            for out, found, n in zip(chosen, (positive, negative), (count, rest)):
                mask = weft.zeros_like(each, dtype=weft.uint8)
                mask[found[weft.randperm(found.numel())[:n]]] = 1
                out.append(mask)
        return chosen


def overwrite_eps(model, eps):
    """All FrozenBatchNorm2d with another eps, for older files."""
    from weft.vision.ops.misc import FrozenBatchNorm2d
    for layer in model.modules():
        if isinstance(layer, FrozenBatchNorm2d):
            layer.eps = eps


def topk_min(input, orig_kval, axis):
    """k, or as many as there are."""
    return min(orig_kval, input.shape[axis])


def box_loss(kind, coder, anchors, matched, codes, cnf=None):
    """The sum of the losses of boxes by one of several kinds."""
    if kind in ("l1", "smooth_l1"):
        target = coder.encode_single(matched, anchors)
        if kind == "l1":
            return F.l1_loss(codes, target, reduction="sum")
        return F.smooth_l1_loss(codes, target, reduction="sum", beta=(cnf or {}).get("beta", 1.0))
    boxes = coder.decode_single(codes, anchors)
    function = {"giou": losses.generalized_box_iou_loss, "diou": losses.distance_box_iou_loss,
                "ciou": losses.complete_box_iou_loss}[kind]
    return function(boxes, matched, reduction="sum", eps=(cnf or {}).get("eps", 1e-7))


def check_targets(targets):
    """Raises for targets that can't be learnt from."""
    if targets is None:
        raise AssertionError("targets should not be none when in training mode")
    for i, target in enumerate(targets):
        boxes = target["boxes"]
        if not isinstance(boxes, weft.Tensor):
            raise AssertionError(f"Expected target boxes to be of type Tensor, got {type(boxes)}.")
        if boxes.ndim != 2 or boxes.shape[-1] != 4:
            raise AssertionError(f"Expected target boxes to be a tensor of shape [N, 4], got {tuple(boxes.shape)}.")
        wrong = (boxes[:, 2:] <= boxes[:, :2]).any(dim=1)
        if wrong.any():
            at = int(weft.where(wrong)[0][0])
            raise AssertionError("All bounding boxes should have positive height and width. Found invalid box "
                                 f"{boxes[at].tolist()} for target at index {i}.")
