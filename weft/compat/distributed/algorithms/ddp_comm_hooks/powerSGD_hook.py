"""PyTorch's place for PowerSGD."""
from weft.distributed.comm_hooks import PowerSGDState as PowerSGDState
from weft.distributed.comm_hooks import powerSGD_hook as powerSGD_hook
