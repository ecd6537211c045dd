"""A graph as text: the tree of modules, a line for each op, columns that line up; long graphs shortened, saying by how
much.
"""
from weft.core.units import bytes_text
from weft.viz.graph import attribute_text
from weft.viz.tree import Box, boxes

WIDEST = 64     # of the first column


def text(graph, limit=60, width=None):
    """All of it; limit: how many lines at most (None for all); width: of the first column."""
    rows = list(_rows(boxes(graph, lambda node: node.kind not in ("parameter", "buffer"))))
    shown, hidden = _shorten(rows, limit)
    table = _columns([row[1:] for row in shown if row is not None], width or WIDEST)
    if hidden:
        at = shown.index(None)
        table.insert(at, f"... {_counted(hidden)} more; graph.text(limit=None) shows all ...")
    return "\n".join([headline(graph), *table])


def headline(graph):
    """What there is, in one line."""
    ops, parameters = len(graph.ops), graph.parameters
    parts = [f"{ops:,} op{'s' * (ops != 1)}"]
    if graph.modules:
        parts.append(f"{len(graph.modules):,} module{'s' * (len(graph.modules) != 1)}")
    if parameters:
        parts.append(f"{len(parameters):,} parameter{'s' * (len(parameters) != 1)} "
                     f"({bytes_text(sum(p.bytes for p in parameters))})")
    if graph.inputs:
        parts.append(f"{len(graph.inputs):,} input{'s' * (len(graph.inputs) != 1)}")
    if graph.saved_bytes:
        parts.append(f"{bytes_text(graph.saved_bytes)} saved for backward")
    if graph.time is not None:
        parts.append(f"{time_text(graph.time)} forward")
    back = [node.time_backward for node in graph if node.time_backward is not None]
    if back:
        parts.append(f"{time_text(sum(back))} backward")
    title = f"Graph of {graph.title}" if graph.title else "Graph"
    step = f", iteration {graph.iteration}" if graph.iteration is not None else ""
    return f"{title}{step}: {', '.join(parts)}"


def _rows(root):
    """(item, first column, others ...) of each line, without recursion."""
    stack = [(item, 0) for item in reversed(root.items)]
    while stack:
        item, depth = stack.pop()
        if isinstance(item, Box):
            yield item, "  " * depth + item.title
            stack.extend((inner, depth + 1) for inner in reversed(item.items))
        else:
            yield item, "  " * depth + expression(item), shape_text(item), *_figures(item), _place(item)


def expression(node):
    """`%5 linear(%3, fc1.weight, fc1.bias)`."""
    if node.kind == "input":
        return f"%{node.id} input" + (f" {node.name}" if node.name else "")
    if node.kind == "output":
        return f"{node.name or 'output'} = {', '.join(reference(p) for p in node.parents)}"
    if node.kind != "op":
        return f"%{node.id} {node.kind} {node.name or ''}".rstrip()
    given = [reference(p) for p in node.parents]
    if len(given) > 5:
        given = [*given[:4], f"... {len(given)} in all"]
    given += [f"{key}={_short(value)}" for key, value in node.attrs.items()]
    return f"%{node.id} {node.op}({', '.join(given)})"


def _short(value):
    shown = attribute_text(value)
    return shown if len(shown) <= 24 else shown[:21] + "..."


def reference(node):
    """How another line names a node."""
    return node.name if node.kind in ("parameter", "buffer", "input") and node.name else f"%{node.id}"


def shape_text(node):
    if node.shape is None:
        return ""
    more = f" and {len(node.outputs) - 1} more" if len(node.outputs) > 1 else ""
    return f"{list(node.shape)} {node.dtype}{more}"


def _figures(node):
    saved = f"saves {bytes_text(node.saved_bytes)}" if node.saved_bytes else ""
    spent = time_text(node.time) if node.time is not None else ""
    back = f"back {time_text(node.time_backward)}" if node.time_backward is not None else ""
    grad = ("" if node.grad is None else f"|grad| {node.grad.norm:.3g}" + (f", {node.grad.nan} NaN" if node.grad.nan
                                                                           else ""))
    return saved, spent, back, grad


def _place(node):
    if node.failed:
        first = (node.error or "").split("\n", 1)[0]
        return f"{node.where}  <-- FAILED: {first}"
    return node.where


def _shorten(rows, limit):
    """(the lines to show, None in place of those left out; the lines left out)."""
    if limit is None or len(rows) <= limit:
        return rows, []
    tail = max(limit // 3, 1)
    head = max(limit - tail, 1)
    return [*rows[:head], None, *rows[-tail:]], rows[head:-tail]


def _counted(rows):
    ops = sum(1 for row in rows if not isinstance(row[0], Box))
    calls = len(rows) - ops
    return f"{ops:,} line{'s' * (ops != 1)}" + (f" in {calls:,} module call{'s' * (calls != 1)}" if calls else "")


def _columns(rows, widest):
    """Cells under each other; a column that is empty everywhere is left out, a first cell that is too long is cut."""
    cut = [(_cut(row[0], widest) if len(row) > 1 else row[0], *row[1:]) for row in rows]
    n = max((len(row) for row in cut), default=0)
    widths = [max((len(row[i]) for row in cut if i < len(row) and len(row) > 1), default=0) for i in range(n)]
    made = []
    for row in cut:
        cells = [cell.ljust(widths[i]) for i, cell in enumerate(row) if i == 0 or widths[i]]
        made.append((row[0] if len(row) == 1 else "  ".join(cells)).rstrip())
    return made


def _cut(cell, widest):
    return cell if len(cell) <= widest else cell[:widest - 3] + "..."


def time_text(seconds):
    """`12 us`, `3.4 ms`."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.0f} ns"
