"""torch.distributed._tensor: an older name of torch.distributed.tensor."""
from weft.core.namespace import parts as _parts
from weft.distributed.tensor import *  # noqa: F403

__getattr__, __dir__ = _parts(globals(), "api device_mesh experimental placement_types")
