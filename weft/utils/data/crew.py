"""A loader's workers as the main process sees them: started, spoken to, watched, and ended."""
import collections
import os
import pickle
import queue
import select
import sys
import threading
import time
import weakref

from weft.utils.data.errors import death
from weft.utils.data.memory import Reader, new_arena, own_fork
from weft.utils.data.transport import Message
from weft.utils.data.worker import Task, process_main, thread_main

# seconds that closing waits for workers to end by themselves, before somebody else does the waiting
PATIENCE = 0.2
GRACE = 5.0             # seconds after which a worker is ended by force
PIPE = 32 << 10         # bytes that certainly fit into a pipe
_crews = weakref.WeakSet()


def abandon_all():
    """In a forked process: the ends of pipes that came over are the parent's."""
    for crew in list(_crews):
        crew.abandon()


class TimedOut(Exception):
    """No message came in time."""


def default_context():
    """How processes start: as the program chose, else by fork where that is usual."""
    import multiprocessing  # heavy, only with workers
    if multiprocessing.get_start_method(allow_none=True) is None and sys.platform.startswith("linux"):
        return multiprocessing.get_context("fork")
    return multiprocessing.get_context()


class ProcessCrew:
    """Worker processes, each with a pipe of its own in both directions, so that none can block another by dying."""

    def __init__(self, job, count, context):
        self.pid, self.closed, self.fault = os.getpid(), False, None
        self.processes, self.tasks, self.results, self.readers = [], [], [], []
        # sizes of messages that a worker may not have read yet
        self.unread = [collections.deque() for _ in range(count)]
        self.senders = {}
        _crews.add(self)
        context = context or default_context()
        forked = context.get_start_method() == "fork"
        if forked:      # what each would import for itself, they share
            import faulthandler  # noqa: F401
            import multiprocessing.connection  # noqa: F401
            import multiprocessing.reduction  # noqa: F401

            import numpy.random  # noqa: F401

        packed = None
        if not forked and os.name != "nt":
            from weft.utils.data.packed_list import Packed  # heavy, only for processes that are not forked
            packed, job = Packed(job.dataset), job.without_dataset()
        try:
            for worker_id in range(count):
                self._start(job, worker_id, context, forked, packed)
        except BaseException:
            self.close()
            raise
        finally:
            if packed is not None and packed.arena is not None:
                packed.arena.close_file()
        self._watch()

    def _start(self, job, worker_id, context, forked, packed):
        their_tasks, tasks = context.Pipe(duplex=False)
        results, their_results = context.Pipe(duplex=False)
        arena = new_arena()
        self.tasks.append(tasks)
        self.results.append(results)
        parent = os.getpid() if context.get_start_method() in ("fork", "spawn") else None
        process = context.Process(target=process_main, daemon=True,
                                  args=(job, worker_id, their_tasks, their_results, arena, forked, parent, packed))
        own_fork.on = True
        try:
            process.start()
        finally:
            own_fork.on = False
            their_tasks.close()
            their_results.close()
            if arena is not None:
                arena.close_file()
        self.processes.append(process)
        self.readers.append(None if arena is None else Reader(arena))

    # messages

    def send(self, worker, message):
        """Tell a worker something."""
        if (reader := self.readers[worker]) is not None and isinstance(message, Task):
            message.freed = reader.take_freed()
        raw = pickle.dumps(message, 5)
        if isinstance(message, Task):
            self.unread[worker].append(len(raw))
        else:       # what was asked for before it is not waited for any more
            self.unread[worker].clear()
        if worker in self.senders or max(len(raw), sum(self.unread[worker])) > PIPE:
            self._send_aside(worker, raw)
            return
        try:
            self.tasks[worker].send_bytes(raw)
        except (BrokenPipeError, ConnectionResetError):
            self._report([worker])

    def _send_aside(self, worker, raw):
        """From a thread: a full pipe would block us here while the worker waits for us to read its answer."""
        if worker not in self.senders:
            waiting = self.senders[worker] = queue.SimpleQueue()
            threading.Thread(target=_send_all, args=(self.tasks[worker], waiting), daemon=True).start()
        self.senders[worker].put(raw)

    def receive(self, worker, timeout):
        """A worker's next message; TimedOut if none came, an error at once if any worker has died."""
        return self._read(self._wait([worker], timeout))

    def receive_any(self, workers, timeout):
        """(worker, message) of whoever is first."""
        worker = self._wait(workers, timeout)
        return worker, self._read(worker)

    def _read(self, worker):
        if self.unread[worker]:
            self.unread[worker].popleft()
        try:
            return Message(self.results[worker].recv_bytes(), self.readers[worker])
        except (EOFError, ConnectionResetError):
            self._report([worker])

    # watching

    def _watch(self):
        """For each worker, what to wait for: its messages, and anybody's end."""
        self.pollers = None
        if not hasattr(select, "poll"):
            return
        self.ends = {process.sentinel: worker for worker, process in enumerate(self.processes)}
        self.pollers = [select.poll() for _ in self.processes]
        for poller, results in zip(self.pollers, self.results):
            poller.register(results.fileno(), select.POLLIN)
            for sentinel in self.ends:
                poller.register(sentinel, select.POLLIN)

    def _wait(self, workers, timeout):
        until = None if timeout is None else time.monotonic() + timeout
        if self.closed:
            raise self.fault or RuntimeError("the workers of this iterator have been ended")
        while True:
            left = 1.0 if until is None else min(1.0, until - time.monotonic())
            ready, dead = self._poll(workers, max(0.0, left))
            if dead:
                self._report(dead)
            if ready:
                return ready[0]
            if until is not None and time.monotonic() >= until:
                raise TimedOut
            # a sentinel stays silent while a grandchild holds it
            if dead := [i for i, process in enumerate(self.processes) if process.exitcode is not None]:
                self._report(dead)

    def _poll(self, workers, timeout):
        """(workers whose messages are there, workers that have ended)"""
        if self.pollers is not None and len(workers) == 1:
            found = [fd for fd, _ in self.pollers[workers[0]].poll(timeout * 1000)]
            return ([workers[0]] if self.results[workers[0]].fileno() in found else [],
                    [self.ends[fd] for fd in found if fd in self.ends])
        from multiprocessing.connection import wait  # heavy, only with workers
        results, ends = {self.results[i]: i for i in workers}, {p.sentinel: i for i, p in enumerate(self.processes)}
        found = wait([*results, *ends], timeout)
        return [results[x] for x in found if x in results], [ends[x] for x in found if x in ends]

    def _report(self, dead):
        """Raise the error of a worker that has died."""
        worker = dead[0]
        process, reader = self.processes[worker], self.readers[worker]
        process.join(1.0)
        report = reader.arena.report() if reader is not None else ""
        self.fault = death(worker, process.pid, process.exitcode, report)
        self.close()
        raise self.fault

    # the end

    def close(self):
        """End the workers; those that are busy are waited for in the background."""
        if self.closed or self.pid != os.getpid():
            return
        self.closed = True
        for waiting in self.senders.values():
            waiting.put(None)
        for end in (*self.tasks, *self.results):
            end.close()
        until = time.monotonic() + PATIENCE
        for process in self.processes:
            process.join(max(0.0, until - time.monotonic()))
        if busy := [process for process in self.processes if process.exitcode is None]:
            try:
                threading.Thread(target=end_processes, args=(busy, GRACE), daemon=True).start()
            except RuntimeError:        # the interpreter is ending
                end_processes(busy, 0.0)

    def abandon(self):
        """Close this process's copies of the pipes, without a word to anybody."""
        for end in (*self.tasks, *self.results):
            end.close()


