"""`profile`: PyTorch's profiler, with its schedule."""
from enum import Enum
from warnings import warn

from weft.core.modes import local
from weft.core.ranges import record_function
from weft.profiler.events import EventList
from weft.profiler.record import Recorder
from weft.profiler.resolve import resolve
from weft.profiler.schedules import ProfilerAction
from weft.profiler.trace import write


class ProfilerActivity(Enum):
    """What can be looked at; weft runs on the CPU.

    >>> import weft
    >>> weft.profiler.ProfilerActivity.CPU in weft.profiler.supported_activities()
    True
    """

    CPU = 0
    XPU = 1
    CUDA = 2
    MTIA = 3
    HPU = 4
    PrivateUse1 = 5


def supported_activities():
    """What can be looked at here.

    >>> import weft
    >>> [activity.name for activity in weft.profiler.supported_activities()]
    ['CPU']
    """
    return {ProfilerActivity.CPU}


def kineto_available():
    """PyTorch's tracing library is not used.

    >>> import weft
    >>> weft.profiler.kineto_available()
    False
    """
    return False


def _activities(given):
    """The set of activities, checked; those of other devices are named and left out."""
    if given is None:
        return supported_activities()
    found = set()
    for item in given:
        for activity in item if isinstance(item, dict) else (item,):
            if not isinstance(activity, ProfilerActivity):
                raise TypeError(f"Expected ProfilerActivity or dict, got {type(item)}")
            if activity in found:
                raise ValueError(f"Activity {activity} specified more than once")
            found.add(activity)
    if not found:
        raise AssertionError("No valid profiler activities found")
    for activity in found - supported_activities():
        warn(f"{activity.name} is not available, disabling {activity.name} profiling", stacklevel=3)
    return found


