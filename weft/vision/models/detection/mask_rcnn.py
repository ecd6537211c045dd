"""Mask R-CNN and Keypoint R-CNN (He et al. 2017)."""
from collections import OrderedDict

from weft import nn
from weft.nn import functional as F
from weft.vision.models.detection.faster_rcnn import (
    FasterRCNN,
    detector,
    frozen_resnet,
    second_parts,
    second_resnet,
)
from weft.vision.ops.misc import Conv2dNormActivation
from weft.vision.ops.poolers import MultiScaleRoIAlign

__all__ = ["MaskRCNN", "KeypointRCNN", "maskrcnn_resnet50_fpn", "maskrcnn_resnet50_fpn_v2", "keypointrcnn_resnet50_fpn"]


def _he(module, kinds):
    for layer in module.modules():
        if isinstance(layer, kinds):
            nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


class MaskRCNNHeads(nn.Sequential):
    """Convolutions that keep the size.

    >>> import weft
    >>> from weft.vision.models.detection.mask_rcnn import MaskRCNNHeads
    >>> MaskRCNNHeads(4, (8, 8), 1)(weft.rand(1, 4, 6, 6)).shape
    torch.Size([1, 8, 6, 6])
    """

    _version = 2

    def __init__(self, in_channels, layers, dilation, norm_layer=None):
        blocks, channels = [], in_channels
        for width in layers:
            blocks.append(Conv2dNormActivation(channels, width, 3, padding=dilation, dilation=dilation,
                                               norm_layer=norm_layer))
            channels = width
        super().__init__(*blocks)
        _he(self, nn.Conv2d)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *args):
        version = local_metadata.get("version", None)
        if version is None or version < 2:      # mask_fcn1, mask_fcn2, ... are called 0.0, 1.0, ... now
            for i in range(len(self)):
                for kind in ("weight", "bias"):
                    old = f"{prefix}mask_fcn{i + 1}.{kind}"
                    if old in state_dict:
                        state_dict[f"{prefix}{i}.0.{kind}"] = state_dict.pop(old)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)


class MaskRCNNPredictor(nn.Sequential):
    """A mask for each class, twice the size: exchange it for other classes.

    >>> import weft
    >>> from weft.vision.models.detection.mask_rcnn import MaskRCNNPredictor
    >>> MaskRCNNPredictor(4, 8, 3)(weft.rand(1, 4, 6, 6)).shape
    torch.Size([1, 3, 12, 12])
    """

    def __init__(self, in_channels, dim_reduced, num_classes):
        super().__init__(OrderedDict(conv5_mask=nn.ConvTranspose2d(in_channels, dim_reduced, 2, 2, 0),
                                     relu=nn.ReLU(inplace=True),
                                     mask_fcn_logits=nn.Conv2d(dim_reduced, num_classes, 1, 1, 0)))
        for name, parameter in self.named_parameters():
            if "weight" in name:
                nn.init.kaiming_normal_(parameter, mode="fan_out", nonlinearity="relu")


class MaskRCNN(FasterRCNN):
    """FasterRCNN that also marks each thing's pixels: targets and answers have "masks", (L, H, W) and (K, 1, H, W).

    >>> import weft
    >>> from weft.vision.models.detection.backbone_utils import resnet_fpn_backbone
    >>> backbone = resnet_fpn_backbone(backbone_name="resnet18", weights=None)
    >>> model = weft.vision.models.detection.MaskRCNN(backbone, num_classes=2, min_size=64, max_size=64,
    ...                                          rpn_post_nms_top_n_test=2, box_detections_per_img=1).eval()
    >>> sorted(model([weft.rand(3, 40, 50)])[0])
    ['boxes', 'labels', 'masks', 'scores']
    """

    def __init__(self, backbone, num_classes=None, *args, mask_roi_pool=None, mask_head=None, mask_predictor=None,
                 **kwargs):
        if num_classes is not None and mask_predictor is not None:
            raise ValueError("num_classes should be None when mask_predictor is specified")
        super().__init__(backbone, num_classes, *args, **kwargs)
        self.roi_heads.mask_roi_pool = mask_roi_pool or MultiScaleRoIAlign(["0", "1", "2", "3"], 14, 2)
        self.roi_heads.mask_head = mask_head or MaskRCNNHeads(backbone.out_channels, (256, 256, 256, 256), 1)
        self.roi_heads.mask_predictor = mask_predictor or MaskRCNNPredictor(256, 256, num_classes)


