"""torch.mtia: what programs ask about such devices; weft runs on the CPU, so there is none."""
from weft.cuda.absent import device_count as device_count
from weft.cuda.absent import empty_cache as empty_cache
from weft.cuda.absent import is_available as is_available
from weft.cuda.absent import is_initialized as is_initialized
from weft.cuda.absent import manual_seed as manual_seed
from weft.cuda.absent import manual_seed_all as manual_seed_all
from weft.cuda.absent import max_memory_allocated as max_memory_allocated
from weft.cuda.absent import memory_allocated as memory_allocated
from weft.cuda.absent import memory_reserved as memory_reserved
from weft.cuda.absent import synchronize as synchronize
