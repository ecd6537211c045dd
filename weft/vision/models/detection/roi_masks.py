"""Masks and points of regions, small squares, as those of the whole picture, and back."""
import weft
from weft.nn import functional as F
from weft.vision.ops.roi import roi_align


def maskrcnn_inference(x, labels):
    """The mask (1, M, M) of each region's class, with probabilities, for each picture."""
    index = weft.arange(x.shape[0])
    chosen = x.sigmoid()[index, weft.cat(labels)][:, None]
    return chosen.split([len(label) for label in labels], dim=0)


def maskrcnn_loss(mask_logits, proposals, gt_masks, gt_labels, mask_matched_idxs):
    """How far masks are from the true ones, cut out of them in the same size."""
    size = mask_logits.shape[-1]
    labels = weft.cat([label[i] for label, i in zip(gt_labels, mask_matched_idxs)])
    targets = weft.cat([_cut(m, p, i, size) for m, p, i in zip(gt_masks, proposals, mask_matched_idxs)])
    if targets.numel() == 0:
        return mask_logits.sum() * 0
    return F.binary_cross_entropy_with_logits(mask_logits[weft.arange(len(labels)), labels], targets)


def _cut(masks, boxes, matched, size):
    rois = weft.cat([matched[:, None].to(boxes.dtype), boxes], 1)
    return roi_align(masks[:, None].to(rois.dtype), rois, (size, size), 1.0)[:, 0]


def expand_boxes(boxes, scale):
    """Boxes scaled about their middles."""
    half = (boxes[:, 2:] - boxes[:, :2]) * 0.5 * scale
    middle = (boxes[:, 2:] + boxes[:, :2]) * 0.5
    return weft.cat((middle - half, middle + half), 1)


def paste_masks_in_image(masks, boxes, img_shape, padding=1):
    """Masks (N, 1, M, M) of boxes as masks (N, 1, H, W) of the picture."""
    height, width = img_shape
    size = masks.shape[-1]
    masks = F.pad(masks, (padding,) * 4)
    boxes = expand_boxes(boxes, float(size + 2 * padding) / size).to(weft.int64).tolist()
    made = weft.zeros((len(masks), 1, height, width), dtype=masks.dtype)
    for i, (x1, y1, x2, y2) in enumerate(boxes):
        w, h = max(x2 - x1 + 1, 1), max(y2 - y1 + 1, 1)
        mask = F.interpolate(masks[i:i + 1], size=(h, w), mode="bilinear", align_corners=False)[0, 0]
        left, top, right, bottom = max(x1, 0), max(y1, 0), min(x2 + 1, width), min(y2 + 1, height)
        made[i, 0, top:bottom, left:right] = mask[top - y1:bottom - y1, left - x1:right - x1]
    return made


def keypoints_to_heatmap(keypoints, rois, size):
    """(which pixel of a heatmap of size x size each point is in, whether it is in at all)."""
    points, scale = keypoints[..., :2], size / (rois[:, 2:] - rois[:, :2])
    low, scale = rois[:, None, :2], scale[:, None]
    xy = ((points - low) * scale).floor().long()
    xy = weft.where(points == rois[:, None, 2:], weft.full_like(xy, size - 1), xy)      # on the right or lower edge
    valid = ((xy >= 0).all(-1) & (xy < size).all(-1) & (keypoints[..., 2] > 0)).long()
    return (xy[..., 1] * size + xy[..., 0]) * valid, valid


def keypointrcnn_loss(keypoint_logits, proposals, gt_keypoints, keypoint_matched_idxs):
    """How far heatmaps are from the pixels where the points are."""
    n, k, size, _ = keypoint_logits.shape
    maps, valid = [], []
    for boxes, points, matched in zip(proposals, gt_keypoints, keypoint_matched_idxs):
        where, inside = keypoints_to_heatmap(points[matched], boxes, size)
        maps.append(where.view(-1))
        valid.append(inside.view(-1))
    where, inside = weft.cat(maps), weft.where(weft.cat(valid))[0]
    if keypoint_logits.numel() == 0 or len(inside) == 0:
        return keypoint_logits.sum() * 0
    return F.cross_entropy(keypoint_logits.reshape(n * k, size * size)[inside], where[inside])


def heatmaps_to_keypoints(maps, rois):
    """((N, 3, K) x, y, 1 and (N, K) scores) of heatmaps (N, K, M, M)."""
    found, scores = maps.new_zeros((len(rois), 3, maps.shape[1])), maps.new_zeros((len(rois), maps.shape[1]))
    wide = (rois[:, 2] - rois[:, 0]).clamp(min=1)
    high = (rois[:, 3] - rois[:, 1]).clamp(min=1)
    for i in range(len(rois)):
        w, h = int(wide[i].ceil().item()), int(high[i].ceil().item())
        grown = F.interpolate(maps[i][:, None], size=(h, w), mode="bicubic", align_corners=False)[:, 0]
        best = grown.reshape(len(grown), -1).argmax(1)
        x, y = best % w, weft.div(best, w, rounding_mode="floor")
        found[i, 0] = (x.float() + 0.5) * (wide[i] / w) + rois[i, 0]
        found[i, 1] = (y.float() + 0.5) * (high[i] / h) + rois[i, 1]
        found[i, 2] = 1
        scores[i] = grown[weft.arange(len(grown)), y, x]
    return found.permute(0, 2, 1), scores


def keypointrcnn_inference(x, boxes):
    """([(N, K, 3)], [(N, K)]) for each picture."""
    pairs = [heatmaps_to_keypoints(part, each) for part, each in zip(x.split([len(b) for b in boxes], dim=0), boxes)]
    return [points for points, _ in pairs], [scores for _, scores in pairs]
