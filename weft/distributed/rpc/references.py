"""RRef: a reference to a value that lives in one worker, which others may hold, use and pass on.

Every holder has a fork of its own number. Who passes a reference on tells the owner of the new fork first, then lets
go of its own; so the owner always knows of one that is still there. Words of different workers may overtake each other:
a fork that is dropped before the owner has heard of it is remembered, and cancelled when it comes.
"""
import itertools
import threading
import traceback
from typing import Generic, TypeVar

from weft.core.futures import Future
from weft.distributed.rpc.current import agent_now, number_of
from weft.distributed.rpc.functions import answers_later, async_execution
from weft.distributed.rpc.options import UNSET, WorkerInfo

__all__ = ["RRef", "PyRRef", "RRefProxy"]
T = TypeVar("T")
_counter = itertools.count()


class Entry:
    """A value of this worker's, or one that is still being made."""

    def __init__(self, number):
        self.number, self.future = number, Future()
        self.forks, self.early = set(), set()       # held by others; dropped before they were known
        self.begun = False                          # it is known who makes it


class Owned:
    """The values that others hold references to, by number."""

    def __init__(self):
        self.entries, self.lock = {}, threading.RLock()

    def entry(self, number):
        with self.lock:
            return self.entries.setdefault(number, Entry(number))

    def keep(self, entry, fork):
        """A value of this worker's goes to another."""
        with self.lock:
            self.entries[entry.number] = entry
            entry.begun = True
            entry.forks.add(fork)

    def adopt(self, number, fork, begun=False):
        """Somebody holds it from now on."""
        with self.lock:
            entry = self.entry(number)
            entry.begun = entry.begun or begun
            if fork in entry.early:
                entry.early.discard(fork)
            elif fork is not None:
                entry.forks.add(fork)
            gone = self.forget_if_unused(entry)
        del gone        # outside of the lock: it may be the last of something large
        return entry

    def drop(self, number, fork):
        """Somebody lets go of it."""
        with self.lock:
            entry = self.entry(number)
            if fork in entry.forks:
                entry.forks.discard(fork)
            else:
                entry.early.add(fork)
            gone = self.forget_if_unused(entry)
        del entry, gone

    def forget_if_unused(self, entry):
        if entry.begun and not entry.forks and not entry.early:
            return self.entries.pop(entry.number, None)
        return None

    def clear(self):
        with self.lock:
            self.entries, gone = {}, self.entries
        del gone


