"""Boxes: formats, areas, overlaps, and which of many to keep."""
import math

import numpy as np

import weft

__all__ = ["nms", "batched_nms", "remove_small_boxes", "clip_boxes_to_image", "box_convert", "box_area", "box_iou",
           "generalized_box_iou", "distance_box_iou", "complete_box_iou", "masks_to_boxes"]


def nms(boxes, scores, iou_threshold):
    """Which boxes (N, 4) remain when each takes away those of lower score that overlap it by more than iou_threshold;
    the best first.

    >>> import weft
    >>> boxes = weft.tensor([[0., 0., 4., 4.], [0., 0., 4., 3.], [5., 5., 6., 6.]])
    >>> weft.vision.ops.nms(boxes, weft.tensor([0.9, 0.8, 0.7]), 0.5)
    tensor([0, 2])
    """
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise RuntimeError(f"nms: boxes have the shape (N, 4), not {tuple(boxes.shape)}")
    if scores.ndim != 1 or len(scores) != len(boxes):
        raise RuntimeError(f"nms: {len(boxes)} boxes need as many scores, not {tuple(scores.shape)}")
    b, s = boxes.detach().numpy(), scores.detach().numpy()
    if b.dtype == np.float16:
        b = b.astype(np.float32)
    order = np.argsort(-s, kind="stable")
    return weft.from_numpy(_kept(np.ascontiguousarray(b[order].T), order, iou_threshold))


def _kept(b, order, threshold):
    """Of corners (4, N), the best first."""
    x1, y1, x2, y2 = b
    areas = (x2 - x1) * (y2 - y1)
    gone, kept = np.zeros(len(order), bool), []
    for i in range(len(order)):
        if gone[i]:
            continue
        kept.append(i)
        j = slice(i + 1, None)
        w = np.maximum(np.minimum(x2[i], x2[j]) - np.maximum(x1[i], x1[j]), 0)
        h = np.maximum(np.minimum(y2[i], y2[j]) - np.maximum(y1[i], y1[j]), 0)
        both = w * h
        with np.errstate(divide="ignore", invalid="ignore"):
            gone[j] |= both / (areas[i] + areas[j] - both) > threshold
    return order[np.array(kept, np.int64)].astype(np.int64)


def batched_nms(boxes, scores, idxs, iou_threshold):
    """nms for each class (idxs) by itself; the best first.

    >>> import weft
    >>> boxes = weft.tensor([[0., 0., 4., 4.], [0., 0., 4., 3.]])
    >>> weft.vision.ops.batched_nms(boxes, weft.tensor([0.8, 0.9]), weft.tensor([0, 1]), 0.5)
    tensor([1, 0])
    """
    if boxes.numel() == 0:
        return weft.empty((0,), dtype=weft.int64)
    if boxes.numel() <= 4000:       # classes far apart, all at once
        apart = idxs.to(boxes.dtype) * (boxes.max() + weft.tensor(1).to(boxes.dtype))
        return nms(boxes + apart[:, None], scores, iou_threshold)
    keep = weft.zeros_like(scores, dtype=weft.bool)
    for which in weft.unique(idxs).tolist():
        found = weft.where(idxs == which)[0]
        keep[found[nms(boxes[found], scores[found], iou_threshold)]] = True
    keep = weft.where(keep)[0]
    return keep[scores[keep].sort(descending=True)[1]]


def remove_small_boxes(boxes, min_size):
    """Which boxes (N, 4) have no side shorter than min_size.

    >>> import weft
    >>> weft.vision.ops.remove_small_boxes(weft.tensor([[0., 0., 4., 4.], [0., 0., 4., 0.5]]), 1.0)
    tensor([0])
    """
    w, h = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    return weft.where((w >= min_size) & (h >= min_size))[0]


def clip_boxes_to_image(boxes, size):
    """Boxes (..., 4) cut off at the edges of a picture of the size (height, width).

    >>> import weft
    >>> weft.vision.ops.clip_boxes_to_image(weft.tensor([[-1., 0., 9., 4.]]), (3, 5))
    tensor([[0., 0., 5., 3.]])
    """
    height, width = size
    x, y = boxes[..., 0::2].clamp(min=0, max=width), boxes[..., 1::2].clamp(min=0, max=height)
    return weft.stack((x, y), dim=boxes.ndim).reshape(boxes.shape)


FORMATS = ("xyxy", "xywh", "cxcywh")


def box_convert(boxes, in_fmt, out_fmt):
    """Boxes (..., 4) in another format: xyxy, xywh (a corner and the size) or cxcywh (the middle and the size).

    >>> import weft
    >>> weft.vision.ops.box_convert(weft.tensor([[1., 1., 3., 5.]]), "xyxy", "cxcywh")
    tensor([[2., 3., 2., 4.]])
    """
    for fmt in (in_fmt, out_fmt):
        if fmt not in FORMATS:
            raise ValueError(f"there is no format {fmt!r}\n  fix: take one of {', '.join(FORMATS)}")
    if in_fmt == out_fmt:
        return boxes.clone()
    a, b, c, d = boxes.unbind(-1)
    if in_fmt == "xywh":
        a, b, c, d = a, b, a + c, b + d
    elif in_fmt == "cxcywh":
        a, b, c, d = a - 0.5 * c, b - 0.5 * d, a + 0.5 * c, b + 0.5 * d
    if out_fmt == "xywh":
        a, b, c, d = a, b, c - a, d - b
    elif out_fmt == "cxcywh":
        a, b, c, d = (a + c) / 2, (b + d) / 2, c - a, d - b
    return weft.stack((a, b, c, d), dim=-1)


