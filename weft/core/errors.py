"""Errors in three lines: what, where (the user's line), what to do. Built only on failure."""
import linecache
import os

from weft.core.runtime import current_module, user_code, user_offset

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep     # weft's own files


class Stamp:
    """Where the user's program was when this was made: a code object and an offset, resolved only when asked."""

    __slots__ = ("code", "lasti", "module")

    def __init__(self):
        self.code = user_code()
        self.lasti = user_offset()
        self.module = current_module()


def defined(function):
    """Where a function of the user's begins, its decorators first; None for weft's own."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_filename.startswith(HOME):
        return None
    made = Stamp.__new__(Stamp)
    made.code, made.lasti, made.module = code, -1, None
    return made


def line_of(code, lasti):
    """The source line number of an offset in a code object."""
    if code is None:
        return None
    for start, end, line in _ranges(code):
        if start <= lasti < end and line is not None:
            return line
    return code.co_firstlineno


def _ranges(code):
    return code.co_lines()


def where(stamp):
    """`train.py:41: h = self.fc1(x)`, with the module path in front when there is one."""
    if stamp is None or stamp.code is None:
        return None
    line = line_of(stamp.code, stamp.lasti)
    path = stamp.code.co_filename
    text = linecache.getline(path, line).strip()
    text = text if len(text) <= 120 else text[:117] + "..."
    place = f"{os.path.basename(path)}:{line}" + (f": {text}" if text else "")
    return f"{stamp.module}, {place}" if stamp.module else place


def here():
    """Where the user's program is now."""
    return where(Stamp())


def message(what, fix=None, at=None):
    """The three lines of an error; `at` replaces the current line."""
    place = at if at is not None else here()
    lines = [what]
    if place:
        lines.append(f"  in  {place}")
    if fix:
        lines.append(f"  fix: {fix}")
    return "\n".join(lines)


def fail(kind, what, fix=None, at=None):
    """Raise `kind` with a three-line message."""
    raise kind(message(what, fix, at))