def _send_all(tasks, waiting):
    while (raw := waiting.get()) is not None:
        try:
            tasks.send_bytes(raw)
        except OSError:         # the worker is gone, which the main thread will notice
            return


def end_processes(processes, grace):
    """Wait for processes, ask them to end, end them."""
    until = time.monotonic() + grace
    for process in processes:
        process.join(max(0.0, until - time.monotonic()))
    for end in ("terminate", "kill"):
        for process in processes:
            if process.exitcode is None:
                getattr(process, end)()
                process.join(1.0)


class ThreadCrew:
    """Worker threads."""

    def __init__(self, job, count, in_order):
        self.closed, self.epoch = False, Epoch()
        self.tasks, self.results, self.arrived = [], [], None if in_order else queue.SimpleQueue()
        self.threads = []
        for worker_id in range(count):
            tasks, results = queue.SimpleQueue(), Results(worker_id, self.arrived)
            thread = threading.Thread(target=thread_main, args=(job, worker_id, tasks, results, self.epoch),
                                      daemon=True, name=f"weft_data_worker_{worker_id}")
            thread.start()
            self.threads.append(thread)
            self.tasks.append(tasks)
            self.results.append(results)

    def send(self, worker, message):
        self.epoch.token = message.token
        self.tasks[worker].put(message)

    def receive(self, worker, timeout):
        return self._get(self.results[worker].messages, [worker], timeout)

    def receive_any(self, workers, timeout):
        while True:
            worker = self._get(self.arrived, workers, timeout)
            try:
                return worker, self.results[worker].messages.get_nowait()
            except queue.Empty:
                continue

    def _get(self, source, workers, timeout):
        """The next message; now and then a look whether those who owe it still live."""
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            dead = [worker for worker in workers if not self.threads[worker].is_alive()]
            left = 1.0 if until is None else min(1.0, until - time.monotonic())
            try:
                return source.get(timeout=0.0 if dead else max(0.0, left))
            except queue.Empty:
                pass
            if dead:
                self.close()
                raise RuntimeError(f"DataLoader worker thread {dead[0]} has ended without being asked to\n  fix: "
                                   f"with num_workers=0 its error is seen in this thread")
            if until is not None and time.monotonic() >= until:
                raise TimedOut

    def close(self):
        if not self.closed:
            self.closed, self.epoch.token = True, None
            for tasks in self.tasks:
                tasks.put(None)


class Epoch:
    """What worker threads are to work on."""

    token = None


class Results:
    """A thread's answers, and if asked for, in which order they came from all."""

    def __init__(self, worker_id, arrived):
        self.worker_id, self.arrived, self.messages = worker_id, arrived, queue.SimpleQueue()

    def put(self, message):
        self.messages.put(message)
        if self.arrived is not None:
            self.arrived.put(self.worker_id)
