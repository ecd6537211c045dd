"""torchvision.models.detection: things found in pictures."""
# made by tools/stubs.py

from weft.vision.models.detection.faster_rcnn import FasterRCNN as FasterRCNN
from weft.vision.models.detection.faster_rcnn import fasterrcnn_resnet50_fpn as fasterrcnn_resnet50_fpn
from weft.vision.models.detection.faster_rcnn import fasterrcnn_resnet50_fpn_v2 as fasterrcnn_resnet50_fpn_v2
from weft.vision.models.detection.faster_rcnn import fasterrcnn_mobilenet_v3_large_fpn as fasterrcnn_mobilenet_v3_large_fpn
from weft.vision.models.detection.faster_rcnn import fasterrcnn_mobilenet_v3_large_320_fpn as fasterrcnn_mobilenet_v3_large_320_fpn
from weft.vision.models.detection.fcos import FCOS as FCOS
from weft.vision.models.detection.fcos import fcos_resnet50_fpn as fcos_resnet50_fpn
from weft.vision.models.detection.mask_rcnn import MaskRCNN as MaskRCNN
from weft.vision.models.detection.mask_rcnn import KeypointRCNN as KeypointRCNN
from weft.vision.models.detection.mask_rcnn import maskrcnn_resnet50_fpn as maskrcnn_resnet50_fpn
from weft.vision.models.detection.mask_rcnn import maskrcnn_resnet50_fpn_v2 as maskrcnn_resnet50_fpn_v2
from weft.vision.models.detection.mask_rcnn import keypointrcnn_resnet50_fpn as keypointrcnn_resnet50_fpn
from weft.vision.models.detection.retinanet import RetinaNet as RetinaNet
from weft.vision.models.detection.retinanet import retinanet_resnet50_fpn as retinanet_resnet50_fpn
from weft.vision.models.detection.retinanet import retinanet_resnet50_fpn_v2 as retinanet_resnet50_fpn_v2
from weft.vision.models.detection.ssd import SSD as SSD
from weft.vision.models.detection.ssd import ssd300_vgg16 as ssd300_vgg16
from weft.vision.models.detection.ssd import ssdlite320_mobilenet_v3_large as ssdlite320_mobilenet_v3_large
