"""PyTorch's module name for the grad modes."""
from weft.core.modes import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled", "set_multithreading_enabled"]


class set_multithreading_enabled:
    """Whether a backward may use more than one thread of Python: weft's never does; its kernels have their own."""

    def __init__(self, mode):
        self.mode = bool(mode)

    def __enter__(self):
        pass

    def __exit__(self, *exc):
        return False