class RRef(Generic[T]):
    """A reference to a value; `RRef(value)` refers to one of this worker's.

    >>> import weft
    >>> from weft.distributed import rpc
    >>> rpc.init_rpc("alone", rank=0, world_size=1)
    >>> words = rpc.RRef(["a", "b"])
    >>> words.owner(), words.to_here(), words.rpc_sync().index("b")
    (WorkerInfo(id=0, name=alone), ['a', 'b'], 1)
    >>> rpc.shutdown()
    """

    def __init__(self, value, type_hint=None):
        entry = Entry(number_of(_counter))
        entry.future.set_result(value)
        self._set(entry.number, agent_now().me, entry, None)

    def _set(self, number, owner, entry, fork):
        """entry: of a value here; fork: of one elsewhere."""
        self._number, self._owner, self._entry, self._fork = number, owner, entry, fork
        self._made = None       # the Future of the call that makes the value

    def __del__(self):
        agent = agent_now(needed=False)
        if getattr(self, "_fork", None) is not None and agent is not None and not agent.closing:
            agent.tell(self._owner, ("drop", self._number, self._fork))

    def __reduce_ex__(self, protocol):
        raise RuntimeError("Can not pickle rref in python pickler, rref can only be pickled when using RPC")

    def __repr__(self):
        kind = "OwnerRRef" if self.is_owner() else "UserRRef"
        return f"{kind}({self._number >> 48}, {self._number & (1 << 48) - 1}, owner={self._owner.name})"

    def owner(self):
        """The worker that has the value.

        >>> from weft.distributed import rpc
        >>> rpc.init_rpc("alone", rank=0, world_size=1)
        >>> rpc.RRef(3).owner().name
        'alone'
        >>> rpc.shutdown()
        """
        return self._owner

    def owner_name(self):
        """Its name.

        >>> from weft.distributed import rpc
        >>> rpc.init_rpc("alone", rank=0, world_size=1)
        >>> rpc.RRef(3).owner_name()
        'alone'
        >>> rpc.shutdown()
        """
        return self._owner.name

    def is_owner(self):
        """Whether the value is here.

        >>> from weft.distributed import rpc
        >>> rpc.init_rpc("alone", rank=0, world_size=1)
        >>> rpc.RRef(3).is_owner()
        True
        >>> rpc.shutdown()
        """
        return self._entry is not None

    def confirmed_by_owner(self):
        """Whether the owner knows of it.

        >>> from weft.distributed import rpc
        >>> rpc.init_rpc("alone", rank=0, world_size=1)
        >>> rpc.RRef(3).confirmed_by_owner()
        True
        >>> rpc.shutdown()
        """
        return self._made is None or self._made.done()

    def local_value(self):
        """The value, in the process that has it.

        >>> from weft.distributed import rpc
        >>> rpc.init_rpc("alone", rank=0, world_size=1)
        >>> rpc.RRef(3).local_value()
        3
        >>> rpc.shutdown()
        """
        if self._entry is None:
            raise RuntimeError(f"Cannot call localValue() on a non-local reference. Call it on {self._owner}\n"
                               "  fix: to_here() copies the value")
        return self._entry.future.wait()

    def to_here(self, timeout=UNSET):
        """The value; a copy of it, if it is elsewhere.

        >>> from weft.distributed import rpc
        >>> rpc.init_rpc("alone", rank=0, world_size=1)
        >>> rpc.remote("alone", max, (3, 4)).to_here()
        4
        >>> rpc.shutdown()
        """
        if self._entry is not None:
            return self._entry.future.wait()
        if self._made is not None and self._made.done():
            self._made.wait()       # it could not even be asked for
        return agent_now().call(self._owner, fetch, (self,), timeout=timeout).wait()

    def rpc_sync(self, timeout=UNSET):
        """The value's methods, called where it is: `rref.rpc_sync().append(3)`.

        >>> from weft.distributed import rpc
        >>> rpc.init_rpc("alone", rank=0, world_size=1)
        >>> rpc.RRef("abc").rpc_sync().upper()
        'ABC'
        >>> rpc.shutdown()
        """
        return RRefProxy(self, lambda call: call().wait(), timeout)

    def rpc_async(self, timeout=UNSET):
        """The same; each call gives a Future.

        >>> from weft.distributed import rpc
        >>> rpc.init_rpc("alone", rank=0, world_size=1)
        >>> rpc.RRef("abc").rpc_async().upper().wait()
        'ABC'
        >>> rpc.shutdown()
        """
        return RRefProxy(self, lambda call: call(), timeout)

    def remote(self, timeout=UNSET):
        """The same; each call gives an RRef of what it makes.

        >>> from weft.distributed import rpc
        >>> rpc.init_rpc("alone", rank=0, world_size=1)
        >>> rpc.RRef("abc").remote().upper().to_here()
        'ABC'
        >>> rpc.shutdown()
        """
        return RRefProxy(self, None, timeout)

    def backward(self, dist_autograd_ctx_id=-1, retain_graph=False):
        """Run a backward from the value, a tensor, where it is: in an autograd context, or without one in the owner's
        own graph.

        >>> import weft
        >>> from weft.distributed import rpc
        >>> rpc.init_rpc("alone", rank=0, world_size=1)
        >>> x = weft.ones(2, requires_grad=True)
        >>> rpc.RRef((x * 2).sum()).backward()
        >>> x.grad
        tensor([2., 2.])
        >>> rpc.shutdown()
        """
        agent_now().call(self._owner, run_backward, (self, dist_autograd_ctx_id, retain_graph)).wait()


