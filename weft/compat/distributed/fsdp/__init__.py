"""torch.distributed.fsdp: models of which every rank keeps a part."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions
from weft.core.namespace import parts as _parts
from weft.distributed.fsdp.api import (  # noqa: F401
    BackwardPrefetch,
    CPUOffload,
    CPUOffloadPolicy,
    FullOptimStateDictConfig,
    FullStateDictConfig,
    LocalOptimStateDictConfig,
    LocalStateDictConfig,
    MixedPrecision,
    MixedPrecisionPolicy,
    OffloadPolicy,
    OptimStateDictConfig,
    OptimStateKeyType,
    ShardedOptimStateDictConfig,
    ShardedStateDictConfig,
    ShardingStrategy,
    StateDictConfig,
    StateDictSettings,
    StateDictType,
)
from weft.distributed.fully_sharded import FullyShardedDataParallel as FullyShardedDataParallel
from weft.distributed.sharded import FSDPModule as FSDPModule
from weft.distributed.sharded import UnshardHandle as UnshardHandle
from weft.distributed.sharded import fully_shard as fully_shard
from weft.distributed.sharded import register_fsdp_forward_method as register_fsdp_forward_method

_FIX = "fully_shard(module) without it"
_classes("DataParallelMeshDims", globals(), _FIX)
_functions("share_comm_ctx", globals(), _FIX)
__getattr__, __dir__ = _parts(globals(), "api fully_sharded_data_parallel sharded_grad_scaler wrap")
