"""torchvision.models.detection.ssdlite: its names; the code is in ssd.py."""
from weft.vision.models.detection.ssd import SSDLiteFeatureExtractorMobileNet as SSDLiteFeatureExtractorMobileNet
from weft.vision.models.detection.ssd import SSDLiteHead as SSDLiteHead
from weft.vision.models.detection.ssd import ssdlite320_mobilenet_v3_large as ssdlite320_mobilenet_v3_large
