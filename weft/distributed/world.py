"""How this process came to be, and the MPI communicator of all that belong to its job.

Three ways: started by MPI (mpiexec, srun), which says so in the environment; started by mp.spawn, torchrun or by hand,
with RANK, WORLD_SIZE and an address (then MPI is told where to meet, see `pmi`); alone, where no MPI is needed.
"""
import atexit
import os
import re
import socket
import sys
import tempfile
import time

from weft.core.processes import processes
from weft.distributed import pmi, pulse
from weft.distributed.solo import Solo
from weft.kernels import fast

# what mpiexec of MPICH and its kin, Open MPI, Slurm tell a process: rank, size, rank on this machine, processes there
LAUNCHERS = (("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
             ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
              "OMPI_COMM_WORLD_LOCAL_SIZE"),
             ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"))
NEED = "pip install 'weft[mpi]' (mpi4py, and the mpich wheel unless the machine has an MPI)"


class Started:
    """MPI in this process, once it runs."""

    def __init__(self):
        self.mpi = self.server = self.pid = None
        self.met = False        # not by MPI's launcher, but at an address
        self.terminal = None    # where an end is told too, when stderr is a file


started = Started()


def launched():
    """(rank, size, local rank, local size) as an MPI launcher set them; None where none did."""
    for names in LAUNCHERS:
        found = [os.environ.get(name, "") for name in names]
        if all(text.isdigit() for text in found[:2]):
            rank, size = int(found[0]), int(found[1])
            return rank, size, int(found[2] or rank), tasks_here(found[3]) or size
    return None


def tasks_here(text):
    """How many processes there are on this machine: a number, or Slurm's list of all machines' numbers, 2(x3),1."""
    numbers = [int(count) for count, times in re.findall(r"(\d+)(?:\(x(\d+)\))?", text) for _ in range(int(times or 1))]
    machine = os.environ.get("SLURM_NODEID", "0")
    at = int(machine) if machine.isdigit() and len(numbers) > 1 else 0
    return numbers[at] if at < len(numbers) else None


def by_slurm_alone():
    """Whether srun started this process without a word for MPI (--mpi=none): then rank 0 serves, see `pmi`."""
    return not {"PMI_FD", "PMI_PORT", "PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"} & set(os.environ)


def first_machine():
    """(host, port) of a Slurm step's first process: the first name of node[03-05,9],other, and a port of the job's."""
    prefix, first, suffix = re.match(r"([^,\[]*)(?:\[([^\],-]*)[^\]]*\]([^,\[]*))?",
                                     os.environ.get("SLURM_STEP_NODELIST", "")).groups("")
    numbers = [os.environ.get(name, "") for name in ("SLURM_JOB_ID", "SLURM_STEP_ID")]
    return prefix + first + suffix or "127.0.0.1", 15000 + sum([int(n) for n in numbers if n.isdigit()]) % 15000


def tell_environment():
    """Under mpiexec or srun: what torchrun would have set, for programs that read it."""
    found = launched()
    if found is None or "RANK" in os.environ:
        return
    values = dict(zip(("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"), map(str, found)))
    host, port = first_machine() if "SLURM_STEP_NODELIST" in os.environ else ("127.0.0.1", 29500)
    for name, value in {**values, "MASTER_ADDR": host, "MASTER_PORT": str(port)}.items():
        os.environ.setdefault(name, value)


def mpi():
    """mpi4py's module, with MPI started; a sentence where it isn't installed."""
    if started.mpi is None:
        try:
            from mpi4py import MPI  # an extra: only several processes need it
        except (ImportError, RuntimeError) as error:
            raise RuntimeError(f"init_process_group: several processes need MPI, and mpi4py can't be imported "
                               f"({error})\n  fix: {NEED}") from error
        started.mpi, started.pid = MPI, os.getpid()
    elif started.pid != os.getpid():
        raise RuntimeError("init_process_group: this process was forked from one that already runs MPI\n"
                           "  fix: start it with the method 'spawn', or call init_process_group only in the children")
    return started.mpi


def connect(init_method, world_size, rank, store, seconds):
    """The communicator of all processes: mpi4py's, or a Solo."""
    found = None if started.met else launched()
    if found is not None and found[1] > 1 and not by_slurm_alone():
        return checked(mpi().COMM_WORLD, world_size, rank, found[1])
    size = int(os.environ.get("WORLD_SIZE", 1)) if world_size == -1 else world_size
    if size == 1:
        return Solo()
    rank = int(os.environ.get("RANK", -1)) if rank == -1 else rank
    if not 0 <= rank < size:
        raise ValueError(f"init_process_group: rank {rank} of {size} processes\n  fix: give rank=, 0 to {size - 1}, or "
                         "set RANK")
    if started.mpi is None:
        meet(init_method, rank, size, store, seconds)
    return checked(mpi().COMM_WORLD, size, rank)


def meet(init_method, rank, size, store, seconds):
    host, port = address(init_method, rank, store, seconds)
    started.server, started.met = pmi.meet(host, port, rank, size, seconds), True
    if pulse.pulse.link is None:        # else init_rpc has begun it
        beat(pulse.connect(host, port), rank, pulse.limit())
    MPI = mpi()
    if rank == 0 and init_method and init_method.startswith("file://"):
        os.unlink(init_method.removeprefix("file://"))      # all have read it
    if "MPICH" not in MPI.Get_library_version():
        raise RuntimeError("init_process_group: processes that no mpiexec started can only meet over MPICH\n"
                           "  fix: start them with `weft launch -n 4 train.py` or mpiexec")
    atexit.register(end)
    from multiprocessing.util import Finalize  # its forked children run nothing of atexit's
    Finalize(None, end, exitpriority=0)


def beat(link, rank, seconds):
    """Let the others know from now on that this process lives, and end it when one of them doesn't."""
    files = {2, *([] if started.terminal is None else [started.terminal.fileno()])}
    pulse.pulse.begin(link, rank, seconds, sorted(files), fast.base)


def beat_together(comm):
    """The same for processes that an mpiexec brought together: rank 0 starts a server for it."""
    if pulse.pulse.link is not None:
        pulse.pulse.say("cmd=hello")
        return
    rank, size = comm.Get_rank(), comm.Get_size()
    beside = comm.Split_type(started.mpi.COMM_TYPE_SHARED)
    alone = comm.allreduce(beside.Get_size(), started.mpi.MIN) == size      # all on one machine
    beside.Free()
    said, seconds = None, pulse.limit()
    if rank == 0 and seconds:
        with socket.create_server(("127.0.0.1" if alone else "", 0), backlog=size) as listening:
            started.server = pmi.serve(listening, size, introduced=True)
            said = "127.0.0.1" if alone else own_address(), listening.getsockname()[1], seconds
    said, link = comm.bcast(said), None
    if said is None:
        return
    try:
        link = pulse.connect(*said[:2], 10)
    except OSError as error:
        print(f"weft.distributed: rank {rank} can't reach {said[0]}, port {said[1]} ({error}): a process that goes "
              "silent will not be noticed\n  fix: set MASTER_ADDR to a name of rank 0's machine that all know, or "
              "WEFT_HEARTBEAT=0", file=sys.stderr)
    if comm.allreduce(link is not None, started.mpi.LAND):
        beat(link, rank, said[2])
    elif link is not None:
        link.close()


def own_address():
    given = os.environ.get("MASTER_ADDR", "")
    return given if given not in ("", "localhost", "127.0.0.1") else socket.gethostname()


def address(init_method, rank, store, seconds):
    """Where rank 0 listens."""
    if store is not None:
        return by_store(store, rank)
    if init_method in (None, "env://"):
        try:
            return os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
        except KeyError as missing:
            raise ValueError("Error initializing torch.distributed using env:// rendezvous: environment variable "
                             f"{missing.args[0]} expected, but not set\n  fix: start with `weft launch -n 2 train.py`, "
                             "or set MASTER_ADDR and MASTER_PORT") from None
    kind, _, rest = init_method.partition("://")
    if kind == "tcp":
        host, _, port = rest.partition("?")[0].rstrip("/").rpartition(":")
        return host, int(port)
    if kind == "file":
        return by_file(rest, rank, seconds)
    raise ValueError(f"init_process_group: init_method {init_method!r}\n  fix: env://, tcp://host:port or file://path")


def by_store(store, rank):
    """Rank 0 tells its address to those who share its store."""
    if rank == 0:
        host = getattr(store, "host", None) or "127.0.0.1"      # a file's or a memory's store is of one machine
        store.set("weft/meet", f"{host} {free_port()}")
    host, port = store.get("weft/meet").decode().split()
    return host, int(port)


def free_port():
    with socket.create_server(("", 0)) as free:
        return free.getsockname()[1]


def by_file(path, rank, seconds):
    """Rank 0 writes its address into a file that all can read."""
    if rank == 0:
        port = free_port()
        with tempfile.NamedTemporaryFile("w", dir=os.path.dirname(path) or ".", delete=False) as file:
            file.write(f"{socket.gethostname()} {port} {os.getpid()}")
        os.replace(file.name, path)
        return "127.0.0.1", port
    until = time.monotonic() + seconds
    while not (os.path.exists(path) and os.path.getsize(path)):
        if time.monotonic() > until:
            raise RuntimeError(f"init_process_group: rank 0 wrote no address into {path}\n  fix: start rank 0 too")
        time.sleep(0.02)
    with open(path) as file:
        host, port, _ = file.read().split()
    return ("127.0.0.1" if host == os.uname().nodename else host), int(port)


def checked(comm, size, rank, launched=None):
    """The job must be what the program and the launcher say it is."""
    if launched not in (None, comm.Get_size()):
        raise RuntimeError(f"init_process_group: {launched} processes were started, and this MPI knows of "
                           f"{comm.Get_size()}: it is not the launcher's\n  fix: start them with its own mpiexec, or "
                           "choose the launcher's MPI: MPI4PY_MPIABI, or `srun --mpi=...` (srun --mpi=list)")
    for name, given, real in (("world_size", size, comm.Get_size()), ("rank", rank, comm.Get_rank())):
        if given not in (-1, None, real):
            raise ValueError(f"init_process_group: {name}={given}, but MPI says {real}\n"
                             f"  fix: leave {name} out, MPI knows it; a job keeps its processes until it ends")
    return comm


def end():
    """End MPI; a failing process doesn't wait for anybody."""
    MPI, server = started.mpi, started.server
    if MPI is None or started.pid != os.getpid() or MPI.Is_finalized():
        return
    if processes.failing:
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(1)
    pulse.pulse.say("cmd=bye")
    MPI.Finalize()
    if server is not None:
        server.stdin.close()        # it ends with the last process
