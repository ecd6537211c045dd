"""torch.backends.nnpack: weft's kernels are its own."""


def is_available():
    return False


def set_flags(_enabled):
    """What the switch was: there is nothing to switch."""
    return (False,)
