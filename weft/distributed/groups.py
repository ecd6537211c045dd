"""Groups of processes: the default one, those made of some of its ranks, and who is who in them."""
import atexit
import datetime
import os
import sys
import weakref

from weft.core.processes import processes
from weft.core.settings import settings
from weft.distributed import board, faults, world
from weft.distributed.pulse import pulse
from weft.distributed.solo import Solo
from weft.distributed.work import Call, finish, perform

__all__ = ["Backend", "ProcessGroup", "GroupMember", "group", "is_available", "is_initialized", "is_mpi_available",
           "is_gloo_available", "is_nccl_available", "is_ucc_available", "is_xccl_available", "is_backend_available",
           "is_torchelastic_launched", "init_process_group", "destroy_process_group", "get_rank", "get_world_size",
           "get_backend", "get_group_rank", "get_global_rank", "get_process_group_ranks", "get_node_local_rank",
           "new_group", "new_subgroups", "new_subgroups_by_enumeration", "barrier", "monitored_barrier"]
TIMEOUT = datetime.timedelta(minutes=30)


class Backend(str):
    """The name of a way in which processes talk, in small letters.

    >>> import weft
    >>> weft.distributed.Backend("GLOO"), weft.distributed.Backend.NCCL
    ('gloo', 'nccl')
    """
    UNDEFINED, GLOO, NCCL, UCC, MPI, XCCL, FAKE = "undefined", "gloo", "nccl", "ucc", "mpi", "xccl", "fake"

    def __new__(cls, name):
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return name.lower()


class ProcessGroup:
    """Processes that talk to each other; without arguments this process alone.

    >>> import weft
    >>> weft.distributed.ProcessGroup().size()
    1
    """

    def __init__(self, comm=None, ranks=(0,), name="", seconds=1800.0, backend="mpi"):
        comm = Solo() if comm is None else comm
        # one communicator for each kind of talk, so that the order in one doesn't depend on the others: collectives'
        # first and second steps, the comparison of calls, errors and messages between two
        self.main, self.second, self.heads, self.aside = comm, comm.Dup(), comm.Dup(), comm.Dup()
        self.ranks, self.seconds, self.group_name, self.backend = list(ranks), seconds, name, backend
        self.board = board.make(comm)       # memory that they share, if they do
        self.pending = []       # Works that are not done, in order
        self.bound_device_id = None

    def size(self):
        """How many processes there are.

        >>> import weft
        >>> weft.distributed.ProcessGroup().size()
        1
        """
        return len(self.ranks)

    def rank(self):
        """This one's number in the group.

        >>> import weft
        >>> weft.distributed.ProcessGroup().rank()
        0
        """
        return self.main.Get_rank()

    def name(self):
        """The backend's name.

        >>> import weft
        >>> weft.distributed.ProcessGroup().name()
        'mpi'
        """
        return self.backend

    def global_rank(self):
        """This process's number among all.

        >>> import weft
        >>> weft.distributed.ProcessGroup().global_rank()
        0
        """
        return self.ranks[self.rank()]

    def settle(self):
        """Take the second steps of earlier collectives, in their order, before a new one begins.

        >>> import weft
        >>> weft.distributed.ProcessGroup().settle()
        """
        for work in list(self.pending):
            if work._call.two_steps:
                work.wait()

    def index_of(self, rank, what="rank"):
        """A global rank's number in the group.

        >>> import weft
        >>> weft.distributed.ProcessGroup().index_of(0)
        0
        """
        if rank not in self.ranks:
            raise ValueError(f"{what} {rank} is not in this group, which has the ranks {self.ranks}")
        return self.ranks.index(rank)

    def free(self):
        """Let go of the communicators.

        >>> import weft
        >>> weft.distributed.ProcessGroup().free()
        """
        for comm in (self.second, self.heads, self.aside):
            comm.Free()


class GroupMember:
    """The group of all processes, once there is one.

    >>> import weft
    >>> weft.distributed.GroupMember.WORLD is None
    True
    """
    WORLD, NON_GROUP_MEMBER = None, -100


group = GroupMember
_made = weakref.WeakSet()       # groups beside the default one


def _get_default_group():
    if GroupMember.WORLD is None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return GroupMember.WORLD


