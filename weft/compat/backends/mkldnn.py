"""torch.backends.mkldnn: weft's kernels are its own; the switches can be set."""
from weft.backends._flags import flags_of

enabled, deterministic, allow_tf32 = True, False, True
flags = flags_of(globals())


def is_available():
    return False
