"""torchvision.models.segmentation: a class for every pixel."""
# made by tools/stubs.py

from weft.vision.models.segmentation.nets import FCN as FCN
from weft.vision.models.segmentation.nets import DeepLabV3 as DeepLabV3
from weft.vision.models.segmentation.nets import LRASPP as LRASPP
from weft.vision.models.segmentation.nets import fcn_resnet50 as fcn_resnet50
from weft.vision.models.segmentation.nets import fcn_resnet101 as fcn_resnet101
from weft.vision.models.segmentation.nets import deeplabv3_resnet50 as deeplabv3_resnet50
from weft.vision.models.segmentation.nets import deeplabv3_resnet101 as deeplabv3_resnet101
from weft.vision.models.segmentation.nets import deeplabv3_mobilenet_v3_large as deeplabv3_mobilenet_v3_large
from weft.vision.models.segmentation.nets import lraspp_mobilenet_v3_large as lraspp_mobilenet_v3_large
