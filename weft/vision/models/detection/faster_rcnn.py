"""Faster R-CNN (Ren et al. 2015), and what Mask R-CNN and Keypoint R-CNN share with it."""
from collections import OrderedDict

import weft
from weft import nn
from weft.nn import functional as F
from weft.vision.models._registry import WeightsEnum, choose, own, register, state_of
from weft.vision.models.detection._utils import check_targets, overwrite_eps
from weft.vision.models.detection.anchor_utils import AnchorGenerator
from weft.vision.models.detection.backbone_utils import mobilenet_backbone, resnet_fpn, trainable
from weft.vision.models.detection.roi_heads import RoIHeads
from weft.vision.models.detection.rpn import RegionProposalNetwork, RPNHead
from weft.vision.models.detection.transform import GeneralizedRCNNTransform
from weft.vision.models.resnet import resnet50
from weft.vision.ops.misc import Conv2dNormActivation, FrozenBatchNorm2d
from weft.vision.ops.poolers import MultiScaleRoIAlign

__all__ = ["FasterRCNN", "fasterrcnn_resnet50_fpn", "fasterrcnn_resnet50_fpn_v2", "fasterrcnn_mobilenet_v3_large_fpn",
           "fasterrcnn_mobilenet_v3_large_320_fpn"]
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


class GeneralizedRCNN(nn.Module):
    """A backbone, proposals, heads: pictures in, what is found in them out; while it is trained, losses."""

    def __init__(self, backbone, rpn, roi_heads, transform):
        super().__init__()
        self.transform, self.backbone, self.rpn, self.roi_heads = transform, backbone, rpn, roi_heads

    def forward(self, images, targets=None):
        if self.training:
            check_targets(targets)
        sizes = [tuple(image.shape[-2:]) for image in images]
        images, targets = self.transform(images, targets)
        features = self.backbone(images.tensors)
        if isinstance(features, weft.Tensor):
            features = OrderedDict([("0", features)])
        proposals, rpn_losses = self.rpn(images, features, targets)
        found, losses = self.roi_heads(features, proposals, images.image_sizes, targets)
        found = self.transform.postprocess(found, images.image_sizes, sizes)
        return {**losses, **rpn_losses} if self.training else found


class TwoMLPHead(nn.Module):
    """Two linear layers.

    >>> import weft
    >>> from weft.vision.models.detection.faster_rcnn import TwoMLPHead
    >>> TwoMLPHead(8, 4)(weft.rand(2, 2, 2, 2)).shape
    torch.Size([2, 4])
    """

    def __init__(self, in_channels, representation_size):
        super().__init__()
        self.fc6 = nn.Linear(in_channels, representation_size)
        self.fc7 = nn.Linear(representation_size, representation_size)

    def forward(self, x):
        return F.relu(self.fc7(F.relu(self.fc6(x.flatten(1)))))


class FastRCNNConvFCHead(nn.Sequential):
    """Convolutions, then linear layers.

    >>> import weft
    >>> from weft.vision.models.detection.faster_rcnn import FastRCNNConvFCHead
    >>> FastRCNNConvFCHead((2, 3, 3), [4], [5])(weft.rand(2, 2, 3, 3)).shape
    torch.Size([2, 5])
    """

    def __init__(self, input_size, conv_layers, fc_layers, norm_layer=None):
        channels, height, width = input_size
        blocks = []
        for layer in conv_layers:
            blocks.append(Conv2dNormActivation(channels, layer, norm_layer=norm_layer))
            channels = layer
        blocks.append(nn.Flatten())
        channels *= height * width
        for layer in fc_layers:
            blocks += [nn.Linear(channels, layer), nn.ReLU(inplace=True)]
            channels = layer
        super().__init__(*blocks)
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)


class FastRCNNPredictor(nn.Module):
    """Classes and, for each of them, a box: exchange it for other classes.

    >>> import weft
    >>> from weft.vision.models.detection.faster_rcnn import FastRCNNPredictor
    >>> classes, boxes = FastRCNNPredictor(8, 3)(weft.rand(2, 8))
    >>> classes.shape, boxes.shape
    (torch.Size([2, 3]), torch.Size([2, 12]))
    """

    def __init__(self, in_channels, num_classes):
        super().__init__()
        self.cls_score, self.bbox_pred = nn.Linear(in_channels, num_classes), nn.Linear(in_channels, num_classes * 4)

    def forward(self, x):
        x = x.flatten(1)
        return self.cls_score(x), self.bbox_pred(x)


