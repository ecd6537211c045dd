"""RetinaNet: the focal loss for what is easy to tell (Lin et al. 2017)."""
import functools
import math

import weft
from weft import nn
from weft.vision.models.detection import _utils as det_utils
from weft.vision.models.detection._one_stage import OneStage, best_pairs
from weft.vision.models.detection.anchor_utils import AnchorGenerator
from weft.vision.models.detection.backbone_utils import resnet_fpn, trainable
from weft.vision.models.detection.faster_rcnn import detector
from weft.vision.models.detection.rpn import flat_maps
from weft.vision.models.resnet import resnet50
from weft.vision.ops.boxes import box_iou, clip_boxes_to_image
from weft.vision.ops.feature_pyramid_network import LastLevelP6P7
from weft.vision.ops.losses import sigmoid_focal_loss
from weft.vision.ops.misc import Conv2dNormActivation, FrozenBatchNorm2d

__all__ = ["RetinaNet", "retinanet_resnet50_fpn", "retinanet_resnet50_fpn_v2"]


def _anchors():
    sizes = tuple((x, int(x * 2 ** (1.0 / 3)), int(x * 2 ** (2.0 / 3))) for x in (32, 64, 128, 256, 512))
    return AnchorGenerator(sizes, ((0.5, 1.0, 2.0),) * len(sizes))


def small(module, std=0.01):
    """Small weights, biases 0."""
    for layer in module.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.normal_(layer.weight, std=std)
            if layer.bias is not None:
                nn.init.constant_(layer.bias, 0)


def _tower(channels, norm_layer):
    return nn.Sequential(*(Conv2dNormActivation(channels, channels, norm_layer=norm_layer) for _ in range(4)))


class RetinaNetClassificationHead(nn.Module):
    """The classes of each anchor of maps (N, C, H, W): (N, anchors, classes).

    >>> import weft
    >>> from weft.vision.models.detection.retinanet import RetinaNetClassificationHead
    >>> RetinaNetClassificationHead(8, 2, 3)([weft.rand(1, 8, 4, 4)]).shape
    torch.Size([1, 32, 3])
    """

    _version = 2

    def __init__(self, in_channels, num_anchors, num_classes, prior_probability=0.01, norm_layer=None):
        super().__init__()
        self.conv = _tower(in_channels, norm_layer)
        small(self.conv)
        self.cls_logits = nn.Conv2d(in_channels, num_anchors * num_classes, 3, padding=1)
        nn.init.normal_(self.cls_logits.weight, std=0.01)
        nn.init.constant_(self.cls_logits.bias, -math.log((1 - prior_probability) / prior_probability))
        self.num_classes, self.num_anchors = num_classes, num_anchors

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *args):
        rename_tower(state_dict, prefix, local_metadata)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)

    def forward(self, x):
        return weft.cat([flat_maps(self.cls_logits(self.conv(each)), self.num_classes) for each in x], dim=1)

    def compute_loss(self, targets, head_outputs, matched_idxs):
        losses = []
        for target, logits, matched in zip(targets, head_outputs["cls_logits"], matched_idxs):
            positive = matched >= 0
            wanted = weft.zeros_like(logits)
            wanted[positive, target["labels"][matched[positive]]] = 1.0
            counted = matched != det_utils.Matcher.BETWEEN_THRESHOLDS
            loss = sigmoid_focal_loss(logits[counted], wanted[counted], reduction="sum")
            losses.append(loss / max(1, int(positive.sum())))
        return sum(losses) / len(targets)


def rename_tower(state_dict, prefix, local_metadata):
    """Older files have conv.0, conv.2, ... for conv.0.0, conv.1.0, ..."""
    version = local_metadata.get("version", None)
    if version is None or version < 2:
        for i in range(4):
            for kind in ("weight", "bias"):
                old = f"{prefix}conv.{2 * i}.{kind}"
                if old in state_dict:
                    state_dict[f"{prefix}conv.{i}.0.{kind}"] = state_dict.pop(old)


class RetinaNetRegressionHead(nn.Module):
    """The box of each anchor of maps (N, C, H, W): (N, anchors, 4).

    >>> import weft
    >>> from weft.vision.models.detection.retinanet import RetinaNetRegressionHead
    >>> RetinaNetRegressionHead(8, 2)([weft.rand(1, 8, 4, 4)]).shape
    torch.Size([1, 32, 4])
    """

    _version = 2

    def __init__(self, in_channels, num_anchors, norm_layer=None):
        super().__init__()
        self.conv = _tower(in_channels, norm_layer)
        self.bbox_reg = nn.Conv2d(in_channels, num_anchors * 4, 3, padding=1)
        small(self)
        self.box_coder = det_utils.BoxCoder((1.0, 1.0, 1.0, 1.0))
        self._loss_type = "l1"

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *args):
        rename_tower(state_dict, prefix, local_metadata)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)

    def forward(self, x):
        return weft.cat([flat_maps(self.bbox_reg(self.conv(each)), 4) for each in x], dim=1)

    def compute_loss(self, targets, head_outputs, anchors, matched_idxs):
        losses = []
        for target, codes, boxes, matched in zip(targets, head_outputs["bbox_regression"], anchors, matched_idxs):
            positive = weft.where(matched >= 0)[0]
            true = target["boxes"][matched[positive]]
            loss = det_utils.box_loss(self._loss_type, self.box_coder, boxes[positive], true, codes[positive])
            losses.append(loss / max(1, positive.numel()))
        return sum(losses) / max(1, len(targets))


