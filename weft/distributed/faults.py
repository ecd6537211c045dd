"""When a process of a job fails: its traceback is printed with its rank, and the whole job ends.

Without this a failing Python would wait in MPI's end for the others, who wait for it.
"""
import contextlib
import io
import os
import re
import sys
import tempfile
import time

from weft.core.processes import processes
from weft.distributed import world
from weft.distributed.pulse import pulse

GRACE = 0.2     # seconds


class Watch:
    """The hook that was in place, and the file that the first failing process of a machine makes."""

    def __init__(self):
        self.before = self.mark = None


_watch = Watch()


def watch():
    """End the whole job when this process fails. A job's processes on one machine have one parent."""
    _watch.mark = os.path.join(tempfile.gettempdir(), f"weft-job-{os.getuid()}-{os.getppid()}")
    if _watch.before is None:
        _watch.before = sys.excepthook
        sys.excepthook = failed


def tell(stream):
    """Tell failures there too."""
    world.started.terminal = stream


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


def failing():
    """This process ends by itself, and nothing that it hears of others ends it before it has said why."""
    processes.failing = True
    pulse.stop()


def failed(kind, error, trace):
    """The hook for an error that nobody caught."""
    failing()
    rank = (world.launched() or [processes.rank])[0]
    if issubclass(kind, KeyboardInterrupt):
        abort(130)
    if first():
        with contextlib.redirect_stderr(io.StringIO()) as said:
            _watch.before(kind, error, trace)
        text = f"\nrank {rank} failed:\n{said.getvalue()}"
        for stream in filter(None, (sys.stderr, world.started.terminal)):
            stream.write(text)      # at once: other ranks write too
            stream.flush()
        time.sleep(GRACE)       # others that fail at the same time find the mark
        with contextlib.suppress(OSError):
            os.unlink(_watch.mark)
    else:
        line = str(error).partition("\n")[0]
        print(f"rank {rank} failed too: {kind.__name__}: {line}", file=sys.stderr, flush=True)
        time.sleep(10 * GRACE)  # the first one ends the job
    abort(1)


def abort(code):
    """End all processes of the job, also those that wait for MPI to start."""
    sys.stdout.flush(), sys.stderr.flush()
    MPI, manager = world.started.mpi, os.environ.get("PMI_FD")
    if MPI is not None and not world.started.met and not MPI.Is_finalized():
        MPI.COMM_WORLD.Abort(code)
    elif MPI is None and manager:
        with contextlib.suppress(OSError):      # a program that a rank started doesn't have it
            os.write(int(manager), f"cmd=abort exitcode={code}\n".encode())      # as MPI_Abort says it to mpiexec
            time.sleep(1)
    os._exit(code)
