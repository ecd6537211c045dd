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
