"""What detectors without proposals share."""
from collections import OrderedDict

import weft
from weft import nn
from weft.vision.models.detection._utils import check_targets
from weft.vision.models.detection.transform import GeneralizedRCNNTransform
from weft.vision.ops.boxes import batched_nms

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


class OneStage(nn.Module):
    """A backbone, a head on its maps, boxes to start from. Subclasses have compute_loss and postprocess_detections."""

    def _start(self, backbone, anchor_generator, head, transform):
        self.backbone, self.anchor_generator, self.head, self.transform = backbone, anchor_generator, head, transform

    @staticmethod
    def _transform(min_size, max_size, mean, std, **kwargs):
        return GeneralizedRCNNTransform(min_size, max_size, mean or MEAN, std or STD, **kwargs)

    def forward(self, images, targets=None):
        if self.training:
            check_targets(targets)
        sizes = [tuple(image.shape[-2:]) for image in images]
        images, targets = self.transform(images, targets)
        features = self.backbone(images.tensors)
        if isinstance(features, weft.Tensor):
            features = OrderedDict([("0", features)])
        features = list(features.values())
        outputs = self.head(features)
        anchors = self.anchor_generator(images, features)
        if self.training:
            return self._loss(targets, outputs, anchors, features)
        found = self._found(outputs, anchors, images.image_sizes, features)
        return self.transform.postprocess(found, images.image_sizes, sizes)

    def _levels(self, features, per_location):
        """How many anchors each map has."""
        return [x.shape[2] * x.shape[3] * a for x, a in zip(features, per_location)]

    def _best(self, boxes, scores, labels, most):
        """What remains of one picture's boxes."""
        keep = batched_nms(boxes, scores, labels, self.nms_thresh)[:most]
        return {"boxes": boxes[keep], "scores": scores[keep], "labels": labels[keep]}


def best_pairs(scores, threshold, most):
    """(scores, anchors, classes) of the best pairs of (anchors, classes) above a threshold."""
    classes = scores.shape[-1]
    flat = scores.flatten()
    kept = weft.where(flat > threshold)[0]
    flat, order = flat[kept].topk(min(most, len(kept)))
    kept = kept[order]
    return flat, weft.div(kept, classes, rounding_mode="floor"), kept % classes
