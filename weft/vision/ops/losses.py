"""Losses of boxes, and the focal loss."""
import math

import weft
from weft.nn import functional as F

__all__ = ["sigmoid_focal_loss", "generalized_box_iou_loss", "distance_box_iou_loss", "complete_box_iou_loss"]


def _reduced(loss, reduction):
    if reduction == "none":
        return loss
    if reduction == "mean":
        return loss.mean() if loss.numel() > 0 else 0.0 * loss.sum()
    if reduction == "sum":
        return loss.sum()
    raise ValueError(f"there is no reduction {reduction!r}\n  fix: take none, mean or sum")


def sigmoid_focal_loss(inputs, targets, alpha=0.25, gamma=2, reduction="none"):
    """The loss of yes-or-no answers (logits) that counts the hard ones more; alpha weighs the yes, -1 nothing.

    >>> import weft
    >>> weft.vision.ops.sigmoid_focal_loss(weft.zeros(2), weft.tensor([0., 1.]))
    tensor([0.1300, 0.0433])
    """
    if not (0 <= alpha <= 1) and alpha != -1:
        raise ValueError(f"alpha is {alpha}, it must be from 0 to 1, or -1")
    p = weft.sigmoid(inputs)
    loss = F.binary_cross_entropy_with_logits(inputs, targets, reduction="none")
    right = p * targets + (1 - p) * (1 - targets)
    loss = loss * ((1 - right) ** gamma)
    if alpha >= 0:
        loss = (alpha * targets + (1 - alpha) * (1 - targets)) * loss
    if reduction == "mean":
        return loss.mean()
    return _reduced(loss, reduction)


def _pairs(boxes1, boxes2, eps):
    """iou, union and (width, height) of the box around both, for boxes (..., 4) pair by pair."""
    boxes1, boxes2 = (b if b.dtype in (weft.float32, weft.float64) else b.float() for b in (boxes1, boxes2))
    x1, y1, x2, y2 = boxes1.unbind(-1)
    a1, b1, a2, b2 = boxes2.unbind(-1)
    left, top, right, bottom = weft.max(x1, a1), weft.max(y1, b1), weft.min(x2, a2), weft.min(y2, b2)
    meet = (bottom > top) & (right > left)
    both = weft.where(meet, (right - left) * (bottom - top), weft.zeros_like(x1))
    union = (x2 - x1) * (y2 - y1) + (a2 - a1) * (b2 - b1) - both
    around = weft.max(x2, a2) - weft.min(x1, a1), weft.max(y2, b2) - weft.min(y1, b1)
    return both, union, around, (boxes1, boxes2)


def generalized_box_iou_loss(boxes1, boxes2, reduction="none", eps=1e-7):
    """1 - generalized iou of boxes (..., 4), pair by pair.

    >>> import weft
    >>> boxes = weft.tensor([[0., 0., 2., 2.]])
    >>> weft.vision.ops.generalized_box_iou_loss(boxes, boxes + 1).item().__round__(4)
    1.0794
    """
    both, union, (w, h), _ = _pairs(boxes1, boxes2, eps)
    area = w * h
    return _reduced(1 - (both / (union + eps) - (area - union) / (area + eps)), reduction)


def _distance(boxes1, boxes2, eps):
    both, union, (w, h), (one, two) = _pairs(boxes1, boxes2, eps)
    iou = both / (union + eps)
    apart = ((one[..., 0] + one[..., 2]) / 2 - (two[..., 0] + two[..., 2]) / 2) ** 2 \
        + ((one[..., 1] + one[..., 3]) / 2 - (two[..., 1] + two[..., 3]) / 2) ** 2
    return 1 - iou + apart / (w ** 2 + h ** 2 + eps), iou, one, two


def distance_box_iou_loss(boxes1, boxes2, reduction="none", eps=1e-7):
    """1 - distance iou of boxes (..., 4), pair by pair.

    >>> import weft
    >>> boxes = weft.tensor([[0., 0., 2., 2.]])
    >>> weft.vision.ops.distance_box_iou_loss(boxes, boxes + 1).item().__round__(4)
    0.9683
    """
    return _reduced(_distance(boxes1, boxes2, eps)[0], reduction)


def complete_box_iou_loss(boxes1, boxes2, reduction="none", eps=1e-7):
    """1 - complete iou of boxes (..., 4), pair by pair.

    >>> import weft
    >>> boxes = weft.tensor([[0., 0., 2., 2.]])
    >>> weft.vision.ops.complete_box_iou_loss(boxes, boxes + 1).item().__round__(4)
    0.9683
    """
    loss, iou, one, two = _distance(boxes1, boxes2, eps)
    tilt = weft.atan((two[..., 2] - two[..., 0]) / (two[..., 3] - two[..., 1])) \
        - weft.atan((one[..., 2] - one[..., 0]) / (one[..., 3] - one[..., 1]))
    v = (4 / math.pi ** 2) * tilt ** 2
    with weft.no_grad():
        alpha = v / (1 - iou + v + eps)
    return _reduced(loss + alpha * v, reduction)