class RetinaNetHead(nn.Module):
    """Both heads.

    >>> import weft
    >>> from weft.vision.models.detection.retinanet import RetinaNetHead
    >>> sorted(RetinaNetHead(8, 2, 3)([weft.rand(1, 8, 4, 4)]))
    ['bbox_regression', 'cls_logits']
    """

    def __init__(self, in_channels, num_anchors, num_classes, norm_layer=None):
        super().__init__()
        self.classification_head = RetinaNetClassificationHead(in_channels, num_anchors, num_classes,
                                                               norm_layer=norm_layer)
        self.regression_head = RetinaNetRegressionHead(in_channels, num_anchors, norm_layer=norm_layer)

    def compute_loss(self, targets, head_outputs, anchors, matched_idxs):
        return {"classification": self.classification_head.compute_loss(targets, head_outputs, matched_idxs),
                "bbox_regression": self.regression_head.compute_loss(targets, head_outputs, anchors, matched_idxs)}

    def forward(self, x):
        return {"cls_logits": self.classification_head(x), "bbox_regression": self.regression_head(x)}


class RetinaNet(OneStage):
    """Finds things without proposals; pictures, targets and answers as FasterRCNN's.

    >>> import weft
    >>> from weft.vision.models.detection.backbone_utils import resnet_fpn_backbone
    >>> backbone = resnet_fpn_backbone(backbone_name="resnet18", weights=None)
    >>> model = weft.vision.models.detection.RetinaNet(backbone, 2, min_size=64, max_size=64).eval()
    >>> sorted(model([weft.rand(3, 40, 50)])[0])
    ['boxes', 'labels', 'scores']
    """

    def __init__(self, backbone, num_classes, min_size=800, max_size=1333, image_mean=None, image_std=None,
                 anchor_generator=None, head=None, proposal_matcher=None, score_thresh=0.05, nms_thresh=0.5,
                 detections_per_img=300, fg_iou_thresh=0.5, bg_iou_thresh=0.4, topk_candidates=1000, **kwargs):
        super().__init__()
        anchor_generator = anchor_generator or _anchors()
        head = head or RetinaNetHead(backbone.out_channels, anchor_generator.num_anchors_per_location()[0], num_classes)
        transform = self._transform(min_size, max_size, image_mean, image_std, **kwargs)
        self._start(backbone, anchor_generator, head, transform)
        self.proposal_matcher = proposal_matcher or det_utils.Matcher(fg_iou_thresh, bg_iou_thresh,
                                                                      allow_low_quality_matches=True)
        self.box_coder = det_utils.BoxCoder((1.0, 1.0, 1.0, 1.0))
        self.score_thresh, self.nms_thresh = score_thresh, nms_thresh
        self.detections_per_img, self.topk_candidates = detections_per_img, topk_candidates

    def _loss(self, targets, outputs, anchors, features):
        matched = [weft.full((len(boxes),), -1, dtype=weft.int64) if target["boxes"].numel() == 0 else
                   self.proposal_matcher(box_iou(target["boxes"], boxes)) for boxes, target in zip(anchors, targets)]
        return self.head.compute_loss(targets, outputs, anchors, matched)

    def _found(self, outputs, anchors, image_shapes, features):
        counts = self._levels(features, self.anchor_generator.num_anchors_per_location())
        found = []
        for i, shape in enumerate(image_shapes):
            parts = zip(outputs["cls_logits"][i].split(counts, 0), outputs["bbox_regression"][i].split(counts, 0),
                        anchors[i].split(counts))
            boxes, scores, labels = [], [], []
            for logits, codes, own in parts:
                score, where, label = best_pairs(logits.sigmoid(), self.score_thresh, self.topk_candidates)
                boxes.append(clip_boxes_to_image(self.box_coder.decode_single(codes[where], own[where]), shape))
                scores.append(score)
                labels.append(label)
            found.append(self._best(weft.cat(boxes), weft.cat(scores), weft.cat(labels), self.detections_per_img))
        return found


def _first(classes, weights, is_trained, layers, **kwargs):
    net = resnet50(weights=weights, norm_layer=FrozenBatchNorm2d if is_trained else nn.BatchNorm2d)
    backbone = resnet_fpn(net, trainable(is_trained, layers, 5, 3), [2, 3, 4], LastLevelP6P7(256, 256))
    return RetinaNet(backbone, classes, **kwargs)


def _second(classes, weights, is_trained, layers, **kwargs):
    backbone = resnet_fpn(resnet50(weights=weights), trainable(is_trained, layers, 5, 3), [2, 3, 4],
                          LastLevelP6P7(2048, 256))
    anchors = _anchors()
    head = RetinaNetHead(backbone.out_channels, anchors.num_anchors_per_location()[0], classes,
                         norm_layer=functools.partial(nn.GroupNorm, 32))
    head.regression_head._loss_type = "giou"
    return RetinaNet(backbone, classes, anchor_generator=anchors, head=head, **kwargs)


retinanet_resnet50_fpn = detector("retinanet_resnet50_fpn", _first, "RetinaNet on ResNet-50 with a pyramid.", 34068119,
                                  __name__, frozen_eps=True)
retinanet_resnet50_fpn_v2 = detector("retinanet_resnet50_fpn_v2", _second,
                                     "RetinaNet on ResNet-50 with a pyramid, of the second version.", 38198935,
                                     __name__)
