"""Fetchers: from an index, or a list of them, to a batch. The same in the main process and in workers."""
from weft.tensor.tensor import Tensor
from weft.utils.data.collate import collate_tensor_fn, default_collate, default_collate_fn_map
from weft.utils.data.dataset import Subset, TensorDataset

MAP, ITERABLE = 0, 1


class _DatasetKind:
    """The two kinds of datasets."""

    Map, Iterable = MAP, ITERABLE

    @staticmethod
    def create_fetcher(kind, dataset, auto_collation, collate_fn, drop_last):
        return (MapFetcher if kind == MAP else IterableFetcher)(dataset, auto_collation, collate_fn, drop_last)


class Fetcher:
    """What both kinds have: `fetch(index)` gives a batch, `skip(index)` leaves one out."""

    def __init__(self, dataset, auto_collation, collate_fn, drop_last):
        self.dataset, self.auto_collation = dataset, auto_collation
        self.collate_fn, self.drop_last = collate_fn, drop_last


class MapFetcher(Fetcher):
    """Samples by index."""

    def fetch(self, index):
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
        """The next sample, or samples; StopIteration if there are none, or too few for a whole batch where that is
        asked for.
        """
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return next(self.samples)
        data = []
        for _ in index:
            try:
                data.append(next(self.samples))
            except StopIteration:
                self.ended = True
                break
        if not data or self.drop_last and len(data) < len(index):
            raise StopIteration
        return data

    def fetch(self, index):
        return self.collate_fn(self.take(index))

    def skip(self, index):
        """Take a batch and forget it."""
        self.take(index)
