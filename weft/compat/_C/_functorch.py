"""torch._C._functorch: questions about tensors inside torch.func's transforms, which are plain tensors here."""


def is_batchedtensor(x):
    """False: vmap gives its function plain tensors."""
    return False


is_legacy_batchedtensor = is_gradtrackingtensor = is_functorch_wrapped_tensor = is_functionaltensor = is_batchedtensor


def get_unwrapped(x):
    """The tensor itself."""
    return x


def maybe_get_level(x):
    """-1: no transform made this tensor."""
    return -1


maybe_get_bdim = maybe_get_level