def _wide(t):
    """So that products don't overflow."""
    if t.is_floating_point():
        return t if t.dtype in (weft.float32, weft.float64) else t.float()
    return t if t.dtype in (weft.int32, weft.int64) else t.int()


def box_area(boxes, fmt="xyxy"):
    """The areas of boxes (N, 4).

    >>> import weft
    >>> weft.vision.ops.box_area(weft.tensor([[0., 0., 4., 3.]]))
    tensor([12.])
    """
    boxes = _wide(boxes)
    if fmt == "xyxy":
        return (boxes[..., 2] - boxes[..., 0]) * (boxes[..., 3] - boxes[..., 1])
    if fmt not in FORMATS:
        raise ValueError(f"there is no format {fmt!r}\n  fix: take one of {', '.join(FORMATS)}")
    return boxes[..., 2] * boxes[..., 3]


def _overlap(boxes1, boxes2):
    """(areas of the intersections, of the unions), (N, M)."""
    low = weft.max(boxes1[..., None, :2], boxes2[..., None, :, :2])
    high = weft.min(boxes1[..., None, 2:], boxes2[..., None, :, 2:])
    size = _wide(high - low).clamp(min=0)
    both = size[..., 0] * size[..., 1]
    return both, box_area(boxes1)[..., None] + box_area(boxes2)[..., None, :] - both


def box_iou(boxes1, boxes2, fmt="xyxy"):
    """How much of their union boxes (N, 4) and (M, 4) share: (N, M).

    >>> import weft
    >>> weft.vision.ops.box_iou(weft.tensor([[0., 0., 2., 2.]]), weft.tensor([[0., 0., 2., 1.]]))
    tensor([[0.5000]])
    """
    if fmt != "xyxy":
        boxes1, boxes2 = box_convert(boxes1, fmt, "xyxy"), box_convert(boxes2, fmt, "xyxy")
    both, union = _overlap(boxes1, boxes2)
    return both / union


def generalized_box_iou(boxes1, boxes2):
    """box_iou less the part of the smallest box around both that neither covers: (N, M).

    >>> import weft
    >>> weft.vision.ops.generalized_box_iou(weft.tensor([[0., 0., 1., 1.]]), weft.tensor([[1., 1., 2., 2.]]))
    tensor([[-0.5000]])
    """
    both, union = _overlap(boxes1, boxes2)
    low = weft.min(boxes1[:, None, :2], boxes2[:, :2])
    high = weft.max(boxes1[:, None, 2:], boxes2[:, 2:])
    size = _wide(high - low).clamp(min=0)
    around = size[:, :, 0] * size[:, :, 1]
    return both / union - (around - union) / around


def distance_box_iou(boxes1, boxes2, eps=1e-7):
    """box_iou less the squared distance of the middles, in parts of the diagonal around both: (N, M).

    >>> import weft
    >>> weft.vision.ops.distance_box_iou(weft.tensor([[0., 0., 1., 1.]]), weft.tensor([[1., 1., 2., 2.]]))
    tensor([[-0.2500]])
    """
    return _distance_iou(boxes1, boxes2, eps)[0]


def _distance_iou(boxes1, boxes2, eps):
    iou = box_iou(boxes1, boxes2)
    low = weft.min(boxes1[:, None, :2], boxes2[:, :2])
    high = weft.max(boxes1[:, None, 2:], boxes2[:, 2:])
    diagonal = (_wide(high - low).clamp(min=0) ** 2).sum(-1) + eps
    middle1, middle2 = (boxes1[:, :2] + boxes1[:, 2:]) / 2, (boxes2[:, :2] + boxes2[:, 2:]) / 2
    apart = (_wide(middle1[:, None] - middle2[None]) ** 2).sum(-1)
    return iou - apart / diagonal, iou


def complete_box_iou(boxes1, boxes2, eps=1e-7):
    """distance_box_iou that also takes the boxes' proportions into account: (N, M).

    >>> import weft
    >>> boxes = weft.tensor([[0., 0., 2., 1.]])
    >>> weft.vision.ops.complete_box_iou(boxes, boxes)
    tensor([[1.]])
    """
    diou, iou = _distance_iou(boxes1, boxes2, eps)
    tilt1 = weft.atan((boxes1[:, None, 2] - boxes1[:, None, 0]) / (boxes1[:, None, 3] - boxes1[:, None, 1]))
    tilt2 = weft.atan((boxes2[:, 2] - boxes2[:, 0]) / (boxes2[:, 3] - boxes2[:, 1]))
    v = (4 / math.pi ** 2) * (tilt1 - tilt2) ** 2
    with weft.no_grad():
        alpha = v / (1 - iou + v + eps)
    return diou - alpha * v


def masks_to_boxes(masks):
    """The boxes (N, 4) around what masks (N, H, W) mark.

    >>> import weft
    >>> mask = weft.zeros(1, 4, 4)
    >>> mask[0, 1:3, 2] = 1
    >>> weft.vision.ops.masks_to_boxes(mask)
    tensor([[2., 1., 2., 2.]])
    """
    if masks.numel() == 0:
        return weft.zeros((0, 4))
    boxes = weft.zeros((len(masks), 4))
    for i, mask in enumerate(masks.numpy()):
        y, x = np.nonzero(mask)
        boxes[i] = weft.tensor([float(v) for v in (x.min(), y.min(), x.max(), y.max())])
    return boxes
