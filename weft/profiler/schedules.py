"""Which steps a profiler records, and what becomes of them."""
import os
import socket
import time
from enum import Enum
from warnings import warn


class ProfilerAction(Enum):
    """What the profiler does in a step.

    >>> import weft
    >>> [action.name for action in weft.profiler.ProfilerAction]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE']
    """

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """Which steps to record: skip `skip_first`, then `wait`, `warmup` and `active` steps, `repeat` times (0: without
    end).

    >>> import weft
    >>> plan = weft.profiler.schedule(wait=1, warmup=1, active=2)
    >>> [plan(step).name for step in range(4)]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE']
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need "
                             f">= 0), active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} "
                             f"(need >= 0).")
    if warmup == 0:
        warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
    cycle = wait + warmup + active

    def action(step):
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait != 0:
            step += wait
        if repeat > 0 and step / cycle >= repeat:
            return ProfilerAction.NONE
        step %= cycle
        if step < wait:
            return ProfilerAction.NONE
        if step < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if step < cycle - 1 else ProfilerAction.RECORD_AND_SAVE
    return action


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False, use_python_export=False):
    """An on_trace_ready that writes Chrome traces to a folder, one for each cycle.

    >>> import weft
    >>> import os
    >>> with weft.profiler.profile(on_trace_ready=weft.profiler.tensorboard_trace_handler("traces")):
    ...     _ = weft.ones(2) + 1
    >>> len(os.listdir("traces"))
    1
    """
    def handler(prof):
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            raise RuntimeError(f"Can't create directory: {dir_name}") from error
        name = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        prof.export_chrome_trace(os.path.join(dir_name, f"{name}.{time.time_ns()}.pt.trace.json"
                                              + (".gz" if use_gzip else "")))
    return handler
