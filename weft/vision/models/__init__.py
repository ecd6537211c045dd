"""torchvision.models: networks for pictures, with torchvision's names and keys; LeNet, UNet and YOLO of weft's own."""
from weft.core.namespace import parts as _parts
from weft.vision.models import _registry
from weft.vision.models._registry import Weights as Weights
from weft.vision.models._registry import WeightsEnum as WeightsEnum
from weft.vision.models._registry import get_model as get_model
from weft.vision.models._registry import get_model_builder as get_model_builder
from weft.vision.models._registry import get_model_weights as get_model_weights
from weft.vision.models._registry import get_weight as get_weight
from weft.vision.models._registry import list_models as list_models
from weft.vision.models.alexnet import *  # noqa: F403
from weft.vision.models.convnext import *  # noqa: F403
from weft.vision.models.densenet import *  # noqa: F403
from weft.vision.models.efficientnet import *  # noqa: F403
from weft.vision.models.googlenet import *  # noqa: F403
from weft.vision.models.inception import *  # noqa: F403
from weft.vision.models.mnasnet import *  # noqa: F403
from weft.vision.models.mobilenetv2 import *  # noqa: F403
from weft.vision.models.mobilenetv3 import *  # noqa: F403
from weft.vision.models.own import *  # noqa: F403
from weft.vision.models.regnet import *  # noqa: F403
from weft.vision.models.resnet import *  # noqa: F403
from weft.vision.models.shufflenetv2 import *  # noqa: F403
from weft.vision.models.squeezenet import *  # noqa: F403
from weft.vision.models.swin_transformer import *  # noqa: F403
from weft.vision.models.vgg import *  # noqa: F403
from weft.vision.models.vision_transformer import *  # noqa: F403

_lazy, __dir__ = _parts(globals(), "detection segmentation")


def __getattr__(name):
    found = _registry.weights_by_title(name) if name.endswith("_Weights") else None
    return found if found is not None else _lazy(name)
