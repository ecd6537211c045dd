"""Questions about the compiler."""
from collections import Counter, defaultdict


def is_compile_supported(device_type):
    """Whether functions can be compiled for a device: no."""
    return False


counters = defaultdict(Counter)       # what a compiler would count; nothing does
