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
def set_rng_state(*args: Any, **kwargs: Any) -> Any: ...
def mem_get_info(*args: Any, **kwargs: Any) -> Any: ...
def default_stream(*args: Any, **kwargs: Any) -> Any: ...
def memory_stats(*args: Any, **kwargs: Any) -> Any: ...
def current_blas_handle(*args: Any, **kwargs: Any) -> Any: ...
from weft.cuda.absent import reset_peak_memory_stats as reset_peak_memory_stats
from weft.cuda.absent import reset_peak_memory_stats as reset_max_memory_allocated
from weft.cuda.absent import reset_peak_memory_stats as reset_accumulated_memory_stats
from weft.cuda.absent import reset_peak_memory_stats as ipc_collect
from weft.cuda.absent import reset_peak_memory_stats as init
from weft.cuda.absent import is_current_stream_capturing as is_current_stream_capturing
from weft.cuda.absent import Stream as Stream
from weft.cuda.absent import Event as Event
from weft.cuda.absent import CUDAGraph as CUDAGraph
from weft.cuda.absent import StreamContext as StreamContext
from weft.cuda.absent import ExternalStream as ExternalStream
from weft.cuda.absent import device as device
from weft.cuda.absent import stream as stream
def graph(*args: Any, **kwargs: Any) -> Any: ...
