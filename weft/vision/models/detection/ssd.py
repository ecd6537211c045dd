"""SSD (Liu et al. 2015), and its light form on MobileNet v3 (Sandler et al. 2018)."""
import functools
from collections import OrderedDict

import weft
from weft import nn
from weft.nn import functional as F
from weft.vision.models.detection import _utils as det_utils
from weft.vision.models.detection._one_stage import OneStage
from weft.vision.models.detection.anchor_utils import DefaultBoxGenerator
from weft.vision.models.detection.backbone_utils import mobilenet_stages, trainable
from weft.vision.models.detection.faster_rcnn import detector
from weft.vision.models.detection.rpn import flat_maps
from weft.vision.models.mobilenetv3 import mobilenet_v3_large
from weft.vision.models.vgg import vgg16
from weft.vision.ops.boxes import box_iou, clip_boxes_to_image
from weft.vision.ops.misc import Conv2dNormActivation

__all__ = ["SSD", "ssd300_vgg16", "ssdlite320_mobilenet_v3_large"]


def _xavier(module):
    for layer in module.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.xavier_uniform_(layer.weight)
            if layer.bias is not None:
                nn.init.constant_(layer.bias, 0.0)


class _Scores(nn.Module):
    """A layer for each map, (N, C, H, W), to (N, anchors, columns)."""

    def __init__(self, layers, columns):
        super().__init__()
        self.module_list, self.num_columns = nn.ModuleList(layers), columns

    def forward(self, x):
        return weft.cat([flat_maps(layer(each), self.num_columns) for layer, each in zip(self.module_list, x)], dim=1)


class SSDClassificationHead(_Scores):
    """The classes of each box.

    >>> import weft
    >>> from weft.vision.models.detection.ssd import SSDClassificationHead
    >>> SSDClassificationHead([8], [2], 3)([weft.rand(1, 8, 4, 4)]).shape
    torch.Size([1, 32, 3])
    """

    def __init__(self, in_channels, num_anchors, num_classes):
        super().__init__([nn.Conv2d(c, num_classes * a, 3, padding=1) for c, a in zip(in_channels, num_anchors)],
                         num_classes)
        _xavier(self)


class SSDRegressionHead(_Scores):
    """The offsets of each box.

    >>> import weft
    >>> from weft.vision.models.detection.ssd import SSDRegressionHead
    >>> SSDRegressionHead([8], [2])([weft.rand(1, 8, 4, 4)]).shape
    torch.Size([1, 32, 4])
    """

    def __init__(self, in_channels, num_anchors):
        super().__init__([nn.Conv2d(c, 4 * a, 3, padding=1) for c, a in zip(in_channels, num_anchors)], 4)
        _xavier(self)


class SSDHead(nn.Module):
    """Both heads.

    >>> import weft
    >>> from weft.vision.models.detection.ssd import SSDHead
    >>> sorted(SSDHead([8], [2], 3)([weft.rand(1, 8, 4, 4)]))
    ['bbox_regression', 'cls_logits']
    """

    def __init__(self, in_channels, num_anchors, num_classes):
        super().__init__()
        self.classification_head = SSDClassificationHead(in_channels, num_anchors, num_classes)
        self.regression_head = SSDRegressionHead(in_channels, num_anchors)

    def forward(self, x):
        return {"bbox_regression": self.regression_head(x), "cls_logits": self.classification_head(x)}


