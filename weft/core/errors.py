# compiled, -Og
"""Errors in three lines: what, where (the user's line), what to do. Built only on failure."""
import linecache
import os

from weft.core.cells import shown_file
from weft.core.place import at as place_at
from weft.core.place import here

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep     # weft's own files


def defined(function):
    """Where a function of the user's begins, its decorators first; None for weft's own."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_filename.startswith(HOME):
        return None
    return place_at(code)


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


def where(place):
    """`train.py:41: h = self.fc1(x)`, with the module path in front when there is one; of a Place or a node."""
    if place is None or place.code is None:
        return None
    line = line_of(place.code, place.lasti)
    path = place.code.co_filename
    text = linecache.getline(path, line).strip()
    text = text if len(text) <= 120 else text[:117] + "..."
    found = f"{os.path.basename(shown_file(path))}:{line}" + (f": {text}" if text else "")
    return f"{place.module}, {found}" if place.module else found


def message(what, fix=None, at=None):
    """The three lines of an error; `at` replaces the current line."""
    place = at if at is not None else where(here())
    lines = [what]
    if place:
        lines.append(f"  in  {place}")
    if fix:
        lines.append(f"  fix: {fix}")
    return "\n".join(lines)


def fail(kind, what, fix=None, at=None):
    """Raise `kind` with a three-line message."""
    raise kind(message(what, fix, at))
