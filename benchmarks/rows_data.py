"""Loading data: an epoch, with nothing done to the batches."""
import numpy as np
from rows import Row

PICTURES, BATCH = 4096, 64


def epoch(loader):
    """One walk; gives the first and the last batch."""
    first = last = None
    for last in loader:
        first = last if first is None else first
    return [*first, *last]


def tensors(shuffle):
    def make(T):
        pictures, labels = np.random.default_rng(0).random((PICTURES, 784), np.float32), np.arange(PICTURES) % 10
        data = T.utils.data.TensorDataset(T.tensor(pictures), T.tensor(labels))
        loader = T.utils.data.DataLoader(data, batch_size=BATCH, shuffle=shuffle,
                                         generator=T.Generator().manual_seed(0))

        def run():
            loader.generator.manual_seed(0)
            return epoch(loader)
        return run
    return make


class Pictures:
    """A map-style dataset of arrays."""

    def __init__(self):
        self.pictures = np.random.default_rng(0).random((PICTURES, 3, 32, 32), np.float32)

    def __len__(self):
        return PICTURES

    def __getitem__(self, i):
        return self.pictures[i], i % 10


def pictures(shuffle, **options):
    def make(T):
        loader = T.utils.data.DataLoader(Pictures(), batch_size=BATCH, shuffle=shuffle, num_workers=2,
                                         generator=T.Generator(), **options)

        def run():
            loader.generator.manual_seed(0)
            return epoch(loader)
        return run
    return make


ROWS = [
    Row("TensorDataset, batches of 64, an epoch of 4096", tensors(False), goal=1.0, group="data"),
    Row("TensorDataset, shuffled", tensors(True), goal=1.0, group="data"),
    Row("3x32x32 arrays, 2 worker processes, an epoch of 4096", pictures(False), goal=1.0, group="data"),
    Row("3x32x32 arrays, 2 worker processes, shuffled", pictures(True), goal=1.0, group="data"),
    Row("3x32x32 arrays, 2 workers that stay", pictures(True, persistent_workers=True), goal=1.0, group="data"),
]
