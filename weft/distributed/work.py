"""Waiting for other processes: a Work is a collective under way; what every rank is about to do is compared first.

A collective is a generator of requests: it yields one, and goes on when that is finished. Requests are polled, never
waited for inside MPI, so that Ctrl-C, time limits and the other ranks' needs are seen.
"""
import os
import pickle
import sys
import time
import zlib

import numpy as np

from weft.core.errors import where
from weft.core.place import here
from weft.core.processes import processes
from weft.distributed import board, world

__all__ = ["Work"]

SPINS = 4000            # polls before a waiting process begins to sleep, some milliseconds
SLEEP = 100e-6
LONG = 60               # seconds of waiting that are worth a line
MANY = 64               # works under way before the finished ones are looked for
CHECK = os.environ.get("WEFT_DISTRIBUTED_CHECK", "1") != "0"


class Call:
    """What this rank is about to do in a group, and where: a word, and what must be the same on all ranks."""

    def __init__(self, group, name, details=""):
        self.group, self.name, self.details, self.place = group, name, details, here()
        self.header = self.answer = None
        self.two_steps = False      # its second step must come after those of earlier calls, as on all other ranks

    def __str__(self):
        line = where(self.place)
        return f"{self.name}({self.details})  in  {line}" if line else self.name

    def code(self):
        """An even number for what is done."""
        return zlib.crc32(f"{self.name} {self.details}".encode()) & ~1 if CHECK else 0

    def announce(self, on_board=0):
        """Begin to compare with the other ranks: on the board that they share, or by MPI, where the smallest and the
        greatest code must be the same. on_board: 1 where the values are on the board, too.
        """
        if self.answer is not None or self.group.size() == 1:
            return
        if self.group.board is not None:
            self.answer = self.header = self.group.board.arrive(self.code() | on_board)
        elif CHECK:
            code = self.code()
            self.answer = np.array([code, -code], np.int64)
            MPI = world.started.mpi
            self.header = self.group.heads.Iallreduce(MPI.IN_PLACE, [self.answer, MPI.INT64_T], MPI.MIN)

    def compare(self):
        """Wait for the others' announcements; the error names the ranks that differ, and their lines. Whether all have
        their values on the board.
        """
        if self.header is None:
            return False
        finish(self.header, self)
        self.header, shared = None, self.group.board
        same = self.answer.agreed() if shared is not None else int(self.answer[0] == -self.answer[1])
        if same == 0:
            texts = gather_texts(self.group, str(self))
            if shared is not None:
                shared.turn = 0         # nobody reads a slot any more
            raise RuntimeError(differing(self.group, texts))
        return same == 2


def gather_texts(group, text):
    """Every rank's text, over the communicator that nothing else uses."""
    sizes, MPI = np.empty(group.size(), np.int64), world.started.mpi
    data = np.frombuffer(pickle.dumps(text), np.uint8).copy()
    group.aside.Allgather([np.array([data.size], np.int64), MPI.INT64_T], [sizes, MPI.INT64_T])
    everything = np.empty(sizes.sum(), np.uint8)
    group.aside.Allgatherv([data, MPI.BYTE], [everything, sizes, MPI.BYTE])
    return [pickle.loads(part.tobytes()) for part in np.split(everything, np.cumsum(sizes)[:-1])]


def differing(group, texts):
    """The error's text: who does what."""
    lines = ["the processes of a group don't call the same collective, or with other shapes or types"]
    for text in dict.fromkeys(texts):
        ranks = [group.ranks[i] for i, other in enumerate(texts) if other == text]
        lines.append(f"  rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}: {text}")
    lines.append("  fix: every rank of a group calls the same collectives in the same order")
    return "\n".join(lines)


def finish(request, call, seconds=None):
    """Poll until a request is finished; after some milliseconds with pauses, in which others can work."""
    began = None
    try:
        if request.Test():
            return
        began = time.perf_counter()
        pause = getattr(request, "pause", None)         # a board's, which wakes us
        if pause(sleep=board.BRIEF) if pause is not None else spun(request, call.group):
            return
        limit = call.group.seconds if seconds is None else seconds
        start, told = time.monotonic(), False
        while not request.Test():
            go_on(call.group)
            if pause is None:
                time.sleep(SLEEP)
            else:
                pause(0.0, board.BRIEF if call.group.pending else board.SLEEP)
            waited = time.monotonic() - start
            if waited > limit:
                raise RuntimeError(timed_out(call, limit))
            if waited > LONG and not told:
                told = True
                print(f"rank {call.group.global_rank()} has waited {LONG} s for the others in {call}", file=sys.stderr)
    except Exception as error:
        if type(error).__module__.startswith("mpi4py"):
            raise RuntimeError(f"{call.name}: {error}\n  in  {where(call.place)}\n  fix: the other side must send and "
                               "receive the same number of elements, and still run") from error
        raise
    finally:
        processes.waited += 0 if began is None else time.perf_counter() - began


def spun(request, group):
    """Poll for some milliseconds, giving way to others."""
    for i in range(SPINS):
        if i & 15:
            os.sched_yield()
        else:
            time.sleep(0)       # lets this process's other threads run
            go_on(group)
        if request.Test():
            return True
    return False


def go_on(group):
    """Let what else is under way take its next step: another rank may wait for that before it comes here."""
    for work in list(group.pending) if group.pending else ():
        work._poll()


