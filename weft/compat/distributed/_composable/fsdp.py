"""torch.distributed._composable.fsdp: names of torch.distributed.fsdp."""
from weft.distributed.fsdp import (  # noqa: F401
    CPUOffloadPolicy,
    FSDPModule,
    MixedPrecisionPolicy,
    OffloadPolicy,
    UnshardHandle,
    fully_shard,
    register_fsdp_forward_method,
)
