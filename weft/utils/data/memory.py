"""Memory that a worker process fills and the main process reads, without a copy in between and without a name in the
file system.

The worker chooses where: it keeps the list of free blocks. The main process tells it which blocks nobody looks at any
more.
"""
import mmap
import os
import threading
import weakref

import numpy as np

from weft.tensor.shared import unnamed_file

SIZE = 1 << 34          # of addresses, of which only what is used takes memory
REPORT = 1 << 20        # the first bytes: what a crashing interpreter writes about itself
KEPT = 1 << 26          # bytes of free blocks that a worker keeps beyond as many as are in use


class Arena:
    """An unnamed file in memory, mapped by both sides."""

    def __init__(self):
        self.fd = unnamed_file("weft-data")
        self.map, self.size = None, SIZE
        while self.map is None:
            try:
                os.ftruncate(self.fd, self.size)
                self.map = mmap.mmap(self.fd, self.size)
            except (OSError, ValueError):       # a limit on addresses (ulimit -v) or on files
                if self.size <= 1 << 24:
                    os.close(self.fd)
                    raise
                self.size >>= 1

    def __getstate__(self):
        from multiprocessing.reduction import DupFd  # heavy, only with workers
        return {"fd": DupFd(self.fd), "size": self.size}

    def __setstate__(self, state):
        self.fd, self.size = state["fd"].detach(), state["size"]
        self.map = mmap.mmap(self.fd, self.size)

    def close_file(self):
        """The mapping stays as long as somebody looks at it."""
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None

    def report(self):
        """What a crashed interpreter has written."""
        return self.map[:REPORT].split(b"\0", 1)[0].decode(errors="replace").strip()


def new_arena():
    """An arena, or None where there is no such memory: then everything goes through the pipe."""
    if os.name == "nt":
        return None
    try:
        return Arena()
    except OSError:
        return None


# the worker's side

def capacity_of(size):
    """The size of block that is made for so many bytes: eight steps for each power of two, so that blocks fit again."""
    step = max(1 << 12, 1 << size.bit_length() >> 4)
    return -(-size // step) * step


class Blocks:
    """The free and used blocks of an arena."""

    def __init__(self, arena):
        self.arena, self.view = arena, memoryview(arena.map)
        self.top = REPORT
        self.free, self.used = {}, {}       # capacity -> offsets; offset -> capacity
        self.free_bytes = self.used_bytes = 0

    def put(self, data):
        """Copy bytes into a block; gives its offset, or None if there is no room."""
        size = data.nbytes
        capacity = capacity_of(size)
        offsets = self.free.get(capacity)
        if offsets:
            offset = offsets.pop()
            self.free_bytes -= capacity
        elif self.top + capacity <= self.arena.size:
            offset = self.top
            self.top += capacity
        else:
            return None
        self.used[offset] = capacity
        self.used_bytes += capacity
        self.view[offset:offset + size] = data
        return offset

    def release(self, offsets):
        """Nobody looks at these blocks any more."""
        for offset in offsets:
            capacity = self.used.pop(offset)
            self.used_bytes -= capacity
            self.free_bytes += capacity
            self.free.setdefault(capacity, []).append(offset)
            if self.free_bytes > self.used_bytes + KEPT:
                self._give_back(offset, capacity)
        if not self.used and self.top > self.arena.size // 2:
            self.top, self.free, self.free_bytes = REPORT, {}, 0

    def _give_back(self, offset, capacity):
        """Return a block's memory to the system; its addresses stay."""
        if hasattr(mmap, "MADV_REMOVE"):
            try:
                self.arena.map.madvise(mmap.MADV_REMOVE, offset, capacity)
            except OSError:
                pass


# the main process's side

class Reader:
    """Arrays in an arena's blocks; when the last look at a block goes, its offset is noted in `freed`."""

    def __init__(self, arena):
        self.arena = arena
        self.freed, self.watched = [], {}
        _readers.add(self)

    def take(self, offset, size):
        """The bytes of a block, as an array."""
        array = np.frombuffer(self.arena.map, np.uint8, size, offset)
        watched, freed = self.watched, self.freed

        def gone(_):
            if watched.pop(offset, None) is not None:
                freed.append(offset)
        watched[offset] = weakref.ref(array.base, gone)      # all views of the array end there
        return array

    def drop(self, offsets):
        """These blocks are not wanted."""
        self.freed.extend(offsets)

    def take_freed(self):
        """What was freed since the last time."""
        found = self.freed[:]
        del self.freed[:len(found)]
        return found


_readers = weakref.WeakSet()
own_fork = threading.local()        # .on while a loader starts its own workers, whose dataset it keeps alive


def _after_fork():
    """A forked process may look at what is now alive for as long as it likes: those blocks are not used again."""
    if not getattr(own_fork, "on", False):
        for reader in list(_readers):
            reader.watched.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_parent=_after_fork)
