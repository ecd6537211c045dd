"""A run of training as it is recorded: graphs by iteration, metrics, memory, histograms; saved as one page, or shown
live.

    with weft.viz.watch(model, every=10) as run:
        for x, y in batches:
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            run.log(loss=loss)
    run.save("run.html")
"""
import math
import os
import threading
import time

from weft import memory
from weft.viz import page
from weft.viz.series import Graphs, Series
from weft.viz.trouble import trouble_of

KEEP, NODES = 60, 150_000           # graphs, and nodes in all of them
ENTRIES, NAMES = 20_000, 80         # of metrics; how many parameters have histograms


class Kept:
    """A graph that a run holds; its document is made when somebody looks."""

    __slots__ = ("number", "iteration", "graph", "size", "shape", "failed", "trouble", "document")

    def __init__(self, number, iteration, graph):
        self.number, self.iteration, self.graph, self.document = number, iteration, graph, None
        if isinstance(graph, dict):
            self.document, nodes, edges = graph, graph["nodes"], graph["edges"]
            self.shape = hash(tuple([(n["op"], n["module"], n["line"]) for n in nodes]) + tuple(map(tuple, edges)))
            self.failed = any(n["failed"] for n in nodes)
        else:
            nodes = graph.nodes
            self.shape = hash(tuple([(n.op, n.module, n.line, *[p.id for p in n.parents]) for n in nodes]))
            self.failed = any(n.failed for n in nodes)
        self.size = len(nodes)
        self.trouble = trouble_of(graph)

    def summary(self):
        """What a page that follows is told; it asks for the rest when it shows this graph."""
        return {"number": self.number, "iteration": self.iteration, "size": self.size, "failed": self.failed,
                "trouble": self.trouble, "shape": str(self.shape)}

    def to_dict(self):
        if self.document is None:
            self.document = self.graph.to_dict()
            self.graph = None
        return {**self.document, "iteration": self.iteration, "trouble": self.trouble}


