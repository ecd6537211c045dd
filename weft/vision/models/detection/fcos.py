"""FCOS: every pixel says how far the sides of its box are (Tian et al. 2019)."""
import math

import weft
from weft import nn
from weft.nn import functional as F
from weft.vision.models.detection import _utils as det_utils
from weft.vision.models.detection._one_stage import OneStage, best_pairs
from weft.vision.models.detection.anchor_utils import AnchorGenerator
from weft.vision.models.detection.backbone_utils import resnet_fpn, trainable
from weft.vision.models.detection.faster_rcnn import detector
from weft.vision.models.detection.retinanet import small
from weft.vision.models.detection.rpn import flat_maps
from weft.vision.models.resnet import resnet50
from weft.vision.ops.boxes import clip_boxes_to_image
from weft.vision.ops.feature_pyramid_network import LastLevelP6P7
from weft.vision.ops.losses import generalized_box_iou_loss, sigmoid_focal_loss
from weft.vision.ops.misc import FrozenBatchNorm2d

__all__ = ["FCOS", "fcos_resnet50_fpn"]


def _tower(channels, layers, norm_layer):
    made = []
    for _ in range(layers):
        made += [nn.Conv2d(channels, channels, 3, stride=1, padding=1), norm_layer(channels), nn.ReLU()]
    return nn.Sequential(*made)


def _groups(channels):
    return nn.GroupNorm(32, channels)


class FCOSClassificationHead(nn.Module):
    """The classes of each pixel of maps (N, C, H, W): (N, pixels, classes).

    >>> import weft
    >>> from weft.vision.models.detection.fcos import FCOSClassificationHead
    >>> FCOSClassificationHead(32, 1, 3)([weft.rand(1, 32, 4, 4)]).shape
    torch.Size([1, 16, 3])
    """

    def __init__(self, in_channels, num_anchors, num_classes, num_convs=4, prior_probability=0.01, norm_layer=None):
        super().__init__()
        self.num_classes, self.num_anchors = num_classes, num_anchors
        self.conv = _tower(in_channels, num_convs, norm_layer or _groups)
        small(self.conv)
        self.cls_logits = nn.Conv2d(in_channels, num_anchors * num_classes, 3, stride=1, padding=1)
        nn.init.normal_(self.cls_logits.weight, std=0.01)
        nn.init.constant_(self.cls_logits.bias, -math.log((1 - prior_probability) / prior_probability))

    def forward(self, x):
        return weft.cat([flat_maps(self.cls_logits(self.conv(each)), self.num_classes) for each in x], dim=1)


class FCOSRegressionHead(nn.Module):
    """The distances of the sides, (N, pixels, 4), and how near the middle each pixel is, (N, pixels, 1).

    >>> import weft
    >>> from weft.vision.models.detection.fcos import FCOSRegressionHead
    >>> [made.shape for made in FCOSRegressionHead(32, 1)([weft.rand(1, 32, 4, 4)])]
    [torch.Size([1, 16, 4]), torch.Size([1, 16, 1])]
    """

    def __init__(self, in_channels, num_anchors, num_convs=4, norm_layer=None):
        super().__init__()
        self.conv = _tower(in_channels, num_convs, norm_layer or _groups)
        self.bbox_reg = nn.Conv2d(in_channels, num_anchors * 4, 3, stride=1, padding=1)
        self.bbox_ctrness = nn.Conv2d(in_channels, num_anchors, 3, stride=1, padding=1)
        small(self)

    def forward(self, x):
        hidden = [self.conv(each) for each in x]
        sides = [flat_maps(F.relu(self.bbox_reg(each)), 4) for each in hidden]
        return weft.cat(sides, dim=1), weft.cat([flat_maps(self.bbox_ctrness(each), 1) for each in hidden], dim=1)


class FCOSHead(nn.Module):
    """Both heads.

    >>> import weft
    >>> from weft.vision.models.detection.fcos import FCOSHead
    >>> sorted(FCOSHead(32, 1, 3)([weft.rand(1, 32, 4, 4)]))
    ['bbox_ctrness', 'bbox_regression', 'cls_logits']
    """

    def __init__(self, in_channels, num_anchors, num_classes, num_convs=4):
        super().__init__()
        self.box_coder = det_utils.BoxLinearCoder(normalize_by_size=True)
        self.classification_head = FCOSClassificationHead(in_channels, num_anchors, num_classes, num_convs)
        self.regression_head = FCOSRegressionHead(in_channels, num_anchors, num_convs)

    def forward(self, x):
        sides, nearness = self.regression_head(x)
        return {"cls_logits": self.classification_head(x), "bbox_regression": sides, "bbox_ctrness": nearness}

    def compute_loss(self, targets, head_outputs, anchors, matched_idxs):
        logits, sides = head_outputs["cls_logits"], head_outputs["bbox_regression"]
        nearness, labels, boxes = head_outputs["bbox_ctrness"].squeeze(2), [], []
        for target, matched in zip(targets, matched_idxs):
            if len(target["labels"]) == 0:
                labels.append(target["labels"].new_full((len(matched),), -1))
                boxes.append(target["boxes"].new_zeros((len(matched), 4)))
                continue
            label = target["labels"][matched.clamp(min=0)].clone()
            label[matched < 0] = -1
            labels.append(label)
            boxes.append(target["boxes"][matched.clamp(min=0)])
        labels, boxes, anchors = weft.stack(labels), weft.stack(boxes), weft.stack(anchors)
        inside = labels >= 0
        count = max(int(inside.sum()), 1)
        wanted = weft.zeros_like(logits)
        wanted[inside, labels[inside]] = 1.0
        loss_class = sigmoid_focal_loss(logits, wanted, reduction="sum")
        found = self.box_coder.decode(sides, anchors)
        loss_box = generalized_box_iou_loss(found[inside], boxes[inside], reduction="sum")
        distances = self.box_coder.encode(anchors, boxes)[inside]
        if len(distances) == 0:
            near = distances.new_zeros(distances.shape[:-1])
        else:
            across, down = distances[:, [0, 2]], distances[:, [1, 3]]
            near = weft.sqrt((across.min(-1)[0] / across.max(-1)[0]) * (down.min(-1)[0] / down.max(-1)[0]))
        loss_near = F.binary_cross_entropy_with_logits(nearness[inside], near, reduction="sum")
        return {"classification": loss_class / count, "bbox_regression": loss_box / count,
                "bbox_ctrness": loss_near / count}


