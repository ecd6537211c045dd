"""A sampler that gives each of several processes its own part of a dataset."""
import math

from weft.core.processes import processes
from weft.ops.random.generators import Generator
from weft.utils.data.sampler import Sampler, permutation

__all__ = ["DistributedSampler"]


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

    def __iter__(self):
        total = len(self.dataset)
        if self.shuffle:
            order = permutation(total, Generator().manual_seed(self.seed + self.epoch))
        else:
            order = list(range(total))
        if len(order) < self.total_size:
            order *= math.ceil(self.total_size / max(1, total))
        mine = order[self.rank:self.total_size:self.num_replicas]
        if len(mine) != self.num_samples:
            raise AssertionError(f"the dataset has {total} samples now, which is not what the DistributedSampler was "
                                 f"made for")
        return iter(mine)

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
        self.epoch = epoch
