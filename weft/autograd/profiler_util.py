"""torch.autograd.profiler_util: the events of a profile; they stand in weft.profiler."""
from weft.core.late import late


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(late("autograd.profiler"), name)
