"""Source lines and module paths of what was noted, each worked out once."""
import os

from weft.core.errors import line_of


class Places:
    """Turns (code, offset) into lines and running modules into paths."""

    def __init__(self):
        self._lines, self._frames, self._paths, self._names = {}, {}, {}, {}

    def line(self, code, offset):
        """(file, line number, function), or None."""
        if code is None:
            return None
        found = self._lines.get((code, offset))
        if found is None:
            found = self._lines[code, offset] = (code.co_filename, line_of(code, offset), code.co_name)
        return found

    def frame(self, code, offset):
        """`train.py(41): forward`."""
        found = self._frames.get((code, offset))
        if found is None:
            place = self.line(code, offset)
            found = self._frames[code, offset] = "" if place is None else f"{_short(place[0])}({place[1]}): {place[2]}"
        return found

    def path(self, running):
        """`Net.encoder.fc1` of a module in the middle of a call (nn.module.Running); "" for none."""
        if running is None:
            return ""
        found = self._paths.get(id(running))
        if found is None:
            found = self._paths[id(running)] = (self._path(running), running)      # kept, so that the id stays its own
        return found[0]

    def _path(self, running):
        if not hasattr(running, "caller"):
            return str(running)
        path, outer = "", None
        for inner in chain_of(running):
            known = self._paths.get(id(inner))
            path = known[0] if known is not None else inner.kind if outer is None else \
                f"{path}.{self._name(outer.module(), inner.module()) or inner.kind}"
            self._paths[id(inner)] = (path, inner)
            outer = inner
        return path

    def _name(self, outer, inner):
        if outer is None or inner is None:
            return None
        names = self._names.get(id(outer))
        if names is None:
            names = self._names[id(outer)] = {id(module): name for name, module in outer.named_modules() if name}
        return names.get(id(inner))


def chain_of(running):
    """The running modules from the outermost to this one."""
    chain = []
    while hasattr(running, "caller"):
        chain.append(running)
        running = running.caller
    return chain[::-1]


def _short(path):
    """A path from the current folder, where it lies below it."""
    try:
        relative = os.path.relpath(path)
    except (ValueError, OSError):
        return path
    return path if relative.startswith("..") or path.startswith("<") else relative
