"""Memory that several processes see: an unnamed file, mapped by each of them."""
import gc
import mmap
import os
import sys
import tempfile

import numpy as np

from weft.core.errors import fail
from weft.kernels.native import address
from weft.tensor.layout import root_of
from weft.tensor.storage import UntypedStorage
from weft.tensor.tensor import Tensor


class Shared(mmap.mmap):
    """The mapping, and the file, by which another process can map the same."""

    def __new__(cls, file, size):
        made = super().__new__(cls, file, size)
        made.file = file
        return made

    def __del__(self):
        if hasattr(self, "file"):       # not where the mapping failed
            os.close(self.file)


def new_shared(size):
    """A mapping of so many bytes."""
    file = unnamed_file("weft-shared")
    os.ftruncate(file, size)
    return Shared(file, size)


def unnamed_file(name):
    """A file in memory (`name` stands in /proc only), by its number."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create(name, getattr(os, "MFD_CLOEXEC", 1))
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def shared_array(shape, np_dtype):
    """An array in such memory."""
    count = int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(new_shared(count * np_dtype.itemsize), np_dtype, count).reshape(shape)


def move(t):
    """Let a tensor, its views and all others that lie in its memory lie in a mapping."""
    there = _all_in(t._memory_record) if t._memory_record is not None else [t]
    before = UntypedStorage(root=root_of(t))._bytes
    made, start = shared_array(before.shape, before.dtype), address(before)
    made[...] = before
    for one in there:
        array = one._array
        one._array = np.ndarray(array.shape, array.dtype, made, address(array) - start, array.strides)
    if t._memory_record is not None:
        t._memory_record.root = None        # found anew from the arrays


def _all_in(record):
    """The tensors with this memory: Python's garbage collector knows who holds its record."""
    holders = gc.get_referrers(record)
    # the plain core's tensors have their fields in a dict
    holders += [one for thing in holders if isinstance(thing, dict) for one in gc.get_referrers(thing)]
    found = [one for one in holders if isinstance(one, Tensor) and one._memory_record is record]
    found = list({id(one): one for one in found}.values())
    if sys.getrefcount(record) - 2 > len(found):      # besides those: this argument, and the question's
        fail(RuntimeError, "share_memory_: other tensors share this one's memory, and they would stay behind",
             "call it before views are made of the tensor, or clone() it first")
    return found
