"""torch.cuda.nvtx: marks for NVIDIA's profiler, which isn't there to see them."""
from contextlib import contextmanager


def _unseen(*args, **kwargs):
    """Nobody looks."""


range_push = range_pop = mark = range_start = range_end = _unseen


@contextmanager
def range(msg, *args, **kwargs):
    """A block with a name."""
    yield
