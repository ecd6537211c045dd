"""torchvision.models.detection: things found in pictures."""
from weft.vision.models import _registry
from weft.vision.models.detection.faster_rcnn import *  # noqa: F403
from weft.vision.models.detection.fcos import *  # noqa: F403
from weft.vision.models.detection.mask_rcnn import *  # noqa: F403
from weft.vision.models.detection.retinanet import *  # noqa: F403
from weft.vision.models.detection.ssd import *  # noqa: F403


def __getattr__(name):
    found = _registry.weights_by_title(name) if name.endswith("_Weights") else None
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return found