class KeypointRCNNHeads(nn.Sequential):
    """Convolutions that keep the size.

    >>> import weft
    >>> from weft.vision.models.detection.keypoint_rcnn import KeypointRCNNHeads
    >>> KeypointRCNNHeads(4, (8,))(weft.rand(1, 4, 6, 6)).shape
    torch.Size([1, 8, 6, 6])
    """

    def __init__(self, in_channels, layers):
        blocks, channels = [], in_channels
        for width in layers:
            blocks += [nn.Conv2d(channels, width, 3, stride=1, padding=1), nn.ReLU(inplace=True)]
            channels = width
        super().__init__(*blocks)
        _he(self, nn.Conv2d)


class KeypointRCNNPredictor(nn.Module):
    """A heatmap for each point, four times the size.

    >>> import weft
    >>> from weft.vision.models.detection.keypoint_rcnn import KeypointRCNNPredictor
    >>> KeypointRCNNPredictor(4, 3)(weft.rand(1, 4, 6, 6)).shape
    torch.Size([1, 3, 24, 24])
    """

    def __init__(self, in_channels, num_keypoints):
        super().__init__()
        self.kps_score_lowres = nn.ConvTranspose2d(in_channels, num_keypoints, 4, stride=2, padding=1)
        _he(self, nn.ConvTranspose2d)
        self.up_scale, self.out_channels = 2, num_keypoints

    def forward(self, x):
        return F.interpolate(self.kps_score_lowres(x), scale_factor=float(self.up_scale), mode="bilinear",
                             align_corners=False, recompute_scale_factor=False)


class KeypointRCNN(FasterRCNN):
    """FasterRCNN that also finds points of each thing: targets and answers have "keypoints", (L, points, 3).

    >>> import weft
    >>> from weft.vision.models.detection.backbone_utils import resnet_fpn_backbone
    >>> backbone = resnet_fpn_backbone(backbone_name="resnet18", weights=None)
    >>> model = weft.vision.models.detection.KeypointRCNN(backbone, num_classes=2, min_size=64, max_size=64,
    ...                                          rpn_post_nms_top_n_test=2, box_detections_per_img=1).eval()
    >>> sorted(model([weft.rand(3, 40, 50)])[0])
    ['boxes', 'keypoints', 'keypoints_scores', 'labels', 'scores']
    """

    def __init__(self, backbone, num_classes=None, min_size=None, *args, keypoint_roi_pool=None, keypoint_head=None,
                 keypoint_predictor=None, num_keypoints=None, **kwargs):
        if keypoint_predictor is not None and num_keypoints is not None:
            raise ValueError("num_keypoints should be None when keypoint_predictor is specified")
        min_size = (640, 672, 704, 736, 768, 800) if min_size is None else min_size
        super().__init__(backbone, num_classes, min_size, *args, **kwargs)
        points = 17 if num_keypoints is None else num_keypoints
        self.roi_heads.keypoint_roi_pool = keypoint_roi_pool or MultiScaleRoIAlign(["0", "1", "2", "3"], 14, 2)
        self.roi_heads.keypoint_head = keypoint_head or KeypointRCNNHeads(backbone.out_channels, (512,) * 8)
        self.roi_heads.keypoint_predictor = keypoint_predictor or KeypointRCNNPredictor(512, points)


def _first(classes, weights, is_trained, layers, **kwargs):
    return MaskRCNN(frozen_resnet(weights, is_trained, layers), num_classes=classes, **kwargs)


def _second(classes, weights, is_trained, layers, **kwargs):
    backbone = second_resnet(weights, is_trained, layers)
    head = MaskRCNNHeads(backbone.out_channels, [256] * 4, 1, norm_layer=nn.BatchNorm2d)
    return MaskRCNN(backbone, num_classes=classes, **{**second_parts(backbone), "mask_head": head, **kwargs})


def _points(classes, weights, is_trained, layers, **kwargs):
    return KeypointRCNN(frozen_resnet(weights, is_trained, layers), num_classes=classes, **kwargs)


maskrcnn_resnet50_fpn = detector("maskrcnn_resnet50_fpn", _first, "Mask R-CNN on ResNet-50 with a pyramid.", 44454513,
                                 __name__, frozen_eps=True)
maskrcnn_resnet50_fpn_v2 = detector("maskrcnn_resnet50_fpn_v2", _second,
                                    "Mask R-CNN on ResNet-50 with a pyramid, of the second version.", 46359409,
                                    __name__)
keypointrcnn_resnet50_fpn = detector("keypointrcnn_resnet50_fpn", _points,
                                     "Keypoint R-CNN on ResNet-50 with a pyramid.", 59190378, __name__,
                                     frozen_eps=True, fixed={"num_classes": 2})
