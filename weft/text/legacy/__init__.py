"""torchtext.legacy: the classic API under the name that torchtext 0.9 to 0.11 gave it."""
from weft.core.namespace import parts as _parts

__getattr__, __dir__ = _parts(globals(), "data vocab datasets")
