"""A graph as a picture: ops from top to bottom, modules as boxes around them, parameters named in the op that uses
them.
"""
from html import escape

from weft.core.units import bytes_text
from weft.viz.layout import Item, layout
from weft.viz.text import headline, shape_text
from weft.viz.tree import Box, boxes

CHAR, LINE = 7.0, 15        # of the 11.5 px monospaced text
HIDDEN = ("parameter", "buffer")

RULES = {       # class -> (fill, stroke, the same on dark paper); no CSS variables: not every viewer of SVG has them
    "paper": ("#ffffff", "none", "#14181f", "none"), "box": ("#f3f5f9", "#cfd6e1", "#1c222c", "#38424f"),
    "op": ("#ffffff", "#7f8ea3", "#262e3a", "#64738a"), "input": ("#e3f1e6", "#4e9a5d", "#1d3324", "#5fae70"),
    "output": ("#e4ecfb", "#3f6fc4", "#1d2b45", "#6d97e6"), "failed": ("#fde3e1", "#c9302c", "#47201f", "#f0736c"),
    "closed": ("#e9edf4", "#aeb9c9", "#20262f", "#4a5667"), "edge": ("none", "#8a94a3", "none", "#6b7688"),
    "tip": ("#8a94a3", "none", "#6b7688", "none"), "text": ("#1d2430", "none", "#e6e9ef", "none"),
         "soft": ("#5c6675", "none", "#98a2b3", "none"),
    "title": ("#1d2430", "#f3f5f9", "#e6e9ef", "#1c222c")}
BASE = (".weft text{font:11.5px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}.weft "
        ".strong{font-weight:600}.weft .edge{stroke-width:1.2}.weft .failed{stroke-width:2}.weft "
        ".title{paint-order:stroke;stroke-width:5px;stroke-linejoin:round}")


def style():
    light, dark = ("".join(f".weft .{name}{{fill:{rule[i]};stroke:{rule[i + 1]}}}" for name, rule in RULES.items())
                   for i in (0, 2))
    return f"<style>{BASE}{light}@media (prefers-color-scheme:dark){{{dark}}}</style>"


def svg(graph, limit=120):
    """The picture as SVG text; boxes that would make it larger than `limit` items are drawn closed."""
    root, of_node = _items(boxes(graph, lambda node: node.kind not in HIDDEN), limit)
    edges = {}
    for node in graph:
        for parent in node.parents:
            a, b = of_node.get(parent.id), of_node.get(node.id)
            if a is not None and b is not None and a is not b:
                edges[a, b] = True
    edges = list(edges)
    routes = layout(root, edges)
    return _draw(graph, root, routes)


