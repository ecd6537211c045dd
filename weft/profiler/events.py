"""Events of a profile, one by one (`FunctionEvent`) and summed up by name (`FunctionEventAvg`), under PyTorch's names.
"""
from enum import Enum


class DeviceType(Enum):
    """Where something ran.

    >>> import weft
    >>> weft.profiler.DeviceType.CPU.name
    'CPU'
    """

    CPU = 0
    CUDA = 1


class Interval:
    """From `start` to `end`, in microseconds."""

    __slots__ = ("start", "end")

    def __init__(self, start, end):
        self.start, self.end = start, end

    def elapsed_us(self):
        return self.end - self.start

    def __repr__(self):
        return f"Interval({self.start:.3f}, {self.end:.3f})"


def format_time(us):
    """`12.346us`, `1.234ms`, `2.000s`."""
    if us >= 1e6:
        return f"{us / 1e6:.3f}s"
    return f"{us / 1e3:.3f}ms" if us >= 1e3 else f"{us:.3f}us"


def format_share(part, whole):
    return "NaN" if whole == 0 else f"{part * 100.0 / whole:.2f}%"


class Times:
    """Times as text, means of them, and zeros for the devices that there are none of."""

    device_time_total = self_device_time_total = device_memory_usage = self_device_memory_usage = device_time = 0
    cuda_time_total = self_cuda_time_total = cuda_time = cuda_memory_usage = self_cuda_memory_usage = 0
    use_device, overload_name, device_type = None, "", DeviceType.CPU
    node_id, is_async, is_remote, is_legacy = -1, False, False, False

    @property
    def cpu_time(self):
        return 0.0 if self.count == 0 else self.cpu_time_total / self.count

    @property
    def cpu_time_str(self):
        return format_time(self.cpu_time)

    @property
    def cpu_time_total_str(self):
        return format_time(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self):
        return format_time(self.self_cpu_time_total)

    @property
    def device_time_str(self):
        return format_time(self.device_time)

    @property
    def device_time_total_str(self):
        return format_time(self.device_time_total)

    @property
    def self_device_time_total_str(self):
        return format_time(self.self_device_time_total)


class FunctionEvent(Times):
    """One op, node of the backward, range or module call. Besides PyTorch's: `module` (its path) and `place` (file,
    line, function).
    """

    def __init__(self, id, name, thread, start_us, end_us, sequence_nr=-1, scope=0, is_user_annotation=False,
                 is_python_function=False):
        self.id, self.name, self.trace_name, self.thread = id, name, name, thread
        self.time_range = Interval(start_us, end_us)
        self.sequence_nr, self.scope = sequence_nr, scope
        self.is_user_annotation, self.is_python_function = is_user_annotation, is_python_function
        self.count, self.flops = 1, 0
        self.cpu_children, self.cpu_parent, self.kernels = [], None, []
        self.input_shapes, self.output_shapes, self.stack = [], [], []
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.self_cpu_time_total = 0.0
        self.fwd_thread, self.module, self.place, self.in_backward, self.depth, self.args = (
            None, "", None, False, 0, None)

    @property
    def order(self):
        """Of two events of the same time, which holds the other: outer modules, inner ones, ranges, ops."""
        return self.depth if self.is_python_function else 10000 if self.is_user_annotation else 10001

    @property
    def key(self):
        return self.name

    @property
    def cpu_time_total(self):
        return self.time_range.end - self.time_range.start

    @property
    def source(self):
        """`train.py(41): forward`, the user's line; of a backward, the forward's."""
        return self.stack[0] if self.stack else ""

    def __repr__(self):
        return (f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
                f"start_us={self.time_range.start:.3f} end_us={self.time_range.end:.3f} "
                f"cpu_children={[c.id for c in self.cpu_children]} thread={self.thread} "
                f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} module={self.module!r} "
                f"source={self.source!r} seq_nr={self.sequence_nr}>")


SUMS = ("cpu_time_total", "self_cpu_time_total", "cpu_memory_usage", "self_cpu_memory_usage", "count", "flops")


class FunctionEventAvg(Times):
    """The sum of events of one name."""

    def __init__(self):
        self.key = None
        self.count = self.flops = self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.input_shapes, self.stack, self.scope, self.cpu_children, self.cpu_parent = None, None, None, None, None
        self.module, self.is_user_annotation = "", False

    def add(self, other):
        if self.key is None:
            for name in ("key", "input_shapes", "stack", "scope", "cpu_children", "cpu_parent", "module",
                         "is_user_annotation"):
                setattr(self, name, getattr(other, name))
        if not isinstance(other, (FunctionEvent, FunctionEventAvg)) or other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {getattr(other, 'key', other)} vs {self.key}")
        for name in SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def __iadd__(self, other):
        return self.add(other)

    def __repr__(self):
        return (f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
                f"cpu_time={self.cpu_time_str} count={self.count} input_shapes={self.input_shapes} "
                f"cpu_memory_usage={self.cpu_memory_usage}>")


class EventList(list):
    """Events, or sums of them, with the table and the exports."""

    def __init__(self, *args, use_device=None, profile_memory=False, with_flops=False):
        super().__init__(*args)
        self._profile_memory, self._with_flops = profile_memory, with_flops
        self.module_ranges = []

    def _like(self, events):
        return EventList(events, profile_memory=self._profile_memory, with_flops=self._with_flops)

    @property
    def self_cpu_time_total(self):
        return sum(event.self_cpu_time_total for event in self)

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
        """Sums by name; also by shapes, and by the innermost n lines, if asked."""
        groups = {}
        for event in self:
            key = (event.key, str(event.input_shapes) if group_by_input_shapes else "", *event.stack[:group_by_stack_n])
            groups.setdefault(key, FunctionEventAvg()).add(event)
        for group in groups.values():
            group.stack = group.stack[:group_by_stack_n]
            group.input_shapes = group.input_shapes if group_by_input_shapes else ""
        return self._like(groups.values())

    def total_average(self):
        """The sum of all."""
        total = FunctionEventAvg()
        for name in SUMS:
            setattr(total, name, sum(getattr(event, name) for event in self))
        total.key, total.input_shapes, total.stack = "Total", [], []
        return total

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55,
              max_shapes_column_width=80, header=None, top_level_events_only=False, time_unit=None):
        """A text table; sort_by: the name of a figure, such as "self_cpu_time_total", "cpu_time_total", "count",
        "flops".
        """
        from weft.profiler.table import build  # loaded when a table is asked for
        return build(self, sort_by, row_limit, max_src_column_width, max_name_column_width, max_shapes_column_width,
                     header, top_level_events_only, time_unit, self._profile_memory, self._with_flops)

    def __str__(self):
        return self.table()

    def export_chrome_trace(self, path):
        """A file for chrome://tracing and Perfetto."""
        from weft.profiler.trace import write  # loaded when a trace is asked for
        write(path, self)

    def supported_export_stacks_metrics(self):
        return ["self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total"]

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """A file for flame graphs: `outer;inner microseconds` in each line."""
        if metric not in self.supported_export_stacks_metrics():
            raise ValueError("metric should be one of: " + str(self.supported_export_stacks_metrics()))
        clean = str.maketrans(" ;\t\n", "____")
        sums = {}
        for event in self:
            if event.stack:
                line = ";".join(entry.translate(clean)
                                for entry in reversed(event.stack)) + ";" + event.key.translate(clean)
                sums[line] = sums.get(line, 0) + getattr(event, metric, 0)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{line} {int(value)}\n" for line, value in sums.items() if int(value) > 0)
