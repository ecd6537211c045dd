"""What makes and answers calls in this process.

A message's head says what it is: `call` and `answer`, with a value; `fork` and `drop`, who else holds a reference;
`release` of an autograd context; `quiet`, that this worker is about to end, and what it has done; `bye`.
"""
import functools
import itertools
import threading
import time
import traceback

from weft.core.errors import fail
from weft.core.futures import Future
from weft.distributed.rpc import gradients, wire
from weft.distributed.rpc.crew import Clock, Crew
from weft.distributed.rpc.functions import answers_later
from weft.distributed.rpc.link import Link, Mirror
from weft.distributed.rpc.options import UNSET, WorkerInfo
from weft.distributed.rpc.references import Owned, share

FAREWELL = 5.0      # seconds for the others to close their connections


def text_of(error, worker):
    """What a caller in another process is told of an error."""
    if hasattr(error, "remote_text"):       # it came from a further worker
        return error.remote_text
    lines = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return f"On {worker}:\n{error!r}\n{lines}"


def error_of(kind, text):
    """The error that a call ends with: of the type that was raised, with the remote traceback as its text."""
    try:
        made = kind(text)
    except Exception:
        made = RuntimeError(text)
    made.remote_text = text
    return made


class Agent:
    """This worker: its links to the others, the calls that it waits for, those that it serves."""

    def __init__(self, me, workers, connections, options):
        self.me, self.workers, self.options = me, workers, options
        self.by_name = {worker.name: worker for worker in workers}
        self.owned, self.crew, self.clock = Owned(), Crew(), Clock()
        self.pending, self.numbers = {}, itertools.count()      # number -> (Future, worker)
        self.changed = threading.Condition()
        self.made = self.served = self.busy = 0                 # calls; those being served now
        self.rounds, self.left, self.closing = {}, set(), False
        self.links = {me.id: Mirror(functools.partial(self.heard, me))}
        for number, connection in connections.items():
            worker = workers[number]
            self.links[number] = Link(connection, functools.partial(self.heard, worker),
                                      functools.partial(self.gone, worker), worker.name)

    def begin(self):
        for link in self.links.values():
            link.begin()

    def find(self, to):
        """The worker of a name, a number or a WorkerInfo."""
        if isinstance(to, WorkerInfo):
            return to
        found = self.by_name.get(to) if isinstance(to, str) else None
        if isinstance(to, int) and 0 <= to < len(self.workers):
            found = self.workers[to]
        if found is None:
            what = "name" if isinstance(to, str) else "id"
            fail(RuntimeError, f"name:{self.me.name},rank:{self.me.id} could not find destination {what} {to}",
                 f"one of {', '.join(self.by_name)}")
        return found

    def tell(self, worker, head, parts=()):
        self.links[worker.id].send(head, parts)

    # calls

    def call(self, worker, function, args=(), kwargs=None, timeout=UNSET):
        """A Future of what a function gives in another worker."""
        context, future, number = gradients.thread.context, Future(), next(self.numbers)
        note, parts = wire.pack((function, tuple(args), kwargs or {}), share, context)
        if context is not None:
            with context.lock:
                context.known.add(worker)
        with self.changed:
            if worker.id in self.left or self.closing:
                raise RuntimeError(f"{worker} has ended" if not self.closing else "RPC has been shut down")
            self.pending[number] = (future, worker)
            self.made += 1
        self.tell(worker, ("call", number, note), parts)
        seconds = self.options.rpc_timeout if timeout == UNSET else timeout
        if seconds > 0:
            self.clock.at(seconds, number, functools.partial(self.late, seconds))
        return future

    def late(self, seconds, number):
        self.settle(number, error=RuntimeError("RPC ran for more than set timeout "
                                               f"({seconds * 1000:.0f} ms) and will now be marked with an error"))

    def settle(self, number, value=None, error=None):
        """Give a call's Future its value or error, unless it has one."""
        with self.changed:
            future, _ = self.pending.pop(number, (None, None))
        if future is not None:
            future.set_result(value) if error is None else future.set_exception(error)
        with self.changed:
            self.changed.notify_all()

    def answered(self, worker, number, well, note, parts):
        found = self.pending.get(number)
        if found is None:       # it came too late
            return
        try:
            context = gradients.context_if_any(note[0])     # it may have ended meanwhile
            value = wire.unpack(note, parts, context, worker)
            error = None if well else error_of(*value)
        except Exception as problem:
            value, error = None, problem
        self.settle(number, value, error)

    # what others ask for

    def heard(self, worker, head, parts=()):
        kind, *rest = head
        if kind == "call":
            with self.changed:
                self.busy += 1
            self.crew.submit(self.serve, worker, *rest, parts)
        elif kind == "answer":
            self.crew.submit(self.answered, worker, *rest, parts)       # what waits for it may call again
        elif kind == "fork":
            self.owned.adopt(*rest)
        elif kind == "drop":
            self.owned.drop(*rest)
        elif kind == "release":
            gradients.release(*rest)
        else:
            with self.changed:
                if kind == "quiet":
                    self.rounds.setdefault(rest[0], {})[worker.id] = rest[1:]
                else:
                    self.left.add(worker.id)
                self.changed.notify_all()

    def serve(self, worker, number, note, parts):
        """Run a call, with its autograd context, and answer."""
        context = gradients.context_of(note[0], make=True) if note[0] is not None else None
        gradients.thread.context = context
        try:
            function, args, kwargs = wire.unpack(note, parts, context, worker)
            made = function(*args, **kwargs)
            if answers_later(function):
                if not isinstance(made, Future):
                    raise RuntimeError("Functions decorated with @rpc.async_function must return a "
                                       f"torch.futures.Future object, but got type {type(made)}")
                made.add_done_callback(lambda done: self.answer_later(worker, number, context, done))
            else:
                self.answer(worker, number, context, made)
        except BaseException as error:
            self.answer(worker, number, context, error=error)
        finally:
            gradients.thread.context = None

    def answer_later(self, worker, number, context, future):
        try:
            self.answer(worker, number, context, future.value())
        except Exception as error:
            self.answer(worker, number, context, error=error)

    def answer(self, worker, number, context, made=None, error=None):
        """Send a value, or an error's type and text."""
        if error is None:
            note, parts = wire.pack(made, share, context)
        else:
            note, parts = self.packed_error(error)
        self.tell(worker, ("answer", number, error is None, note), parts)
        with self.changed:
            self.busy -= 1
            self.served += 1
            self.changed.notify_all()

    def packed_error(self, error):
        text = text_of(error, self.me)
        try:
            return wire.pack((type(error), text), share)
        except Exception:       # a class that others can't find
            return wire.pack((RuntimeError, text), share)

    # the end

    def gone(self, worker):
        """A connection ended. Without a goodbye nobody waits for that worker any longer."""
        with self.changed:
            expected = self.closing or worker.id in self.left
            self.left.add(worker.id)
            lost = [] if self.closing else [n for n, (_, other) in self.pending.items() if other == worker]
            if not expected:
                self.broken = worker
            self.changed.notify_all()
        for number in lost:
            self.crew.submit(self.settle, number, None, RuntimeError(f"{worker} has ended without an answer"))

    broken = None       # a worker that ended without a goodbye

    def wait_until(self, true, until):
        """Wait for other threads to make it true."""
        with self.changed:
            while not true():
                if self.broken is not None:
                    raise RuntimeError(f"rpc.shutdown: {self.broken} has ended without saying goodbye")
                if not self.changed.wait(None if until is None else until - time.monotonic()):
                    fail(RuntimeError, "rpc.shutdown: not all workers came, or some still have calls to wait for",
                         "all workers call rpc.shutdown()")

    def heard_all(self, number):
        """Whether every other worker has said in a round what it has done, or has left."""
        return len({self.me.id, *self.left, *self.rounds.get(number, ())}) == len(self.workers)

    def join(self, seconds=0):
        """Serve until nobody has anything left to do: all workers are here, and in two rounds in a row have made and
        served the same number of calls, as many of these as of those.
        """
        until = time.monotonic() + seconds if seconds else None
        others = [worker for worker in self.workers if worker != self.me]
        before = None
        for number in itertools.count():
            self.wait_until(lambda: not self.pending and not self.busy, until)
            with self.changed:
                own = (self.made, self.served)
            for worker in others:
                self.tell(worker, ("quiet", number, *own))
            self.wait_until(functools.partial(self.heard_all, number), until)
            said = [own, *self.rounds.pop(number, {}).values()]
            total = [sum(column) for column in zip(*said)]
            if total == before and total[0] == total[1]:
                return
            before = total

    def close(self):
        with self.changed:
            self.closing = True
            waiting = list(self.pending)
        for link in self.links.values():
            if isinstance(link, Link):
                link.send(("bye",))
            link.close()
        for number in waiting:
            self.settle(number, error=RuntimeError("RPC has been shut down"))
        for link in self.links.values():
            link.wait(FAREWELL)
        self.clock.stop()
        self.crew.dismiss()
        self.owned.clear()
