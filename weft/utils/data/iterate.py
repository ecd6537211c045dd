"""The iterators of a loader: one walk over its dataset, in this process or with workers."""
import collections
import functools
import itertools
import warnings

from weft.core.modes import local
from weft.core.ranges import record_function
from weft.utils.data.crew import ProcessCrew, ThreadCrew, TimedOut
from weft.utils.data.fetch import ITERABLE, Ended
from weft.utils.data.position import DONE, Position, replayed
from weft.utils.data.sampler import new_seed
from weft.utils.data.seeding import global_state, set_global_state
from weft.utils.data.transport import END, ERROR
from weft.utils.data.worker import Job, Start, Task, fetcher_at, place_of


class _BaseDataLoaderIter:
    """What all iterators have: the sampler's order, and the place in it."""

    def __init__(self, loader, resume=None, follow=(0, None)):
        self._dataset, self._dataset_kind = loader.dataset, loader._dataset_kind
        self._auto_collation, self._drop_last = loader._auto_collation, loader.drop_last
        self._index_sampler, self._num_workers = loader._index_sampler, loader.num_workers
        self._timeout, self._collate_fn = loader.timeout, loader.collate_fn
        self._persistent_workers = loader.persistent_workers
        self._warn_of_pinning(loader)
        self._epoch, self._base_seed = follow
        self._begin(loader, resume)

    def _begin(self, loader, resume):
        """Start an epoch, or go on in one: the sampler's iterator, the seed of the workers, what was given out so far.
        """
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        if resume is not None:
            self._epoch, self._base_seed = resume.epoch, resume.base_seed
            self._position = resume
            self._sampler_iter = replayed(loader, resume)
        else:
            self._position = Position(loader, self._epoch, self._num_workers)
            self._sampler_iter = iter(self._index_sampler)
            if self._base_seed is None:     # between the two, as in PyTorch, whose order of draws this is
                self._base_seed = new_seed(loader.generator)
            self._position.base_seed = self._base_seed
        self._num_yielded = self._position.yielded
        loader._position = self._position

    def _warn_of_pinning(self, loader):
        if loader.pin_memory:
            if loader.pin_memory_device:
                warnings.warn("pin_memory_device is deprecated, the current accelerator will be used as the device; "
                              f"pin_memory_device='{loader.pin_memory_device}' is ignored", stacklevel=5)
            warnings.warn("'pin_memory' argument is set as true but no accelerator is found, then device pinned memory "
                          "won't be used.",
                          stacklevel=5)

    def __iter__(self):
        return self

    def __next__(self):
        data = self._next_data() if not local.watchers else self._timed_data()
        self._num_yielded += 1
        self._position.yielded = self._num_yielded
        promised = self._IterableDataset_len_called
        if promised is not None and self._num_yielded > promised and self._dataset_kind == ITERABLE:
            self._warn_of_length(promised)
        return data

    def _timed_data(self):
        """The next batch, as a range of its own in a profile."""
        with record_function(f"enumerate(DataLoader)#{type(self).__name__}.__next__"):
            return self._next_data()

    def _warn_of_length(self, promised):
        hint = ("With workers, each iterates a copy of the dataset: let __iter__ take its part by get_worker_info()."
                if self._num_workers else "")
        warnings.warn(f"Length of IterableDataset {self._dataset} was reported to be {promised} (when accessing "
                      f"len(dataloader)), but {self._num_yielded} samples have been fetched. {hint}", stacklevel=3)

    def _job(self, init_fn=None):
        return Job(self._dataset_kind, self._dataset, self._auto_collation, self._collate_fn, self._drop_last, init_fn,
                   self._num_workers)

    def _stream_index(self, loader):
        """What is asked of a stream: a number of samples, or one."""
        return [None] * loader.batch_size if self._auto_collation else None

    def __len__(self):
        return len(self._index_sampler)

    def __getstate__(self):
        raise NotImplementedError(f"{type(self).__name__} cannot be pickled; keep the loader's state_dict() instead")


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Everything in this process, when asked for."""

    def __init__(self, loader, resume=None, follow=(0, None)):
        if loader.timeout != 0:
            raise AssertionError("timeout needs workers (num_workers > 0): without them nothing can be interrupted")
        super().__init__(loader, resume, follow)
        self._dataset_fetcher = self._fetcher_at(loader, resume)
        self._position.place = functools.partial(place_of, self._dataset_fetcher)

    def _fetcher_at(self, loader, resume):
        if resume is None:
            return fetcher_at(self._job(), self._dataset, {})
        now = global_state()
        set_global_state(resume.start["global"])        # what is skipped draws what it drew
        try:
            return fetcher_at(self._job(), self._dataset, {
                "place": resume.place, "batches": resume.taken if self._dataset_kind == ITERABLE else 0,
                "index": self._stream_index(loader)})
        finally:
            set_global_state(now)

    def _next_data(self):
        position = self._position
        index = next(self._sampler_iter, DONE)
        if index is DONE:
            position.finish()
            raise StopIteration
        position.sampled(position.taken)
        try:
            data = self._dataset_fetcher.fetch(index)
        except Ended:
            position.finish()
            raise StopIteration from None
        except Exception:
            position.took(position.taken)       # the next one is another
            raise
        position.took(position.taken)
        return data


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Workers, processes or threads, each some batches ahead.

    A worker is asked for a new batch when one of its batches has been taken. Batches are taken from the workers by
    turns, so they come in the sampler's order; with in_order=False from whoever has one.
    """

    def __init__(self, loader, resume=None, follow=(0, None)):
        self._crew = None
        if loader.prefetch_factor <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 to load with workers")
        self._prefetch_factor, self._in_order = loader.prefetch_factor, loader.in_order
        super().__init__(loader, resume, follow)
        job = self._job(loader.worker_init_fn)
        threads = getattr(loader, "workers", None) == "threads"
        self._crew = (ThreadCrew(job, self._num_workers, self._in_order) if threads else
                      ProcessCrew(job, self._num_workers, loader.multiprocessing_context))
        self._token = 0
        self._start_workers(loader, resume)

    def _reset(self, loader, resume=None):
        """The next epoch, with the same workers."""
        self._epoch += 1
        self._begin(loader, resume)
        self._token += 1
        self._start_workers(loader, resume)

    def _start_workers(self, loader, resume):
        ranks, position = range(self._num_workers), self._position
        self._sent = [collections.deque() for _ in ranks]       # each worker's tasks that are not answered yet
        self._turns = collections.deque(ranks)                  # workers that have more to give, the next one first
        self._number = position.taken
        for worker in ranks:
            entry = None if resume is None else position.resumed(position.workers[worker], self._stream_index(loader))
            self._crew.send(worker, Start(self._token, self._epoch, self._base_seed, entry))
        self._turns.rotate(-position.turn)
        for worker in ranks:
            if position.workers[worker].ended:
                self._turns.remove(worker)
        turns = list(self._turns)
        for _ in range(self._prefetch_factor):
            if not all([self._ask(worker) for worker in turns]):
                break

    def _ask(self, worker):
        """Send a worker its next task; whether there was one."""
        for index in self._sampler_iter:
            number = self._number
            self._number += 1
            self._position.sampled(number)
            if number not in self._position.ahead:      # else the program has got it, before it was interrupted
                self._sent[worker].append(number)
                self._crew.send(worker, Task(self._token, number, index))
                return True
        return False

    def _next_data(self):
        while True:
            worker, message = self._receive()
            if message is None:
                self._finish()
                raise StopIteration
            number = self._sent[worker].popleft()
            if message.kind != END:
                break
            self._sent[worker].clear()
            self._turns.remove(worker)
            self._position.workers[worker].ended = True
        if self._in_order:
            self._turns.rotate(-1)
        data, place = message.open()
        position = self._position
        position.took(number, self._in_order)
        position.heard(worker, message.rng, place)
        position.turn = self._turns[0]
        self._ask(worker)
        if message.kind == ERROR:
            raise data.exception()
        return data

    def _receive(self):
        """(worker, its message) of the worker whose turn it is; no message if all is done."""
        timeout = self._timeout or None
        while True:
            waiting = [w for w in (itertools.islice(self._turns, 1) if self._in_order else self._turns)
                       if self._sent[w]]
            if not waiting:
                return None, None
            try:
                if self._in_order:
                    worker, message = waiting[0], self._crew.receive(waiting[0], timeout)
                else:
                    worker, message = self._crew.receive_any(waiting, timeout)
            except TimedOut:
                raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds: worker {waiting[0]} has not "
                                   f"given its batch\n"
                                   "  fix: look what its dataset is waiting for, or raise timeout=") from None
            if message.token == self._token:
                return worker, message
            message.drop()      # of an epoch that was left early

    def _finish(self):
        self._position.finish()
        if not self._persistent_workers:
            self._shutdown_workers()

    def _shutdown_workers(self):
        if self._crew is not None:
            self._crew.close()

    def __del__(self):
        self._shutdown_workers()
