"""Tensors and other array libraries: NumPy's protocols and DLPack."""
import numpy as np

from weft.core.runtime import attach
from weft.ops.convert import numpy
from weft.ops.creation import public
from weft.ops.data import finish_shared
from weft.tensor.tensor import Tensor


def __array_wrap__(self, array, context=None, return_scalar=False):
    """What np.sin(tensor) gives: a tensor again."""
    return finish_shared(np.asarray(array))


def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """The memory in DLPack's form, for other libraries."""
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    kwargs = {} if max_version is None else {"max_version": max_version, "dl_device": dl_device, "copy": copy}
    return numpy(self).__dlpack__(**kwargs)


def __dlpack_device__(self):
    """The CPU, in DLPack's numbers."""
    return (1, 0)


for _function in (__array_wrap__, __dlpack__, __dlpack_device__):
    attach(Tensor, _function.__name__, _function)


def from_dlpack(ext_tensor, *, device=None, copy=None):
    """A tensor in the memory of any object that offers DLPack."""
    if isinstance(ext_tensor, Tensor):
        return ext_tensor.clone() if copy else ext_tensor.detach()
    array = np.from_dlpack(ext_tensor)
    return finish_shared(array.copy() if copy else array)


def to_dlpack(tensor):
    """The memory in DLPack's form."""
    return tensor.__dlpack__()


public(from_dlpack)
public(to_dlpack)
