"""torch.utils.benchmark: how long a statement takes, run often enough to tell."""
import statistics
import timeit
from collections import OrderedDict

import weft

__all__ = ["Compare", "Measurement", "TaskSpec", "Timer", "select_unit", "timer"]
timer = timeit.default_timer
_UNITS = ((1e-9, "ns"), (1e-6, "us"), (1e-3, "ms"), (1.0, "s"))


def select_unit(t):
    """(name, seconds) of the greatest unit that a time has at least one of.

    >>> from weft.utils.benchmark import select_unit
    >>> select_unit(0.002)
    ('ms', 0.001)
    """
    scale, name = max([u for u in _UNITS if u[0] <= t] or _UNITS[:1])
    return name, scale


class TaskSpec:
    """What was measured: the statement, and the words by which results are told apart."""

    def __init__(self, stmt, setup, global_setup="", label=None, sub_label=None, description=None, env=None,
                 num_threads=1):
        self.stmt, self.setup, self.global_setup, self.label = stmt, setup, global_setup, label
        self.sub_label, self.description, self.env, self.num_threads = sub_label, description, env, num_threads

    @property
    def title(self):
        """The label, or the statement where there is none."""
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        return self.stmt if "\n" not in self.stmt else f"stmt:\n{self.stmt}"


class Measurement:
    """Times of runs, each of `number_per_run` calls; `times` are those of single calls.

    >>> from weft.utils.benchmark import Measurement, TaskSpec
    >>> Measurement(10, [0.01, 0.02, 0.03], TaskSpec("f()", "pass")).median
    0.002
    """

    def __init__(self, number_per_run, raw_times, task_spec, metadata=None):
        self.number_per_run, self.raw_times = number_per_run, list(raw_times)
        self.task_spec, self.metadata = task_spec, metadata

    times = property(lambda self: [t / self.number_per_run for t in self.raw_times])
    median = property(lambda self: statistics.median(self.times))
    mean = property(lambda self: statistics.fmean(self.times))
    title = property(lambda self: self.task_spec.title)
    stmt = property(lambda self: self.task_spec.stmt)
    label = property(lambda self: self.task_spec.label)
    sub_label = property(lambda self: self.task_spec.sub_label)
    description = property(lambda self: self.task_spec.description)
    num_threads = property(lambda self: self.task_spec.num_threads)
    has_warnings = property(lambda self: not self.meets_confidence())

    @property
    def iqr(self):
        """The distance between the first and third quarter of the times."""
        if len(self.times) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.times, n=4, method="inclusive")
        return high - low

    def meets_confidence(self, threshold=0.1):
        """Whether the middle half of the times lies within a share of the median."""
        return self.iqr <= threshold * self.median

    @staticmethod
    def merge(measurements):
        """Measurements of the same task made into one each."""
        groups = OrderedDict()
        for one in measurements:
            spec = one.task_spec
            groups.setdefault((spec.stmt, spec.setup, spec.label, spec.sub_label, spec.description, spec.env,
                               spec.num_threads, one.number_per_run), []).append(one)
        return [Measurement(key[-1], [t for one in group for t in one.raw_times], group[0].task_spec)
                for key, group in groups.items()]

    def __repr__(self):
        unit, scale = select_unit(self.median)
        runs = f"{len(self.raw_times)} measurement{'s' if len(self.raw_times) > 1 else ''}, "
        middle = "Median: " if len(self.raw_times) > 1 else ""
        lines = [f"<weft.utils.benchmark.Measurement object at {id(self):#x}>", self.title]
        if self.description:
            lines.append(self.description)
        lines.append(f"  {middle}{self.median / scale:.2f} {unit}")
        if len(self.raw_times) > 1:
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit}")
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        lines.append(f"  {runs}{self.number_per_run} runs per measurement, {threads}")
        return "\n".join(lines)


