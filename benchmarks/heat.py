"""A heat map of products: a cell for each, by family and number of threads, coloured by weft's time over the better of
the others'. Light and dark; a cell's title says which product it is.
"""
import math
import statistics
from xml.sax.saxutils import escape

CELL, GAP, PER_LINE, LEFT, TOP = 15, 1, 48, 120, 64
# below each bound, on a scale of ratios: green is faster, grey alike, red slower
COLOURS = ((0.5, "#116329"), (0.7, "#1a7f37"), (0.85, "#4ac26b"), (0.95, "#aceebb"), (1.05, "#afb8c1"),
           (1.15, "#ffcecb"), (1.3, "#ff8182"), (1.6, "#cf222e"), (math.inf, "#82071e"))
STYLE = """
  .t { font: 12px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #24292f }
  .h { font-size: 15px; font-weight: 600 } .s { fill: #57606a } .n { text-anchor: end }
  @media (prefers-color-scheme: dark) { .t { fill: #e6edf3 } .s { fill: #8b949e } }"""


def colour(ratio):
    return next(c for bound, c in COLOURS if ratio < bound)


def cell(result, x, y):
    title = (f"{result['label']} ({result['what']}), {result['threads']} threads: {result['ratio']:.2f}; GFLOP/s weft "
             f"{result['weft']:.1f}, numpy {result['numpy']:.1f}, torch {result['torch']:.1f}")
    return (f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="2" fill="{colour(result["ratio"])}">'
            f'<title>{escape(title)}</title></rect>')


def legend(y):
    made, low = [], "0"
    for i, (bound, shade) in enumerate(COLOURS):
        x = LEFT + i * 78
        words = f"{low} to {bound}" if bound < math.inf else f"over {low}"
        made += [f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="2" fill="{shade}"/>',
                 f'<text class="t s" x="{x + CELL + 4}" y="{y + 12}">{words}</text>']
        low = str(bound)
    return made


def draw(results):
    """The SVG's text."""
    counts = sorted({r["threads"] for r in results})
    families = list(dict.fromkeys(r["family"] for r in results))
    body, y, step = [], TOP, CELL + GAP
    for threads in counts:
        rows = [r for r in results if r["threads"] == threads]
        body.append(f'<text class="t h" x="10" y="{y + 12}">{threads} thread{"s" if threads > 1 else ""}: median '
                    f'{statistics.median(r["ratio"] for r in rows):.2f}</text>')
        y += 24
        for family in families:
            own = [r for r in rows if r["family"] == family]
            body.append(f'<text class="t n" x="{LEFT - 8}" y="{y + 12}">{escape(family)}</text>')
            body += [cell(r, LEFT + i % PER_LINE * step, y + i // PER_LINE * step) for i, r in enumerate(own)]
            y += -(-len(own) // PER_LINE) * step + 6
        y += 12
    width, height = LEFT + PER_LINE * step + 10, y + 30
    head = ['<text class="t h" x="10" y="22">Products: weft\'s time over the better of OpenBLAS and PyTorch</text>',
            '<text class="t s" x="10" y="42">A cell is a product of some model, float32; point at it to read which.'
            '</text>']
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'role="img" aria-label="products">\n<style>{STYLE}\n</style>\n'
            + "\n".join([*head, *body, *legend(y)]) + "\n</svg>\n")
