"""torchvision.models.segmentation: a class for every pixel."""
from weft.vision.models import _registry
from weft.vision.models.segmentation.nets import *  # noqa: F403


def __getattr__(name):
    found = _registry.weights_by_title(name) if name.endswith("_Weights") else None
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return found
