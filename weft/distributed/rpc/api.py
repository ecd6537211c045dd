"""Calls of functions in other processes: init_rpc, rpc_sync, rpc_async, remote, shutdown."""
import functools

from weft.core.errors import fail
from weft.distributed import groups
from weft.distributed.pulse import pulse
from weft.distributed.rpc import gradients
from weft.distributed.rpc.agent import Agent
from weft.distributed.rpc.current import agent_now, current
from weft.distributed.rpc.meeting import meet, who_am_i
from weft.distributed.rpc.options import UNSET, TensorPipeRpcBackendOptions
from weft.distributed.rpc.references import make

__all__ = ["get_rpc_timeout", "get_worker_info", "init_rpc", "is_available", "remote", "rpc_async", "rpc_sync",
           "shutdown"]


def _require_initialized(func):
    """Decorator: a function that needs init_rpc first (torch_geometric's have it)."""
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        agent_now()
        return func(*args, **kwargs)
    return wrapper


def is_available():
    """True: calls need nothing but sockets.

    >>> import weft
    >>> weft.distributed.rpc.is_available()
    True
    """
    return True


def init_rpc(name, backend=None, rank=-1, world_size=None, rpc_backend_options=None):
    """Become a worker of that name, once all of the job's have come. From now on others may call functions here, in
    threads of this process. What is called with is pickled: only between processes of one job, which trust each other.

    >>> import weft
    >>> from weft.distributed import rpc
    >>> rpc.init_rpc("alone", rank=0, world_size=1)
    >>> rpc.rpc_sync("alone", weft.add, (weft.ones(2), 1))
    tensor([2., 2.])
    >>> rpc.shutdown()
    """
    if current.agent is not None:
        raise RuntimeError("RPC is already initialized")
    options = TensorPipeRpcBackendOptions() if rpc_backend_options is None else rpc_backend_options
    rank, size = who_am_i(rank, world_size)
    workers, links = meet(name, rank, size, options.init_method)
    current.agent = Agent(workers[rank], workers, links, options)
    current.agent.begin()


def shutdown(graceful=True, timeout=0):
    """End: wait until all workers are here and no call is under way anywhere; graceful=False waits for nobody.

    >>> from weft.distributed import rpc
    >>> rpc.init_rpc("alone", rank=0, world_size=1)
    >>> rpc.shutdown()
    """
    agent = agent_now()
    if graceful:
        agent.join(timeout)
    agent.close()
    current.agent = None
    gradients.forget_all()
    if groups.GroupMember.WORLD is None:
        pulse.say("cmd=bye")        # this process may end before the others


def get_worker_info(worker_name=None):
    """A worker's number and name; without a name this one's.

    >>> from weft.distributed import rpc
    >>> rpc.init_rpc("alone", rank=0, world_size=1)
    >>> rpc.get_worker_info()
    WorkerInfo(id=0, name=alone)
    >>> rpc.shutdown()
    """
    agent = agent_now()
    return agent.me if worker_name is None else agent.find(worker_name)


def get_rpc_timeout():
    """Seconds that a call may take.

    >>> from weft.distributed import rpc
    >>> rpc.init_rpc("alone", rank=0, world_size=1)
    >>> rpc.get_rpc_timeout()
    60.0
    >>> rpc.shutdown()
    """
    return agent_now().options.rpc_timeout


def checked(function):
    if not callable(function):
        fail(TypeError, "function should be callable.", "a function that other processes can import")
    return function


def rpc_sync(to, func, args=None, kwargs=None, timeout=UNSET):
    """What a function gives in another worker: a name, a number or a WorkerInfo. Its error is raised here, with its own
    type and the remote traceback. timeout: seconds, 0 for ever.

    >>> from weft.distributed import rpc
    >>> rpc.init_rpc("alone", rank=0, world_size=1)
    >>> rpc.rpc_sync("alone", max, (3, 4))
    4
    >>> rpc.shutdown()
    """
    return rpc_async(to, func, args, kwargs, timeout).wait()


def rpc_async(to, func, args=None, kwargs=None, timeout=UNSET):
    """The same, as a Future at once.

    >>> from weft.distributed import rpc
    >>> rpc.init_rpc("alone", rank=0, world_size=1)
    >>> rpc.rpc_async("alone", max, (3, 4)).wait()
    4
    >>> rpc.shutdown()
    """
    agent = agent_now()
    return agent.call(agent.find(to), checked(func), args or (), kwargs, timeout)


def remote(to, func, args=None, kwargs=None, timeout=UNSET):
    """An RRef to what a function makes in another worker, where it stays.

    >>> from weft.distributed import rpc
    >>> rpc.init_rpc("alone", rank=0, world_size=1)
    >>> rpc.remote("alone", max, (3, 4)).to_here()
    4
    >>> rpc.shutdown()
    """
    return make(agent_now().find(to), checked(func), args or (), kwargs, timeout)
