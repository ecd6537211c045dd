"""The choice of kernels for scaled_dot_product_attention. weft has one, which is taken whatever is asked for."""
# made by tools/stubs.py
from contextlib import AbstractContextManager
from enum import IntEnum as IntEnum
from typing import Any

class SDPBackend(IntEnum):
    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

def sdpa_kernel(backends: Any, set_priority: bool = False) -> AbstractContextManager[Any]: ...
