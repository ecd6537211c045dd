"""A tensor's memory as MPI takes it: contiguous, of one type; a strided tensor's values go through a copy."""
import numpy as np

from weft.core.modes import TAKE, local
from weft.core.runtime import mode_bits
from weft.distributed import world
from weft.ops.core.inplace import bump
from weft.tensor.tensor import Tensor


def need_tensor(tensor, who, name="tensor"):
    if not isinstance(tensor, Tensor):
        raise TypeError(f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor in {who}, not "
                        f"{type(tensor).__name__}")
    if tensor._on_meta:
        raise RuntimeError(f"{who}: a meta tensor has no values to send or receive")


def need_list(tensors, who, name):
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor] in {who}, "
                        f"not {type(tensors).__name__}")
    for tensor in tensors:
        need_tensor(tensor, who, name)


def sent(tensor):
    """The values as a flat contiguous array; the tensor's own memory if it is so already."""
    return np.ascontiguousarray(tensor._array).reshape(-1)


def as_bytes(array):
    """A flat contiguous array as what MPI moves without looking at it."""
    return [array.view(np.uint8), world.started.mpi.BYTE] if world.started.mpi else [array.view(np.uint8)]


def parts(array, sizes):
    """The same in parts of `sizes` elements, for the collectives that end in v."""
    item = array.dtype.itemsize
    counts = [size * item for size in sizes]
    starts = np.concatenate([[0], np.cumsum(counts)])[:-1].tolist() if counts else []
    MPI, moved = world.started.mpi, array.view(np.uint8)
    return [moved, (counts, starts), MPI.BYTE] if MPI else [moved]


class Received:
    """Memory that a tensor's new values come to: its own, or a copy that `keep` writes back."""

    def __init__(self, tensor, filled=False):
        self.tensor = tensor
        if mode_bits() & TAKE:
            local.taker.writing(tensor)
        target = tensor._array
        own = target.flags.c_contiguous and target.flags.writeable
        self.copied = not own
        if own:
            self.array = target.reshape(-1)
        else:
            self.array = sent(tensor).copy() if filled else np.empty(target.size, target.dtype)

    def keep(self):
        """Count the write."""
        target = self.tensor._array
        if self.copied:
            target[...] = self.array.reshape(target.shape)
        bump(self.tensor)


def keep_list(array, tensors):
    """Write a flat array's parts into tensors, one after the other."""
    start = 0
    for tensor in tensors:
        received, end = Received(tensor), start + tensor.numel()
        received.array[:] = array[start:end]
        received.keep()
        start = end


def joined(tensors, dtype):
    """Tensors one after the other, flat."""
    return np.concatenate([sent(t) for t in tensors]) if tensors else np.empty(0, dtype)
