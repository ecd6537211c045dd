"""Named ranges of what runs, told to those who look on: `record_function`."""
import functools
import inspect

from weft.core.modes import WATCH, local
from weft.core.runtime import mode_bits


class record_function:
    """A named range of the profile; a context manager, or a decorator. It costs next to nothing when no profiler runs.

    >>> import weft
    >>> with weft.profiler.record_function("my step"):
    ...     pass
    """

    def __init__(self, name, args=None):
        self.name, self.args = name, args
        self._told = ()

    def __enter__(self):
        if mode_bits() & WATCH:
            self._told = [w for w in local.watchers if hasattr(w, "range_begin")]
            for watcher in self._told:
                watcher.range_begin(self, self.name, self.args)
        return self

    def __exit__(self, *exc):
        told, self._told = self._told, ()
        for watcher in told:
            watcher.range_end(self)

    def __call__(self, function):
        if inspect.iscoroutinefunction(function):
            @functools.wraps(function)
            async def inside(*args, **kwargs):
                with record_function(self.name, self.args):
                    return await function(*args, **kwargs)
            return inside

        @functools.wraps(function)
        def inside(*args, **kwargs):
            with record_function(self.name, self.args):
                return function(*args, **kwargs)
        return inside