PyRRef = RRef       # PyTorch's other name


def refer(number, owner, entry=None, fork=None):
    """An RRef to what is there already."""
    made = RRef.__new__(RRef)
    made._set(number, owner, entry, fork)
    return made


def share(value):
    """How a pickle between workers holds a reference; NotImplemented for all else."""
    if not isinstance(value, RRef):
        return NotImplemented
    agent, fork = agent_now(), number_of(_counter)
    if value._entry is not None:
        agent.owned.keep(value._entry, fork)
    else:
        agent.tell(value._owner, ("fork", value._number, fork))
    return arrive, (value._number, tuple(value._owner), fork)


def arrive(number, owner, fork):
    """The reference that came."""
    agent, owner = agent_now(), WorkerInfo(*owner)
    if owner.id != agent.me.id:
        return refer(number, owner, fork=fork)
    entry = agent.owned.entry(number)       # held by the RRef from now on
    agent.owned.drop(number, fork)
    return refer(number, owner, entry)


def make(worker, function, args, kwargs, timeout):
    """An RRef of what a function will have made in a worker."""
    agent, number = agent_now(), number_of(_counter)
    here = worker.id == agent.me.id
    fork = None if here else number_of(_counter)
    entry = agent.owned.entry(number) if here else None
    rref = refer(number, worker, entry, fork)
    rref._made = agent.call(worker, fill, (number, fork, function, tuple(args), kwargs or {}), timeout=timeout)
    return rref


def fill(number, fork, function, args, kwargs):
    """In the owner: make the value of a reference."""
    agent = agent_now()
    future = agent.owned.adopt(number, fork, begun=True).future
    try:
        made = function(*args, **kwargs)
    except Exception as error:
        lines = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        error.remote_text = f"On {agent.me}:\n{error!r}\n{lines}"
        future.set_exception(error)
        return
    if answers_later(function):
        made.add_done_callback(lambda done: hand_over(done, future))
    else:
        future.set_result(made)


def hand_over(done, future):
    try:
        future.set_result(done.value())
    except Exception as error:
        future.set_exception(error)


@async_execution
def fetch(rref):
    """In the owner: the value, once it is made."""
    return rref._entry.future


@async_execution
def invoke(rref, name, args, kwargs):
    """In the owner: call a method of the value."""
    method = getattr(rref.local_value(), name)
    made = method(*args, **kwargs)
    if answers_later(method):
        return made
    done = Future()
    done.set_result(made)
    return done


def run_backward(rref, context_id, retain_graph):
    """In the owner: a backward from the value."""
    from weft.distributed.rpc.gradients import backward  # it uses references' way of calling
    root = rref.local_value()
    if context_id == -1:
        root.backward(retain_graph=retain_graph)
    else:
        backward(context_id, [root], retain_graph)


class RRefProxy:
    """What `rref.rpc_sync()` and its like give: its attributes are the value's methods.

    >>> from weft.distributed import rpc
    >>> rpc.init_rpc("alone", rank=0, world_size=1)
    >>> rpc.RRef([1]).rpc_sync().count(1)
    1
    >>> rpc.shutdown()
    """

    def __init__(self, rref, finish, timeout):
        self._rref, self._finish, self._timeout = rref, finish, timeout

    def __getattr__(self, name):
        rref, finish, timeout = self._rref, self._finish, self._timeout

        def call(*args, **kwargs):
            what = (rref, name, args, kwargs)
            if finish is None:
                return make(rref.owner(), invoke, what, {}, timeout)
            return finish(lambda: agent_now().call(rref.owner(), invoke, what, timeout=timeout))
        return call
