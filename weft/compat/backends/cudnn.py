"""torch.backends.cudnn: the switches can be set; without a GPU nothing depends on them."""
from weft.backends._flags import flags_of

enabled, benchmark, deterministic, allow_tf32 = True, False, False, True
benchmark_limit, fp32_precision = 10, "none"
flags = flags_of(globals())


def is_available():
    return False


def version():
    """None: there is no cuDNN."""
    return None


def is_acceptable(tensor):
    """Whether cuDNN could take a tensor: never."""
    return False
