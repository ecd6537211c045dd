"""torch.cuda where the CPU stands in for GPUs (`weft run --gpus N`): programs written for GPUs run as they are."""
from weft.core.device import device as _device
from weft.core.device import stand_ins as _stand_ins

__all__ = ["Event", "Stream", "current_device", "current_stream", "default_stream", "device", "device_count",
           "get_device_name", "is_available", "is_initialized", "set_device", "set_stream", "stream"]
_chosen = [0]


def is_available():
    return True


is_initialized = is_available


def device_count():
    return _stand_ins()


def current_device():
    return _chosen[0]


def set_device(device):
    """Choose a device, which changes nothing but `current_device()`."""
    number = _number(device)
    _chosen[0] = _chosen[0] if number < 0 else number


def get_device_name(device=None):
    return "CPU, in the place of a GPU"


def _number(device):
    """A device's number; -1 for None."""
    if device is None or isinstance(device, int) and device < 0:
        return -1
    found = _device(device)
    number = _chosen[0] if found.index is None else found.index
    if found.type != "cuda" or number >= _stand_ins():
        raise RuntimeError(f"CUDA error: invalid device ordinal: {found}, and the CPU stands in for {_stand_ins()} "
                           "GPUs\n  fix: weft run --gpus N with a greater N")
    return number


class device:
    """`with torch.cuda.device(1):` chooses a device for a while."""

    def __init__(self, device):
        self.idx = _number(device)

    def __enter__(self):
        self._before = current_device()
        set_device(self.idx)

    def __exit__(self, *exc):
        set_device(self._before)
        return False


class Stream:
    """A queue of work: everything is done at once, in order."""

    def __init__(self, device=None, priority=0, **options):
        self.device = _device("cuda", max(_number(device), 0))

    def synchronize(self):
        """Nothing to wait for."""

    wait_event = wait_stream = lambda self, other: None

    def query(self):
        return True

    def record_event(self, event=None):
        event = Event() if event is None else event
        event.record(self)
        return event

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


class Event:
    """A mark in time."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self._at = None

    def record(self, stream=None):
        import time  # only here
        self._at = time.perf_counter()

    def elapsed_time(self, end_event):
        """Milliseconds from this mark to another."""
        if self._at is None or end_event._at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event._at - self._at) * 1000

    def query(self):
        return True

    def synchronize(self):
        """Nothing to wait for."""

    wait = record


def current_stream(device=None):
    return Stream(device)


default_stream = current_stream


def set_stream(stream):
    """There is one order of work."""


def stream(stream):
    """A region for a stream; nothing changes in it."""
    return Stream()
