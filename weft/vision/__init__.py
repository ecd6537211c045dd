"""torchvision's names: transforms, ops, models, datasets, utils, io, tv_tensors; each is imported when first used."""
from weft.core.namespace import parts as _parts

__version__ = "0.28.0+weft"         # the torchvision that belongs to PyTorch 2.13
__getattr__, __dir__ = _parts(globals(), "datasets io models ops transforms tv_tensors utils")
