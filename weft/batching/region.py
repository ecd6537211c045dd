"""`autobatch`: a region in which programs for one example at a time run as batches."""
import functools
import gc
import threading
import time

from weft.autograd.graph import next_seq
from weft.batching.report import Report, Trial
from weft.batching.session import Session
from weft.core.modes import local
from weft.core.place import here
from weft.core.settings import are_deterministic_algorithms_enabled

COLLECT = 200000        # objects that the garbage collector lets pass inside: recorded graphs are no garbage
MOST_PLACES = 1000
TRIALS = {}             # where a region stands -> (its Trial, its Report)


class _Collector:
    """The garbage collector, which lets more pass while any thread is inside a region."""

    def __init__(self):
        self.inside, self.lock, self.threshold = 0, threading.Lock(), None

    def calm(self):
        with self.lock:
            self.inside += 1
            if self.inside == 1:
                self.threshold = gc.get_threshold()
                if self.threshold[0]:
                    gc.set_threshold(max(self.threshold[0], COLLECT), *self.threshold[1:])

    def back(self):
        with self.lock:
            self.inside -= 1
            if self.inside == 0:
                gc.set_threshold(*self.threshold)


_COLLECTOR = _Collector()


class _Runs(threading.local):
    """The runs of a region that a thread is in, the innermost last."""

    def __init__(self):
        self.stack = []


class autobatch:
    """Ops inside are recorded, and run when a value is needed, alike ones of all examples together.

    A context manager and a decorator. What needs values (`backward`, `item`, printing, a branch, the end of the region)
    runs what they depend on: ops of one kind, on tensors of the same shapes and with the same shared parameters, as one
    op on a batch, forward and backward. Everything else runs as it would have. Losses and gradients are those of the
    plain loop, but for rounding.

    Unless `always=True`, the first five runs of a region are tried with and without, and it stands aside where it makes
    the program more than 3 % slower; with `use_deterministic_algorithms(True)` it never does, since the choice depends
    on time.

    >>> import weft
    >>> from weft import nn
    >>> cell, out = nn.LSTMCell(4, 8), nn.Linear(8, 2)
    >>> def loss_of(sentence):
    ...     state = weft.zeros(1, 8), weft.zeros(1, 8)
    ...     for word in sentence:
    ...         state = cell(word, state)
    ...     return nn.functional.cross_entropy(out(state[0]), weft.tensor([1]))
    >>> texts = [weft.randn(n, 1, 4) for n in (3, 5, 2, 4)]
    >>> with weft.autobatch() as region:
    ...     loss = sum(loss_of(text) for text in texts)
    ...     loss.backward()
    >>> out.weight.grad.shape
    torch.Size([2, 8])
    >>> region.report().batched_share > 0.5
    True
    """

    def __init__(self, function=None, *, always=False):
        self.always, self._runs, self._last, self._own = always, _Runs(), None, None

    def __new__(cls, function=None, *, always=False):
        return super().__new__(cls) if function is None else cls(always=always)(function)

    def __enter__(self):
        place = here()
        trial, report = self._own or _known(place)
        self._last = report
        inside = local.taker is None and (self.always or are_deterministic_algorithms_enabled() or trial.wants())
        session = Session(report) if inside else None
        self._runs.stack.append((session, trial, report, next_seq(), time.thread_time()))
        if session is not None:
            _COLLECTOR.calm()
            session.start()
        return self

    def __exit__(self, kind, error, trace):
        session, trial, report, seq, start = self._runs.stack.pop()
        ops = next_seq() - seq - 1
        if session is not None:
            try:
                session.stop(error is not None)
            finally:
                _COLLECTOR.back()       # after what the session lets go of, which it would look through otherwise
            ops = session.graph_ops
        if error is None and (session is not None or local.taker is None):
            trial.ran(session is not None, time.thread_time() - start, ops, report)

    def __call__(self, function):
        region = autobatch(always=self.always)
        region._own = Trial(), Report()

        @functools.wraps(function)
        def inside(*args, **kwargs):
            with region:
                return function(*args, **kwargs)
        inside.report = lambda: region._own[1]
        return inside

    def report(self):
        """What the region at this place has done so far, in all its runs: a `Report`, to be printed.

        >>> import weft
        >>> w = weft.ones(2, requires_grad=True)
        >>> with weft.autobatch(always=True) as region:
        ...     sum((w * k).exp().sum() for k in (1., 1.)).backward()
        >>> print(region.report())
        autobatch: 6 ops ran as 3 groups, 2 by themselves
        ...
        """
        if self._last is None:
            self._last = Report()
        return self._last

    @property
    def _session(self):
        return self._runs.stack[-1][0]


def _known(place):
    """The Trial and the Report of the region that stands at a place of the program."""
    key = (place.code, place.lasti)
    found = TRIALS.get(key)
    if found is None:
        if len(TRIALS) > MOST_PLACES:
            TRIALS.clear()
        found = TRIALS[key] = (Trial(), Report())
    return found
