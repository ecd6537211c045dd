"""What is in the proposed boxes: classes, better boxes, masks, points."""
import weft
from weft import nn
from weft.nn import functional as F
from weft.vision.models.detection import _utils as det_utils
from weft.vision.models.detection.roi_masks import (
    keypointrcnn_inference,
    keypointrcnn_loss,
    maskrcnn_inference,
    maskrcnn_loss,
)
from weft.vision.ops import boxes as box_ops


def fastrcnn_loss(class_logits, box_regression, labels, regression_targets):
    """The losses of classes and of boxes."""
    labels, regression_targets = weft.cat(labels), weft.cat(regression_targets)
    positive = weft.where(labels > 0)[0]
    boxes = box_regression.reshape(class_logits.shape[0], -1, 4)[positive, labels[positive]]
    loss = F.smooth_l1_loss(boxes, regression_targets[positive], beta=1 / 9, reduction="sum")
    return F.cross_entropy(class_logits, labels), loss / labels.numel()


class RoIHeads(nn.Module):
    """Heads for classes and boxes, and where they are given for masks and points."""

    def __init__(self, box_roi_pool, box_head, box_predictor, fg_iou_thresh, bg_iou_thresh, batch_size_per_image,
                 positive_fraction, bbox_reg_weights, score_thresh, nms_thresh, detections_per_img, mask_roi_pool=None,
                 mask_head=None, mask_predictor=None, keypoint_roi_pool=None, keypoint_head=None,
                 keypoint_predictor=None):
        super().__init__()
        self.box_similarity = box_ops.box_iou
        self.proposal_matcher = det_utils.Matcher(fg_iou_thresh, bg_iou_thresh, allow_low_quality_matches=False)
        self.fg_bg_sampler = det_utils.BalancedPositiveNegativeSampler(batch_size_per_image, positive_fraction)
        self.box_coder = det_utils.BoxCoder(bbox_reg_weights or (10.0, 10.0, 5.0, 5.0))
        self.box_roi_pool, self.box_head, self.box_predictor = box_roi_pool, box_head, box_predictor
        self.score_thresh, self.nms_thresh, self.detections_per_img = score_thresh, nms_thresh, detections_per_img
        self.mask_roi_pool, self.mask_head, self.mask_predictor = mask_roi_pool, mask_head, mask_predictor
        self.keypoint_roi_pool, self.keypoint_head = keypoint_roi_pool, keypoint_head
        self.keypoint_predictor = keypoint_predictor

    def has_mask(self):
        return None not in (self.mask_roi_pool, self.mask_head, self.mask_predictor)

    def has_keypoint(self):
        return None not in (self.keypoint_roi_pool, self.keypoint_head, self.keypoint_predictor)

    def _assign(self, proposals, gt_boxes, gt_labels):
        matched, labels = [], []
        for boxes, true, true_labels in zip(proposals, gt_boxes, gt_labels):
            if true.numel() == 0:
                matched.append(weft.zeros((len(boxes),), dtype=weft.int64))
                labels.append(weft.zeros((len(boxes),), dtype=weft.int64))
                continue
            index = self.proposal_matcher(self.box_similarity(true, boxes))
            kept = index.clamp(min=0)
            label = true_labels[kept].to(weft.int64)
            label[index == self.proposal_matcher.BELOW_LOW_THRESHOLD] = 0
            label[index == self.proposal_matcher.BETWEEN_THRESHOLDS] = -1
            matched.append(kept)
            labels.append(label)
        return matched, labels

    def select_training_samples(self, proposals, targets):
        """Some proposals and true boxes of each picture, their classes and what they should become."""
        dtype = proposals[0].dtype
        gt_boxes = [t["boxes"].to(dtype) for t in targets]
        proposals = [weft.cat((p, true)) for p, true in zip(proposals, gt_boxes)]
        matched, labels = self._assign(proposals, gt_boxes, [t["labels"] for t in targets])
        positive, negative = self.fg_bg_sampler(labels)
        wanted = []
        for i, (p, n) in enumerate(zip(positive, negative)):
            chosen = weft.where(p | n)[0]
            proposals[i], labels[i], matched[i] = proposals[i][chosen], labels[i][chosen], matched[i][chosen]
            true = gt_boxes[i] if gt_boxes[i].numel() else weft.zeros((1, 4), dtype=dtype)
            wanted.append(true[matched[i]])
        return proposals, matched, labels, self.box_coder.encode(wanted, proposals)

    def postprocess_detections(self, class_logits, box_regression, proposals, image_shapes):
        """(boxes, scores, labels) of what is found in each picture."""
        classes, counts = class_logits.shape[-1], [len(p) for p in proposals]
        boxes = self.box_coder.decode(box_regression, proposals).split(counts, 0)
        scores = F.softmax(class_logits, -1).split(counts, 0)
        found = [], [], []
        for box, score, shape in zip(boxes, scores, image_shapes):
            box = box_ops.clip_boxes_to_image(box, shape)
            label = weft.arange(classes).view(1, -1).expand_as(score)
            box, score, label = box[:, 1:].reshape(-1, 4), score[:, 1:].reshape(-1), label[:, 1:].reshape(-1)
            for choose in (lambda b, s: weft.where(s > self.score_thresh)[0],
                           lambda b, s: box_ops.remove_small_boxes(b, 1e-2)):
                keep = choose(box, score)
                box, score, label = box[keep], score[keep], label[keep]
            keep = box_ops.batched_nms(box, score, label, self.nms_thresh)[:self.detections_per_img]
            for out, value in zip(found, (box, score, label)):
                out.append(value[keep])
        return found

    def forward(self, features, proposals, image_shapes, targets=None):
        if self.training:
            if targets is None:
                raise ValueError("targets should not be None")
            proposals, matched, labels, wanted = self.select_training_samples(proposals, targets)
        hidden = self.box_head(self.box_roi_pool(features, proposals, image_shapes))
        class_logits, box_regression = self.box_predictor(hidden)
        result, losses = [], {}
        if self.training:
            loss_class, loss_box = fastrcnn_loss(class_logits, box_regression, labels, wanted)
            losses = {"loss_classifier": loss_class, "loss_box_reg": loss_box}
            places = [weft.where(label > 0)[0] for label in labels]
            found, chosen = [p[i] for p, i in zip(proposals, places)], [m[i] for m, i in zip(matched, places)]
        else:
            boxes, scores, labels = self.postprocess_detections(class_logits, box_regression, proposals, image_shapes)
            result = [{"boxes": b, "labels": n, "scores": s} for b, s, n in zip(boxes, scores, labels)]
            found, chosen = boxes, None
        if self.has_mask():
            losses.update(self._masks(features, found, chosen, image_shapes, targets, result))
        if self.has_keypoint():
            losses.update(self._keypoints(features, found, chosen, image_shapes, targets, result))
        return result, losses

    def _masks(self, features, boxes, matched, image_shapes, targets, result):
        logits = self.mask_predictor(self.mask_head(self.mask_roi_pool(features, boxes, image_shapes)))
        if self.training:
            loss = maskrcnn_loss(logits, boxes, [t["masks"] for t in targets], [t["labels"] for t in targets], matched)
            return {"loss_mask": loss}
        for one, masks in zip(result, maskrcnn_inference(logits, [r["labels"] for r in result])):
            one["masks"] = masks
        return {}

    def _keypoints(self, features, boxes, matched, image_shapes, targets, result):
        logits = self.keypoint_predictor(self.keypoint_head(self.keypoint_roi_pool(features, boxes, image_shapes)))
        if self.training:
            loss = keypointrcnn_loss(logits, boxes, [t["keypoints"] for t in targets], matched)
            return {"loss_keypoint": loss}
        points, scores = keypointrcnn_inference(logits, boxes)
        for one, place, score in zip(result, points, scores):
            one["keypoints"], one["keypoints_scores"] = place, score
        return {}
