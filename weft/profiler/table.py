"""The table of a profile, with PyTorch's columns."""
import math

from weft.core.units import bytes_text
from weft.profiler.events import format_share, format_time

WIDTH = 12
UNITS = {"s": (1e6, "s"), "ms": (1e3, "ms"), "us": (1, "us")}
FLOPS = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")


def build(events, sort_by, row_limit, max_src, max_name, max_shapes, header, top_level_only, time_unit, memory,
          with_flops):
    """The table's text; "" for no events."""
    if not events:
        return ""
    rows = sorted(events, key=lambda e: _figure(e, sort_by), reverse=True) if sort_by is not None else list(events)
    total = sum(event.self_cpu_time_total for event in events)
    columns = _columns(events, total, max_src, max_name, max_shapes, memory, with_flops, time_unit)
    shown = [event for event in rows if not (top_level_only and event.cpu_parent is not None)]
    shown = shown if row_limit < 0 else shown[:row_limit]
    rule = "".join("-" * width + "  " for _, width, _, _ in columns)
    lines = []
    if header is not None:
        lines += ["=" * (len(rule) - 2), header]
    if top_level_only:
        lines += ["=" * (len(rule) - 2), "This report only display top-level ops statistics"]
    lines += [rule, _row(columns, [title for title, _, _, _ in columns]), rule]
    for event in shown:
        lines.append(_row(columns, [cell(event) for _, _, _, cell in columns]))
        if columns[-1][0] == "Source Location":
            lines += [_row(columns, [""] * (len(columns) - 1) + [_tail(entry, columns[-1][1])])
                      for entry in event.stack[1:]]
    return "\n".join([*lines, rule, f"Self CPU time total: {_time(total, time_unit)}", ""])


def _figure(event, name):
    for other in ("cuda", "xpu", "privateuse1"):
        name = name.replace(other, "device")
    if not hasattr(event, name):
        raise AttributeError(f"table(): can't sort by '{name}'\n  fix: sort_by is the name of a figure, such as "
                             f"'self_cpu_time_total', 'cpu_time_total', 'cpu_memory_usage', 'count' or 'flops'")
    return getattr(event, name)


def _columns(events, total, max_src, max_name, max_shapes, memory, with_flops, unit):
    """(title, width, alignment, cell of an event) of each column."""
    def wide(texts, most):
        width = max(map(len, texts)) + 4
        return width if most is None else min(width, most)
    name_width = wide([e.key for e in events], max_name)
    columns = [("Name", name_width, ">", lambda e: _cut(e.key, name_width if max_name is not None else None)),
               ("Self CPU %", WIDTH, ">", lambda e: format_share(e.self_cpu_time_total, total)),
               ("Self CPU", WIDTH, ">", lambda e: _time(e.self_cpu_time_total, unit)),
               ("CPU total %", WIDTH, ">", lambda e: format_share(e.cpu_time_total, total)),
               ("CPU total", WIDTH, ">", lambda e: _time(e.cpu_time_total, unit)),
               ("CPU time avg", WIDTH, ">", lambda e: _time(e.cpu_time, unit))]
    if memory:
        columns += [("CPU Mem", WIDTH, ">", lambda e: bytes_text(e.cpu_memory_usage)),
                    ("Self CPU Mem", WIDTH, ">", lambda e: bytes_text(e.self_cpu_memory_usage))]
    columns.append(("# of Calls", WIDTH, ">", lambda e: str(e.count)))
    if any(e.input_shapes for e in events):
        width = wide([str(e.input_shapes) for e in events], max_shapes)
        columns.append(("Input Shapes", width, ">", lambda e: str(e.input_shapes)[:width]))
    counted = [e.flops for e in events if e.flops > 0]
    if with_flops and counted:
        power = min(len(FLOPS) - 1, int(math.log10(min(counted)) / 3))
        columns.append((f"Total {FLOPS[power]}", WIDTH, ">", lambda e: f"{e.flops / 1000 ** power:.3f}" if e.flops > 0
                        else "--"))
    stacks = [entry for e in events for entry in e.stack]
    if stacks:
        width = wide(stacks, max_src)
        columns.append(("Source Location", width, "<", lambda e: _tail(e.stack[0], width) if e.stack else ""))
    return columns


def _row(columns, cells):
    return "".join(f"{cell:{align}{width}}  " for (_, width, align, _), cell in zip(columns, cells))


def _time(us, unit):
    if unit in UNITS:
        size, name = UNITS[unit]
        return f"{us / size:.3f}{name}"
    return format_time(us)


def _cut(name, width):
    return name if width is None or len(name) < width - 3 else name[:width - 3] + "..."


def _tail(text, width):
    return text if len(text) <= width else "..." + text[len(text) - width + 3:]