def _anchors():
    sizes = ((32,), (64,), (128,), (256,), (512,))
    return AnchorGenerator(sizes, ((0.5, 1.0, 2.0),) * len(sizes))


class FasterRCNN(GeneralizedRCNN):
    """Finds things. pictures: a list of (3, H, W), values from 0 to 1, of any sizes. While it is trained it takes
    targets, [{"boxes": (L, 4), "labels": (L,)}] (label 0 is nothing), and gives a dict of losses; else for each picture
    {"boxes": (K, 4), "labels": (K,), "scores": (K,)}.

    backbone gives a map or a dict of them, and has `out_channels`.

    >>> import weft
    >>> from weft.vision.models.detection.backbone_utils import resnet_fpn_backbone
    >>> backbone = resnet_fpn_backbone(backbone_name="resnet18", weights=None)
    >>> model = weft.vision.models.detection.FasterRCNN(backbone, num_classes=2, min_size=64, max_size=64,
    ...                                          rpn_post_nms_top_n_test=2, box_detections_per_img=1).eval()
    >>> sorted(model([weft.rand(3, 40, 50)])[0])
    ['boxes', 'labels', 'scores']
    """

    def __init__(self, backbone, num_classes=None, min_size=800, max_size=1333, image_mean=None, image_std=None,
                 rpn_anchor_generator=None, rpn_head=None, rpn_pre_nms_top_n_train=2000, rpn_pre_nms_top_n_test=1000,
                 rpn_post_nms_top_n_train=2000, rpn_post_nms_top_n_test=1000, rpn_nms_thresh=0.7, rpn_fg_iou_thresh=0.7,
                 rpn_bg_iou_thresh=0.3, rpn_batch_size_per_image=256, rpn_positive_fraction=0.5, rpn_score_thresh=0.0,
                 box_roi_pool=None, box_head=None, box_predictor=None, box_score_thresh=0.05, box_nms_thresh=0.5,
                 box_detections_per_img=100, box_fg_iou_thresh=0.5, box_bg_iou_thresh=0.5, box_batch_size_per_image=512,
                 box_positive_fraction=0.25, bbox_reg_weights=None, **kwargs):
        check_arguments(backbone, num_classes, box_predictor)
        width = backbone.out_channels
        rpn_anchor_generator = rpn_anchor_generator or _anchors()
        rpn_head = rpn_head or RPNHead(width, rpn_anchor_generator.num_anchors_per_location()[0])
        rpn = RegionProposalNetwork(
            rpn_anchor_generator, rpn_head, rpn_fg_iou_thresh, rpn_bg_iou_thresh, rpn_batch_size_per_image,
            rpn_positive_fraction, {"training": rpn_pre_nms_top_n_train, "testing": rpn_pre_nms_top_n_test},
            {"training": rpn_post_nms_top_n_train, "testing": rpn_post_nms_top_n_test}, rpn_nms_thresh,
            rpn_score_thresh)
        box_roi_pool = box_roi_pool or MultiScaleRoIAlign(["0", "1", "2", "3"], 7, 2)
        box_head = box_head or TwoMLPHead(width * box_roi_pool.output_size[0] ** 2, 1024)
        box_predictor = box_predictor or FastRCNNPredictor(1024, num_classes)
        heads = RoIHeads(box_roi_pool, box_head, box_predictor, box_fg_iou_thresh, box_bg_iou_thresh,
                         box_batch_size_per_image, box_positive_fraction, bbox_reg_weights, box_score_thresh,
                         box_nms_thresh, box_detections_per_img)
        transform = GeneralizedRCNNTransform(min_size, max_size, image_mean or MEAN, image_std or STD, **kwargs)
        super().__init__(backbone, rpn, heads, transform)


def check_arguments(backbone, num_classes, predictor):
    if not hasattr(backbone, "out_channels"):
        raise ValueError("backbone should contain an attribute out_channels: how many channels its maps have")
    if (num_classes is None) == (predictor is None):
        raise ValueError("give num_classes, or a predictor of your own and no num_classes")


# builders

def trained(weights, weights_backbone):
    return weights is not None or weights_backbone is not None


