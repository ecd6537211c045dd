"""Questions about the compiler."""


def is_compile_supported(device_type):
    """Whether functions can be compiled for a device: no."""
    return False


counters = {}
