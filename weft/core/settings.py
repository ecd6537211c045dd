"""Settings of the whole process that programs read and write: thread counts, determinism, the precision of products."""
import math
import operator
import os

from weft.core.errors import fail
from weft.core.tracebacks import get_traceback, set_traceback


class Settings:
    """What is set, with PyTorch's defaults."""

    def __init__(self):
        self.threads = _threads_allowed()
        self.interop_threads = self.threads
        self.deterministic = False
        self.warn_only = False
        self.matmul_precision = "highest"
        self.warn_always = False
        self.new_parameters = False     # a module's conversion makes new parameters
        self.same_parameters = False    # ... and never does
        self.on_threads = []            # functions told of a new number of threads


def _threads_allowed():
    """The processors that this process may use: its affinity and its container's limit; OMP_NUM_THREADS overrules both.
    """
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if wanted.isascii() and wanted.isdigit() and len(wanted) < 10 and int(wanted) > 0:     # else no count: ignored
        return int(wanted)
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(own, _whole(_container_limit())))


def _whole(limit):
    return limit if limit == math.inf else math.ceil(limit)


def _text(path):
    with open(path, encoding="ascii") as file:
        return file.read()


def _container_limit(home="/sys/fs/cgroup"):
    """How many processors' time the container grants (cgroup v2, then v1); inf without a limit."""
    for files in (("cpu.max",), ("cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us")):
        try:
            words = [word for name in files for word in _text(os.path.join(home, name)).split()]
            quota, period = float(words[0]), float(words[1])
        except (OSError, ValueError, IndexError):
            continue
        if quota > 0 and period > 0:
            return quota / period
    return math.inf


settings = Settings()


def _count(value, who):
    """A number of threads, as PyTorch takes them: any integer type, of 32 bits."""
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        fail(RuntimeError, f"{who} expects an int, but got {type(value).__name__}",
             "give a number of threads, from 1 on")
    count = operator.index(value)
    if count >= 2**31:
        fail(ValueError, f"{who}: Overflow when unpacking long, no processor runs so many threads",
             "give a number of threads; os.cpu_count() says how many run side by side")
    if count < 1:
        said = count if count > -2**63 else "a huge negative one"
        fail(RuntimeError, f"{who} expects a positive integer, got {said}", "give a number of threads, from 1 on")
    return count


def get_num_threads():
    """How many threads one op may use.

    >>> import weft
    >>> weft.get_num_threads() > 0
    True
    """
    return settings.threads


def set_num_threads(n):
    """Set how many threads one op may use.

    >>> import weft
    >>> before = weft.get_num_threads()
    >>> weft.set_num_threads(1)
    >>> weft.get_num_threads()
    1
    >>> weft.set_num_threads(before)
    """
    settings.threads = count = _count(n, "set_num_threads")
    for tell in settings.on_threads:
        tell(count)


def get_num_interop_threads():
    """How many ops may run side by side.

    >>> import weft
    >>> weft.get_num_interop_threads() > 0
    True
    """
    return settings.interop_threads


def set_num_interop_threads(n):
    """Set how many ops may run side by side.

    >>> import weft
    >>> before = weft.get_num_interop_threads()
    >>> weft.set_num_interop_threads(2)
    >>> weft.get_num_interop_threads()
    2
    >>> weft.set_num_interop_threads(before)
    """
    settings.interop_threads = _count(n, "set_num_interop_threads")


# determinism

def use_deterministic_algorithms(mode, *, warn_only=False):
    """Ask for results that don't depend on the order in which threads finish: the kernels' never do, so it is only
    taken note of.

    >>> import weft
    >>> weft.use_deterministic_algorithms(True)
    >>> weft.are_deterministic_algorithms_enabled()
    True
    >>> weft.use_deterministic_algorithms(False)
    """
    if not isinstance(mode, bool) or not isinstance(warn_only, bool):
        raise TypeError(f"use_deterministic_algorithms(): 'mode' and 'warn_only' must be bool, got {mode!r} and "
                        f"{warn_only!r}")
    settings.deterministic, settings.warn_only = mode, warn_only


