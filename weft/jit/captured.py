# compiled
"""`weft.compile`, `weft.jit.capture`: a step of a program that runs again and again is recorded once, then followed.

The function's Python code runs on every call, so branches, prints, counters, hooks and changed constants act as they
always do. Its tensor ops are compared with what was recorded (`match`), and run together when a value is needed or the
function returns: no graph is built, no engine runs, chains of ops are one pass over memory. What was never seen before
is run as it is, and recorded. Where all this doesn't pay, the function runs as it is.
"""
import functools
import sys
import threading
import time
import warnings
import weakref

from weft.core.dtype import default
from weft.core.errors import where
from weft.core.modes import ANOMALY, AUTOCAST, GRAD_OFF, NUMERICS, SAVED_HOOKS, TAKE, WATCH
from weft.core.place import here
from weft.core.runtime import mode_bits
from weft.jit import path, tree
from weft.jit.replay import Refused, Replay, TooEarly
from weft.jit.session import FOLLOWING, Session

PATHS = 8                       # how many branches a function may have before what is new runs as it is
VARIANTS = 24                   # and for how many more sizes or constants of the same ops
STALE = 1000                    # a branch that was not used for so many calls makes room for another one
AT_ONCE = 4                     # of which so many are recorded when they are first seen, others when they come again
IN_PASSING = 100                # so many calls in a row that no path was made for are timed as those that are followed
LINES = 8                       # how many lines of the program explain() tells for each of its reasons
PARTED, VARIED = "another op", "another size or constant"
SIGHTINGS = 512                 # how many sizes or constants that were seen once are remembered
ELSEWHERE = ANOMALY | AUTOCAST | NUMERICS | SAVED_HOOKS | TAKE | WATCH      # modes that want to see each op as it runs


CAPTURES = weakref.WeakSet()    # all that there are, for `weft jit show`


