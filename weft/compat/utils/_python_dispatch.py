"""torch.utils._python_dispatch: weft has no such dispatch; its names are there to compare with."""
from weft._absent import absent_classes

absent_classes("TorchDispatchMode", globals(), "torch.overrides.TorchFunctionMode, or weft.core.seam, sees every call")


def is_traceable_wrapper_subclass(t):
    """Whether a tensor wraps others for PyTorch's tracer: none does."""
    return False


def is_traceable_wrapper_subclass_type(t):
    return False