class profile:
    """Records every op, forward and backward, with its time, its line and its module, in this thread.

    record_shapes, profile_memory, with_flops and with_stack (all frames, not only the user's line) note more, and cost
    more; with_modules adds a row for each module's calls. With a schedule, call step() after each step.

    >>> import weft
    >>> with weft.profiler.profile() as prof:
    ...     _ = weft.ones(2, 2) @ weft.ones(2, 2)
    >>> [event.name for event in prof.events()][-1]
    'aten::mm'
    """

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False,
                 profile_memory=False, with_stack=False, with_flops=False, with_modules=False,
                 experimental_config=None, execution_trace_observer=None, acc_events=False, use_cuda=None,
                 custom_trace_id_callback=None, post_processing_timeout_s=None):
        self.activities = _activities(activities)
        if use_cuda is not None:
            warn("`use_cuda` is deprecated, use `activities` argument instead", FutureWarning, stacklevel=2)
        self.record_shapes, self.profile_memory, self.with_stack = record_shapes, profile_memory, with_stack
        self.with_flops, self.with_modules, self.acc_events = with_flops, with_modules, acc_events
        self.schedule, self.record_steps = schedule or _always, schedule is not None
        self.on_trace_ready, self.step_num = on_trace_ready, 0
        self.current_action = self.schedule(0)
        self._metadata = {}
        self._recorder, self._events, self._earlier = None, None, None
        self._step_range, self._handles = None, []

    # from start to stop

    def start(self):
        """Begin, as the schedule says for step 0.

        >>> import weft
        >>> prof = weft.profiler.profile()
        >>> prof.start()
        >>> _ = weft.ones(2).exp()
        >>> prof.stop()
        >>> prof.events()[-1].name
        'aten::exp'
        """
        self._change(ProfilerAction.NONE, self.current_action)
        self._begin_step()

    def stop(self):
        """End; what is being recorded is done.

        >>> import weft
        >>> prof = weft.profiler.profile()
        >>> prof.start()
        >>> prof.stop()
        >>> len(prof.events())
        0
        """
        self._end_step()
        self._change(self.current_action, None)

    def step(self):
        """Tell that a step of the training loop is done.

        >>> import weft
        >>> plan = weft.profiler.schedule(wait=1, warmup=0, active=1, repeat=1)
        >>> with weft.profiler.profile(schedule=plan) as prof:
        ...     for n in range(3):
        ...         _ = weft.ones(n + 1).exp()
        ...         prof.step()
        >>> [event.name for event in prof.events() if "Step" in event.name]
        ['ProfilerStep*']
        """
        self._end_step()
        before = self.current_action
        self.current_action = self.schedule(self.step_num + 1)
        self.step_num += 1
        self._change(before, self.current_action)
        self._begin_step()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc):
        self.stop()

    def _begin_step(self):
        if self.record_steps:
            self._step_range = record_function(f"ProfilerStep#{self.step_num}")
            self._step_range.__enter__()

    def _end_step(self):
        if self._step_range is not None:
            self._step_range.__exit__(None, None, None)
            self._step_range = None

    def _change(self, before, now):
        """From one action to the next; None is the end."""
        recording = ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE
        if before in recording and (now not in recording or before is ProfilerAction.RECORD_AND_SAVE):
            if now is not None and before is ProfilerAction.RECORD:
                warn(f"Incorrect schedule: RECORD followed by {now.name}", stacklevel=3)
            self.stop_trace()
            if before is ProfilerAction.RECORD_AND_SAVE or now is None:
                self._trace_ready()
        if before is ProfilerAction.WARMUP and now is ProfilerAction.NONE:
            warn("Incorrect schedule: WARMUP followed by NONE", stacklevel=3)
        if now in recording and self._recorder is None:
            self.start_trace()

    def _trace_ready(self):
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def prepare_trace(self):
        """Nothing needs to be prepared.

        >>> import weft
        >>> prof = weft.profiler.profile()
        >>> prof.prepare_trace() is None
        True
        """

    def start_trace(self):
        """Record from now on.

        >>> import weft
        >>> prof = weft.profiler.profile()
        >>> prof.start_trace()
        >>> _ = weft.ones(2).exp()
        >>> prof.stop_trace()
        >>> prof.events()[-1].name
        'aten::exp'
        """
        if self.acc_events and self._events is not None:
            self._earlier = self._events
        self._events = None
        self._recorder = Recorder(self.record_shapes or self.with_flops, self.profile_memory, self.with_stack)
        self._handles = _watch_optimizers(self._recorder)
        self._recorder.start()

    def stop_trace(self):
        """Record no longer, and make events of what was recorded.

        >>> import weft
        >>> prof = weft.profiler.profile()
        >>> prof.start_trace()
        >>> prof.stop_trace()
        >>> len(prof.events())
        0
        """
        recorder, self._recorder = self._recorder, None
        recorder.stop()
        for handle in self._handles:
            handle.remove()
        recorder.shapes = self.record_shapes
        events = resolve(recorder, self.with_flops, self.with_modules)
        if self._earlier is not None:
            events = _joined(self._earlier, events)
        self._events, self._earlier = events, None

    # what was found

    def _found(self, what):
        if self._recorder is not None:
            raise AssertionError(f"{what}: the profiler is still recording\n  fix: call stop() first, or do it in "
                                 f"on_trace_ready")
        if self._events is None:
            raise AssertionError(f"Profiler must be initialized before {what}\n  fix: run something inside `with "
                                 f"profile() as prof:`")
        return self._events

    def events(self):
        """All events of the last cycle, in the order of their beginnings.

        >>> import weft
        >>> with weft.profiler.profile() as prof:
        ...     _ = weft.ones(2).exp()
        >>> [event.name for event in prof.events()]
        ['aten::full', 'aten::exp']
        """
        return self._found("accessing events")

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """Sums by name; also by shapes, and by the innermost lines, if asked.

        >>> import weft
        >>> with weft.profiler.profile() as prof:
        ...     _ = weft.ones(2).exp().exp()
        >>> {row.key: row.count for row in prof.key_averages()}
        {'aten::full': 1, 'aten::exp': 2}
        """
        return self._found("getting key averages").key_averages(group_by_input_shape, group_by_stack_n,
                                                                group_by_overload_name)

    def export_chrome_trace(self, path, use_python_export=False):
        """A file for chrome://tracing and Perfetto; compressed if its name ends in .gz.

        >>> import weft
        >>> import json
        >>> with weft.profiler.profile() as prof:
        ...     _ = weft.ones(2).exp()
        >>> prof.export_chrome_trace("trace.json")
        >>> "traceEvents" in json.load(open("trace.json"))
        True
        """
        flags = {name: 1 for name in ("profile_memory", "with_stack", "record_shapes", "with_modules", "with_flops")
                 if getattr(self, name)}
        write(path, self._found("exporting chrome trace"), {**flags, **self._metadata})

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """A file for flame graphs; with_stack=True gives all frames.

        >>> import weft
        >>> import os
        >>> with weft.profiler.profile(with_stack=True) as prof:
        ...     _ = weft.ones(2).exp()
        >>> prof.export_stacks("stacks.txt")
        >>> os.path.exists("stacks.txt")
        True
        """
        self._found("exporting stacks").export_stacks(path, metric)

    def add_metadata(self, key, value):
        """A text that goes into the trace.

        >>> import weft
        >>> import json
        >>> with weft.profiler.profile() as prof:
        ...     prof.add_metadata("model", "small")
        >>> prof.export_chrome_trace("trace.json")
        >>> json.load(open("trace.json"))["model"]
        'small'
        """
        self._metadata[key] = str(value)

    def add_metadata_json(self, key, value):
        """JSON that goes into the trace.

        >>> import weft
        >>> import json
        >>> with weft.profiler.profile() as prof:
        ...     prof.add_metadata_json("layers", "[64, 10]")
        >>> prof.export_chrome_trace("trace.json")
        >>> json.load(open("trace.json"))["layers"]
        [64, 10]
        """
        self._metadata[key] = value

    preset_metadata_json = add_metadata_json

    def toggle_collection_dynamic(self, enable, activities):
        """Pause, or go on.

        >>> import weft
        >>> with weft.profiler.profile() as prof:
        ...     prof.toggle_collection_dynamic(False, [weft.profiler.ProfilerActivity.CPU])
        ...     _ = weft.ones(2).exp()
        >>> len(prof.events())
        0
        """
        if self._recorder is not None and ProfilerActivity.CPU in activities:
            self._recorder.stop()
            if enable:
                self._recorder.start()


def _always(step):
    return ProfilerAction.RECORD


def _joined(earlier, later):
    """The events of two cycles."""
    made = EventList([*earlier, *later], profile_memory=later._profile_memory, with_flops=later._with_flops)
    made.module_ranges = [*earlier.module_ranges, *later.module_ranges]
    for number, event in enumerate(made):
        event.id = number
    return made


def _watch_optimizers(recorder):
    """Let every optimizer's step be a range."""
    # heavy, and not needed before something is profiled
    from weft.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

    def begin(optimizer, args, kwargs):
        if recorder in local.watchers:      # other threads' optimizers are theirs
            recorder.range_begin(optimizer, f"Optimizer.step#{type(optimizer).__name__}.step", None)

    def end(optimizer, args, kwargs):
        if recorder in local.watchers:
            recorder.range_end(optimizer)
    return [register_optimizer_step_pre_hook(begin), register_optimizer_step_post_hook(end)]


