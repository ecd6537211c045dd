"""torch.accelerator: weft runs on the CPU, so there is none, unless the CPU stands in for GPUs."""
from weft.core.device import device as _device
from weft.core.device import stand_ins as _stand_ins


def is_available():
    return _stand_ins() > 0


def device_count():
    return _stand_ins()


def current_accelerator(check_available=False):
    """None: there is no device but the CPU."""
    return _device("cuda") if _stand_ins() else None


def synchronize(device=None, /):
    """Nothing to wait for."""


def empty_cache():
    """Nothing to empty."""


def _none():
    raise RuntimeError("there is no accelerator: weft runs on the CPU\n  fix: ask torch.accelerator.is_available() "
                       "first")


def _cuda():
    if not _stand_ins():
        _none()
    from weft import cuda  # only where the CPU stands in for GPUs
    return cuda


def current_device_index():
    return _cuda().current_device()


def set_device_index(device, /):
    _cuda().set_device(device)


def device_index(device, /):
    """A region for the device of that number."""
    return _cuda().device(device)


def _of_no_device(*args, **kwargs):
    """RuntimeError: there is no accelerator."""
    _none()


current_device_idx, set_device_idx = current_device_index, set_device_index
get_device_capability = get_memory_info = memory_stats = _of_no_device
memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = _of_no_device
reset_peak_memory_stats = reset_accumulated_memory_stats = empty_host_cache = _of_no_device
