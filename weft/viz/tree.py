"""The nodes of a graph in the boxes of their modules: one box for each call of a module, in the order in which they
ran.
"""


class Box:
    """One call of a module, or of the whole program (path ""): its nodes and inner boxes, in order."""

    __slots__ = ("path", "name", "call", "calls", "kind", "shown", "items", "parent", "count")

    def __init__(self, path, name, call, parent, what):
        self.path, self.name, self.call, self.parent = path, name, call, parent
        self.kind, self.shown = what.get("kind"), what.get("repr")
        self.calls = 1          # of this module in all
        self.items = []         # Node or Box
        self.count = 0          # nodes inside, at any depth

    @property
    def title(self):
        """`encoder: Linear(3, 4)`, with the number of the call where there are several."""
        shown = "" if self.shown in (None, self.name) else f": {self.shown}"
        return f"{self.name}{shown}" + (f", call {self.call + 1} of {self.calls}" if self.calls > 1 else "")


def boxes(graph, keep):
    """The outermost box; keep(node) says which nodes are put in."""
    root, known, calls = Box("", "", 0, None, {}), {}, {}
    for node in graph:
        if not keep(node):
            continue
        box, path = root, ""
        for i, name in enumerate(node.module.split(".") if node.module else ()):
            path = f"{path}.{name}" if path else name
            call = node.calls[i] if i < len(node.calls) else 0
            key = (id(box), path, call)
            inner = known.get(key)
            if inner is None:
                inner = known[key] = Box(path, name, call, box, graph.modules.get(path, {}))
                box.items.append(inner)
                calls.setdefault(path, []).append(inner)
            box = inner
        box.items.append(node)
        while box is not None:
            box.count += 1
            box = box.parent
    for same in calls.values():
        most = max(box.call for box in same) + 1
        for box in same:
            box.calls = most
    return root
