"""torch.distributed for a script that runs alone: a group of one process."""
from weft.core.namespace import later_names as _later_names
from weft.core.namespace import parts as _parts
from weft.distributed import alone as _alone
from weft.distributed.alone import *  # noqa: F403

_part, __dir__ = _parts(globals(), "absent algorithms device_mesh distributed_c10d fsdp optim rpc tensor")
__getattr__ = _later_names(globals(), _part, {
    **dict.fromkeys(_alone.MANY_CLASSES + _alone.MANY_FUNCTIONS, "weft.distributed.absent"),
    **dict.fromkeys(("DeviceMesh", "init_device_mesh"), "weft.distributed.device_mesh")})