def are_deterministic_algorithms_enabled():
    """Whether only deterministic algorithms are allowed.

    >>> import weft
    >>> weft.are_deterministic_algorithms_enabled()
    False
    """
    return settings.deterministic


def is_deterministic_algorithms_warn_only_enabled():
    """Whether an algorithm that isn't deterministic only warns.

    >>> import weft
    >>> weft.is_deterministic_algorithms_warn_only_enabled()
    False
    """
    return settings.warn_only


_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


def set_deterministic_debug_mode(debug_mode):
    """The same switch with three positions: "default" (0), "warn" (1), "error" (2).

    >>> import weft
    >>> weft.set_deterministic_debug_mode("warn")
    >>> weft.get_deterministic_debug_mode()
    1
    >>> weft.set_deterministic_debug_mode("default")
    """
    level = _DEBUG_MODES.get(debug_mode) if isinstance(debug_mode, str) else debug_mode
    if level not in (0, 1, 2):
        kind = RuntimeError if isinstance(debug_mode, (int, str)) else TypeError
        raise kind(f"invalid value of debug_mode, expected one of {', '.join(_DEBUG_MODES)} or 0, 1, 2, but got "
                   f"{debug_mode}")
    use_deterministic_algorithms(level > 0, warn_only=level == 1)


def get_deterministic_debug_mode():
    """0, 1 (warn) or 2 (refuse): what an algorithm that isn't deterministic does.

    >>> import weft
    >>> weft.get_deterministic_debug_mode()
    0
    """
    return 0 if not settings.deterministic else 1 if settings.warn_only else 2


# float32 products

def get_float32_matmul_precision():
    """The precision that was set for products of float32 matrices.

    >>> import weft
    >>> weft.get_float32_matmul_precision()
    'highest'
    """
    return settings.matmul_precision


def set_float32_matmul_precision(precision):
    """Taken note of; products are always computed in full float32 here.

    >>> import weft
    >>> weft.set_float32_matmul_precision("high")
    >>> weft.get_float32_matmul_precision()
    'high'
    >>> weft.set_float32_matmul_precision("highest")
    """
    if precision not in ("highest", "high", "medium"):
        raise RuntimeError(f"set_float32_matmul_precision expects 'highest', 'high' or 'medium', got {precision!r}")
    settings.matmul_precision = precision


# warnings and denormal numbers

def set_warn_always(b):
    """Taken note of; Python's own filters decide how often a warning is shown here.

    >>> import weft
    >>> weft.set_warn_always(True)
    >>> weft.is_warn_always_enabled()
    True
    >>> weft.set_warn_always(False)
    """
    if not isinstance(b, bool):
        raise TypeError(f"set_warn_always expects a bool, but got {type(b).__name__}")
    settings.warn_always = b


def is_warn_always_enabled():
    """Whether warnings that come once come every time.

    >>> import weft
    >>> weft.is_warn_always_enabled()
    False
    """
    return settings.warn_always


def set_flush_denormal(mode):
    """False: the processor's mode can't be set from here, and denormal numbers stay as they are.

    >>> import weft
    >>> weft.set_flush_denormal(True)
    False
    """
    if not isinstance(mode, bool):
        raise TypeError(f"set_flush_denormal expects a bool, but got {type(mode).__name__}")
    return False


PUBLIC = (get_traceback, set_traceback, set_warn_always, is_warn_always_enabled, set_flush_denormal,
          get_num_threads, set_num_threads, get_num_interop_threads, set_num_interop_threads,
          use_deterministic_algorithms, are_deterministic_algorithms_enabled,
          is_deterministic_algorithms_warn_only_enabled, set_deterministic_debug_mode, get_deterministic_debug_mode,
          get_float32_matmul_precision, set_float32_matmul_precision)
