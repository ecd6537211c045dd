"""The choice of kernels for scaled_dot_product_attention. weft has one, which is taken whatever is asked for."""
import enum
from contextlib import contextmanager

from weft.core.namespace import parts as _parts

__all__ = ["SDPBackend", "sdpa_kernel"]
__path__ = []       # its modules stand in the folder beside this file
__getattr__, __dir__ = _parts(globals(), "flex_attention bias")
WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(enum.IntEnum):
    """PyTorch's names of its kernels.

    >>> import weft
    >>> [backend.name for backend in weft.nn.attention.SDPBackend]
    ['ERROR', 'MATH', 'FLASH_ATTENTION', 'EFFICIENT_ATTENTION', 'CUDNN_ATTENTION', 'OVERRIDEABLE']
    """
    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Accepted, checked, and without effect: every kernel that it may ask for computes the same.

    >>> import weft
    >>> q = weft.ones(1, 2, 4)
    >>> with weft.nn.attention.sdpa_kernel(weft.nn.attention.SDPBackend.MATH):
    ...     weft.nn.functional.scaled_dot_product_attention(q, q, q).shape
    torch.Size([1, 2, 4])
    """
    given = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(given, list) or not all(isinstance(b, SDPBackend) for b in given):
        raise AssertionError(f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
                             f"{type(backends).__name__}")
    yield {}
