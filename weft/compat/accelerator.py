"""torch.accelerator: weft runs on the CPU, so there is none."""


def is_available():
    return False


def device_count():
    return 0


def current_accelerator(check_available=False):
    """None: there is no device but the CPU."""
    return None


def synchronize(device=None, /):
    """Nothing to wait for."""


def empty_cache():
    """Nothing to empty."""


def _none():
    raise RuntimeError("there is no accelerator: weft runs on the CPU\n  fix: ask torch.accelerator.is_available() "
                       "first")


def current_device_index():
    _none()


def set_device_index(device, /):
    _none()


def _of_no_device(*args, **kwargs):
    """RuntimeError: there is no accelerator."""
    _none()


current_device_idx = set_device_idx = get_device_capability = get_memory_info = memory_stats = _of_no_device
memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = _of_no_device
reset_peak_memory_stats = reset_accumulated_memory_stats = empty_host_cache = _of_no_device
