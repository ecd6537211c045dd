"""When a process of a job fails: its traceback is printed with its rank, and the whole job ends.

Without this a failing Python would wait in MPI's end for the others, who wait for it.
"""
import os
import re
import secrets
import sys
import tempfile
import time

from weft.core.processes import processes
from weft.distributed import world


GRACE = 0.2     # seconds


class Watch:
    """The hooks that are in place, and the file that the first failing process of a machine makes."""

    def __init__(self):
        self.before = self.mark = None


_watch = Watch()


def watch(comm):
    """End the whole job when this process fails."""
    import numpy as np  # for the job's name
    MPI = world.started.mpi
    name = np.frombuffer(secrets.token_bytes(8), np.uint8).copy()
    comm.Bcast([name, MPI.BYTE], root=0)
    _watch.mark = os.path.join(tempfile.gettempdir(), f"weft-job-{os.getuid()}-{name.tobytes().hex()}")
    forget_shared_memory(comm)
    if _watch.before is None:
        _watch.before = sys.excepthook
        sys.excepthook = failed


def forget_shared_memory(comm):
    """Take away the name of MPICH's shared memory once all have it: then nothing is left of a job that is killed."""
    comm.Barrier()
    try:
        with open("/proc/self/maps") as file:
            names = set(re.findall(r"/dev/shm/mpich_shm_\w+$", file.read(), re.M))
        for name in names:
            os.unlink(name)
    except OSError:
        pass        # another process of this machine was quicker, or there is no such file system


def first():
    """Whether no other process of this machine failed before."""
    try:
        os.close(os.open(_watch.mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        return True
    except FileExistsError:
        return False
    except OSError:
        return True


def failed(kind, error, trace):
    """The hook for an error that nobody caught."""
    processes.failing = True
    rank = processes.rank if processes.size > 1 else world.started.mpi.COMM_WORLD.Get_rank()
    if issubclass(kind, KeyboardInterrupt):
        abort(130)
    if first():
        print(f"\nrank {rank} failed:", file=sys.stderr)
        _watch.before(kind, error, trace)
        sys.stderr.flush()
        time.sleep(GRACE)       # others that fail at the same time find the mark
        os.unlink(_watch.mark)
    else:
        print(f"rank {rank} failed too: {kind.__name__}: {str(error).partition(chr(10))[0]}", file=sys.stderr, flush=True)
        time.sleep(10 * GRACE)  # the first one ends the job
    abort(1)


def abort(code):
    """End all processes of the job."""
    sys.stdout.flush(), sys.stderr.flush()
    if not world.started.met:
        world.started.mpi.COMM_WORLD.Abort(code)
    os._exit(code)
