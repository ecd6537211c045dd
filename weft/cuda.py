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
