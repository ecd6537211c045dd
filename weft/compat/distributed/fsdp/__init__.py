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
from weft.distributed.sharded import FullyShardedDataParallel as FullyShardedDataParallel
from weft.distributed.sharded import fully_shard as fully_shard

_FIX = "fully_shard(module) without it; state_dict has whole parameters, optim_state_dict the whole state"
_classes("DataParallelMeshDims FSDPModule UnshardHandle", globals(), _FIX)
_functions("register_fsdp_forward_method share_comm_ctx", globals(), _FIX)
__getattr__, __dir__ = _parts(globals(), "api fully_sharded_data_parallel sharded_grad_scaler wrap")
