"""torchvision's names: transforms, ops, models, datasets, utils, io, tv_tensors; each is imported when first used."""
from weft.core.namespace import parts as _parts

__getattr__, __dir__ = _parts(globals(), "datasets io models ops transforms tv_tensors utils")
