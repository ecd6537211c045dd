"""torchvision.models.detection.keypoint_rcnn: its names; the code is in mask_rcnn.py."""
from weft.vision.models.detection.mask_rcnn import KeypointRCNN as KeypointRCNN
from weft.vision.models.detection.mask_rcnn import KeypointRCNNHeads as KeypointRCNNHeads
from weft.vision.models.detection.mask_rcnn import KeypointRCNNPredictor as KeypointRCNNPredictor
from weft.vision.models.detection.mask_rcnn import keypointrcnn_resnet50_fpn as keypointrcnn_resnet50_fpn