class Timer:
    """Measures a statement of Python, with so many threads (one unless told otherwise).

    >>> from weft.utils.benchmark import Timer
    >>> Timer("x + 1", globals={"x": 1}, label="add").timeit(10).number_per_run
    10
    """

    def __init__(self, stmt="pass", setup="pass", global_setup="", timer=timer, globals=None, label=None,
                 sub_label=None, description=None, env=None, num_threads=1, language="python"):
        if str(language).lower() not in ("python", "py", "language.python"):
            raise NotImplementedError("weft measures statements of Python only, and compiles no C++")
        if global_setup:
            raise ValueError("global_setup is for C++, which weft doesn't compile")
        names = {**(globals or {})}
        names.setdefault("weft", weft)
        names.setdefault("torch", weft)
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)
        self._timer = timeit.Timer(stmt=stmt, setup=setup, timer=timer, globals=names)

    def _run(self, number):
        threads = weft.get_num_threads()
        try:
            weft.set_num_threads(self._task_spec.num_threads)
            return max(self._timer.timeit(number), 1e-9)
        finally:
            weft.set_num_threads(threads)

    def timeit(self, number=1000000):
        """One run of so many calls, after a shorter one to warm up."""
        self._run(max(number // 100, 2))
        return Measurement(number, [self._run(number)], self._task_spec)

    def _number(self, min_run_time):
        """How many calls make a run long enough for the clock."""
        self._run(2)            # warm up
        number = 1
        while self._run(number) < min_run_time / 1000 and number < 10 ** 9:
            number *= 10
        return number

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """Runs until they took so many seconds together."""
        number, times = self._number(min_run_time), []
        while not times or sum(times) < min_run_time:
            times.append(self._run(number))
            if callback is not None:
                callback(number, times[-1])
        return Measurement(number, times, self._task_spec)

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        """Runs until they agree to within a share of the median, or took too long."""
        number, times = self._number(min_run_time), []
        while True:
            times.append(self._run(number))
            if callback is not None:
                callback(number, times[-1])
            found = Measurement(number, times, self._task_spec)
            if sum(times) >= max_run_time or (sum(times) >= min_run_time and len(times) > 3
                                              and found.meets_confidence(threshold)):
                return found

    autorange = blocked_autorange

    def collect_callgrind(self, *args, **kwargs):
        """NotImplementedError: weft counts no instructions."""
        raise NotImplementedError("weft has no torch.utils.benchmark.Timer.collect_callgrind")


class Compare:
    """A table of measurements: a row for each sub_label and number of threads, a column for each description.

    >>> from weft.utils.benchmark import Compare, Measurement, TaskSpec
    >>> spec = TaskSpec("f()", "pass", label="f", sub_label="small", description="new")
    >>> Compare([Measurement(1, [0.002], spec)]).print()
    [---- f ----]
              new
    1 threads: ----------
      small   2.0
    <BLANKLINE>
    Times are in milliseconds (ms).
    <BLANKLINE>
    """

    def __init__(self, results):
        self.results, self._precision = list(results), 1

    def extend_results(self, results):
        """Add measurements."""
        self.results.extend(results)

    def trim_significant_figures(self):
        """Show whole numbers only."""
        self._precision = 0

    def colorize(self, rowwise=False):
        """The table has no colours."""

    def __str__(self):
        merged = Measurement.merge(self.results)
        unit, scale = select_unit(min(one.median for one in merged))
        long_name = {"ns": "nanoseconds", "us": "microseconds", "ms": "milliseconds", "s": "seconds"}[unit]
        tables = [self._table(label, [m for m in merged if m.label == label], scale)
                  for label in OrderedDict.fromkeys(m.label for m in merged)]
        return "\n\n".join(tables) + f"\n\nTimes are in {long_name} ({unit}).\n"

    def _table(self, label, group, scale):
        columns = list(OrderedDict.fromkeys(m.description or "" for m in group))
        rows = list(OrderedDict.fromkeys((m.num_threads, m.sub_label or m.stmt) for m in group))
        times = {(m.num_threads, m.sub_label or m.stmt, m.description or ""):
                 f"{m.median / scale:.{self._precision}f}" for m in group}
        wide = [max(len(c), *(len(times.get((*row, c), "")) for row in rows)) for c in columns]
        name = max(len(row[1]) for row in rows) + 2
        bar = name + sum(w + 3 for w in wide)
        lines = ["[" + f" {label or ''} ".center(bar - 2, "-") + "]",
                 " " * name + "".join(f"   {c:>{w}}" for c, w in zip(columns, wide, strict=True))]
        for threads in OrderedDict.fromkeys(row[0] for row in rows):
            lines.append(f"{threads} threads: ".ljust(bar + 8, "-"))
            lines += [f"  {row[1]:<{name - 2}}" + "".join(f"   {times.get((*row, c), ''):>{w}}"
                                                        for c, w in zip(columns, wide, strict=True))
                      for row in rows if row[0] == threads]
        return "\n".join(lines)

    def print(self):
        """Print the table."""
        print(self)
