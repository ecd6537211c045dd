"""What memory() found, for people: a table, a timeline as SVG or HTML, JSON."""
import html
import json
import linecache
import os

from weft.core.units import bytes_text

COLORS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#9c755f")
REST = "#bab0ac"
POINTS = 800            # of a curve


def name_of(block, what):
    """The group of a block."""
    if what == "op":
        return block.op
    if what == "kind":
        return block.kind
    if what == "module":
        return block.module or "(no module)"
    if block.place is None:
        return f"({block.op})"
    file, line, function = block.place
    return f"{os.path.basename(file)}:{line}"


def by_group(blocks, what):
    """[(bytes, number, name)] of blocks, the greatest first."""
    if what not in ("line", "op", "module", "kind"):
        raise ValueError(f"memory: by is 'line', 'op', 'module' or 'kind', got {what!r}")
    sums = {}
    for block in blocks:
        entry = sums.setdefault(name_of(block, what), [0, 0])
        entry[0] += block.bytes
        entry[1] += 1
    return sorted([(size, n, name) for name, (size, n) in sums.items()], key=lambda row: (-row[0], row[2]))


def report(m, by=None, limit=15):
    """The table: by line, op and module together, or by one of them."""
    blocks = m.at_peak
    if not blocks:
        return "memory: nothing was seen\n"
    rows = _rows(blocks) if by is None else [(size, n, (name,)) for size, n, name in by_group(blocks, by)]
    heads = ("what", "module", "line") if by is None else (by,)
    last = m.timeline[m._peak_at][0]
    lines = [f"peak {bytes_text(m.peak)} in {len(blocks)} tensors, {last:.3f} s after the start; "
             f"{bytes_text(m.timeline[-1][1])} at the end"]
    extra = 0 if m.allocator_peak is None else m.allocator_peak - m.made_peak
    if extra > 0.01 * m.peak:
        lines.append(f"  besides, up to {bytes_text(extra)} inside kernels, and in what no op made")
    cells = [(f"{100 * size / m.peak:.0f} %", bytes_text(size), str(n), *names) for size, n, names in rows[:limit]]
    table = [("share", "bytes", "tensors", *heads), *cells]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        lines.append("  " + "  ".join(c.rjust(w) if i < 3 else c.ljust(w)
                                      for i, (c, w) in enumerate(zip(row, widths))).rstrip())
    if len(rows) > limit:
        lines.append(f"  and {len(rows) - limit} more, of {bytes_text(sum(size for size, _, _ in rows[limit:]))}")
    return "\n".join(lines) + "\n"


def _rows(blocks):
    """[(bytes, number, (what, module, line and its code))], the greatest first."""
    sums = {}
    for block in blocks:
        entry = sums.setdefault((block.op, block.module, block.place), [0, 0])
        entry[0] += block.bytes
        entry[1] += 1
    made = [(size, n, (op, module, _line(place))) for (op, module, place), (size, n) in sums.items()]
    return sorted(made, key=lambda row: (-row[0], row[2]))


def _line(place):
    if place is None:
        return ""
    file, number, _ = place
    text = linecache.getline(file, number).strip()
    return f"{os.path.basename(file)}:{number}" + (f": {text if len(text) <= 60 else text[:57] + '...'}" if text
                                                   else "")


