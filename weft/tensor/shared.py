"""Memory that several processes see: an unnamed file, mapped by each of them."""
import mmap
import os
import tempfile

import numpy as np


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