def detector(name, make, sentence, parameters, module, frozen_eps=False, fixed=None):
    """A builder: make(classes, weights_backbone, is_trained, layers, **kwargs) gives the model."""
    def function(*, weights=None, progress=True, num_classes=None, weights_backbone="IMAGENET1K_V1",
                 trainable_backbone_layers=None, **kwargs):
        chosen = choose(name, weights, kwargs)
        backbone = None if chosen is not None else weights_backbone
        known = {} if num_classes is None else {"num_classes": num_classes}
        if isinstance(chosen, WeightsEnum):
            own(known, "num_classes", chosen.meta["num_classes"])
        classes = known.get("num_classes", (fixed or {}).get("num_classes", 91))
        model = make(classes, backbone, trained(chosen, backbone), trainable_backbone_layers, **kwargs)
        if chosen is not None:
            model.load_state_dict(state_of(chosen))
            if frozen_eps and isinstance(chosen, WeightsEnum):
                overwrite_eps(model, 0.0)
        return model

    return register(function, name, sentence, parameters, module)


def frozen_resnet(weights, is_trained, layers):
    """ResNet-50 with a pyramid, its norms fixed if it comes with weights."""
    net = resnet50(weights=weights, norm_layer=FrozenBatchNorm2d if is_trained else nn.BatchNorm2d)
    return resnet_fpn(net, trainable(is_trained, layers, 5, 3))


def second_resnet(weights, is_trained, layers):
    """ResNet-50 with a pyramid that has norms, of the second versions."""
    net = resnet50(weights=weights)
    return resnet_fpn(net, trainable(is_trained, layers, 5, 3), norm_layer=nn.BatchNorm2d)


def second_parts(backbone):
    """What the second versions have instead of linear layers and one convolution."""
    anchors = _anchors()
    return {"rpn_anchor_generator": anchors,
            "rpn_head": RPNHead(backbone.out_channels, anchors.num_anchors_per_location()[0], conv_depth=2),
            "box_head": FastRCNNConvFCHead((backbone.out_channels, 7, 7), [256] * 4, [1024], nn.BatchNorm2d)}


def _first(classes, weights, is_trained, layers, **kwargs):
    return FasterRCNN(frozen_resnet(weights, is_trained, layers), num_classes=classes, **kwargs)


def _second(classes, weights, is_trained, layers, **kwargs):
    backbone = second_resnet(weights, is_trained, layers)
    return FasterRCNN(backbone, num_classes=classes, **{**second_parts(backbone), **kwargs})


def _mobile(defaults):
    def make(classes, weights, is_trained, layers, **kwargs):
        norm = FrozenBatchNorm2d if is_trained else nn.BatchNorm2d
        backbone = mobilenet_backbone(backbone_name="mobilenet_v3_large", weights=weights, norm_layer=norm,
                                      trainable_layers=trainable(is_trained, layers, 6, 3))
        sizes = ((32, 64, 128, 256, 512),) * 3
        anchors = AnchorGenerator(sizes, ((0.5, 1.0, 2.0),) * 3)
        return FasterRCNN(backbone, classes, rpn_anchor_generator=anchors, **{**defaults, **kwargs})
    return make


fasterrcnn_resnet50_fpn = detector("fasterrcnn_resnet50_fpn", _first, "Faster R-CNN on ResNet-50 with a pyramid.",
                                   41808406, __name__, frozen_eps=True)
fasterrcnn_resnet50_fpn_v2 = detector("fasterrcnn_resnet50_fpn_v2", _second,
                                      "Faster R-CNN on ResNet-50 with a pyramid, of the second version.", 43712278,
                                      __name__)
fasterrcnn_mobilenet_v3_large_fpn = detector(
    "fasterrcnn_mobilenet_v3_large_fpn", _mobile({"rpn_score_thresh": 0.05}), "Faster R-CNN on MobileNet v3.", 19410754,
    __name__)
fasterrcnn_mobilenet_v3_large_320_fpn = detector(
    "fasterrcnn_mobilenet_v3_large_320_fpn",
    _mobile({"min_size": 320, "max_size": 640, "rpn_pre_nms_top_n_test": 150, "rpn_post_nms_top_n_test": 150,
             "rpn_score_thresh": 0.05}), "Faster R-CNN on MobileNet v3, for small pictures.", 19410754, __name__)
