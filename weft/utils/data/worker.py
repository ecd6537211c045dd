"""What a worker does: it gets told where an epoch starts and which batches to make, and gives them back one by one."""
import collections
import copy
import gc
import os
import pickle
import select
import signal
import threading

from weft.core import random as draw
from weft.core.settings import set_num_threads
from weft.utils.data import seeding
from weft.utils.data.errors import WorkerError
from weft.utils.data.fetch import ITERABLE, Ended, _DatasetKind
from weft.utils.data.info import WorkerInfo, set_process_info, set_thread_info
from weft.utils.data.memory import Blocks
from weft.utils.data.shared_list import share_lists
from weft.utils.data.transport import DATA, END, ERROR, Outbox


class Job:
    """What all workers of a loader have in common; travels to spawned ones."""

    def __init__(self, kind, dataset, auto_collation, collate_fn, drop_last, init_fn, num_workers):
        self.kind, self.dataset, self.auto_collation, self.collate_fn = kind, dataset, auto_collation, collate_fn
        self.drop_last, self.init_fn, self.num_workers = drop_last, init_fn, num_workers

    def without_dataset(self):
        """For one whose dataset goes another way."""
        made = copy.copy(self)
        made.dataset = None
        return made


class Start:
    """An epoch starts: its token and number, and where to go on if it was begun elsewhere."""

    def __init__(self, token, epoch, base_seed, resume=None):
        self.token, self.epoch, self.base_seed, self.resume = token, epoch, base_seed, resume


class Task:
    """A batch is wanted; blocks of shared memory that were freed are told on the way."""

    def __init__(self, token, number, index, freed=()):
        self.token, self.number, self.index, self.freed = token, number, index, freed


class Worker:
    """A worker's state from epoch to epoch, in a process or a thread."""

    where = "in DataLoader worker process {}"
    method = "multiprocessing"

    def __init__(self, job, worker_id):
        self.job, self.id, self.dataset = job, worker_id, job.dataset
        self.where = self.where.format(worker_id)
        self.fault, self.fetcher, self.watch = None, None, None
        self.ready = self.ended = False

    # random numbers: a process has the global generators for itself

    def seed(self, base_seed):
        """Seed for an epoch; gives (the seed, own generators)."""
        self.watch = None
        return seeding.seed_process(base_seed, self.id), None

    def set_rng(self, saved):
        seeding.set_global_state(saved)

    def rng_changes(self):
        """The states of the generators that were drawn from since the last time."""
        self.watch = self.watch or seeding.Watch()
        return self.watch.changes()

    def set_info(self, info):
        set_process_info(info)

    def own_dataset(self, job):
        """The dataset as this worker has it."""
        return job.dataset

    # epochs and batches

    def start(self, message):
        """Begin an epoch: seeds, worker_init_fn if it is the first, the dataset's iterator, and forward to where it was
        left.
        """
        job, self.ended = self.job, False
        try:
            if not self.ready:
                self.dataset = self.own_dataset(job)
            seed, rng = self.seed(seeding.epoch_seed(message.base_seed, message.epoch))
            self.set_info(WorkerInfo(self.id, job.num_workers, seed, self.dataset, rng, self.method))
            if not self.ready:
                if job.init_fn is not None:
                    job.init_fn(self.id)
                self.ready = True
            self.fault = None
            self.fetcher = fetcher_at(job, self.dataset, message.resume or {})
            if message.resume and message.resume.get("rng"):
                self.set_rng(message.resume["rng"])
        except BaseException as error:      # SystemExit too: nobody would answer any more
            self.fault = WorkerError(error, self.where)

    def run(self, task):
        """(kind, data) of a task; None for one that comes after the end."""
        if self.fault is not None:
            return ERROR, self.fault
        if self.ended:
            return None
        try:
            return DATA, self.fetcher.fetch(task.index)
        except Ended:
            self.ended = True
            return END, None
        except BaseException as error:
            return ERROR, WorkerError(error, self.where)

    def place(self):
        """Where the dataset is, if it or its iterator can tell."""
        return place_of(self.fetcher)


def fetcher_at(job, dataset, resume):
    """A fetcher, brought to where `resume` says: by the dataset's own state, or else by skipping batches."""
    whose, state = resume.get("place") or ("", None)
    if whose == "dataset":
        dataset.load_state_dict(state)
    fetcher = _DatasetKind.create_fetcher(job.kind, dataset, job.auto_collation, job.collate_fn, job.drop_last)
    if whose == "iterator":
        fetcher.samples.load_state_dict(state)
    elif not whose:
        for _ in range(resume.get("batches", 0)):
            fetcher.skip(resume["index"])
    return fetcher


def place_of(fetcher):
    """(whose state, the state) of a stream's iterator or else of the dataset, where one can tell."""
    for whose, value in (("iterator", getattr(fetcher, "samples", None)), ("dataset", fetcher.dataset)):
        if is_stateful(value):
            return whose, copy.deepcopy(value.state_dict())
    return None


