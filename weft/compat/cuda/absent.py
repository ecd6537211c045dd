"""What PyTorch programs ask about CUDA: weft runs on the CPU, so there is none."""


def is_available():
    return False


def device_count():
    return 0


def is_initialized():
    return False


def manual_seed(seed):
    """Nothing to seed."""


def manual_seed_all(seed):
    """Nothing to seed."""


def empty_cache():
    """Nothing to empty."""


def synchronize(device=None):
    """Nothing to wait for."""


# what a program may ask about a device that isn't there: amounts are 0, questions about the device itself are refused

def memory_allocated(device=None):
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated


def is_bf16_supported(including_emulation=True):
    return False


def get_rng_state_all():
    return []


def set_rng_state_all(new_states):
    """No device has a state."""


def _none(*args, **kwargs):
    raise AssertionError("Torch not compiled with CUDA enabled: weft runs on the CPU\n  fix: ask "
                         "torch.cuda.is_available() first")


current_device = set_device = get_device_name = get_device_properties = _none
get_device_capability = current_stream = get_rng_state = _none
set_rng_state = mem_get_info = default_stream = memory_stats = current_blas_handle = _none
default_generators = ()


def reset_peak_memory_stats(device=None):
    """No figures to reset."""


reset_max_memory_allocated = reset_accumulated_memory_stats = ipc_collect = init = reset_peak_memory_stats


def is_current_stream_capturing():
    return False


def seed():
    """Nothing to seed."""


seed_all = seed


def get_arch_list():
    return []


def get_gencode_flags():
    return ""


def is_tf32_supported():
    return False


memory_cached = max_memory_cached = memory_allocated
reset_max_memory_cached = reset_peak_host_memory_stats = reset_accumulated_host_memory_stats = reset_peak_memory_stats
has_half, has_magma = True, False
initial_seed = can_device_access_peer = memory_summary = memory_snapshot = utilization = temperature = _none
power_draw = clock_rate = device_memory_used = memory_usage = list_gpu_processes = get_sync_debug_mode = _none
set_sync_debug_mode = _none
set_per_process_memory_fraction = get_per_process_memory_fraction = caching_allocator_alloc = _none
caching_allocator_delete = get_allocator_backend = cudart = check_error = current_solver_handle = _none
graph_pool_handle = make_graphed_callables = get_stream_from_external = change_current_allocator = _none
caching_allocator_enable = use_mem_pool = host_memory_stats = _none


def memory_stats_as_nested_dict(device=None):
    return {}


def set_stream(stream):
    """`set_stream(None)` changes nothing, and there is no other stream."""
    if stream is not None:
        _none()


class CudaError(RuntimeError):
    """An error of a GPU's driver."""


class DeferredCudaCallError(Exception):
    """An error of what was put off until a GPU is first used."""


class _Refusing(type):
    """A class of things on a GPU: it can be named and compared with, and nothing can be made of it."""
    def __call__(cls, *args, **kwargs):
        _none()


class Stream(metaclass=_Refusing):
    """A queue of work on a GPU."""


class Event(metaclass=_Refusing):
    """A mark in such a queue."""


class CUDAGraph(metaclass=_Refusing):
    """Recorded work of a GPU."""


class MemPool(metaclass=_Refusing):
    """A store of a GPU's memory."""


class CUDAPluggableAllocator(metaclass=_Refusing):
    """Another allocator of a GPU's memory."""


class StreamContext(metaclass=_Refusing):
    """What `stream` gives on a GPU."""


class ExternalStream(Stream):
    """A stream that another library made."""


class device:
    """`with torch.cuda.device(None):` changes nothing; a GPU's number is refused."""

    def __init__(self, device):
        self.idx = device

    def __enter__(self):
        if self.idx is not None and self.idx != -1:
            _none()

    def __exit__(self, *exc):
        return False


class device_of(device):
    """`with torch.cuda.device_of(tensor):` changes nothing for a tensor of the CPU."""

    def __init__(self, obj):
        super().__init__(None)


def stream(stream):
    """`with torch.cuda.stream(None):` changes nothing, and there is no other stream."""
    return device(stream)


graph = _none


class _Type(type):
    """The old names of tensor types on a GPU: they can be compared with, not called."""
    def __call__(cls, *args, **kwargs):
        raise TypeError(f"type torch.cuda.{cls.__name__} not available. Torch not compiled with CUDA enabled: weft "
                        f"runs on the CPU\n  fix: use torch.{cls.__name__} unless torch.cuda.is_available()")

    def __instancecheck__(cls, instance):
        return False


for _name in ("Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Byte", "Char", "Bool"):
    for _kind in ("Tensor", "Storage"):
        globals()[_name + _kind] = _Type(_name + _kind, (), {"__module__": "torch.cuda", "__doc__": "A type of a GPU."})
