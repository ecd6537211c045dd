"""The DataLoader: a dataset, an order, batches, and workers that make them ahead of time."""
import os
import warnings
from typing import Generic, TypeVar

from weft.utils.data.collate import default_collate, default_convert
from weft.utils.data.dataset import IterableDataset
from weft.utils.data.fetch import ITERABLE, MAP
from weft.utils.data.iterate import _MultiProcessingDataLoaderIter, _SingleProcessDataLoaderIter
from weft.utils.data.position import VERSION, Position, own_generators
from weft.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader"]

T = TypeVar("T", covariant=True)
FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _InfiniteConstantSampler(Sampler):
    """None for ever: a stream has no indices."""

    def __iter__(self):
        while True:
            yield None


class DataLoader(Generic[T]):
    """Iterate over a dataset in batches. The arguments are PyTorch's, and `workers`: "processes" or "threads".

    >>> from weft.utils.data import DataLoader
    >>> [batch.tolist() for batch in DataLoader(range(5), batch_size=2)]
    [[0, 1], [2, 3], [4]]

    `state_dict()` says where the program is, `load_state_dict()` lets the next iteration go on from there.
    """

    _initialized = False
    _iterator = _position = _resume = None

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
                 collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None,
                 multiprocessing_context=None, generator=None, *, prefetch_factor=None, persistent_workers=False,
                 pin_memory_device="", in_order=True, workers="processes"):
        prefetch_factor = _checked_workers(num_workers, timeout, prefetch_factor, persistent_workers, workers)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.workers = workers
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        if isinstance(dataset, IterableDataset):
            self._dataset_kind = ITERABLE
            _check_stream(shuffle, sampler, batch_sampler)
        else:
            self._dataset_kind, shuffle = MAP, bool(shuffle)
        batch_size, drop_last = _checked_batches(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if sampler is None:
            sampler = self._default_sampler(dataset, shuffle, generator)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_collate if self._auto_collation else default_convert)
        self.persistent_workers = persistent_workers
        self._IterableDataset_len_called = None
        self._initialized = True
        self.check_worker_number_rationality()

    def _default_sampler(self, dataset, shuffle, generator):
        if self._dataset_kind == ITERABLE:
            return _InfiniteConstantSampler()
        return RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)

    def __setattr__(self, name, value):
        if self._initialized and name in FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized\n"
                             "  fix: make a new DataLoader")
        super().__setattr__(name, value)

    @property
    def multiprocessing_context(self):
        """How worker processes are started, or None for the platform's way.

        >>> import weft
        >>> weft.utils.data.DataLoader([1, 2, 3]).multiprocessing_context is None
        True
        """
        return self._context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context):
        self._context = _checked_context(context, self.num_workers)

    @property
    def _auto_collation(self):
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self):
        if self._dataset_kind == MAP:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return (length + (0 if self.drop_last else self.batch_size - 1)) // self.batch_size

    def __iter__(self):
        resume, self._resume = self._resume, None
        follow = (0, None)
        if resume is not None and resume.finished:      # the next epoch is a new one
            if self.persistent_workers:
                follow = resume.epoch + 1, resume.base_seed
            resume = None
        return self._persistent(resume, follow) if self.persistent_workers else self._get_iterator(resume, follow)

    def _persistent(self, resume, follow):
        """The iterator that keeps its workers; a new one if those are gone."""
        kept = self._iterator
        if kept is None or kept._crew.closed:
            self._iterator = self._get_iterator(resume, follow)
            return self._iterator
        if follow[1] is not None:
            kept._epoch, kept._base_seed = follow[0] - 1, follow[1]
        kept._reset(self, resume)
        return kept

    def _get_iterator(self, resume=None, follow=(0, None)):
        return (_MultiProcessingDataLoaderIter if self.num_workers
                else _SingleProcessDataLoaderIter)(self, resume, follow)

    def check_worker_number_rationality(self):
        """Warn if there are more worker processes than processors.

        >>> import weft
        >>> weft.utils.data.DataLoader([1, 2, 3]).check_worker_number_rationality() is None
        True
        """
        if not self.num_workers or self.workers == "threads":
            return
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        if available is not None and self.num_workers > available:
            warnings.warn(f"This DataLoader will create {self.num_workers} worker processes in total. Our suggested "
                          f"max number of worker in current system is {available}, which is smaller than what this "
                          f"DataLoader is going to create. More "
                          "processes than processors mostly wait for each other.", stacklevel=3)

    # resuming

    def state_dict(self):
        """Where the program is: how far the latest iteration has come, its order, and the workers' random numbers.

        It counts the batches that the program has got, not those made ahead. Only plain values and tensors; without
        `generator=` the global random state, from which the next epoch's order will be drawn, is the program's to keep
        (get_rng_state).

        >>> import weft
        >>> loader = weft.utils.data.DataLoader(range(6), batch_size=2)
        >>> batches = iter(loader)
        >>> first = next(batches)
        >>> state = loader.state_dict()
        >>> again = weft.utils.data.DataLoader(range(6), batch_size=2)
        >>> again.load_state_dict(state)
        >>> next(iter(again))
        tensor([2, 3])
        """
        if self._position is None:
            return {"version": VERSION, "begun": False}
        return {"begun": True, **self._position.state(self)}

    def load_state_dict(self, state_dict):
        """Let the next iteration go on where `state_dict` says.

        >>> import weft
        >>> loader = weft.utils.data.DataLoader(range(6), batch_size=2, shuffle=True)
        >>> batches = iter(loader)
        >>> first, state = next(batches), loader.state_dict()
        >>> rest = list(batches)
        >>> loader.load_state_dict(state)
        >>> all(weft.equal(a, b) for a, b in zip(rest, loader, strict=True))
        True
        """
        if isinstance(state_dict, dict) and state_dict.get("begun") is False:
            self._resume = self._position = None
            return
        position = Position.from_state(self, state_dict)
        for generator, saved in zip(own_generators(self), state_dict["generators"]):
            generator.set_state(saved)
        self._resume = self._position = position


