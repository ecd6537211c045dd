"""Where an op belongs: the user's line, and the call of the module that ran it."""
import linecache

from weft.core.cells import shown_file
from weft.core.errors import line_of


class Box:
    """One call of a module: its path from the outermost module on, and which call of it this is (of all prefixes, too).
    """

    __slots__ = ("path", "calls", "kind", "shown")

    def __init__(self, path, calls, kind, shown):
        self.path, self.calls, self.kind, self.shown = path, calls, kind, shown

    @property
    def call(self):
        return self.calls[-1] if self.calls else 0


NOWHERE = Box("", (), None, None)


class Places:
    """Resolves lines and modules, each once."""

    def __init__(self):
        self.boxes = {}         # the record of a running call -> Box
        self.counts = {}        # path -> calls seen
        self.modules = {}       # path -> {"kind", "repr"}
        self.roots = {}         # id -> outermost module
        self.lines = {}

    def line(self, place):
        """(file, line, source) of a place; three times None without one."""
        code = place.code
        if code is None:
            return None, None, None
        key = code, place.lasti
        found = self.lines.get(key)
        if found is None:
            number = line_of(code, place.lasti)
            source = linecache.getline(code.co_filename, number).strip()
            found = self.lines[key] = shown_file(code.co_filename), number, source or None
        return found

    def box(self, running):
        """The Box of a running call (`nn.module.Running`), or NOWHERE."""
        chain = []
        while running is not None and not isinstance(running, str) and running not in self.boxes:
            chain.append(running)
            running = running.caller
        outer = self.boxes.get(running, NOWHERE) if running is not None and not isinstance(running, str) else NOWHERE
        for link in reversed(chain):
            outer = self.boxes[link] = self._make(link, outer)
        return outer

    def _make(self, link, outer):
        module = link.module()
        caller = link.caller
        within = caller.module() if hasattr(caller, "module") else None
        if within is None and outer is NOWHERE and module is not None:
            self.roots.setdefault(id(module), module)
        name = name_within(within, module) or link.kind
        path = f"{outer.path}.{name}" if outer.path else name
        n = self.counts[path] = self.counts.get(path, -1) + 1
        if path not in self.modules:
            shown = (link.kind if module is None else f"{link.kind}({module.extra_repr()})" if not module._modules
                     else link.kind)
            self.modules[path] = {"kind": link.kind, "repr": shown}
        return Box(path, outer.calls + (0,) * name.count(".") + (n,), link.kind, self.modules[path]["repr"])

    def leaf_names(self):
        """id of a parameter's or buffer's array -> (kind, name) for all outermost modules seen; the class's name in
        front where there are several.
        """
        found = {}
        for module in self.roots.values():
            front = f"{type(module).__name__}." if len(self.roots) > 1 else ""
            for kind, pairs in (("parameter", module.named_parameters()), ("buffer", module.named_buffers())):
                for name, t in pairs:
                    found.setdefault(id(t._array), (kind, front + name))
        return found


def name_within(outer, inner):
    """The path of a module inside another; None when it isn't there."""
    if outer is None or inner is None:
        return None
    for name, child in outer._modules.items():      # nearly always a direct child
        if child is inner:
            return name
    return next((name for name, module in outer.named_modules() if module is inner and name), None)
