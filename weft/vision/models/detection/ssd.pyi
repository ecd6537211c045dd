"""SSD (Liu et al. 2015), and its light form on MobileNet v3 (Sandler et al. 2018)."""
# made by tools/stubs.py
from typing import Any
from weft.nn.module import Module as Module
from weft.nn.parameter import Parameter
from weft.tensor.tensor import Tensor
from weft.vision.models.detection._one_stage import OneStage as OneStage

class SSDClassificationHead(_Scores):
    def __init__(self, in_channels: Any, num_anchors: Any, num_classes: int) -> None: ...

class SSDRegressionHead(_Scores):
    def __init__(self, in_channels: Any, num_anchors: Any) -> None: ...

class SSDHead(Module):
    regression_head: Any
    classification_head: Any
    def __init__(self, in_channels: Any, num_anchors: Any, num_classes: int) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class SSD(OneStage):
    topk_candidates: int
    neg_to_pos_ratio: Any
    score_thresh: float
    nms_thresh: float
    detections_per_img: int
    proposal_matcher: Any
    box_coder: Any
    def __init__(self, backbone: Any, anchor_generator: Any, size: Any, num_classes: int, image_mean: Any = None, image_std: Any = None, head: Any = None, score_thresh: float = 0.01, nms_thresh: float = 0.45, detections_per_img: int = 200, iou_thresh: float = 0.5, topk_candidates: int = 400, positive_fraction: float = 0.25, **kwargs: Any) -> None: ...

def map_widths(backbone: Any, size: Any) -> list[Any]: ...
class SSDFeatureExtractorVGG(Module):
    extra: Any
    features: Module
    scale_weight: Parameter
    def __init__(self, backbone: Any, highres: Any) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class SSDLiteHead(Module):
    regression_head: Any
    classification_head: Any
    def __init__(self, in_channels: Any, num_anchors: Any, num_classes: int, norm_layer: Any) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class SSDLiteFeatureExtractorMobileNet(Module):
    extra: Module
    features: Module
    def __init__(self, backbone: Any, c4_pos: Any, norm_layer: Any, width_mult: float = 1.0, min_depth: int = 16) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

def ssd300_vgg16(*, weights: Tensor | None = None, progress: bool = True, num_classes: int | None = None, weights_backbone: str = 'IMAGENET1K_V1', trainable_backbone_layers: Any = None, **kwargs: Any) -> Any: ...
def ssdlite320_mobilenet_v3_large(*, weights: Tensor | None = None, progress: bool = True, num_classes: int | None = None, weights_backbone: str = 'IMAGENET1K_V1', trainable_backbone_layers: Any = None, **kwargs: Any) -> Any: ...
