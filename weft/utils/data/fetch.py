"""Fetchers: from an index, or a list of them, to a batch. The same in the main process and in workers."""
from weft.tensor.tensor import Tensor
from weft.utils.data.collate import collate_tensor_fn, default_collate, default_collate_fn_map
from weft.utils.data.dataset import Subset, TensorDataset
from weft.utils.data.errors import stopped

MAP, ITERABLE = 0, 1


class Ended(Exception):
    """A stream has no more batches. Not StopIteration, which may just as well come from a fault in the user's code."""


class _DatasetKind:
    """The two kinds of datasets."""

    Map, Iterable = MAP, ITERABLE

    @staticmethod
    def create_fetcher(kind, dataset, auto_collation, collate_fn, drop_last):
        return (MapFetcher if kind == MAP else IterableFetcher)(dataset, auto_collation, collate_fn, drop_last)


class Fetcher:
    """What both kinds have: `fetch(index)` gives a batch or raises Ended, `skip(index)` leaves one out. A StopIteration
    of the user's code is an error: let through, it would end the epoch as if there were no more data.
    """

    def __init__(self, dataset, auto_collation, collate_fn, drop_last):
        self.dataset, self.auto_collation = dataset, auto_collation
        self.collate_fn, self.drop_last = collate_fn, drop_last


    def fetch(self, index):
        """The batch of an index, or of a list of them."""
        try:
            return self.batch(index)
        except StopIteration as error:
            raise stopped(error) from error


class MapFetcher(Fetcher):
    """Samples by index."""

    def batch(self, index):
        """One batch, as the user's code makes it."""
        dataset = self.dataset
        if not self.auto_collation:
            return self.collate_fn(dataset[index])
        if self.collate_fn is default_collate and default_collate_fn_map.get(Tensor) is collate_tensor_fn:
            # the batch without its samples
            made = dataset._collated(index) if isinstance(dataset, (TensorDataset, Subset)) else None
            if made is not None:
                return made
        if getattr(dataset, "__getitems__", None):
            return self.collate_fn(dataset.__getitems__(index))
        return self.collate_fn([dataset[i] for i in index])

    def skip(self, index):
        """Nothing to do: an index not asked for costs nothing."""


class IterableFetcher(Fetcher):
    """The next samples of a stream."""

    def __init__(self, *args):
        super().__init__(*args)
        self.samples, self.ended = iter(self.dataset), False

    def take(self, index):
        """The next sample, or samples; Ended if there are none, or too few for a whole batch where that is asked for.
        """
        data = []
        if not self.ended:
            for _ in index if self.auto_collation else (None,):
                try:
                    data.append(next(self.samples))
                except StopIteration:
                    self.ended = True
                    break
        if not data or self.auto_collation and self.drop_last and len(data) < len(index):
            raise Ended
        return data if self.auto_collation else data[0]

    def batch(self, index):
        """One batch, as the user's code makes it."""
        return self.collate_fn(self.take(index))

    def skip(self, index):
        """Take a batch and forget it; of a stream that is shorter than it was, nothing is left then."""
        try:
            self.take(index)
        except Ended:
            self.ended = True