class FCOS(OneStage):
    """Finds things without boxes to start from; pictures, targets and answers as FasterRCNN's.

    >>> import weft
    >>> from weft.vision.models.detection.backbone_utils import resnet_fpn_backbone
    >>> backbone = resnet_fpn_backbone(backbone_name="resnet18", weights=None)
    >>> model = weft.vision.models.detection.FCOS(backbone, 2, min_size=64, max_size=64).eval()
    >>> sorted(model([weft.rand(3, 40, 50)])[0])
    ['boxes', 'labels', 'scores']
    """

    def __init__(self, backbone, num_classes, min_size=800, max_size=1333, image_mean=None, image_std=None,
                 anchor_generator=None, head=None, center_sampling_radius=1.5, score_thresh=0.2, nms_thresh=0.6,
                 detections_per_img=100, topk_candidates=1000, **kwargs):
        super().__init__()
        if anchor_generator is None:
            anchor_generator = AnchorGenerator(((8,), (16,), (32,), (64,), (128,)), ((1.0,),) * 5)
        head = head or FCOSHead(backbone.out_channels, anchor_generator.num_anchors_per_location()[0], num_classes)
        transform = self._transform(min_size, max_size, image_mean, image_std, **kwargs)
        self._start(backbone, anchor_generator, head, transform)
        self.box_coder = det_utils.BoxLinearCoder(normalize_by_size=True)
        self.center_sampling_radius = center_sampling_radius
        self.score_thresh, self.nms_thresh = score_thresh, nms_thresh
        self.detections_per_img, self.topk_candidates = detections_per_img, topk_candidates

    def _loss(self, targets, outputs, anchors, features):
        counts = self._levels(features, self.anchor_generator.num_anchors_per_location())
        matched = [self._matched(target["boxes"], own, counts) for own, target in zip(anchors, targets)]
        return self.head.compute_loss(targets, outputs, anchors, matched)

    def _matched(self, true, anchors, counts):
        """For each pixel the smallest box whose middle it is near, on the map that fits the box's size; else -1."""
        if true.numel() == 0:
            return weft.full((len(anchors),), -1, dtype=weft.int64)
        middles = (true[:, :2] + true[:, 2:]) / 2
        places, sizes = (anchors[:, :2] + anchors[:, 2:]) / 2, anchors[:, 2] - anchors[:, 0]
        near = (places[:, None] - middles[None]).abs().max(2)[0] < self.center_sampling_radius * sizes[:, None]
        x, y = places[:, 0:1], places[:, 1:2]
        sides = weft.stack((x - true[:, 0], y - true[:, 1], true[:, 2] - x, true[:, 3] - y), dim=2)     # (A, L, 4)
        near &= sides.min(2)[0] > 0
        low, high = sizes * 4, sizes * 8
        low[:counts[0]] = 0
        high[-counts[-1]:] = float("inf")
        most = sides.max(2)[0]
        near &= (most > low[:, None]) & (most < high[:, None])
        areas = (true[:, 2] - true[:, 0]) * (true[:, 3] - true[:, 1])
        value, index = (near.to(weft.float32) * (1e8 - areas[None])).max(1)
        return weft.where(value < 1e-5, weft.full_like(index, -1), index)

    def _found(self, outputs, anchors, image_shapes, features):
        counts = self._levels(features, self.anchor_generator.num_anchors_per_location())
        found = []
        for i, shape in enumerate(image_shapes):
            names = ("cls_logits", "bbox_regression", "bbox_ctrness")
            parts = zip(*(outputs[name][i].split(counts, 0) for name in names), anchors[i].split(counts))
            boxes, scores, labels = [], [], []
            for logits, sides, near, own in parts:
                both = weft.sqrt(logits.sigmoid() * near.sigmoid())
                score, where, label = best_pairs(both, self.score_thresh, self.topk_candidates)
                boxes.append(clip_boxes_to_image(self.box_coder.decode(sides[where], own[where]), shape))
                scores.append(score)
                labels.append(label)
            found.append(self._best(weft.cat(boxes), weft.cat(scores), weft.cat(labels), self.detections_per_img))
        return found


def _make(classes, weights, is_trained, layers, **kwargs):
    net = resnet50(weights=weights, norm_layer=FrozenBatchNorm2d if is_trained else nn.BatchNorm2d)
    backbone = resnet_fpn(net, trainable(is_trained, layers, 5, 3), [2, 3, 4], LastLevelP6P7(256, 256))
    return FCOS(backbone, classes, **kwargs)


fcos_resnet50_fpn = detector("fcos_resnet50_fpn", _make, "FCOS on ResNet-50 with a pyramid.", 32322720, __name__)
