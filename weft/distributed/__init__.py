"""torch.distributed on MPI: one program in many processes; a script that runs alone is a group of one process."""
from weft.core.namespace import later_names as _later_names
from weft.core.namespace import parts as _parts
from weft.distributed import faults as _faults
from weft.distributed import world as _world
from weft.distributed.collectives import *  # noqa: F403
from weft.distributed.groups import *  # noqa: F403
from weft.distributed.groups import _get_default_group as _get_default_group
from weft.distributed.objects import *  # noqa: F403
from weft.distributed.points import *  # noqa: F403
from weft.distributed.reduce_op import ReduceOp as ReduceOp
from weft.distributed.reduce_op import _make_nccl_premul_sum as _make_nccl_premul_sum
from weft.distributed.work import Work as Work

if (_world.launched() or [0, 1])[1] > 1:       # mpiexec or srun started this process
    _world.tell_environment()
    _faults.watch()
_part, __dir__ = _parts(globals(), "algorithms autograd checkpoint constants device_mesh distributed_c10d fsdp "
                        "functional nn optim pipelining rendezvous rpc stores tcp_store tensor tensor_parallel")
_STORES = "DistError DistStoreError FileStore HashStore PrefixStore Store"
_LEVELS = """DebugLevel DistBackendError DistNetworkError QueueEmptyError get_debug_level set_debug_level
    set_debug_level_from_env supports_complex get_default_backend_for_device"""
__getattr__ = _later_names(globals(), _part, {
    **dict.fromkeys(_STORES.split(), "weft.distributed.stores"), "TCPStore": "weft.distributed.tcp_store",
    **dict.fromkeys(_LEVELS.split(), "weft.distributed.debug_level"),
    "register_rendezvous_handler": "weft.distributed.rendezvous",
    "default_pg_timeout": "weft.distributed.constants", "GradBucket": "weft.distributed.reducer",
    "Pace": "weft.distributed.pace",
    **dict.fromkeys(("DeviceMesh", "init_device_mesh"), "weft.distributed.device_mesh")})