def _items(outer, limit):
    """(the items of what is to be drawn; node number -> its item). Boxes are opened level by level as long as there is
    room.
    """
    most = max(limit // 3, 6)       # items of one box; of longer ones the middle is left out
    opened, total, level = {id(outer)}, min(len(outer.items), most), [outer]
    while level:
        following = []
        for box in level:
            for inner in box.items if len(box.items) <= most else [*box.items[:most * 2 // 3],
                                                                   *box.items[most * 2 // 3 - most:]]:
                cost = min(len(inner.items), most) - 1 if isinstance(inner, Box) else 0
                if isinstance(inner, Box) and total + cost <= limit:
                    opened.add(id(inner))
                    total += cost
                    following.append(inner)
        level = following
    return _build(outer, opened, most)


def _build(outer, opened, limit):
    of_node, stack, done = {}, [(outer, False)], {}
    while stack:
        box, ready = stack.pop()
        if not ready:
            stack.append((box, True))
            stack.extend((inner, False) for inner in box.items if isinstance(inner, Box) and id(inner) in opened)
            continue
        children, left_out = [], []
        head = limit * 2 // 3
        tail = len(box.items) - (limit - head)
        for i, entry in enumerate(box.items):
            if len(box.items) > limit and head <= i < tail:
                if not left_out:
                    children.append(None)
                left_out.append(entry)
                continue
            made = done.get(id(entry)) or _leaf_item(entry)
            children.append(made)
            for node in _nodes(entry) if made.children is None else ():
                of_node[node.id] = made
        if left_out:
            n = sum(1 for entry in left_out for _ in _nodes(entry))
            more = Item(("more", n), (len(f"{n:,}") + 10) * CHAR, LINE + 12)
            children[children.index(None)] = more
            for entry in left_out:
                of_node.update((node.id, more) for node in _nodes(entry))
        done[id(box)] = Item(box, children=children, title_width=len(_cut(box.title, 48)) * CHAR)
    return done[id(outer)], of_node


def _nodes(entry):
    """The nodes of an entry, at any depth."""
    stack = [entry]
    while stack:
        found = stack.pop()
        if isinstance(found, Box):
            stack.extend(found.items)
        else:
            yield found


def _leaf_item(entry):
    lines = _lines(entry)
    return Item(entry, max(len(text) for text, _ in lines) * CHAR + 22, len(lines) * LINE + 12)


def _lines(entry):
    """(text, style) of what stands in a node or a closed box."""
    if isinstance(entry, Box):
        return [(_cut(entry.title, 48), "strong"), (f"{entry.count:,} node{'s' * (entry.count != 1)} inside", "soft")]
    lines = [(_cut(entry.label), "strong")]
    if entry.shape is not None:
        lines.append((_cut(shape_text(entry)), ""))
    for parent in entry.parents:
        if parent.kind in HIDDEN:
            name = (parent.name or parent.kind).rsplit(".", 1)[-1]
            lines.append((f"{name} {list(parent.shape)}", "soft"))
    if entry.saved_bytes:
        lines.append((f"saves {bytes_text(entry.saved_bytes)}", "soft"))
    if entry.grad is not None:
        lines.append((f"|grad| {entry.grad.norm:.3g}", "soft"))
    if entry.file and entry.kind == "op":
        lines.append((entry.where, "soft"))
    if entry.failed:
        lines.append((_cut((entry.error or "failed").split("\n", 1)[0], 60), "strong"))
    return lines


def _cut(text, most=36):
    return text if len(text) <= most else text[:most - 3] + "..."


def _draw(graph, root, routes):
    top = 26
    title = headline(graph)
    width, height = max(root.width, len(title) * CHAR + 24) + 4, root.height + top - 10
    back, front = [], []
    stack = list(reversed(root.children))
    while stack:
        item = stack.pop()
        if item.children is not None:
            back.append(_rect(item, "box", 8))
            front.append(_text(item.x + 10, item.y + 17, _cut(item.key.title, 48), "title strong"
                               if "." not in item.key.path else "title"))
            stack.extend(reversed(item.children))
        else:
            front.append(_node(item))
    lines = [_edge(points) for points in routes]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" class="weft" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{escape(title)}">{style()}<rect '
            f'class="paper" width="100%" height="100%"/>{_text(12, 18, title, "soft")}<g transform="translate(2 '
            f'{top - 24})">{"".join(back)}{"".join(lines)}{"".join(front)}</g></svg>')


def _node(item):
    entry = item.key
    if isinstance(entry, tuple):
        return _rect(item, "closed", 6) + _text(item.x + item.width / 2, item.y + 18, f"... {entry[1]:,} more", "soft",
                                                "middle")
    kind = ("closed" if isinstance(entry, Box) else "failed" if entry.failed
            else {"input": "input", "output": "output"}.get(entry.kind, "op"))
    tip = "" if isinstance(entry, Box) else f"<title>{escape(_tip(entry))}</title>"
    rows = [_text(item.x + item.width / 2, item.y + 17 + i * LINE, text, style, "middle")
            for i, (text, style) in enumerate(_lines(entry))]
    return f'<g>{tip}{_rect(item, kind, 6 if kind != "input" else 12)}{"".join(rows)}</g>'


def _tip(node):
    """What a pointer resting on a node shows."""
    lines = [f"%{node.id} {node.label}" + (f" in {node.module}" if node.module else "")]
    if node.file:
        lines.append(f"{node.where}: {node.source or ''}")
    lines += [f"{what}: {found}" for what, found in (("values", node.values), ("gradient", node.grad),
                                                     ("error", node.error)) if found is not None]
    return "\n".join(lines)


def _rect(item, kind, radius):
    return (f'<rect class="{kind}" x="{item.x:.1f}" y="{item.y:.1f}" width="{item.width:.1f}" '
            f'height="{item.height:.1f}" rx="{radius}"/>')


def _text(x, y, text, style="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="text {style}" text-anchor="{anchor}">{escape(text)}</text>'


def _edge(points):
    """A curve that leaves and arrives vertically at every point, with a tip."""
    (x, y), path = points[0], ""
    path = f"M{x:.1f} {y:.1f}"
    for nx, ny in points[1:]:
        middle = (ny - y) / 2
        path += f"C{x:.1f} {y + middle:.1f} {nx:.1f} {ny - middle:.1f} {nx:.1f} {ny:.1f}"
        x, y = nx, ny
    return f'<path class="edge" d="{path}"/><path class="tip" d="M{x:.1f} {y:.1f}l-3.5 -7h7z"/>'
