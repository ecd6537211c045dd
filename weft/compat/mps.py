"""torch.mps: what programs ask about Apple's GPUs; weft runs on the CPU, so there is none."""
from weft.cuda.absent import device_count as device_count
from weft.cuda.absent import empty_cache as empty_cache
from weft.cuda.absent import is_available as is_available
from weft.cuda.absent import manual_seed as manual_seed
from weft.cuda.absent import synchronize as synchronize


def current_allocated_memory():
    return 0


driver_allocated_memory = current_allocated_memory
