"""torch.xpu: what programs ask about such devices; weft runs on the CPU, so there is none."""
from weft.cuda.absent import (device_count as device_count, empty_cache as empty_cache, is_available as is_available,
                              is_initialized as is_initialized, manual_seed as manual_seed,
                              manual_seed_all as manual_seed_all, max_memory_allocated as max_memory_allocated,
                              memory_allocated as memory_allocated, memory_reserved as memory_reserved,
                              synchronize as synchronize)
