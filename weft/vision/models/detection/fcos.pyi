"""FCOS: every pixel says how far the sides of its box are (Tian et al. 2019)."""
# made by tools/stubs.py
from typing import Any
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor
from weft.vision.models.detection._one_stage import OneStage as OneStage

class FCOSClassificationHead(Module):
    cls_logits: Any
    conv: Any
    num_classes: int
    num_anchors: Any
    def __init__(self, in_channels: Any, num_anchors: Any, num_classes: int, num_convs: int = 4, prior_probability: float = 0.01, norm_layer: Any = None) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class FCOSRegressionHead(Module):
    bbox_ctrness: Any
    bbox_reg: Any
    conv: Any
    def __init__(self, in_channels: Any, num_anchors: Any, num_convs: int = 4, norm_layer: Any = None) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class FCOSHead(Module):
    regression_head: Any
    classification_head: Any
    box_coder: Any
    def __init__(self, in_channels: Any, num_anchors: Any, num_classes: int, num_convs: int = 4) -> None: ...
    def forward(self, x: Any) -> Tensor: ...
    def compute_loss(self, targets: Tensor, head_outputs: Any, anchors: Any, matched_idxs: Any) -> dict[Any, Any]: ...

class FCOS(OneStage):
    detections_per_img: int
    topk_candidates: int
    score_thresh: float
    nms_thresh: float
    center_sampling_radius: float
    box_coder: Any
    def __init__(self, backbone: Any, num_classes: int, min_size: int = 800, max_size: int = 1333, image_mean: Any = None, image_std: Any = None, anchor_generator: Any = None, head: Any = None, center_sampling_radius: float = 1.5, score_thresh: float = 0.2, nms_thresh: float = 0.6, detections_per_img: int = 100, topk_candidates: int = 1000, **kwargs: Any) -> None: ...

def fcos_resnet50_fpn(*, weights: Tensor | None = None, progress: bool = True, num_classes: int | None = None, weights_backbone: str = 'IMAGENET1K_V1', trainable_backbone_layers: Any = None, **kwargs: Any) -> Any: ...
