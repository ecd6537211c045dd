"""torch.backends.mha: PyTorch's fast path of attention layers; it computes the same."""
_fast = [True]


def get_fastpath_enabled():
    """What was set."""
    return _fast[0]


def set_fastpath_enabled(value):
    """Nothing depends on it: both paths compute the same."""
    _fast[0] = bool(value)
