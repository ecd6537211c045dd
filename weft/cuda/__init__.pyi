"""torch.cuda: what PyTorch programs ask about CUDA; weft runs on the CPU, so there is none."""
# made by tools/stubs.py
from typing import Any

from weft.cuda.absent import is_available as is_available
from weft.cuda.absent import device_count as device_count
from weft.cuda.absent import is_initialized as is_initialized
from weft.cuda.absent import manual_seed as manual_seed
from weft.cuda.absent import manual_seed_all as manual_seed_all
from weft.cuda.absent import empty_cache as empty_cache
from weft.cuda.absent import synchronize as synchronize
from weft.cuda.absent import memory_allocated as memory_allocated
from weft.cuda.absent import memory_allocated as max_memory_allocated
from weft.cuda.absent import memory_allocated as memory_reserved
from weft.cuda.absent import memory_allocated as max_memory_reserved
from weft.cuda.absent import is_bf16_supported as is_bf16_supported
from weft.cuda.absent import get_rng_state_all as get_rng_state_all
from weft.cuda.absent import set_rng_state_all as set_rng_state_all
def current_device(*args: Any, **kwargs: Any) -> Any: ...
def set_device(*args: Any, **kwargs: Any) -> Any: ...
def get_device_name(*args: Any, **kwargs: Any) -> Any: ...
def get_device_properties(*args: Any, **kwargs: Any) -> Any: ...
def get_device_capability(*args: Any, **kwargs: Any) -> Any: ...
def current_stream(*args: Any, **kwargs: Any) -> Any: ...
def get_rng_state(*args: Any, **kwargs: Any) -> Any: ...
