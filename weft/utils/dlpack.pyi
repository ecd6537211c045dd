"""Memory shared with other libraries through DLPack."""
# made by tools/stubs.py
from enum import IntEnum as IntEnum
from typing import Any
from weft.tensor.tensor import Tensor

from weft import from_dlpack as from_dlpack
class DLDeviceType(IntEnum):
    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14

def to_dlpack(tensor: Tensor) -> Any: ...
