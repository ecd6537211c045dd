"""torch.distributed.tensor.parallel: layers spread over ranks."""
from weft.core.namespace import parts as _parts
from weft.distributed.tensor_parallel import *  # noqa: F403

__getattr__, __dir__ = _parts(globals(), "api loss style")
