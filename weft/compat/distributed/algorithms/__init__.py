"""torch.distributed.algorithms: ways to train on several processes."""
from weft.core.namespace import parts as _parts

__getattr__, __dir__ = _parts(globals(), "ddp_comm_hooks join")