def group_or_world(group):
    """The group that a call means; None for a process that doesn't belong to it."""
    if isinstance(group, ProcessGroup):
        return group
    world_group = _get_default_group()
    if group is GroupMember.NON_GROUP_MEMBER:
        return None
    if group is None:
        return world_group
    if hasattr(group, "get_group"):      # a DeviceMesh of one dimension
        group = group.get_group()
    if not isinstance(group, ProcessGroup):
        raise TypeError(f"group= takes a ProcessGroup, not {type(group).__name__}\n"
                        "  fix: make one with new_group(ranks)")
    return group


def is_available():
    """Whether this process is one of several, or is about to be: a launcher started it, or its group has others, and
    mpi4py is installed. Packages take a True for leave to import all of PyTorch's, which weft doesn't have; a group of
    this process alone can always be made.

    >>> import weft
    >>> weft.distributed.is_available()
    False
    """
    several = "RANK" in os.environ or world.launched() is not None or processes.size > 1
    return several and is_mpi_available()


def is_initialized():
    """Whether init_process_group was called.

    >>> import weft
    >>> weft.distributed.is_initialized()
    False
    """
    return GroupMember.WORLD is not None


def is_mpi_available():
    """Whether mpi4py is installed.

    >>> import weft
    >>> weft.distributed.is_mpi_available() in (True, False)
    True
    """
    from importlib.util import find_spec  # only here
    return find_spec("mpi4py") is not None


def is_gloo_available():
    """Whether init_process_group("gloo") works: MPI does what gloo would.

    >>> import weft
    >>> weft.distributed.is_gloo_available() == weft.distributed.is_mpi_available()
    True
    """
    return is_mpi_available()


def is_nccl_available():
    """False: there are no GPUs.

    >>> import weft
    >>> weft.distributed.is_nccl_available()
    False
    """
    return False


def is_ucc_available():
    """False: MPI is what processes talk over.

    >>> import weft
    >>> weft.distributed.is_ucc_available()
    False
    """
    return False


def is_xccl_available():
    """False: there are no accelerators.

    >>> import weft
    >>> weft.distributed.is_xccl_available()
    False
    """
    return False


def is_backend_available(backend):
    """Whether a backend of that name is there.

    >>> import weft
    >>> weft.distributed.is_backend_available("nccl")
    False
    """
    return backend.lower() in ("mpi", "gloo") and is_mpi_available()


def is_torchelastic_launched():
    """Whether `weft launch` or torchrun started this process.

    >>> import weft
    >>> weft.distributed.is_torchelastic_launched()
    False
    """
    return "TORCHELASTIC_RUN_ID" in os.environ


def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name="",
                       pg_options=None, device_id=None):
    """Join the job's other processes: those that mpiexec or `weft launch` started; else those that meet at
    MASTER_ADDR:MASTER_PORT (or init_method='tcp://host:port', 'file://path') with their RANK and WORLD_SIZE; else this
    process is a group of its own.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> weft.distributed.is_initialized()
    True
    >>> weft.distributed.destroy_process_group()
    """
    if is_initialized():
        raise ValueError("trying to initialize the default process group twice!")
    seconds = _seconds(timeout)
    backend = Backend(backend) if backend is not None else "mpi"
    comm = world.connect(init_method, world_size, rank, store, seconds)
    own, size = comm.Get_rank(), comm.Get_size()
    if size > 1 and own == 0 and backend.rpartition(":")[2] != "mpi":
        print(f"weft.distributed: {backend} is answered with MPI", file=sys.stderr)
    if size > 1:
        comm = comm.Dup()
    GroupMember.WORLD = ProcessGroup(comm, range(size), group_name or "default_pg", seconds, backend)
    processes.rank, processes.size = own, size
    if size > 1:
        faults.watch()
        world.beat_together(comm)
        faults.forget_shared_memory(comm)
        share_cores(comm)
        atexit.unregister(farewell)
        atexit.register(farewell)
        from weft.distributed import functional  # noqa: F401  it uses groups; SyncBatchNorm needs it


def farewell():
    """At the program's end: a rank that comes here while others still call collectives is told of like any difference.
    """
    everybody = GroupMember.WORLD
    if everybody is None or processes.failing or world.started.pid != os.getpid() or world.started.mpi.Is_finalized():
        return
    call = Call(everybody, "the end of the program")
    call.place = None
    call.announce()
    try:
        call.compare()
    except RuntimeError as error:
        faults.failed(type(error), error, None)
    pulse.say("cmd=bye")


