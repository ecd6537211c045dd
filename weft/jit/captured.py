# compiled
"""`weft.compile`, `weft.jit.capture`: a step of a program that runs again and again is recorded once, then followed.

The function's Python code runs on every call, so branches, prints, counters, hooks and changed constants act as they
always do. Its tensor ops are compared with what was recorded (`match`), and run together when a value is needed or the
function returns: no graph is built, no engine runs, chains of ops are one pass over memory. What was never seen before
is run as it is, and recorded. Where all this doesn't pay, the function runs as it is.
"""
import functools
import threading
import time
import warnings
import weakref

from weft.core.modes import ANOMALY, AUTOCAST, GRAD_OFF, NUMERICS, SAVED_HOOKS, TAKE, WATCH
from weft.core.runtime import mode_bits
from weft.jit import path
from weft.jit.replay import Refused, Replay
from weft.jit.session import FOLLOWING, Session

PATHS = 8                       # how many branches a function may have before what is new runs as it is
ELSEWHERE = ANOMALY | AUTOCAST | NUMERICS | SAVED_HOOKS | TAKE | WATCH      # modes that want to see each op as it runs


CAPTURES = weakref.WeakSet()    # all that there are, for `weft jit show`


class Gauge:
    """Finds out whether following pays: a few calls of either kind are timed, and the better of each compared."""

    TIMES = 4
    WORSE = 1.05        # so much more time than the function itself is too much

    def __init__(self):
        self.followed, self.plain = [], []

    def wants_plain(self):
        """Whether the next call should run as it is."""
        return len(self.plain) < len(self.followed) - 1

    def is_done(self):
        return len(self.plain) >= self.TIMES

    def verdict(self):
        """Why the function is better off without, or None."""
        followed, plain = min(self.followed), min(self.plain)
        if followed <= plain * self.WORSE:
            return None
        return f"it doesn't pay: {followed * 1e6:.0f} us a call, {plain * 1e6:.0f} us as it is"


