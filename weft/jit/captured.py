# compiled
"""`weft.jit.capture`: a step of a program that runs again and again is recorded once, and then followed.

The function's Python code runs on every call, so branches, prints, counters, hooks and changed constants act as they
always do. Its tensor ops are compared with what was recorded (`match`), and run together when a value is needed or the
function returns: no graph is built, no engine runs. What was never seen before is run as it is, and recorded.
"""
import functools
import threading

from weft.core.modes import ANOMALY, AUTOCAST, NUMERICS, SAVED_HOOKS, TAKE, WATCH
from weft.core.runtime import mode_bits
from weft.jit import path
from weft.jit.session import Session

PATHS = 32                      # how many branches a function may have before it runs as it is
ELSEWHERE = ANOMALY | AUTOCAST | NUMERICS | SAVED_HOOKS | TAKE | WATCH      # modes that want to see each op as it runs


class Capture:
    """A captured function; `explain()` tells what was recorded."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function, self.root = function, path.root()
        self.grown, self.calls, self.breaks = 0, 0, {}
        self.busy = threading.Lock()

    def __call__(self, *args, **kwargs):
        if mode_bits() & ELSEWHERE or not self.busy.acquire(blocking=False):
            return self.function(*args, **kwargs)
        try:
            self.calls += 1
            session = Session(self).start()
            try:
                return self.function(*args, **kwargs)
            finally:
                session.finish()
        finally:
            self.busy.release()

    def __get__(self, instance, owner):
        return self if instance is None else functools.partial(self, instance)

    def may_grow(self):
        """Whether one more path is recorded."""
        self.grown += 1
        return self.grown <= PATHS

    def broke(self, reason):
        """Note why a call, or the rest of it, ran as it is."""
        self.breaks[reason] = self.breaks.get(reason, 0) + 1

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

        def walk(event, n):
            n += 1 if event.op is not None else len(event.body.steps) if event.body is not None else 0
            following = [e for e in event.children if e.reason is None]
            if not following and event is not self.root:
                ends.append(n)
            for e in following:
                walk(e, n)
        walk(self.root, 0)
        ops = ", ".join(str(n) for n in ends) or "0"
        lines = [f"{self.function.__name__}: {self.calls} calls, {len(ends)} path{'s' * (len(ends) != 1)} of {ops} "
                 f"op{'s' * (ops != '1')}"]
        lines += [f"  {count} time{'s' * (count != 1)} as it is: {reason}" for reason, count in self.breaks.items()]
        return "\n".join(lines)


def capture(function):
    """Record what a function does with tensors, and follow that record from then on.

    Whole training steps (forward, `backward()`, `optimizer.step()`) and what runs without gradients gain most. The
    results are those of the function itself.

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
    return Capture(function)
