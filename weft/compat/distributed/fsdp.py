"""torch.distributed.fsdp: models of which every rank keeps a part."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions
from weft.distributed.sharded import FullyShardedDataParallel as FullyShardedDataParallel
from weft.distributed.sharded import fully_shard as fully_shard

_FIX = "fully_shard(module) without it; state_dict has whole parameters, optim_state_dict the whole state"
_classes("""BackwardPrefetch CPUOffload CPUOffloadPolicy FSDPModule FullOptimStateDictConfig FullStateDictConfig
    LocalOptimStateDictConfig LocalStateDictConfig MixedPrecision MixedPrecisionPolicy
    OffloadPolicy OptimStateDictConfig OptimStateKeyType ShardedOptimStateDictConfig ShardedStateDictConfig
    ShardingStrategy StateDictConfig StateDictSettings StateDictType UnshardHandle""", globals(), _FIX)
_functions("register_fsdp_forward_method", globals(), _FIX)
