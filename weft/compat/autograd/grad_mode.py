"""PyTorch's module name for the grad modes."""
import threading

from weft.core.modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from weft.tensor.tensor import Tensor

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled", "set_multithreading_enabled"]

_multithreading = threading.local()


def is_multithreading_enabled():
    """What this thread has chosen: `torch._C._is_multithreading_enabled`."""
    return getattr(_multithreading, "mode", True)


class set_multithreading_enabled:
    """Whether a backward may use more than one thread of Python, as a call or around a block. weft's never does, and
    its kernels have threads of their own, so nothing depends on it but `torch._C._is_multithreading_enabled()`."""

    def __init__(self, mode):
        self.prev, self.mode = is_multithreading_enabled(), bool(mode)
        _multithreading.mode = self.mode

    def __enter__(self):
        pass

    def __exit__(self, *exc):
        _multithreading.mode = self.prev


class _unsafe_preserve_version_counter:
    """Inside, writes to a tensor, or to each of several, are not counted: nobody notices that what was saved for a
    gradient is overwritten."""

    def __init__(self, tensors):
        self.tensors = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
        self.versions = [t._version for t in self.tensors]

    def __enter__(self):
        pass

    def __exit__(self, *exc):
        for t, version in zip(self.tensors, self.versions):
            t._own_memory_record().version = version

