"""torch.backends.mps: weft runs on the CPU."""


def is_available():
    return False


def is_built():
    return False


def is_macos_or_newer(major, minor):
    return False


is_macos13_or_newer = is_available