class ThreadWorker(Worker):
    """A worker that is a thread: its generators are its own; so is a stream, so that each can be told apart, but not
    its contents.
    """

    where = "in DataLoader worker thread {}"
    method = "thread"

    def own_dataset(self, job):
        return copy.copy(job.dataset) if job.kind == ITERABLE else job.dataset

    def seed(self, base_seed):
        self.rng = seeding.WorkerGenerators(base_seed, self.id)
        draw.draw_from(self.rng.torch_generator)
        return base_seed + self.id, self.rng

    def set_rng(self, saved):
        self.rng.set_state(saved)

    def rng_changes(self):
        return self.rng.watch.changes()

    def set_info(self, info):
        set_thread_info(info)


def is_stateful(value):
    """Whether something keeps its own place: state_dict and load_state_dict."""
    return callable(getattr(value, "state_dict", None)) and callable(getattr(value, "load_state_dict", None))


# a process

def process_main(job, worker_id, tasks, results, arena, forked, parent, packed):
    """The whole life of a worker process."""
    if forked:
        _after_fork()
    _signals()
    _report_crashes(arena)
    threading.Thread(target=_leave_with_parent, args=(parent,), daemon=True).start()
    set_num_threads(1)
    if forked:
        job.dataset = share_lists(job.dataset)
    elif packed is not None:
        job.dataset = packed.unpack()
    blocks = None if arena is None else Blocks(arena)
    try:
        serve(Worker(job, worker_id), tasks, results, blocks, Outbox(blocks))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass        # the main process has gone, or has no more use for this worker


def serve(worker, tasks, results, blocks, outbox):
    """Answer until told to stop."""
    waiting, incoming = collections.deque(), Incoming(tasks)
    while True:
        while not waiting or incoming.ready():
            message = incoming.get()
            if message is None:
                return
            if isinstance(message, Start):      # what was asked for before is not wanted any more
                for task in waiting:
                    if getattr(task, "freed", None):
                        blocks.release(task.freed)
                waiting.clear()
            waiting.append(message)
        message = waiting.popleft()
        if isinstance(message, Start):
            worker.start(message)
            continue
        if message.freed:
            blocks.release(message.freed)
        answer = worker.run(message)
        if answer is not None:
            results.send_bytes(_encoded(worker, outbox, message, *answer))


class Incoming:
    """Messages to a worker."""

    def __init__(self, tasks):
        self.tasks = tasks
        if hasattr(select, "poll"):
            poller = select.poll()
            poller.register(tasks.fileno(), select.POLLIN)
            self.ready = lambda: bool(poller.poll(0))
        else:
            self.ready = lambda: tasks.poll(0)

    def get(self):
        return pickle.loads(self.tasks.recv_bytes())


def whereabouts(worker, kind):
    """(its generators' new states, its dataset's place) after a batch"""
    if worker.fault is not None:        # it didn't even start
        return None, None
    return worker.rng_changes() if kind != END else None, worker.place() if kind == DATA else None


def _encoded(worker, outbox, task, kind, data):
    try:
        return outbox.encode(task.token, task.number, kind, data, *whereabouts(worker, kind))
    except BaseException as error:      # what can't be pickled
        return outbox.encode(task.token, task.number, ERROR, WorkerError(error, worker.where))


def _after_fork():
    """Settle what came over from the parent."""
    gc.freeze()                     # a collection would write to all that is shared
    seeding.renew_locks()
    from weft.utils.data.crew import abandon_all  # which is made of this module
    abandon_all()


def _signals():
    try:
        # Ctrl-C reaches the whole group; the main process decides what it means. A handler, since children inherit
        # SIG_IGN
        signal.signal(signal.SIGINT, lambda number, frame: None)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    except ValueError:
        pass


def _report_crashes(arena):
    """A fatal signal leaves the Python traceback where the main process finds it."""
    import faulthandler  # only in worker processes, as what follows
    if arena is not None:
        os.lseek(arena.fd, 0, os.SEEK_SET)
        faulthandler.enable(arena.fd)
    elif not faulthandler.is_enabled():
        try:
            faulthandler.enable()
        except (AttributeError, ValueError, OSError):
            pass        # no stderr


def _leave_with_parent(parent):
    """End this process when the main process has ended, whatever it is busy with."""
    from multiprocessing import parent_process  # heavy, only in a worker process
    from multiprocessing.connection import wait  # the same
    sentinel = parent_process().sentinel
    while not wait([sentinel], 2.0) and parent in (None, os.getppid()):
        pass
    os._exit(1)


# a thread

def thread_main(job, worker_id, tasks, results, epoch):
    """The whole life of a worker thread; `tasks` and `results` are queues, `epoch.token` says what is wanted."""
    worker = ThreadWorker(job, worker_id)
    while True:
        message = tasks.get()
        if message is None:
            return
        if isinstance(message, Start):
            worker.start(message)
            continue
        if message.token != epoch.token:       # of an epoch that was left
            continue
        answer = worker.run(message)
        if answer is None:
            continue
        kind, data = answer
        try:
            rng, place = whereabouts(worker, kind)
        except BaseException as error:
            kind, data, rng, place = ERROR, WorkerError(error, worker.where), None, None
        results.put(Local(message.token, message.number, kind, data, rng, place))
        del message, answer, data, place       # held by nobody while waiting


class Local:
    """A message of a thread."""

    def __init__(self, token, number, kind, data, rng, place):
        self.token, self.number, self.kind, self.rng, self._content = token, number, kind, rng, (data, place)

    def open(self):
        return self._content

    def drop(self):
        pass
