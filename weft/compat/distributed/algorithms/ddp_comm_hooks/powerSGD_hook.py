"""PyTorch's place for PowerSGD."""
from weft.distributed.comm_hooks import PowerSGDState as PowerSGDState
from weft.distributed.comm_hooks import batched_powerSGD_hook as batched_powerSGD_hook
from weft.distributed.comm_hooks import powerSGD_hook as powerSGD_hook
