"""torch.autograd.profiler: `profile` in the form of before torch.profiler, `record_function`."""
from warnings import warn

from weft.core.ranges import record_function
from weft.profiler.events import DeviceType, EventList, FunctionEvent, FunctionEventAvg, Interval
from weft.profiler.profiler import ProfilerActivity, kineto_available
from weft.profiler.profiler import profile as _profile


class profile:
    """Records the ops inside `with`; `enabled=False` makes it do nothing."""

    def __init__(self, enabled=True, *, use_cuda=False, use_device=None, record_shapes=False, with_flops=False,
                 profile_memory=False, with_stack=False, with_modules=False, use_kineto=False, use_cpu=True,
                 experimental_config=None, acc_events=False, custom_trace_id_callback=None,
                 post_processing_timeout_s=None, activity_filters=None):
        self.enabled = enabled
        if use_cuda or use_device is not None:
            warn(f"{(use_device or 'cuda').upper()} is not available, disabling {(use_device or 'cuda').upper()} "
                 f"profiling", stacklevel=2)
        self._inner = _profile(record_shapes=record_shapes, with_flops=with_flops, profile_memory=profile_memory,
                               with_stack=with_stack, with_modules=with_modules, acc_events=acc_events)
        self.entered = False

    def __enter__(self):
        if self.enabled:
            if self.entered:
                raise RuntimeError("Profiler context manager is not reentrant")
            self.entered = True
            self._inner.start()
            return self

    def __exit__(self, *exc):
        if self.enabled:
            self.entered = False
            self._inner.stop()
        return False

    @property
    def function_events(self):
        """All events."""
        if self.entered or self._inner._events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self._inner.events()

    def table(self, *args, **kwargs):
        return self.function_events.table(*args, **kwargs)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        return self.function_events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self):
        return self.function_events.total_average()

    @property
    def self_cpu_time_total(self):
        return self.function_events.self_cpu_time_total

    def export_chrome_trace(self, path, metadata=None, use_python_export=False):
        self._inner.export_chrome_trace(path)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        self.function_events.export_stacks(path, metric)

    def __str__(self):
        return (str(self.function_events) if not self.entered and self._inner._events is not None
                else "<unfinished torch.autograd.profile>")

    __repr__ = __str__


class _Emit:
    """Marks for another company's tools, which weft has no calls to; nothing is emitted."""

    def __init__(self, enabled=True, record_shapes=False):
        if enabled:
            warn(f"{type(self).__name__} has no effect: weft runs on the CPU\n  fix: use weft.profiler.profile and "
                 f"export_chrome_trace",
                 stacklevel=2)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


class emit_nvtx(_Emit):
    """Accepted, without effect."""


class emit_itt(_Emit):
    """Accepted, without effect."""


__all__ = ["DeviceType", "EventList", "FunctionEvent", "FunctionEventAvg", "Interval", "ProfilerActivity", "emit_itt",
           "emit_nvtx", "kineto_available", "profile", "record_function"]
