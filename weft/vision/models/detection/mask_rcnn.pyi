"""Mask R-CNN and Keypoint R-CNN (He et al. 2017)."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Ints
from weft.nn.module import Module as Module
from weft.nn.modules.container import Sequential as Sequential
from weft.tensor.tensor import Tensor
from weft.vision.models.detection.faster_rcnn import FasterRCNN as FasterRCNN

class MaskRCNNHeads(Sequential):
    def __init__(self, in_channels: Any, layers: Any, dilation: Ints, norm_layer: Any = None) -> None: ...

class MaskRCNNPredictor(Sequential):
    def __init__(self, in_channels: Any, dim_reduced: Any, num_classes: int) -> None: ...

class MaskRCNN(FasterRCNN):
    def __init__(self, backbone: Any, num_classes: int | None = None, *args: Any, mask_roi_pool: Any = None, mask_head: Any = None, mask_predictor: Any = None, **kwargs: Any) -> None: ...

class KeypointRCNNHeads(Sequential):
    def __init__(self, in_channels: Any, layers: Any) -> None: ...

class KeypointRCNNPredictor(Module):
    up_scale: int
    out_channels: Any
    kps_score_lowres: Any
    def __init__(self, in_channels: Any, num_keypoints: Any) -> None: ...
    def forward(self, x: Any) -> Tensor: ...

class KeypointRCNN(FasterRCNN):
    def __init__(self, backbone: Any, num_classes: int | None = None, min_size: Any = None, *args: Any, keypoint_roi_pool: Any = None, keypoint_head: Any = None, keypoint_predictor: Any = None, num_keypoints: Any = None, **kwargs: Any) -> None: ...

def maskrcnn_resnet50_fpn(*, weights: Tensor | None = None, progress: bool = True, num_classes: int | None = None, weights_backbone: str = 'IMAGENET1K_V1', trainable_backbone_layers: Any = None, **kwargs: Any) -> Any: ...
def maskrcnn_resnet50_fpn_v2(*, weights: Tensor | None = None, progress: bool = True, num_classes: int | None = None, weights_backbone: str = 'IMAGENET1K_V1', trainable_backbone_layers: Any = None, **kwargs: Any) -> Any: ...
def keypointrcnn_resnet50_fpn(*, weights: Tensor | None = None, progress: bool = True, num_classes: int | None = None, weights_backbone: str = 'IMAGENET1K_V1', trainable_backbone_layers: Any = None, **kwargs: Any) -> Any: ...
