"""What gives each of several processes its own part of a dataset or stream."""
import itertools
import math

from weft.core.processes import processes
from weft.ops.random.generators import Generator
from weft.utils.data.dataset import IterableDataset
from weft.utils.data.info import get_worker_info
from weft.utils.data.sampler import Sampler, permutation

__all__ = ["DistributedSampler", "ShardedIterableDataset"]


class DistributedSampler(Sampler):
    """Every `num_replicas`-th index from `rank` on, of an order that `seed` and the epoch fix; without both, those of
    the process group, alone all of them.

    All ranks get the same number: the order is repeated from its start, or cut with `drop_last`. Call `set_epoch`
    before each epoch.

    >>> import weft
    >>> list(weft.utils.data.DistributedSampler(range(4), num_replicas=2, rank=0, shuffle=False))
    [0, 2]
    """

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        num_replicas = processes.size if num_replicas is None else num_replicas
        rank = processes.rank if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        total = len(dataset)
        self.num_samples = total // num_replicas if drop_last else math.ceil(total / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed
        self._start = 0                     # how many of the order's indices the next iteration leaves out
        self._first, self._given = 0, 0     # ... the current one left out, and how many it has given here

    def __iter__(self):
        total, self._given = len(self.dataset), 0
        self._first, self._start = self._start, 0
        if math.ceil(total / self.num_replicas) != self.num_samples and not self.drop_last \
                or self.drop_last and total // self.num_replicas != self.num_samples:
            raise AssertionError(f"the dataset has {total} samples now, which is not what the DistributedSampler was "
                                 f"made for")
        if self.shuffle:
            order = permutation(total, Generator().manual_seed(self.seed + self.epoch))
        else:
            order = list(range(total))
        left = max(0, total - self._first)
        rounds = left // self.num_replicas if self.drop_last else math.ceil(left / self.num_replicas)
        end = self._first + rounds * self.num_replicas
        return self._counted([order[i % total] for i in range(self._first + self.rank, end, self.num_replicas)])

    def _counted(self, mine):
        for index in mine:
            self._given += 1
            yield index

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """Choose the epoch's order.

        >>> import weft
        >>> sampler = weft.utils.data.DistributedSampler(range(8), num_replicas=2, rank=0)
        >>> first = list(sampler)
        >>> sampler.set_epoch(1)
        >>> first == list(sampler)
        False
        """
        if epoch != self.epoch:
            self._start = self._first = self._given = 0
        self.epoch = epoch

    def state_dict(self):
        """Where all ranks are in the order, given that each has got as many as this one.

        >>> import weft
        >>> sampler = weft.utils.data.DistributedSampler(range(8), num_replicas=2, rank=0, shuffle=False)
        >>> indices = iter(sampler)
        >>> next(indices), next(indices), sampler.state_dict()["taken"]
        (0, 2, 4)
        """
        return {"taken": self._first + self._given * self.num_replicas, "epoch": self.epoch, "seed": self.seed,
                "samples": len(self.dataset)}

    def load_state_dict(self, state_dict):
        """Let the next iteration go on where a state of any rank says, of as many ranks or of another number: what was
        given is not given again, and all the rest is.

        >>> import weft
        >>> state = {"taken": 4, "epoch": 0, "seed": 0, "samples": 8}
        >>> sampler = weft.utils.data.DistributedSampler(range(8), num_replicas=4, rank=1, shuffle=False)
        >>> sampler.load_state_dict(state)
        >>> list(sampler)
        [5]
        """
        if state_dict["samples"] != len(self.dataset):
            raise ValueError(f"DistributedSampler: the state is of {state_dict['samples']} samples, the dataset has "
                             f"{len(self.dataset)}\n  fix: resume with the dataset that the state was saved with")
        self.epoch, self.seed, self._start = state_dict["epoch"], state_dict["seed"], state_dict["taken"]


class ShardedIterableDataset(IterableDataset):
    """A stream's samples dealt out in turn to the ranks of the process group (or to `num_replicas`, of which this is
    `rank`) and the loader's workers. All of them get the same number: of a last round that is not full they get samples
    of it again, or with drop_last none.

    >>> import weft
    >>> class Count(weft.utils.data.IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(5))
    >>> list(weft.utils.data.ShardedIterableDataset(Count(), num_replicas=2, rank=1))
    [1, 3, 4]
    """

    def __init__(self, dataset, num_replicas=None, rank=None, drop_last=False):
        self.dataset, self.drop_last = dataset, drop_last
        self.num_replicas = processes.size if num_replicas is None else num_replicas
        self.rank = processes.rank if rank is None else rank
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(f"Invalid rank {self.rank}, rank should be in the interval [0, {self.num_replicas - 1}]")
        self._start, self._taken = 0, 0         # samples of the stream that all shards together have left behind

    def _shard(self):
        """(this shard's number, how many there are)"""
        worker = get_worker_info()
        workers = 1 if worker is None else worker.num_workers
        return self.rank * workers + (0 if worker is None else worker.id), self.num_replicas * workers

    def __iter__(self):
        number, shards = self._shard()
        samples, self._taken, self._start = iter(self.dataset), self._start, 0
        for _ in itertools.islice(samples, self._taken):
            pass
        while True:
            turn = list(itertools.islice(samples, shards))
            if len(turn) < shards and (self.drop_last or not turn):
                return
            self._taken += len(turn)
            yield turn[number % len(turn)]

    def state_dict(self):
        """Where the shards are in the stream, given that each has got as many as this one.

        >>> import weft
        >>> class Count(weft.utils.data.IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(8))
        >>> data = weft.utils.data.ShardedIterableDataset(Count(), num_replicas=2, rank=0)
        >>> samples = iter(data)
        >>> next(samples), data.state_dict()
        (0, {'taken': 2, 'shards': 2})
        """
        return {"taken": self._taken, "shards": self._shard()[1]}

    def load_state_dict(self, state_dict):
        """Let the next iteration go on there; without workers also with another number of ranks.

        >>> import weft
        >>> class Count(weft.utils.data.IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(8))
        >>> data = weft.utils.data.ShardedIterableDataset(Count(), num_replicas=3, rank=0)
        >>> data.load_state_dict({"taken": 2, "shards": 2})
        >>> list(data)
        [2, 5]
        """
        shards = self._shard()[1]
        if shards not in (self.num_replicas, state_dict["shards"]):
            raise ValueError(f"ShardedIterableDataset: the state is of {state_dict['shards']} shards, here are {shards}"
                             ", and each worker has its own place\n  fix: resume with as many ranks and workers, or "
                             "save with num_workers=0")
        self._start = state_dict["taken"]
