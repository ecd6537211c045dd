"""Memory shared with other libraries through DLPack.

>>> import weft
>>> from_dlpack(to_dlpack(weft.tensor([1., 2.])))
tensor([1., 2.])
"""
import enum

from weft.tensor.interop import from_dlpack as from_dlpack
from weft.tensor.tensor import Tensor

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


class DLDeviceType(enum.IntEnum):
    """DLPack's numbers for kinds of devices; weft has the first.

    >>> import weft
    >>> weft.ones(1).__dlpack_device__()[0] == weft.utils.dlpack.DLDeviceType.kDLCPU
    True
    """

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


def to_dlpack(tensor):
    """A tensor's memory as a capsule, which can be used once.

    >>> import weft
    >>> capsule = weft.utils.dlpack.to_dlpack(weft.ones(2))
    >>> weft.utils.dlpack.from_dlpack(capsule)
    tensor([1., 1.])
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"to_dlpack(): the argument must be a tensor, not {type(tensor).__name__}")
    return tensor.__dlpack__()
