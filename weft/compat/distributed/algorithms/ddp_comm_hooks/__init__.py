"""torch.distributed.algorithms.ddp_comm_hooks: how DistributedDataParallel may exchange gradients."""
from weft.core.namespace import parts as _parts

__getattr__, __dir__ = _parts(globals(), "debugging_hooks default_hooks powerSGD_hook")
