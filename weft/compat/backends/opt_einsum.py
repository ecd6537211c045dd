"""torch.backends.opt_einsum: weft's einsum finds its own order."""
from weft.backends._flags import flags_of

enabled, strategy = False, None
flags = flags_of(globals())


def is_available():
    return False


def get_opt_einsum():
    """None: it isn't used."""
    return None