class SSD(OneStage):
    """Finds things on maps of several sizes; pictures, targets and answers as FasterRCNN's.

    >>> import weft
    >>> model = weft.vision.models.detection.ssdlite320_mobilenet_v3_large(weights_backbone=None, num_classes=3).eval()
    >>> sorted(model([weft.rand(3, 40, 50)])[0])
    ['boxes', 'labels', 'scores']
    """

    def __init__(self, backbone, anchor_generator, size, num_classes, image_mean=None, image_std=None, head=None,
                 score_thresh=0.01, nms_thresh=0.45, detections_per_img=200, iou_thresh=0.5, topk_candidates=400,
                 positive_fraction=0.25, **kwargs):
        super().__init__()
        if head is None:
            widths = backbone.out_channels if hasattr(backbone, "out_channels") else map_widths(backbone, size)
            head = SSDHead(widths, anchor_generator.num_anchors_per_location(), num_classes)
        transform = self._transform(min(size), max(size), image_mean, image_std, size_divisible=1, fixed_size=size,
                                    **kwargs)
        self._start(backbone, anchor_generator, head, transform)
        self.box_coder = det_utils.BoxCoder((10.0, 10.0, 5.0, 5.0))
        self.proposal_matcher = det_utils.SSDMatcher(iou_thresh)
        self.score_thresh, self.nms_thresh, self.detections_per_img = score_thresh, nms_thresh, detections_per_img
        self.topk_candidates, self.neg_to_pos_ratio = topk_candidates, (1.0 - positive_fraction) / positive_fraction

    def _loss(self, targets, outputs, anchors, features):
        matched = [weft.full((len(boxes),), -1, dtype=weft.int64) if target["boxes"].numel() == 0 else
                   self.proposal_matcher(box_iou(target["boxes"], boxes)) for boxes, target in zip(anchors, targets)]
        logits, loss_box, wanted, count = outputs["cls_logits"], [], [], 0
        for target, codes, score, own, index in zip(targets, outputs["bbox_regression"], logits, anchors, matched):
            positive = weft.where(index >= 0)[0]
            true = index[positive]
            count += true.numel()
            codes_true = self.box_coder.encode_single(target["boxes"][true], own[positive])
            loss_box.append(F.smooth_l1_loss(codes[positive], codes_true, reduction="sum"))
            label = weft.zeros((len(score),), dtype=target["labels"].dtype)
            label[positive] = target["labels"][true]
            wanted.append(label)
        wanted = weft.stack(wanted)
        loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), wanted.view(-1), reduction="none")
        loss = loss.view(wanted.shape)
        inside = wanted > 0
        # of what is nothing, the hardest
        most = (self.neg_to_pos_ratio * inside.sum(1, keepdim=True)).to(weft.float32)
        hard = loss.detach().clone()
        hard[inside] = -float("inf")
        rank = hard.sort(1, descending=True)[1].sort(1)[1]
        outside = rank.to(weft.float32) < most
        n = max(1, count)
        return {"bbox_regression": weft.stack(loss_box).sum() / n,
                "classification": (loss[inside].sum() + loss[outside].sum()) / n}

    def _found(self, outputs, anchors, image_shapes, features):
        found = []
        scores = F.softmax(outputs["cls_logits"], dim=-1)
        for codes, score, own, shape in zip(outputs["bbox_regression"], scores, anchors, image_shapes):
            boxes = clip_boxes_to_image(self.box_coder.decode_single(codes, own), shape)
            kept = [], [], []
            for label in range(1, score.shape[-1]):
                one = score[:, label]
                where = weft.where(one > self.score_thresh)[0]
                best, order = one[where].topk(min(self.topk_candidates, len(where)))
                for out, value in zip(kept, (boxes[where[order]], best,
                                             weft.full((len(best),), label, dtype=weft.int64))):
                    out.append(value)
            found.append(self._best(*(weft.cat(part) for part in kept), self.detections_per_img))
        return found


def map_widths(backbone, size):
    """The channels of a backbone's maps."""
    device = next(backbone.parameters()).device
    training = backbone.training
    backbone.eval()
    with weft.no_grad():
        maps = backbone(weft.zeros((1, 3, size[1], size[0]), device=device))
    backbone.train(training)
    return [each.shape[1] for each in (maps.values() if isinstance(maps, dict) else [maps])]


class SSDFeatureExtractorVGG(nn.Module):
    """The maps of VGG-16 and of more convolutions after it."""

    def __init__(self, backbone, highres):
        super().__init__()
        third, fourth = [i for i, layer in enumerate(backbone) if isinstance(layer, nn.MaxPool2d)][2:4]
        backbone[third].ceil_mode = True        # so that 300 pixels become 38
        self.scale_weight = nn.Parameter(weft.ones(512) * 20)
        self.features = nn.Sequential(*backbone[:fourth])

        def block(i, narrow, o, **how):
            return nn.Sequential(nn.Conv2d(i, narrow, 1), nn.ReLU(inplace=True), nn.Conv2d(narrow, o, 3, **how),
                                 nn.ReLU(inplace=True))

        extra = nn.ModuleList([block(1024, 256, 512, padding=1, stride=2), block(512, 128, 256, padding=1, stride=2),
                               block(256, 128, 256), block(256, 128, 256)])
        if highres:
            extra.append(nn.Sequential(nn.Conv2d(256, 128, 1), nn.ReLU(inplace=True), nn.Conv2d(128, 256, 4),
                                       nn.ReLU(inplace=True)))
        _xavier(extra)
        fc = nn.Sequential(nn.MaxPool2d(3, 1, 1, ceil_mode=False), nn.Conv2d(512, 1024, 3, padding=6, dilation=6),
                           nn.ReLU(inplace=True), nn.Conv2d(1024, 1024, 1), nn.ReLU(inplace=True))
        _xavier(fc)
        extra.insert(0, nn.Sequential(*backbone[fourth:-1], fc))
        self.extra = extra

    def forward(self, x):
        x = self.features(x)
        maps = [self.scale_weight.view(1, -1, 1, 1) * F.normalize(x)]
        for block in self.extra:
            x = block(x)
            maps.append(x)
        return OrderedDict((str(i), each) for i, each in enumerate(maps))


