"""torch.distributed.fsdp: models spread over several processes, to be compared with."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions

_FIX = "weft runs one process, which holds the whole model"
_classes("""BackwardPrefetch CPUOffload CPUOffloadPolicy FSDPModule FullOptimStateDictConfig FullStateDictConfig
    FullyShardedDataParallel LocalOptimStateDictConfig LocalStateDictConfig MixedPrecision MixedPrecisionPolicy
    OffloadPolicy OptimStateDictConfig OptimStateKeyType ShardedOptimStateDictConfig ShardedStateDictConfig
    ShardingStrategy StateDictConfig StateDictSettings StateDictType UnshardHandle""", globals(), _FIX)
_functions("fully_shard register_fsdp_forward_method", globals(), _FIX)
