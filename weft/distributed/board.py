"""Memory that the processes of one machine share: there they compare their calls, and small reductions are made.

A process counts its calls in a line of its own, each with a code of what it is about to do, and waits for the others'
counts: a few microseconds awake, then asleep until they come (cpp/base/board.cpp), so that a busy machine gives its
cores to those who work. A code's last bit says that the values are on the board as well: each process has two slots,
used in turn. Who waits for a call of one turn has read all slots of the one before, so they can be written again.
"""
import contextlib
import mmap
import os
import tempfile

import numpy as np

from weft.distributed import world
from weft.kernels import fast

MOST = 32               # processes
SLOTS = 8 << 20         # bytes of all slots
CHUNKS = 6              # a reduction goes through the slots in so many parts at most
SPIN, SLEEP, BRIEF = 30.0, 50000.0, 100.0      # microseconds awake, and asleep between two looks at other things
AHEAD = 2048            # calls that a process may be ahead: half of those that a line remembers
FOLDER = "/dev/shm"


class Board:
    """The shared memory of a group: lines, then each process's two slots."""

    def __init__(self, memory, n, rank):
        self.memory, self.n, self.rank, self.count, self.turn = memory, n, rank, 0, 0
        self.slot = slot_bytes(n)
        start = n * fast.base.board_line
        self.slots = np.frombuffer(memory, np.uint8, 2 * n * self.slot, start).reshape(2, n, self.slot)

    def arrive(self, code):
        """Count a call; something to wait for, like a request of MPI's."""
        self.count = self.count + 1 & 0xffffffff
        if self.count % (AHEAD // 2) == 0:
            while not fast.base.await_all(self.memory, self.n, self.count - AHEAD & 0xffffffff, SPIN, SLEEP):
                pass
        fast.base.arrive(self.memory, self.n, self.rank, self.count, code)
        return Arrival(self, self.count)

    def takes(self, nbytes):
        """Whether values of so many bytes go through the slots."""
        return nbytes <= CHUNKS * self.slot

    def rows(self, dtype, size):
        """All processes' slots of this turn, as arrays."""
        return self.slots[self.turn, :, :size * dtype.itemsize].view(dtype)


class Arrival:
    """A call that was counted: whether the others have come, too."""

    def __init__(self, board, count):
        self.board, self.count = board, count

    def Test(self):
        return self.pause(0.0, 0.0)

    def pause(self, spin=SPIN, sleep=SLEEP):
        return fast.base.await_all(self.board.memory, self.board.n, self.count, spin, sleep)

    def agreed(self):
        """2: all gave the same code; 1: but for the last bit; 0: they do different things."""
        return fast.base.agreed(self.board.memory, self.board.n, self.count)


def slot_bytes(n):
    return SLOTS // (2 * n) // 4096 * 4096


def make(comm):
    """The board of a communicator's processes; None where they are on several machines, or have no such memory."""
    n, MPI = comm.Get_size(), world.started.mpi
    if n == 1 or MPI is None:
        return None
    beside = comm.Split_type(MPI.COMM_TYPE_SHARED)
    able = beside.Get_size() == n <= MOST and fast.base is not None and os.path.isdir(FOLDER)
    beside.Free()
    if not comm.allreduce(able, MPI.LAND):
        return None
    size = n * fast.base.board_line + n * 2 * slot_bytes(n)
    path = comm.bcast(new_file(size) if comm.Get_rank() == 0 else None)
    memory = None if path is None else mapped(path, size)
    everybody = comm.allreduce(memory is not None, MPI.LAND)
    if path is not None and comm.Get_rank() == 0:
        os.unlink(path)         # nothing is left of a job that is killed
    return Board(memory, n, comm.Get_rank()) if everybody else None


def new_file(size):
    """A file of zeros in memory; None where there is no room."""
    with contextlib.suppress(OSError):
        file, path = tempfile.mkstemp(prefix="weft_board_", dir=FOLDER)
        try:
            os.posix_fallocate(file, 0, size)
            return path
        except OSError:
            os.unlink(path)
        finally:
            os.close(file)
    return None


def mapped(path, size):
    with contextlib.suppress(OSError), open(path, "r+b") as file:
        return mmap.mmap(file.fileno(), size)
    return None
