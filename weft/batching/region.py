"""`autobatch`: the region, and what it says about itself."""
import contextlib
import functools
import gc
import time
from collections import Counter

from weft.batching.session import Session
from weft.core.seam import title_of


class Report:
    """What became of the ops of a region."""

    def __init__(self):
        self.sizes, self.ops, self.singles, self.reasons, self.reads = Counter(), Counter(), Counter(), {}, Counter()
        self.seconds = 0.0

    @contextlib.contextmanager
    def running(self):
        start = time.perf_counter()
        yield
        self.seconds += time.perf_counter() - start

    def batched(self, kind, n):
        self.sizes[n] += 1
        self.ops[kind.op] += n

    def failed(self, kind):
        self.reasons[kind.op] = "it failed as a batch"

    def alone(self, kind, n):
        self.sizes[1] += n
        self.singles[kind.op] += n
        self.reasons[kind.op] = kind.single

    def asked(self, how):
        self.reads[how] += 1

    @property
    def batched_share(self):
        """The part of all ops that ran together with others."""
        together = sum(self.ops.values())
        return together / max(1, together + sum(self.singles.values()))

    def __str__(self):
        return str((self.batched_share, self.sizes, {title_of(o): n for o, n in self.ops.items()}, {title_of(o): (n, self.reasons.get(o)) for o, n in self.singles.items()}, self.reads, self.seconds))


class autobatch:
    """Record ops."""

    def __init__(self):
        self._report, self._session = Report(), None

    def __enter__(self):
        self.collects = gc.get_threshold()
        if self.collects[0]:
            gc.set_threshold(max(self.collects[0], 200000), *self.collects[1:])
        self._session = Session(self._report).start()
        return self

    def __exit__(self, *exc):
        gc.set_threshold(*self.collects)
        self._session.stop()

    def report(self):
        return self._report

    def __call__(self, function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return inside
