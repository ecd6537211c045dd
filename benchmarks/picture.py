"""speed.svg from the results: a bar for each row, weft's time over PyTorch's, on a scale of powers of two. Light and
dark.
"""
import math
from xml.sax.saxutils import escape

ROW, TOP, LEFT, WIDTH, RIGHT = 20, 64, 560, 420, 60
LOW, HIGH = 1 / 64, 4.0     # the ends of the scale
STYLE = """
  .t { font: 12px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #24292f }
  .h { font-size: 15px; font-weight: 600 } .s { fill: #57606a } .g { font-weight: 600 }
  .n { text-anchor: end } .m { text-anchor: middle }
  .fast { fill: #2da44e } .near { fill: #bf8700 } .slow { fill: #cf222e }
  .grid { stroke: #d0d7de; stroke-width: 1 }
  .one { stroke: #57606a; stroke-width: 1.5 } .goal { stroke: #24292f; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    .t { fill: #e6edf3 } .s { fill: #8b949e } .grid { stroke: #30363d }
    .one { stroke: #8b949e } .goal { stroke: #e6edf3 }
    .fast { fill: #3fb950 } .near { fill: #d29922 } .slow { fill: #f85149 }
  }"""


def place(ratio):
    """Where a ratio stands, in pixels."""
    share = math.log(min(max(ratio, LOW), HIGH) / LOW) / math.log(HIGH / LOW)
    return LEFT + WIDTH * share


def shown(results, threads):
    """The rows for the picture: those at the most threads that have a ratio; of the smallest ops only those that the
    design names.
    """
    named = ("x + y, with gradient", "21 small ops, fwd+bwd")
    return [r for r in results if r.get("ratio") is not None and r["threads"] == threads
            and (r.get("group") != "8x8" or r["name"] in named)]


def bar(result, y):
    ratio, goal = result["ratio"], result.get("goal")
    kind = "slow" if ratio > 1 else "near" if goal is not None and ratio > goal else "fast"
    end = place(ratio)
    made = [f'<text class="t n" x="{LEFT - 10}" y="{y + 14}">{escape(result["name"])}</text>',
            f'<rect class="{kind}" x="{LEFT}" y="{y + 3}" width="{max(end - LEFT, 1):.1f}" height="{ROW - 6}" rx="2"/>']
    if goal is not None:
        made.append(f'<line class="goal" x1="{place(goal):.1f}" x2="{place(goal):.1f}" y1="{y + 1}" '
                    f'y2="{y + ROW - 1}"/>')
    made.append(f'<text class="t n" x="{LEFT + WIDTH + RIGHT - 12}" y="{y + 14}">{ratio:.2f}</text>')
    return made


def draw(results, threads, machine="", versions=""):
    """The SVG's text."""
    rows = shown(results, threads)
    body, y, group = [], TOP, None
    for result in rows:
        if result.get("group") != group:
            group = result.get("group")
            body.append(f'<text class="t s g n" x="{LEFT - 10}" y="{y + 17}">{escape(group or "")}</text>')
            y += ROW + 2
        body += bar(result, y)
        y += ROW
    width, height = LEFT + WIDTH + RIGHT, y + 34
    grid = []
    for power in range(-6, 3):
        x = place(2.0 ** power)
        label = f"1/{2 ** -power}" if power < 0 else str(2 ** power)
        grid.append(f'<line class="{"one" if power == 0 else "grid"}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" '
                    f'y2="{y + 4}"/>')
        grid.append(f'<text class="t s m" x="{x:.1f}" y="{TOP - 6}">{label}</text>')
    head = [f'<text class="t h" x="10" y="22">weft\'s time over PyTorch\'s, {threads} '
            f'thread{"s" if threads > 1 else ""}</text>',
            f'<text class="t s" x="10" y="40">{escape(versions)}</text>',
            f'<text class="t s" x="10" y="{height - 10}">Shorter is faster; 1 is PyTorch, the upright strokes are the '
            f'goals. {escape(machine)}</text>']
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'role="img" aria-label="weft\'s time over PyTorch\'s">\n<style>{STYLE}\n</style>\n'
            + "\n".join([*grid, *head, *body]) + "\n</svg>\n")
