"""`weft.viz.watch`: looks on while a program trains, and fills a run with what it sees.

A step ends when the program calls run.log(), or else when an optimizer has stepped, or else when a forward begins after
a backward. What runs with grad mode off (initialisation, updates by hand, evaluation) is not part of its graph.
"""
import time

from weft.core.modes import GRAD_OFF, local
from weft.core.runtime import mode_bits
from weft.core.seam import Watcher
from weft.optim import optimizer
from weft.viz.record import record
from weft.viz.run import KEEP, Run

ACTIVE = []         # runs that are being recorded, the innermost last
# seconds, and then the share of the time, that recording may take when the choice of steps is left to us
FIRST, SHARE = 1.0, 0.25


def log(step=None, **values):
    """Log numbers into the run that is being recorded, if there is one.

    >>> import weft
    >>> with weft.viz.watch() as run:
    ...     weft.viz.log(step=0, loss=0.5)
    >>> run.to_dict()["metrics"][0]["values"]
    {'loss': 0.5}
    """
    if ACTIVE:
        ACTIVE[-1].run.log(step, **values)


class watch:
    """Records the graphs, metrics and memory of what trains inside `with`; gives the run.

    model: named in the title, if given. every: record each such step (None: as often as costs little).
    keep: how many graphs at most. values, gradients: with statistics and histograms. live: serve the page meanwhile.

    >>> import weft
    >>> net = weft.nn.Linear(2, 1)
    >>> optimizer = weft.optim.SGD(net.parameters(), lr=0.1)
    >>> with weft.viz.watch(net) as run:
    ...     for n in range(2):
    ...         loss = net(weft.ones(4, 2)).sum()
    ...         optimizer.zero_grad()
    ...         loss.backward()
    ...         optimizer.step()
    ...         run.log(loss=loss)
    >>> len(run.to_dict()["metrics"])
    2
    """

    def __init__(self, model=None, every=1, *, title=None, keep=KEEP, values=True, gradients=True, live=False,
                 browser=True):
        if every is not None and (isinstance(every, bool) or not isinstance(every, int) or every < 1):
            raise ValueError(f"watch(): every is a number of steps, at least 1, not {every!r}\n  fix: every=10 records "
                             f"each tenth step")
        if model is not None and not callable(getattr(model, "parameters", None)):
            raise TypeError(f"watch(): model is a Module or None, not {type(model).__name__}\n  fix: watch(net, "
                            f"every=10), or watch(every=10)")
        name = type(model).__name__ if model is not None else "run"
        self.every, self.live, self.browser, self.server = every, live, browser, None
        self.run = Run(title or name, keep)
        self.recorder = Recorder(self, values, gradients)
        self.outer = None

    def __enter__(self):
        if ACTIVE:                  # such as `weft view` around a program that watches by itself: one run for both
            self.outer = ACTIVE[-1].run
            return self.outer
        if self.live:
            from weft.viz.server import Server  # heavy, only for the live page
            self.server = Server(self.run).start()
            self.server.announce(self.browser)
        ACTIVE.append(self)
        self.run.on_log = self.recorder.logged
        self.recorder.begin()
        return self.run

    def __exit__(self, kind, error, trace):
        if self.outer is not None:
            return
        ACTIVE.remove(self)
        self.run.on_log = None
        self.recorder.finish(error if isinstance(error, Exception) else None, trace)
        self.run.end(describe(error))


def describe(error):
    """The text of what ended a run, None for a normal end."""
    if (error is None or isinstance(error, KeyboardInterrupt) or isinstance(error, SystemExit)
        and error.code in (None, 0)):
        return None
    if isinstance(error, SystemExit):
        return f"the program ended itself: {error.code if isinstance(error.code, str) else f'exit code {error.code}'}"
    return f"{type(error).__name__}: {error}"


