"""What a thread knows of autocast: the types that its regions compute in, and the casts that they keep."""
import threading

from weft.core import dtype as dtypes
from weft.core.modes import AUTOCAST
from weft.core.runtime import mode_bits, set_mode_bits

DTYPES = {"cpu": dtypes.bfloat16, "cuda": dtypes.float16}


class _State(threading.local):
    def __init__(self):
        self.dtypes = dict(DTYPES)  # by device type, of the region that the thread is in
        self.cuda = False           # whether it is on for "cuda", where nothing runs; for the CPU the mode bit says so
        self.keep = True            # whether the cast of a parameter is made once for all ops
        self.depth = 0              # regions that are open
        self.kept = {}              # id of a leaf -> (the leaf, what it was cast under, its cast)


state = _State()


def is_on(device_type):
    """Whether this thread's ops are cast for the device type."""
    return bool(mode_bits() & AUTOCAST) if device_type == "cpu" else state.cuda


def switch(device_type, enabled):
    """Cast from now on, or don't."""
    if device_type == "cpu":
        set_mode_bits(mode_bits() | AUTOCAST if enabled else mode_bits() & ~AUTOCAST)
    else:
        state.cuda = bool(enabled)


class Region:
    """Autocast in a scope: on or off, in which type, and whether a parameter's cast is made once."""

    def __init__(self, device, enabled, dtype, keep):
        self.device, self.fast_dtype = device, dtype
        self._enabled, self._cache_enabled, self._before = bool(enabled), bool(keep), []

    def __enter__(self):
        self._before.append((is_on(self.device), state.dtypes[self.device], state.keep))
        switch(self.device, self._enabled)
        state.dtypes[self.device], state.keep = self.fast_dtype, self._cache_enabled
        state.depth += 1
        return self

    def __exit__(self, *error):
        state.depth -= 1
        if state.depth == 0:
            state.kept.clear()
        enabled, state.dtypes[self.device], state.keep = self._before.pop()
        switch(self.device, enabled)
        return False


def region_now():
    """A region like the one that the thread is in: for what runs again later."""
    return Region("cpu", is_on("cpu"), state.dtypes["cpu"], state.keep)