def timed_out(call, seconds):
    return (f"{call.name}: rank {call.group.global_rank()} waited {seconds:g} s for the others\n"
            f"  in  {where(call.place)}\n  fix: see where the other ranks are (py-spy, or their output); "
            "init_process_group(timeout=...) sets the time")


def perform(call, steps, async_op):
    """Run a collective's steps to their end, or give back its Work."""
    call.announce()
    if async_op:
        return Work(call, steps)
    call.compare()
    if call.two_steps:
        call.group.settle()
    for request in steps:
        finish(request, call)
    return None


class Work:
    """A collective or message under way: `wait` for it before its tensors are touched.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = weft.ones(2)
    >>> work = weft.distributed.all_reduce(x, async_op=True)
    >>> work.wait(), work.is_completed()
    (True, True)
    >>> weft.distributed.destroy_process_group()
    """

    def __init__(self, call, steps, result=None):
        self._call, self._steps, self._result, self._error, self._polling = call, steps, result, None, False
        pending = call.group.pending        # which also keeps the buffers of what nobody waits for
        if len(pending) > MANY:
            go_on(call.group)
        self._request = next(steps, None)
        if self._request is not None:
            pending.append(self)

    def _earlier(self):
        """Those whose second step comes first."""
        pending = self._call.group.pending
        if not self._call.two_steps or self not in pending:
            return []
        return [work for work in pending[:pending.index(self)] if work._call.two_steps]

    def _go_on(self):
        """After a finished request: the next step, or the end."""
        self._request = next(self._steps, None)
        if self._request is None and self in self._call.group.pending:
            self._call.group.pending.remove(self)

    def wait(self, timeout=None):
        """Until it is done; True. An error of any rank's call is raised here.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> weft.distributed.barrier(async_op=True).wait()
        True
        >>> weft.distributed.destroy_process_group()
        """
        seconds = timeout.total_seconds() if hasattr(timeout, "total_seconds") else timeout
        try:
            if self._error is None:
                self._call.compare()
            for work in self._earlier():
                work.wait(timeout)
            self._polling = True        # nobody else takes its steps meanwhile
            while self._request is not None:
                finish(self._request, self._call, seconds)
                self._go_on()
        except Exception as error:
            self._give_up(error)
        finally:
            self._polling = False
        if self._error is not None:
            raise self._error
        return True

    def _give_up(self, error):
        self._error, self._request, self._steps = error, None, iter(())
        self._go_on()

    def _poll(self):
        """Take what steps can be taken without waiting; True at the end."""
        if self._polling or self._call.header is not None and not self._call.header.Test():
            return False
        if self._request is None or not all(work._poll() for work in self._earlier()):
            return self._request is None
        self._polling = True
        try:
            while self._request is not None and self._request.Test():
                self._call.compare()
                self._go_on()
        except Exception as error:
            self._give_up(error)
        finally:
            self._polling = False
        return self._request is None

    def is_completed(self):
        """Whether it is done, without waiting.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> weft.distributed.barrier(async_op=True).is_completed()
        True
        >>> weft.distributed.destroy_process_group()
        """
        return self._poll()

    def is_success(self):
        """Whether it is done, and without an error.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> weft.distributed.barrier(async_op=True).is_success()
        True
        >>> weft.distributed.destroy_process_group()
        """
        return self.is_completed() and self._error is None

    def exception(self):
        """The error that `wait` raised, or None.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> weft.distributed.barrier(async_op=True).exception() is None
        True
        >>> weft.distributed.destroy_process_group()
        """
        return self._error

    def result(self):
        """The tensors that it filled, once it is done.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> weft.distributed.all_reduce(weft.ones(2), async_op=True).result()
        [tensor([1., 1.])]
        >>> weft.distributed.destroy_process_group()
        """
        self.wait()
        return list(self._result or ())

    def synchronize(self):
        """The same as `wait`: there is no other device's stream.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> weft.distributed.barrier(async_op=True).synchronize()
        >>> weft.distributed.destroy_process_group()
        """
        self.wait()

    def source_rank(self):
        """The rank that a message came from.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> weft.distributed.barrier(async_op=True).source_rank()
        -1
        >>> weft.distributed.destroy_process_group()
        """
        return getattr(self._call, "source", -1)

    def get_future(self):
        """What comes of it, as something to wait for and to go on from.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> later = weft.distributed.all_reduce(weft.ones(2), async_op=True).get_future()
        >>> later.then(lambda done: done.value()[0] * 2).wait()
        tensor([2., 2.])
        >>> weft.distributed.destroy_process_group()
        """
        return Later(self.result, self.is_completed)


class Later:
    """A value that comes when somebody waits for it; PyTorch's Future, without a thread."""

    def __init__(self, make, ready=lambda: True):
        self._make, self._ready, self._value, self._made = make, ready, None, False

    def wait(self):
        if not self._made:
            self._value, self._made = self._make(), True
        return self._value

    value = wait

    def done(self):
        return self._made or self._ready()

    def then(self, callback):
        def make():
            self.wait()
            return callback(self)
        return Later(make, self.done)

    def add_done_callback(self, callback):
        inner = self._make

        def make():
            self._value, self._made = inner(), True
            callback(self)
            return self._value
        self._make = make
