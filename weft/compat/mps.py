"""torch.mps: what programs ask about Apple's GPUs; weft runs on the CPU, so there is none."""
from weft.cuda.absent import (device_count as device_count, empty_cache as empty_cache, is_available as is_available,
                              manual_seed as manual_seed, synchronize as synchronize)


def current_allocated_memory():
    return 0


driver_allocated_memory = current_allocated_memory