class Capture:
    """A captured function; `explain()` tells what was recorded. replay: see `compile`; measure: whether it may turn
    itself off; inference: only calls without gradients are captured.
    """

    def __init__(self, function, replay=False, measure=False, inference=False, memory_budget=None):
        functools.update_wrapper(self, function)
        if not hasattr(self, "__name__"):       # a partial, or an object that can be called
            self.__name__ = getattr(getattr(function, "func", None), "__name__", type(function).__name__)
        self.function, self.root, self.inference = function, path.root(), inference
        self.grown, self.calls, self.breaks, self.off = 0, 0, {}, None
        self.replays, self.replayed = [] if replay else None, 0
        self.gauge = Gauge() if measure and not replay else None
        self.memory_budget = memory_budget
        self.busy = threading.Lock()
        CAPTURES.add(self)

    def __call__(self, *args, **kwargs):
        bits = mode_bits()
        if self.off is not None or bits & ELSEWHERE or self.inference and not bits & GRAD_OFF \
                or not self.busy.acquire(blocking=False):
            return self.function(*args, **kwargs)
        try:
            self.calls += 1
            if self.replays is not None:
                for known in self.replays:
                    if known.fits((args, kwargs), bits):
                        self.replayed += 1
                        return known((args, kwargs))
            if self.gauge is not None and self.gauge.wants_plain():
                return self.timed_plain(args, kwargs)
            return self.followed(args, kwargs, bits)
        finally:
            self.busy.release()

    def followed(self, args, kwargs, bits):
        """A call that is followed or recorded."""
        began = 0 if self.gauge is None else time.perf_counter()
        session = Session(self).start()
        try:
            result = self.function(*args, **kwargs)
        finally:
            known = session.state is FOLLOWING
            session.finish()
        if not known or session.run.done is self.root:
            return result
        if self.gauge is not None and not self.gauge.is_done():
            self.gauge.followed.append(time.perf_counter() - began)
        if self.replays is not None and len(self.replays) < PATHS:
            self.keep_replay(session.run, bits, (args, kwargs), result)
        return result

    def timed_plain(self, args, kwargs):
        """A call as it is, for comparison."""
        began = time.perf_counter()
        result = self.function(*args, **kwargs)
        self.gauge.plain.append(time.perf_counter() - began)
        if self.gauge.is_done():
            self.off = self.gauge.verdict()
            self.gauge = None
        return result

    def keep_replay(self, run, bits, given, result):
        """From now on run this path without the function's code, if that can be."""
        try:
            if run.constants is None:
                raise Refused("a value is read in the middle")
            self.replays.append(Replay(run, bits, given, result, self.memory_budget))
        except Refused as why:
            self.replays = None
            self.broke(f"not replayed: {why}")

    def __get__(self, instance, owner):
        return self if instance is None else functools.partial(self, instance)

    def __reduce__(self):
        return Capture, (self.function, self.replays is not None, self.gauge is not None, self.inference,
                         self.memory_budget)

    def may_grow(self):
        """Whether one more path is recorded."""
        self.grown += 1
        if self.grown == PATHS + 1:
            warnings.warn(f"{self.__name__} has gone {PATHS} different ways (shapes, branches, constants): those are "
                          f"followed, others run as they are; its explain() tells more", stacklevel=2)
        return self.grown <= PATHS

    def broke(self, reason):
        """Note why a call, or the rest of it, ran as it is."""
        self.breaks[reason] = self.breaks.get(reason, 0) + 1

    def plans(self):
        """The plans that run in the function's place, the latest of each path last; `stages` of a plan are the graph as
        it was recorded and after each pass.

        >>> import weft
        >>> @weft.jit.capture
        ... def double(x):
        ...     return (x * 2).exp()
        >>> for _ in range(3):
        ...     y = double(weft.ones(2))
        >>> [(name, len(graph.steps)) for name, graph in double.plans()[-1].stages if name in ("recorded", "fused")]
        [('recorded', 2), ('fused', 1)]
        """
        found = []
        waiting = [self.root]
        while waiting:
            event = waiting.pop()
            if event.plans:
                found += event.plans.values()
            waiting += event.children
        return found + [one.plan for one in self.replays or ()]

    def graphs(self):
        """The static graphs that run in the function's place, the latest of each path last."""
        return [plan.graph for plan in self.plans()]

    def explain(self):
        """What was recorded, as text: paths, ops, and why calls ran as they are.

        >>> import weft
        >>> @weft.jit.capture
        ... def double(x):
        ...     return x * 2
        >>> for _ in range(3):
        ...     y = double(weft.ones(2))
        >>> print(double.explain())
        double: 3 calls, 1 path of 1 op
        """
        ends = []
        waiting = [(self.root, 0)]
        while waiting:
            event, n = waiting.pop()
            n += 1 if event.op is not None else len(event.body.steps) if event.body is not None else 0
            following = [e for e in event.children if e.reason is None]
            if not following and event is not self.root:
                ends.append(n)
            waiting += [(e, n) for e in reversed(following)]
        ops = ", ".join(str(n) for n in ends) or "0"
        lines = [f"{self.__name__}: {self.calls} calls, {len(ends)} path{'s' * (len(ends) != 1)} of {ops} "
                 f"op{'s' * (ops != '1')}"]
        if self.replayed:
            lines.append(f"  {self.replayed} times without the function's code")
        if self.off is not None:
            lines.append(f"  turned off: {self.off}")
        lines += [f"  {count} time{'s' * (count != 1)} as it is: {reason}" for reason, count in self.breaks.items()]
        return "\n".join(lines)


def checked_budget(budget):
    """A memory budget: None, a number of bytes, or a fraction of what the values would take without one."""
    if budget is None or type(budget) is int and budget >= 0 or type(budget) is float and 0 <= budget <= 1:
        return budget
    raise ValueError(f"memory_budget is a number of bytes or a fraction between 0.0 and 1.0, got {budget!r}")


def capture(function, *, replay=False, memory_budget=None):
    """Record what a function does with tensors, and follow that record from then on.

    Whole training steps (forward, `backward()`, `optimizer.step()`) and what runs without gradients gain most. The
    results are those of the function itself. `weft.compile` is this, and turns itself off where it doesn't pay.

    memory_budget: how many bytes the values inside may take at a time, or a fraction of what they would take. Cheap
    ones (activations, norms, elementwise ops) are then made again in the backward instead of being kept, as far as that
    helps.

    >>> import weft
    >>> model = weft.nn.Linear(2, 1)
    >>> optimizer = weft.optim.SGD(model.parameters(), lr=0.1)
    >>> @weft.jit.capture
    ... def step(x, y):
    ...     optimizer.zero_grad()
    ...     loss = ((model(x) - y) ** 2).mean()
    ...     loss.backward()
    ...     optimizer.step()
    ...     return loss
    >>> losses = [step(weft.ones(4, 2), weft.zeros(4, 1)).item() for _ in range(20)]
    >>> losses[-1] < losses[0]
    True
    """
    if not callable(function):
        raise TypeError(f"capture() takes a function, not a {type(function).__name__}")
    return Capture(function, replay, memory_budget=checked_budget(memory_budget))