class Run:
    """What was recorded of a run so far. Safe to read from another thread while it grows.

    >>> import weft
    >>> run = weft.viz.Run("training")
    >>> run.log(step=0, loss=0.5)
    >>> run.to_dict()["metrics"][0]["values"]
    {'loss': 0.5}
    """

    def __init__(self, title="run", keep=KEEP, nodes=NODES):
        if isinstance(keep, bool) or not isinstance(keep, int) or keep < 3:
            raise ValueError(f"watch(): keep is how many graphs are kept, at least 3, not {keep!r}")
        self.title, self.error, self.state = str(title), None, "live"
        self.graphs = Graphs(keep, nodes)
        self.metrics, self.memory, self.histograms = Series(ENTRIES), Series(ENTRIES), Series(ENTRIES)
        self.step = 0               # of the iteration that is running, or that log() belongs to
        self.steps = self.recorded = 0      # how many there were, and of how many a graph was taken
        self.changed = threading.Condition()
        self._number, self._graphs_number, self._start, self._names = 0, 0, time.perf_counter(), {}
        self.on_log = None          # what counts steps is told that log() was called

    # filling

    def log(self, step=None, **values):
        """Keep numbers of the current step, such as loss and accuracy: ints, floats, or tensors of one element.

        >>> import weft
        >>> run = weft.viz.Run()
        >>> run.log(step=3, loss=weft.tensor(0.5), accuracy=0.75)
        >>> run.to_dict()["metrics"][0]["values"]
        {'loss': 0.5, 'accuracy': 0.75}
        """
        made = {str(name): as_number(name, value) for name, value in values.items()}
        if step is not None and (isinstance(step, bool) or not isinstance(step, int)):
            raise TypeError(f"log(): step is an int, not {type(step).__name__}")
        if self.on_log is not None:
            self.on_log()
        self.note(made, self.step if step is None else step)

    def note(self, values, step):
        """Metrics of a step; those of one step are one entry.

        >>> import weft
        >>> run = weft.viz.Run()
        >>> run.note({"loss": 0.5}, step=0)
        >>> run.to_dict()["metrics"][0]["step"]
        0
        """
        with self.changed:
            last = self.metrics.entries[-1] if self.metrics.entries else None
            if last is not None and last["step"] == step:
                values = {**last["values"], **values}
                self.metrics.numbers.pop()
                self.metrics.entries.pop()
            self.metrics.add(self._next(), {"step": step, "time": self._now(), "values": values})

    def measure(self, step):
        """Note the memory in use.

        >>> import weft
        >>> run = weft.viz.Run()
        >>> run.measure(step=0)
        >>> run.to_dict()["memory"][0]["step"]
        0
        """
        found = memory.stats()
        in_use, peak = found["in_use"], found["peak"]
        if not peak:
            in_use = peak = resident()
        with self.changed:
            if self.memory.entries:
                peak = max(peak, self.memory.entries[-1]["peak"])
            self.memory.add(self._next(), {"step": step, "time": self._now(), "bytes": int(in_use), "peak": int(peak)})

    def add_graph(self, graph, iteration=None):
        """Keep a graph (or its document) of an iteration, with the histograms of its parameters and their gradients.

        >>> import weft
        >>> run = weft.viz.Run()
        >>> run.add_graph(weft.graph(weft.ones(3, requires_grad=True).sum()), iteration=7)
        >>> run.to_dict()["graphs"][0]["iteration"]
        7
        """
        iteration = self.step if iteration is None else iteration
        with self.changed:
            self._graphs_number = self._next()
            self.recorded += 1
            self.graphs.add(Kept(self._graphs_number, iteration, graph))
            if not isinstance(graph, dict):
                self._add_histograms(graph, iteration)
            self.changed.notify_all()

    def _add_histograms(self, graph, iteration):
        for node in graph.nodes:
            if node.kind != "parameter" or not node.name:
                continue
            if node.name not in self._names and len(self._names) >= NAMES:
                continue
            self._names[node.name] = True
            for name, stats in ((node.name, node.values), (node.name + ".grad", node.grad)):
                if stats is not None and math.isfinite(stats.min) and math.isfinite(stats.max):
                    self.histograms.add(self._next(), {"step": iteration, "name": name, **stats.histogram})

    def end(self, error=None):
        """No more is to come; error: the text of what ended it.

        >>> import weft
        >>> run = weft.viz.Run()
        >>> run.end()
        >>> run.state
        'ended'
        """
        with self.changed:
            self.state, self.error = ("failed", error) if error else ("ended", self.error)
            self._next()

    def _next(self):
        self._number += 1
        self.changed.notify_all()
        return self._number

    def _now(self):
        return round(time.perf_counter() - self._start, 6)

    # reading

    def to_dict(self):
        """The run's document, all graphs in it.

        >>> import weft
        >>> weft.viz.Run("training").to_dict()["title"]
        'training'
        """
        with self.changed:
            kept = list(self.graphs.kept)
            made = {"metrics": list(self.metrics.entries), "memory": list(self.memory.entries),
                    "histograms": list(self.histograms.entries)}
        return {"format": "weft-run", "version": 1, "title": self.title, "graphs": [entry.to_dict() for entry in kept],
                **made, "steps": self.steps, "recorded": self.recorded, "error": self.error}

    def more(self, since=0):
        """What is new after the number `since`, for a page that follows the run; None when nothing is.

        >>> import weft
        >>> run = weft.viz.Run()
        >>> run.log(step=0, loss=0.5)
        >>> run.more(since=0)["metrics"][0]["values"], run.more(since=run.count)
        ({'loss': 0.5}, None)
        """
        with self.changed:
            if self._number <= since:
                return None
            made = {"seen": self._number, "state": self.state, "error": self.error, "title": self.title,
                    "steps": self.steps, "recorded": self.recorded}
            for name in ("metrics", "memory", "histograms"):
                made[name] = getattr(self, name).since(since)
            if self._graphs_number > since:
                made["graphs"] = [entry.summary() for entry in self.graphs.kept]
            return made

    def wait(self, since, seconds, stopped):
        """Whether there is something newer within so many seconds; True also when `stopped` is set.

        >>> import weft
        >>> import threading
        >>> run = weft.viz.Run()
        >>> run.log(step=0, loss=0.5)
        >>> run.wait(since=0, seconds=1, stopped=threading.Event())
        True
        """
        with self.changed:
            return self.changed.wait_for(lambda: stopped.is_set() or self._number > since, seconds)

    @property
    def count(self):
        """How many things were noted so far; their numbers go from 1 to this.

        >>> import weft
        >>> run = weft.viz.Run()
        >>> run.log(step=0, loss=0.5)
        >>> run.count
        1
        """
        return self._number

    def graph(self, number):
        """The document of the graph with that number, or None if it is no longer kept.

        >>> import weft
        >>> run = weft.viz.Run()
        >>> run.add_graph(weft.graph(weft.ones(3, requires_grad=True).sum()))
        >>> run.graph(1)["format"], run.graph(99)
        ('weft-graph', None)
        """
        with self.changed:
            entry = self.graphs.find(number)
        return None if entry is None else entry.to_dict()

    def html(self):
        """The page as text.

        >>> import weft
        >>> weft.viz.Run("training").html()[:15]
        '<!doctype html>'
        """
        return page.html(self.to_dict())

    def save(self, path):
        """Write the page (`.html`) or the document (`.json`).

        >>> import weft
        >>> import os
        >>> weft.viz.Run("training").save("run.html")
        'run.html'
        >>> os.path.exists("run.html")
        True
        """
        if os.fspath(path).endswith(".json"):
            text = page.dumps(self.to_dict())
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return path
        return page.save(self.to_dict(), path)

    def show(self, path=None, browser=True):
        """Open the page in a browser, or print where it is.

        >>> import weft
        >>> path = weft.viz.Run("training").show("run.html", browser=False)
        the graph page: file:///.../run.html
        """
        return page.show(self.to_dict(), path, browser)

    def _repr_html_(self):
        return (f"<b>{page.escape(self.title)}</b>: {len(self.graphs.kept)} graphs, {len(self.metrics.entries)} steps "
                f"logged; .show() opens the page")

    def __repr__(self):
        return (f"<Run {self.title}: {len(self.graphs.kept)} graphs, {len(self.metrics.entries)} steps logged, "
                f"{self.state}>")


def as_number(name, value):
    """A metric as a plain number."""
    if isinstance(value, (int, float)):
        return value
    if hasattr(value, "item") and getattr(value, "numel", lambda: getattr(value, "size", 1))() == 1:
        return value.item()
    shown = f"{type(value).__name__} of shape {list(value.shape)}" if hasattr(value, "shape") else type(value).__name__
    raise TypeError(f"log(): {name} must be a number or a tensor of one element, not a {shown}\n  fix: log its mean, "
                    f"or loss.item()")


def resident():
    """Bytes of memory that the process has, where the system tells."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0