class Recorder(record):
    """Records one step after the other, or leaves steps out."""

    def __init__(self, owner, values, gradients):
        super().__init__(owner.run.title, values=values, gradients=gradients)
        self.run, self.every = owner.run, owner.every
        self.by = "backward"        # what ends a step: later "optimizer", then "log"
        self.count = 0              # steps so far
        self.skipping = self.watching = False
        self.went_back = self.stepped = False       # a backward has begun, an optimizer has stepped in this step;
        self.ever = self.optimizer_seen = False     # at all
        self.last = ()              # what the last op gave
        self.start_time = 0.0

    def begin(self):
        self.hooks = [optimizer.register_optimizer_step_pre_hook(self._pause),
                      optimizer.register_optimizer_step_post_hook(self._stepped)]
        self.start_time = time.perf_counter()
        self.go()

    def go(self):
        if not self.watching:
            Watcher.start(self)
            self.watching = True

    def halt(self):
        if self.watching:
            Watcher.stop(self)
            self.watching = False

    # what ends a step

    def logged(self):
        """log() was called: it ends the step that has run; if that was ended already, it belongs to it."""
        first, self.by = self.by != "log", "log"
        unseen = not self.watching and not self.optimizer_seen        # then only log() can tell that a step is over
        if self.went_back or self.stepped or unseen or not self.ever and self.nodes:
            self.close_step()
        elif first:
            self.reset()            # what ran between the step's end and log() is not the next step's

    def _stepped(self, *_):
        self.pauses = 0
        self.stepped = self.optimizer_seen = self.ever = True
        if self.by == "backward":
            self.by = "optimizer"
        if self.by == "optimizer":
            self.close_step()

    def before(self, op, values):
        if self._outside():
            return
        if self.went_back and self.by == "backward" and local.run is None:
            self.close_step()
        if not self.skipping:
            super().before(op, values)

    def close_step(self):
        """A step is over: keep its graph, and decide about the next one."""
        step, ended = self.count, time.perf_counter()
        if not self.skipping and self.nodes:
            self.run.add_graph(self.graph, step)
        self.run.step = step
        self.count = self.run.steps = step + 1
        self.run.measure(step)
        self.reset()
        self.went_back = self.stepped = False
        now = time.perf_counter()
        self.own += now - ended
        self.skipping = (self.own > FIRST + SHARE * (now - self.start_time) if self.every is None
                         else self.count % self.every != 0)
        if self.skipping and (self.by == "log" or self.by == "optimizer" and self.every is not None):
            self.halt()
        else:
            self.go()

    def _outside(self):
        return super()._outside() or mode_bits() & GRAD_OFF and local.run is None

    def finish(self, error, trace):
        """The end: a failed step keeps what it was up to."""
        if error is not None:
            self.skipping = False       # of a step that was left out, at least the place is known
            self._mark_failure(error, trace)
            if len(self.nodes) == 1 and (self.nodes[0].file or "<").startswith("<"):
                self.reset()            # nothing had run, and no line of the program is to blame: a syntax error
        if not self.skipping and self.nodes and (error is not None or self.went_back or not self.run.graphs.kept):
            self.run.add_graph(self.graph, self.count)
            self.run.step, self.run.steps = self.count, self.count + 1
            self.run.measure(self.count)
        self.halt()
        self.reset()
        self.last = ()
        for handle in self.hooks:
            handle.remove()

    # what is left out costs nothing further

    def after(self, op, values, outputs):
        if local.run is None:
            self.last = outputs
        if not self.skipping:
            super().after(op, values, outputs)

    def enter(self, op, values):
        if not self.skipping:
            super().enter(op, values)

    def leave(self, op):
        if not self.skipping:
            super().leave(op)

    def wrote(self, target, result):
        if not self.skipping:
            super().wrote(target, result)

    def backward_before(self, node, grad):
        if not self.went_back:
            self._note_loss(node)
        self.went_back = self.ever = True
        if not self.skipping:
            super().backward_before(node, grad)

    def backward_after(self, node, grad, grads):
        if not self.skipping:
            super().backward_after(node, grad, grads)

    def leaf(self, leaf, grad):
        if not self.skipping:
            super().leaf(leaf, grad)

    def _note_loss(self, node):
        """The value that backward() was called on, as the metric "loss", unless the program logs its own."""
        found = [t for t in self.last if getattr(t, "_made_by", None) is node] if self.by != "log" else ()
        if found and found[0]._form.size == 1:
            self.run.note({"loss": float(found[0]._array.reshape(()).real)}, self.count)
