"""torchvision.models._utils, as far as programs import it."""
from weft.vision.models._tools import IntermediateLayerGetter as IntermediateLayerGetter
from weft.vision.models._tools import make_divisible as _make_divisible  # noqa: F401