def document(m):
    """Plain data of all of it."""
    step = max(1, len(m.timeline) // 5000)
    return {"format": "weft-memory", "version": 1, "peak": m.peak, "allocator_peak": m.allocator_peak,
            "timeline": [[round(t, 6), n] for t, n in m.timeline[::step]],
            "at_peak": [{"op": b.op, "kind": b.kind, "module": b.module, "file": b.place[0] if b.place else None,
                         "line": b.place[1] if b.place else None, "shape": list(b.shape), "bytes": b.bytes}
                        for b in m.at_peak]}


def export(m, path):
    """Write a file of the kind that its name ends in."""
    kind = os.path.splitext(os.fspath(path))[1].lower()
    makers = {".json": lambda: json.dumps(document(m)), ".svg": lambda: svg(m), ".html": lambda: page(m)}
    if kind not in makers:
        raise ValueError(f"memory.export(): the name must end in .json, .svg or .html, got {os.fspath(path)!r}")
    text = makers[kind]()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def layers(m):
    """(names, [(change, bytes of each name)] at sampled changes): the lines that at some time weigh most, and the rest.
    """
    changes = [[] for _ in m.timeline]
    for block in m.blocks:
        name = name_of(block, "line")
        changes[block.born].append((name, block.bytes))
        if block.died is not None:
            changes[block.died].append((name, -block.bytes))
    sums, most = {}, {}
    for name, size in (entry for change in changes for entry in change):
        sums[name] = sums.get(name, 0) + size
        most[name] = max(most.get(name, 0), sums[name])
    names = sorted(most, key=lambda name: (-most[name], name))[:len(COLORS)]
    index = {name: i for i, name in enumerate(names)}
    now, found = [0] * (len(names) + 1), []
    keep = {round(i * (len(changes) - 1) / POINTS) for i in range(POINTS + 1)} | {m._peak_at}
    for i, change in enumerate(changes):
        for name, size in change:
            now[index.get(name, len(names))] += size
        if i in keep:
            found.append((i, tuple(now)))
    return [*names, "others"], found


def svg(m, width=900, height=320):
    """Stacked areas over the changes, the peak marked."""
    names, points = layers(m)
    left, top, bottom = 70, 24, 28
    high, wide, last = height - top - bottom, width - left - 10, max(1, len(m.timeline) - 1)
    x = lambda i: left + wide * i / last
    y = lambda n: top + high * (1 - n / max(1, m.peak))
    shapes, below = [], [0] * len(points)
    for k, name in enumerate(names):
        above = [b + sums[k] for b, (_, sums) in zip(below, points)]
        forward = " ".join(f"{x(i):.1f},{y(n):.1f}" for (i, _), n in zip(points, above))
        back = " ".join(f"{x(i):.1f},{y(n):.1f}" for (i, _), n in reversed(list(zip(points, below))))
        color = COLORS[k] if k < len(names) - 1 else REST
        shapes.append(f'<polygon points="{forward} {back}" fill="{color}"><title>{html.escape(name)}</title></polygon>')
        below = above
    peak = x(m._peak_at)
    marks = [f'<line x1="{left}" x2="{width - 10}" y1="{y(m.peak * f):.1f}" y2="{y(m.peak * f):.1f}" stroke="#8884"/>'
             f'<text x="{left - 6}" y="{y(m.peak * f) + 4:.1f}" '
             f'text-anchor="end">{bytes_text(int(m.peak * f))}</text>' for f in (0, 0.5, 1)]
    marks.append(f'<line x1="{peak:.1f}" x2="{peak:.1f}" y1="{top}" y2="{top + high}" stroke="#c00" '
                 f'stroke-dasharray="4 3"/><text x="{min(peak + 5, width - 160):.1f}" y="{top - 8}" fill="#c00">peak '
                 f'{bytes_text(m.peak)}</text>')
    marks.append(f'<text x="{left}" y="{height - 8}">start</text><text x="{width - 10}" y="{height - 8}" '
                 f'text-anchor="end">{m.timeline[-1][0]:.3f} s, {len(m.timeline)} changes</text>' if m.timeline else "")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
            f'font-size="12" fill="currentColor">{"".join(shapes)}{"".join(marks)}</svg>')


def page(m):
    """The curve and the table as one HTML file."""
    names, _ = layers(m)
    colors = [*COLORS[:len(names) - 1], REST]
    legend = "".join(f'<span><i style="background:{color}"></i>{html.escape(name)}</span>'
                     for color, name in zip(colors, names))
    rows = "".join(f"<tr><td>{bytes_text(size)}<td>{n}<td>{html.escape(op)}<td>{html.escape(module)}"
                   f"<td><code>{html.escape(line)}</code>" for size, n, (op, module, line) in _rows(m.at_peak))
    return f"""<!doctype html><meta charset="utf-8"><title>memory: peak {bytes_text(m.peak)}</title>
<style>:root{{color-scheme:light dark}} body{{font:14px sans-serif;margin:2em;max-width:1000px}}
table{{display:block;overflow-x:auto}} td,th{{padding:2px 12px 2px 0;text-align:left;white-space:nowrap}}
td:first-child,td:nth-child(2),th:nth-child(-n+2){{text-align:right}}
i{{display:inline-block;width:10px;height:10px;margin:0 4px 0 12px}}</style>
<h1>Memory: peak {bytes_text(m.peak)}</h1>{svg(m)}<p>{legend}</p>
<h2>Alive at the peak</h2><table><tr><th>bytes<th>tensors<th>what<th>module<th>line{rows}</table>
"""
