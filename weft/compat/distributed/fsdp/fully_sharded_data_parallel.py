"""torch.distributed.fsdp.fully_sharded_data_parallel: PyTorch's place for the older class and its options."""
from weft.distributed.fsdp import FullyShardedDataParallel as FullyShardedDataParallel
from weft.distributed.fsdp.api import *  # noqa: F403