class Gauge:
    """Finds out whether following pays: a few calls of either kind are timed, and the better of each compared. leaves:
    graphs leave the function, so what is timed is from one call to the next, with the backward in between.
    """

    TIMES = 4
    WORSE = 1.05        # so much more time than the function itself is too much

    def __init__(self):
        self.followed, self.plain, self.leaves = [], [], False

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
    itself off, for calls with and without gradients each.
    """

    def __init__(self, function, replay=False, measure=False, memory_budget=None):
        functools.update_wrapper(self, function)
        if not hasattr(self, "__name__"):       # a partial, or an object that can be called
            self.__name__ = getattr(getattr(function, "func", None), "__name__", type(function).__name__)
        self.function, self.replay, self.measure = function, replay, measure and not replay
        self.memory_budget = memory_budget
        self.busy = threading.Lock()
        self.forget()
        CAPTURES.add(self)

    def forget(self):
        """Begin anew: nothing is recorded, nothing is known of what pays."""
        self.root, self.default = path.root(), default.dtype
        self.roots = {self.default: self.root}      # what `int / int` gives is another type where the default is
        self.calls, self.elsewhere, self.breaks, self.off = 0, 0, {}, {}
        self.lines = {}             # what explain() tells -> {(code, offset): [Place, how often]}
        self.structures, self.variants, self.full = set(), 0, False
        self.n_planned = 0          # how many plans were made so far
        self.passed = 0             # how many calls in a row had sizes, constants or ops that no path was made for
        self.given_up, self.room_at = 0, 0      # branches that made room; the call before which none can
        self.sighted = set()        # sizes and constants that were seen once
        self.replays, self.replayed = [] if self.replay else None, 0
        self.made_inside = {}       # the end of a path -> tensors that it may have made of numbers, by their numbers
        self.gauges = {0: Gauge(), GRAD_OFF: Gauge()} if self.measure else {}
        self.running = None         # (a gauge's times, when a call began): it is timed until the next one begins

    def __call__(self, *args, **kwargs):
        bits = mode_bits()
        if bits & ELSEWHERE:
            self.elsewhere += 1
            return self.function(*args, **kwargs)
        if bits & GRAD_OFF in self.off or not self.busy.acquire(blocking=False):
            return self.function(*args, **kwargs)
        try:
            self.calls += 1
            if default.dtype is not self.default:
                self.default = default.dtype
                self.root = self.roots.setdefault(self.default, path.root())
                self.replays = [] if self.replay else None
            if self.replays is not None:
                for known in self.replays:
                    if known.fits((args, kwargs), bits):
                        self.replayed += 1
                        return known((args, kwargs))
            gauge = self.gauges.get(bits & GRAD_OFF)
            if self.running is not None:
                times, began = self.running
                times.append(time.perf_counter() - began)
                self.running = None
                if gauge is not None and self.judged(gauge, bits & GRAD_OFF):
                    return self.function(*args, **kwargs)
            if gauge is not None and gauge.wants_plain():
                return self.timed_plain(args, kwargs, gauge, bits & GRAD_OFF)
            return self.followed(args, kwargs, bits, gauge)
        finally:
            self.busy.release()

    def followed(self, args, kwargs, bits, gauge):
        """A call that is followed or recorded."""
        began, planned = 0 if gauge is None else time.perf_counter(), self.n_planned
        session = Session(self).start()
        try:
            result = self.function(*args, **kwargs)
        finally:
            known, recorded = session.state is FOLLOWING, session.recorder is not None
            session.finish()
        self.passed = self.passed + 1 if session.passing else 0
        if self.passed == IN_PASSING and self.measure:
            gauge = self.gauges[bits & GRAD_OFF] = Gauge()      # anew, for these
        if recorded or session.run.done is self.root and self.passed <= IN_PASSING:
            return result
        if gauge is not None and self.n_planned == planned and (not session.passing or self.passed > IN_PASSING):
            gauge.leaves = session.left             # making a plan, or a path, is no part of what a call takes
            self.timed(gauge, gauge.followed, began)
        if known and self.replays:
            self.replays = [one for one in self.replays if not one.is_outdated()]
        if known and self.replays is not None and len(self.replays) < PATHS and not session.left:
            self.keep_replay(session, bits, (args, kwargs), result)
        return result

    def timed(self, gauge, times, began):
        """Note how long a call took, or will have taken when the next one begins."""
        if gauge.leaves:
            self.running = times, began
        else:
            times.append(time.perf_counter() - began)

    def timed_plain(self, args, kwargs, gauge, mode):
        """A call as it is, for comparison."""
        began = time.perf_counter()
        result = self.function(*args, **kwargs)
        self.timed(gauge, gauge.plain, began)
        self.judged(gauge, mode)
        return result

    def judged(self, gauge, mode):
        """Whether calls of this mode run as they are from now on: enough of them were timed, and it doesn't pay."""
        if not gauge.is_done():
            return False
        del self.gauges[mode]
        verdict = gauge.verdict()
        if verdict is not None:
            self.off[mode] = verdict
        return verdict is not None

    def keep_replay(self, session, bits, given, result):
        """From now on run this path without the function's code, if that can be."""
        run, fresh = session.run, {id(t) for t in session.fresh}
        session.fresh = []
        try:
            if run.constants is None:
                raise Refused("a value is read in the middle")
            if session.drew:
                raise Refused("it sets or reads the state of a random generator")
            before = self.made_inside.pop(run.at, None)
            self.replays.append(Replay(run, bits, given, result, fresh, before, self.memory_budget))
        except TooEarly as what:
            self.made_inside[run.at] = what.made
        except Refused as why:
            self.replays = None
            self.broke(f"not replayed: {why}")

    def __get__(self, instance, owner):
        return self if instance is None else functools.partial(self, instance)

    def __reduce__(self):
        found, name = sys.modules.get(getattr(self, "__module__", None)), getattr(self, "__qualname__", "")
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is self:
            return name             # a decorated function of a module: as functions are, by its name
        return Capture, (self.function, self.replay, self.measure, self.memory_budget)

    @property
    def _torchdynamo_orig_callable(self):
        return self.function

    def why_not_grow(self, at, op, values, bits):
        """Why what differs from the paths after the event `at` is not recorded; None if it is. The same op with other
        sizes or constants is a variant; after the first few, one is recorded when it is seen for the second time.
        """
        alike = op is not None and any([event.op is op and event.bits == bits for event in at.children])
        if alike and self.variants >= AT_ONCE and self.replays is None and not self.was_seen(at, op, values):
            return "sizes or constants that were seen for the first time"
        if (self.variants >= VARIANTS if alike else len(self.structures) >= PATHS) and not self.makes_room(at):
            if not self.full:
                self.full = True
                warnings.warn(f"{self.__name__} has gone {len(self.structures)} different ways, with {self.variants} "
                              f"other sizes or constants: those are followed, others run as they are; its explain() "
                              f"tells more", stacklevel=2)
            return "too many paths"
        self.noted(VARIED if alike else PARTED)
        return None

    def was_seen(self, at, op, values):
        """Whether these sizes and constants come for the second time."""
        seen = (id(at), id(op), path.outline(values))
        if seen in self.sighted:
            self.sighted.discard(seen)
            return True
        if len(self.sighted) >= SIGHTINGS:
            self.sighted.clear()
        self.sighted.add(seen)
        return False

    def makes_room(self, at):
        """Whether a branch that was not used for long, with all its plans, could be given up; not the one of `at`."""
        if self.calls < self.room_at:
            return False
        at.used = self.calls
        found = tree.stalest(self.roots.values())
        if found is None or found[2] + STALE > self.calls:
            self.room_at = self.calls + STALE if found is None else found[2] + STALE
            return False
        before, branch, _ = found
        before.children.remove(branch)
        self.given_up += 1
        self.structures, self.variants = tree.count(self.roots.values())
        return True

    def has_grown(self, at):
        """A path was recorded up to the event `at`."""
        structure = path.structure(at)
        if structure in self.structures:
            self.variants += 1
        else:
            self.structures.add(structure)

    def broke(self, reason):
        """Note why a call, or the rest of it, ran as it is."""
        self.breaks[reason] = self.breaks.get(reason, 0) + 1
        self.noted(reason)

    def noted(self, what):
        """Remember the user's line that is running now."""
        lines, place = self.lines.setdefault(what, {}), here()
        key = place.code, place.lasti
        if key in lines:
            lines[key][1] += 1
        elif len(lines) < LINES:
            lines[key] = [place, 1]

    def lines_of(self, what):
        """The lines of the program that something was noted at, as text."""
        lines = [(where(place), count) for place, count in self.lines.get(what, {}).values()]
        return [f"      in {line}" + (f" ({count} times)" if len(lines) > 1 and count > 1 else "")
                for line, count in lines if line]

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
        """What was recorded, as text: paths, ops, where they part, and why calls ran as they are, with the lines.

        >>> import weft
        >>> @weft.jit.capture
        ... def double(x):
        ...     return x * 2
        >>> for _ in range(3):
        ...     y = double(weft.ones(2))
        >>> print(double.explain())
        double: 3 calls, 1 path of 1 op, 1 plan of 1 step
        """
        ends, structures = [], set()
        for event in tree.ends([self.root]):
            structure = path.structure(event)
            if structure not in structures:
                ends.append(path.n_ops(event))
            structures.add(structure)
        ops = ", ".join(str(n) for n in ends) or "0"
        owner = getattr(self.function, "__self__", None)
        name = f"{type(owner).__name__}.{self.__name__}" if hasattr(owner, "forward") else self.__name__
        lines = [", ".join(filter(None, [
            f"{name}: {self.calls} calls", f"{len(ends)} path{'s' * (len(ends) != 1)} of {ops} op{'s' * (ops != '1')}",
            tree.plans_text(self.roots.values(), self.replays)]))]
        if len(ends) > 1 and self.lines_of(PARTED):
            lines += ["  they part", *self.lines_of(PARTED)]
        if self.variants:
            lines.append(f"  and the same ops for {self.variants} other size{'s' * (self.variants != 1)} or constants")
            lines += self.lines_of(VARIED)
        if self.given_up:
            lines.append(f"  {self.given_up} not used for {STALE} calls made room for others")
        if self.replayed:
            lines.append(f"  {self.replayed} times without the function's code")
        if self.elsewhere:
            lines.append(f"  {self.elsewhere} times as a part of another captured function, or while "
                         f"somebody looked on")
        for mode, verdict in self.off.items():
            lines.append(f"  turned off {'without' if mode else 'with'} gradients: {verdict}")
        for reason, count in self.breaks.items():
            lines += [f"  {count} time{'s' * (count != 1)} as it is: {reason}", *self.lines_of(reason)]
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