def share_cores(comm):
    """Divide this machine's cores among the processes on it, unless OMP_NUM_THREADS says how many each may use."""
    if os.environ.get("OMP_NUM_THREADS"):
        return
    beside = comm.Split_type(world.started.mpi.COMM_TYPE_SHARED)
    count = beside.Get_size()
    beside.Free()
    from weft.core.settings import set_num_threads  # only for several processes
    set_num_threads(max(1, settings.threads // count))


def _seconds(timeout):
    if timeout is None:
        return TIMEOUT.total_seconds()
    if not isinstance(timeout, datetime.timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {type(timeout).__name__}")
    return timeout.total_seconds()


def destroy_process_group(group=None):
    """Forget the group; without one, all of them.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.destroy_process_group()
    >>> weft.distributed.is_initialized()
    False
    """
    if group is GroupMember.NON_GROUP_MEMBER:
        return
    group = _get_default_group() if group is None else group
    if group is not GroupMember.WORLD:
        group.free()
        return
    GroupMember.WORLD = None
    processes.rank, processes.size = 0, 1
    pulse.say("cmd=bye")        # this process may end before the others


def get_rank(group=None):
    """This process's number in the group; -1 outside of it.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.get_rank()
    0
    >>> weft.distributed.destroy_process_group()
    """
    found = group_or_world(group)
    return -1 if found is None else found.rank()


def get_world_size(group=None):
    """The number of processes in the group; -1 outside of it.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.get_world_size()
    1
    >>> weft.distributed.destroy_process_group()
    """
    found = group_or_world(group)
    return -1 if found is None else found.size()


def get_backend(group=None):
    """The backend that was asked for.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.get_backend()
    'gloo'
    >>> weft.distributed.destroy_process_group()
    """
    found = group_or_world(group)
    if found is None:
        raise ValueError("Invalid process group specified")
    return found.backend


def get_group_rank(group, global_rank):
    """The number in a group of a process that is `global_rank` among all.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.get_group_rank(weft.distributed.group.WORLD, 0)
    0
    >>> weft.distributed.destroy_process_group()
    """
    return group_or_world(group).index_of(global_rank, "Global rank")


def get_global_rank(group, group_rank):
    """The number among all of the process that is `group_rank` in a group.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.get_global_rank(weft.distributed.group.WORLD, 0)
    0
    >>> weft.distributed.destroy_process_group()
    """
    ranks = group_or_world(group).ranks
    if not 0 <= group_rank < len(ranks):
        raise ValueError(f"Group rank {group_rank} is not part of group")
    return ranks[group_rank]


def get_process_group_ranks(group=None):
    """The numbers among all of a group's processes.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.get_process_group_ranks()
    [0]
    >>> weft.distributed.destroy_process_group()
    """
    return list(group_or_world(group).ranks)


def get_node_local_rank(fallback_rank=None):
    """This process's number on its machine: LOCAL_RANK.

    >>> import weft
    >>> weft.distributed.get_node_local_rank(fallback_rank=0)
    0
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is None:
        raise RuntimeError("LOCAL_RANK is not in the environment. Consider passing fallback_rank.")
    return int(fallback_rank)


def new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False, group_desc=None,
              device_id=None):
    """A group of some ranks. All processes of the default group call it, also those that don't belong; they get
    `GroupMember.NON_GROUP_MEMBER`.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.new_group([0]).size()
    1
    >>> weft.distributed.destroy_process_group()
    """
    everybody = _get_default_group()
    ranks = sorted(range(everybody.size()) if ranks is None else ranks)
    if len(set(ranks)) != len(ranks) or not all(0 <= r < everybody.size() for r in ranks):
        raise ValueError(f"new_group: the ranks {ranks} of {everybody.size()} processes\n  fix: each once, 0 to "
                         f"{everybody.size() - 1}")
    member = everybody.rank() in ranks
    if use_local_synchronization:
        if not member:
            return GroupMember.NON_GROUP_MEMBER
        comm = _of_members(everybody, ranks)
    else:
        call = Call(everybody, "new_group", f"ranks={ranks}")
        call.announce()
        call.compare()
        colour = 0 if member or everybody.size() == 1 else world.started.mpi.UNDEFINED
        comm = everybody.main.Split(colour, everybody.rank())
    if not member:
        return GroupMember.NON_GROUP_MEMBER
    seconds = everybody.seconds if timeout is None else _seconds(timeout)
    made = ProcessGroup(comm, ranks, group_desc or f"group_{ranks}", seconds, Backend(backend or everybody.backend))
    _made.add(made)
    return made


def _of_members(everybody, ranks):
    if everybody.size() == 1:
        return everybody.main
    return everybody.main.Create_group(everybody.main.Get_group().Incl(ranks), 1)


def new_subgroups(group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None):
    """Groups of `group_size` neighbours each: (this process's, all of them).

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> own, groups = weft.distributed.new_subgroups(1)
    >>> own.size(), len(groups)
    (1, 1)
    >>> weft.distributed.destroy_process_group()
    """
    total = get_world_size()
    size = total if group_size is None else group_size
    if size <= 0 or total < size or total % size:
        raise ValueError(f"The world size ({total}) must be divisible by group_size={size}")
    return new_subgroups_by_enumeration([list(range(i, i + size)) for i in range(0, total, size)], timeout, backend)


def new_subgroups_by_enumeration(ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None, group_desc=None):
    """Groups of the ranks given, which must not overlap: (this process's, all of them).

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.new_subgroups_by_enumeration([[0]])[0].size()
    1
    >>> weft.distributed.destroy_process_group()
    """
    lists = [list(ranks) for ranks in ranks_per_subgroup_list]
    flat = [rank for ranks in lists for rank in ranks]
    if not lists or len(set(flat)) != len(flat):
        raise ValueError(f"The groups {lists} must not be empty or have a rank in common")
    groups = [new_group(ranks, timeout, backend, pg_options) for ranks in lists]
    own = next((g for ranks, g in zip(lists, groups) if get_rank() in ranks), None)
    return own, groups


def barrier(group=None, async_op=False, device_ids=None):
    """Wait until all processes of the group are here.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.barrier() is None
    True
    >>> weft.distributed.destroy_process_group()
    """
    found = group_or_world(group)
    if found is None:
        return None
    call = Call(found, "barrier")
    if found.board is not None and not async_op:
        call.announce(on_board=1)
        if call.compare():      # else somebody's is under way
            return None
    return perform(call, _barrier(found), async_op)


def _barrier(group):
    yield group.main.Ibarrier()


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """A barrier that says who didn't come in time.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.monitored_barrier()
    >>> weft.distributed.destroy_process_group()
    """
    found = group_or_world(group)
    if found is None or found.size() == 1:
        return
    call = Call(found, "monitored_barrier")
    seconds = found.seconds if timeout is None else _seconds(timeout)
    if found.rank() == 0:
        _collect(found, call, seconds, wait_all_ranks)
    else:
        _report(found, call, seconds)


TAG = 32001     # of the messages of a monitored barrier


def _collect(group, call, seconds, wait_all):
    """Rank 0: who comes within the time?"""
    import time  # for this barrier only

    import numpy as np
    MPI, until = world.started.mpi, time.monotonic() + seconds
    notes = np.zeros((group.size(), 1), np.int8)
    requests = {i: group.aside.Irecv([notes[i], MPI.INT8_T], source=i, tag=TAG) for i in range(1, group.size())}
    while requests and time.monotonic() <= until:
        requests = {i: request for i, request in requests.items() if not request.Test()}
        time.sleep(1e-4)
    for request in requests.values():
        request.Cancel()
    missing = [group.ranks[i] for i in requests]
    verdict = np.array([1 if missing else 0], np.int8)
    for i in range(1, group.size()):
        if i not in requests:
            finish(group.aside.Isend([verdict, MPI.INT8_T], dest=i, tag=TAG), call)
    if missing:
        shown = missing if wait_all else missing[:1]
        who = ("ranks " if len(shown) > 1 else "rank ") + ", ".join(map(str, shown))
        raise RuntimeError(f"monitored_barrier: {who} failed to reach monitoredBarrier in "
                           f"{seconds * 1000:.0f} ms\n  fix: see what they wait for")


def _report(group, call, seconds):
    import numpy as np  # for this barrier only
    MPI, verdict = world.started.mpi, np.zeros(1, np.int8)
    finish(group.aside.Isend([np.ones(1, np.int8), MPI.INT8_T], dest=0, tag=TAG), call, seconds + 10)
    finish(group.aside.Irecv([verdict, MPI.INT8_T], source=0, tag=TAG), call, seconds + 10)
    if verdict[0]:
        raise RuntimeError(f"monitored_barrier: rank {group.global_rank()} was there, others were not; rank "
                           f"{group.ranks[0]} says which")