# what the arguments must be

def _checked_workers(num_workers, timeout, prefetch_factor, persistent_workers, workers):
    """The prefetch factor, if all that concerns workers is right."""
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to load in the main process.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError("prefetch_factor option could only be specified in multiprocessing. let num_workers > 0 to "
                         "enable multiprocessing, otherwise set prefetch_factor to None.")
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")
    if workers not in ("processes", "threads"):
        raise ValueError(f"workers should be 'processes' or 'threads', but got {workers!r}")
    return 2 if num_workers and prefetch_factor is None else prefetch_factor


def _check_stream(shuffle, sampler, batch_sampler):
    if shuffle not in (False, None):
        raise ValueError(f"DataLoader with IterableDataset: expected unspecified shuffle option, but got "
                         f"shuffle={shuffle}")
    for name, value in (("sampler", sampler), ("batch_sampler", batch_sampler)):
        if value is not None:
            raise ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                             f"{name}={value}")


def _checked_batches(batch_size, shuffle, sampler, batch_sampler, drop_last):
    """(batch_size, drop_last), if all that makes batches goes together."""
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
                             "drop_last")
        return None, False
    if batch_size is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
    return batch_size, drop_last


def _checked_context(context, num_workers):
    if context is None:
        return None
    import multiprocessing  # heavy, only with workers
    if num_workers == 0:
        raise ValueError("multiprocessing_context can only be used with multi-process loading (num_workers > 0), "
                         f"but got num_workers={num_workers}")
    if isinstance(context, str):
        methods = multiprocessing.get_all_start_methods()
        if context not in methods:
            raise ValueError(f"multiprocessing_context option should specify a valid start method in {methods!r}, "
                             f"but got multiprocessing_context={context!r}")
        context = multiprocessing.get_context(context)
    if not isinstance(context, multiprocessing.context.BaseContext):
        raise TypeError("multiprocessing_context option should be a valid context object or a string specifying the "
                        "start method, "
                        f"but got multiprocessing_context={context}")
    return context
