"""Which frames a traceback shows: those of the user's program, or weft's own too.

Compiled functions leave no frame behind, and drop those of the plain functions that they called (`runtime.leave`). What
remains are plain functions that the user's program calls itself; an uncaught error is shown without them.
"""
import functools
import os
import sys

from weft.core.cells import shell
from weft.core.errors import fail
from weft.core.runtime import short_trace, show_own_frames, shows_own_frames

KINDS = ("short", "full")


def get_traceback():
    """Whether tracebacks are "short", without weft's own frames, or "full".

    >>> import weft
    >>> weft.get_traceback() in ("short", "full")
    True
    """
    return "full" if shows_own_frames() else "short"


def set_traceback(kind):
    """Choose tracebacks that are "short", without weft's own frames, or "full"; WEFT_TRACEBACK=full does it from
    outside. Errors of a plain-Python core (WEFT_PURE=1) have full ones always.

    >>> import weft
    >>> before = weft.get_traceback()
    >>> weft.set_traceback("full")
    >>> weft.get_traceback()
    'full'
    >>> weft.set_traceback(before)
    """
    if kind not in KINDS:
        fail(ValueError, f"set_traceback(): kind must be 'short' or 'full', not {kind!r}")
    show_own_frames(kind == "full")


def shorten(error):
    """Leave weft's own frames out of an error's traceback, and of those that it came from."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        error.__traceback__ = short_trace(error.__traceback__) or error.__traceback__
        error = error.__cause__ or error.__context__


def install():
    """Show uncaught errors without weft's frames, unless the program shows its errors in a way of its own."""
    show_own_frames(os.environ.get("WEFT_TRACEBACK", "") == "full")
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = show
    if shell() is not None:
        install_in(shell())


def install_in(shell):
    """The same for IPython's shell, which shows errors itself."""
    usual = shell.showtraceback

    @functools.wraps(usual)
    def showtraceback(exc_tuple=None, *args, **kwargs):
        if not shows_own_frames():
            shorten(exc_tuple[1] if exc_tuple else sys.exc_info()[1])
        return usual(exc_tuple, *args, **kwargs)
    shell.showtraceback = showtraceback


def show(kind, error, trace):
    """What Python calls for an error that nobody caught."""
    if not shows_own_frames():
        shorten(error)
        trace = error.__traceback__
    sys.__excepthook__(kind, error, trace)
