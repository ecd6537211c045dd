"""torch.utils: helpers around tensors."""
from weft.core.namespace import parts as _parts

__getattr__, __dir__ = _parts(globals(), "checkpoint data deterministic dlpack hooks serialization tensorboard _pytree")
