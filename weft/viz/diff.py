"""What changed between two graphs of a dynamic model: nodes are matched by module path, call, op and order within
these.
"""
from collections import defaultdict

from weft.viz.text import expression, shape_text


class GraphDiff:
    """added and removed: nodes; changed: (old node, new node, [what]); same: how many pairs are alike. False when
    nothing changed.
    """

    def __init__(self, added, removed, changed, same):
        self.added, self.removed, self.changed, self.same = added, removed, changed, same

    def __bool__(self):
        return bool(self.added or self.removed or self.changed)

    def __len__(self):
        return len(self.added) + len(self.removed) + len(self.changed)

    @property
    def modules(self):
        """path -> (added, removed, changed): how many nodes of each module."""
        found = defaultdict(lambda: [0, 0, 0])
        for i, nodes in enumerate((self.added, self.removed, [new for _, new, _ in self.changed])):
            for node in nodes:
                found[node.module][i] += 1
        return {path: tuple(counts) for path, counts in sorted(found.items())}

    def text(self, limit=60):
        """Grouped by module: + added, - removed, ~ changed."""
        if not self:
            return f"no change: {self.same:,} nodes are alike"
        lines = [f"{len(self.added):,} added, {len(self.removed):,} removed, {len(self.changed):,} changed, "
                 f"{self.same:,} alike"]
        groups = defaultdict(list)
        for sign, nodes in (("+", self.added), ("-", self.removed)):
            for node in nodes:
                groups[node.module].append((node.id,
                                            f"  {sign} {_call(node)}{expression(node)}  {shape_text(node)}  "
                                            f"{node.where}".rstrip()))
        for _, new, what in self.changed:
            groups[new.module].append((new.id,
                                       f"  ~ {_call(new)}{expression(new)}  {'; '.join(what)}  {new.where}".rstrip()))
        for path in sorted(groups):
            added, removed, changed = self.modules[path]
            counts = ", ".join(f"{n:,} {what}" for n, what in ((added, "added"), (removed, "removed"),
                                                               (changed, "changed")) if n)
            lines.append(f"{path or '(outside of modules)'}: {counts}")
            lines += [line for _, line in sorted(groups[path])]
        if limit is not None and len(lines) > limit:
            lines = [*lines[:limit], f"... {len(lines) - limit:,} more lines; diff.text(limit=None) shows all"]
        return "\n".join(lines)

    def to_dict(self):
        return {"added": [node.to_dict() for node in self.added], "removed": [node.to_dict() for node in self.removed],
                "same": self.same, "changed": [{"old": old.to_dict(), "new": new.to_dict(), "what": what}
                                               for old, new, what in self.changed]}

    def __str__(self):
        return self.text()

    def __repr__(self):
        return f"<GraphDiff {len(self.added)} added, {len(self.removed)} removed, {len(self.changed)} changed>"


def diff(old, new):
    """What changed from `old` to `new`."""
    before, after = keyed(old), keyed(new)
    added = [node for key, node in after.items() if key not in before]
    removed = [node for key, node in before.items() if key not in after]
    old_keys = {node.id: key for key, node in before.items()}
    new_keys = {node.id: key for key, node in after.items()}
    changed, same = [], 0
    for key, node in after.items():
        if key not in before:
            continue
        what = compare(before[key], node, old_keys, new_keys)
        if what:
            changed.append((before[key], node, what))
        else:
            same += 1
    return GraphDiff(added, removed, changed, same)


def keyed(graph):
    """(module, calls, kind, op or name, order) -> node."""
    counts, found = defaultdict(int), {}
    for node in graph:
        key = (node.module, node.calls, node.kind, node.name or node.op if node.kind != "op" else node.op)
        found[(*key, counts[key])] = node
        counts[key] += 1
    return found


def compare(old, new, old_keys, new_keys):
    """What differs between two matched nodes, in words."""
    what = []
    if old.shape != new.shape:
        what.append(f"shape {_list(old.shape)} -> {_list(new.shape)}")
    if old.dtype != new.dtype:
        what.append(f"dtype {old.dtype} -> {new.dtype}")
    if {k: str(v) for k, v in old.attrs.items()} != {k: str(v) for k, v in new.attrs.items()}:
        what.append(f"arguments {old.attrs} -> {new.attrs}")
    if old.where != new.where:
        what.append(f"line {old.where or '?'} -> {new.where or '?'}")
    if [old_keys[p.id] for p in old.parents] != [new_keys[p.id] for p in new.parents]:
        what.append("computed from other nodes")
    if old.failed != new.failed:
        what.append("failed" if new.failed else "no longer fails")
    return what


def _list(shape):
    return None if shape is None else list(shape)


def _call(node):
    return f"(call {node.call + 1}) " if node.call else ""
