"""How the workers of a job find and know each other: names, addresses, and a secret that every connection begins with.

They agree by what is there: the process group of the same processes, MPI where mpiexec started them, else a store at
the address that init_method says, which is closed again when all have met.
"""
import hmac
import json
import os
import re
import secrets
import socket
import sys
import time

from weft.distributed import faults, groups, pmi, pulse, world
from weft.distributed.objects import all_gather_object
from weft.distributed.rpc.options import WorkerInfo
from weft.distributed.tcp_store import TCPStore, receive

PATIENCE = 300.0        # seconds for all to come
LOCAL = ("localhost", "127.0.0.1", "")


def who_am_i(rank, world_size):
    """The rank and the number of workers: as given, as mpiexec says, as the environment says."""
    found = world.launched() or [os.environ.get("RANK", -1), os.environ.get("WORLD_SIZE", -1)]
    rank = int(found[0]) if rank in (None, -1) else rank
    size = int(found[1]) if world_size in (None, -1) else world_size
    if not 0 <= rank < size:
        raise ValueError(f"init_rpc: rank {rank} of {size} workers\n  fix: give rank= and world_size=, or start with "
                         "`weft launch -n 2 program.py`")
    return rank, size


class ByGroup:
    """The default group of all workers."""
    host = ""

    def share(self, value):
        """The list of all workers' values."""
        values = [None] * groups.get_world_size()
        all_gather_object(values, value)
        return values

    def close(self):
        pass


class ByMPI:
    """The processes that mpiexec started."""
    host = ""

    def __init__(self, rank, size):
        self.comm = world.checked(world.mpi().COMM_WORLD, size, rank)

    def share(self, value):
        return self.comm.allgather(value)

    def close(self):
        faults.forget_shared_memory(self.comm)


class ByStore:
    """A store of rank 0's, for processes that were started in any other way."""

    def __init__(self, rank, size, init_method):
        self.rank, self.size, self.turn = rank, size, 0
        self.host, port = world.address(init_method, rank, None, PATIENCE)
        self.store = TCPStore(self.host, port, is_master=rank == 0, wait_for_workers=False)

    def share(self, value):
        self.turn += 1
        self.store.set(f"rpc/{self.turn}/{self.rank}", json.dumps(value))
        return [json.loads(self.store.get(f"rpc/{self.turn}/{rank}")) for rank in range(self.size)]

    def close(self):
        """When all have read the last word the address is free again."""
        self.store.add("rpc/done", 1)
        if self.rank == 0:
            while self.store.add("rpc/done", 0) < self.size:
                time.sleep(0.01)
            self.store._server.close()


class Alone:
    """A job of one worker."""
    host = ""

    def share(self, value):
        return [value]

    def close(self):
        pass


def way(rank, size, init_method):
    """How these workers agree."""
    everybody = groups.GroupMember.WORLD
    if size == 1:
        return Alone()
    if everybody is not None and (everybody.size(), everybody.rank()) == (size, rank):
        return ByGroup()
    found = None if world.started.met else world.launched()
    if found is not None and found[1] == size and not world.by_slurm_alone():
        return ByMPI(rank, size)
    return ByStore(rank, size, init_method)


def meet(name, rank, size, init_method):
    """All WorkerInfos, and a socket to each other worker by its number."""
    if not re.fullmatch(r"[\w:-]{1,128}", name, re.ASCII):
        raise RuntimeError(f"init_rpc: the name {name!r}\n  fix: letters, digits, -, _ and :")
    agreed = way(rank, size, init_method)
    host = own_host(agreed.host)
    with listen(host, size) as listening:
        own = [name, host, listening.getsockname()[1], secrets.token_hex(16)]
        found = agreed.share(own)
        names = [one[0] for one in found]
        if len(set(names)) < size:
            raise RuntimeError(f"init_rpc: the workers' names {names} are not all different\n  fix: one for each")
        links = connect(rank, found, listening) if size > 1 else {}
    beat(agreed, rank, size)
    agreed.close()
    return [WorkerInfo(one[0], number) for number, one in enumerate(found)], links


def own_host(master):
    """Under what address others reach this machine: the one that looks towards the master, or its name."""
    master = master or os.environ.get("MASTER_ADDR", "")
    if master in LOCAL:
        return "127.0.0.1" if single_machine() else socket.gethostname()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as looking:
        looking.connect((master, 9))        # nothing is sent
        return looking.getsockname()[0]


def listen(host, size):
    """A socket that others connect to: from this machine only, where they all are."""
    return socket.create_server((host if host in LOCAL else "", 0), backlog=size)


def single_machine():
    found = world.launched()
    return found is None or found[1] == found[3]


def connect(rank, found, listening):
    """Sockets to all others: each worker calls those before it and is called by those behind it."""
    secret, links = found[0][3].encode(), {}
    for number in range(rank):
        link = pulse.connect(*found[number][1:3], PATIENCE)
        link.sendall(secret + rank.to_bytes(4, "little"))
        links[number] = link
    listening.settimeout(PATIENCE)
    while len(links) < len(found) - 1:
        link, _ = listening.accept()
        link.settimeout(10)
        word = receive(link, len(secret) + 4) or b""
        if not hmac.compare_digest(word[:-4], secret):      # somebody who is none of ours
            link.close()
            continue
        link.settimeout(None)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        links[int.from_bytes(word[-4:], "little")] = link
    return links


def beat(agreed, rank, size):
    """Let the others know that this process lives, where no process group does that already."""
    here, seconds, said = pulse.pulse.link is not None, pulse.limit(), None
    if size == 1 or all(agreed.share(here)):
        pulse.pulse.say("cmd=hello")
        return
    if rank == 0 and seconds:
        host = own_host(agreed.host)
        with listen(host, size) as listening:
            world.started.server = pmi.serve(listening, size, introduced=True)
            said = [host, listening.getsockname()[1], seconds]
    said = agreed.share(said)[0]
    if said is None or here:
        return
    try:
        world.beat(pulse.connect(said[0], said[1], 10), rank, said[2])
    except OSError as error:
        print(f"weft.distributed.rpc: rank {rank} can't reach {said[0]}, port {said[1]} ({error}): if it goes silent, "
              "nobody will notice", file=sys.stderr)