def _vgg(classes, weights, is_trained, layers, **kwargs):
    features = vgg16(weights="IMAGENET1K_FEATURES" if weights == "IMAGENET1K_V1" else weights).features
    pools = [0] + [i for i, layer in enumerate(features) if isinstance(layer, nn.MaxPool2d)][:-1]
    count = trainable(is_trained, layers, 5, 4)
    for layer in features[:len(features) if count == 0 else pools[len(pools) - count]]:
        for parameter in layer.parameters():
            parameter.requires_grad_(False)
    boxes = DefaultBoxGenerator([[2], [2, 3], [2, 3], [2, 3], [2], [2]],
                                scales=[0.07, 0.15, 0.33, 0.51, 0.69, 0.87, 1.05], steps=[8, 16, 32, 64, 100, 300])
    how = {"image_mean": [0.48235, 0.45882, 0.40784], "image_std": [1.0 / 255.0] * 3, **kwargs}
    return SSD(SSDFeatureExtractorVGG(features, False), boxes, (300, 300), classes, **how)


# the light form

def _normal(module):
    for layer in module.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.normal_(layer.weight, mean=0.0, std=0.03)
            if layer.bias is not None:
                nn.init.constant_(layer.bias, 0.0)


def _light(i, o, norm_layer):
    """A convolution of each channel by itself, then one of 1 x 1."""
    return nn.Sequential(Conv2dNormActivation(i, i, 3, groups=i, norm_layer=norm_layer, activation_layer=nn.ReLU6),
                         nn.Conv2d(i, o, 1))


class SSDLiteHead(nn.Module):
    """SSDHead of light convolutions."""

    def __init__(self, in_channels, num_anchors, num_classes, norm_layer):
        super().__init__()
        pairs = list(zip(in_channels, num_anchors))
        self.classification_head = _Scores([_light(c, num_classes * a, norm_layer) for c, a in pairs], num_classes)
        _normal(self.classification_head)
        self.regression_head = _Scores([_light(c, 4 * a, norm_layer) for c, a in pairs], 4)
        _normal(self.regression_head)

    def forward(self, x):
        return {"bbox_regression": self.regression_head(x), "cls_logits": self.classification_head(x)}


class SSDLiteFeatureExtractorMobileNet(nn.Module):
    """The maps of MobileNet v3 and of more convolutions after it."""

    def __init__(self, backbone, c4_pos, norm_layer, width_mult=1.0, min_depth=16):
        super().__init__()
        self.features = nn.Sequential(nn.Sequential(*backbone[:c4_pos], backbone[c4_pos].block[0]),
                                      nn.Sequential(backbone[c4_pos].block[1:], *backbone[c4_pos + 1:]))
        widths = [backbone[-1].out_channels, *(max(min_depth, int(d * width_mult)) for d in (512, 256, 256, 128))]

        def block(i, o):
            how = {"norm_layer": norm_layer, "activation_layer": nn.ReLU6}
            return nn.Sequential(Conv2dNormActivation(i, o // 2, 1, **how),
                                 Conv2dNormActivation(o // 2, o // 2, 3, stride=2, groups=o // 2, **how),
                                 Conv2dNormActivation(o // 2, o, 1, **how))

        self.extra = nn.ModuleList(block(widths[i], widths[i + 1]) for i in range(4))
        _normal(self.extra)

    def forward(self, x):
        maps = []
        for block in (*self.features, *self.extra):
            x = block(x)
            maps.append(x)
        return OrderedDict((str(i), each) for i, each in enumerate(maps))


def _mobile(classes, weights, is_trained, layers, norm_layer=None, **kwargs):
    norm_layer = norm_layer or functools.partial(nn.BatchNorm2d, eps=0.001, momentum=0.03)
    features = mobilenet_v3_large(weights=weights, norm_layer=norm_layer, reduced_tail=not weights).features
    if not is_trained:
        _normal(features)
    stages = mobilenet_stages(features)
    count = trainable(is_trained, layers, 6, 6)
    for layer in features[:len(features) if count == 0 else stages[len(stages) - count]]:
        for parameter in layer.parameters():
            parameter.requires_grad_(False)
    backbone = SSDLiteFeatureExtractorMobileNet(features, stages[-2], norm_layer)
    boxes = DefaultBoxGenerator([[2, 3] for _ in range(6)], min_ratio=0.2, max_ratio=0.95)
    head = SSDLiteHead(map_widths(backbone, (320, 320)), boxes.num_anchors_per_location(), classes, norm_layer)
    how = {"score_thresh": 0.001, "nms_thresh": 0.55, "detections_per_img": 300, "topk_candidates": 300,
           "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5], **kwargs}
    return SSD(backbone, boxes, (320, 320), classes, head=head, **how)


ssd300_vgg16 = detector("ssd300_vgg16", _vgg, "SSD on VGG-16, for pictures of 300 x 300.", 35641826, __name__)
ssdlite320_mobilenet_v3_large = detector("ssdlite320_mobilenet_v3_large", _mobile,
                                         "SSD on MobileNet v3, for pictures of 320 x 320.", 3440060, __name__)
