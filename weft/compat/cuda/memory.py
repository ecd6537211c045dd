"""torch.cuda.memory: the memory of GPUs, of which there are none."""
from weft.cuda.absent import empty_cache as empty_cache
from weft.cuda.absent import max_memory_allocated as max_memory_allocated
from weft.cuda.absent import memory_allocated as memory_allocated
from weft.cuda.absent import memory_reserved as memory_reserved
from weft.cuda.absent import memory_stats as memory_stats
from weft.cuda.absent import reset_peak_memory_stats as reset_peak_memory_stats
