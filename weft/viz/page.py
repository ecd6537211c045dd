"""The graph page as one HTML file: what was recorded, and everything that draws it, without any network."""
import base64
import hashlib
import json
import math
import os
import tempfile
import webbrowser
from functools import cache
from html import escape

from weft._version import __version__
from weft.io.atomic import replacing
from weft.viz import notebook
from weft.viz.trouble import trouble_of

STATIC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")
STYLES = ("theme", "page", "graph", "panel", "print")
# one scope: later files use what earlier ones define
SCRIPTS = ("tools", "families", "data", "fold", "runs", "wires", "columns", "layers", "layout", "colour", "draw",
           "view", "map", "charts", "panel", "trouble", "overview", "training", "search", "keys", "timeline", "live",
           "state", "show", "acts", "around", "save", "main")


def html(document):
    """One self-contained HTML file that shows a graph, or a run of graphs, of the documented form.

    >>> import weft
    >>> weft.viz.html(weft.graph(weft.ones(3, requires_grad=True).sum()))[:15]
    '<!doctype html>'
    """
    return fill_in(check(document))


def check(document):
    """A document of a graph or a run, from the object itself or its dict; an error says what else was given."""
    for name in ("to_dict", "document"):
        if not isinstance(document, dict) and callable(getattr(document, name, None)):
            document = getattr(document, name)()
    if not isinstance(document, dict) or document.get("format") not in ("weft-graph", "weft-run"):
        shown = (f"a document of format {document.get('format')!r}" if isinstance(document, dict)
                 else type(document).__name__)
        raise TypeError(f"the graph page shows a graph or a run, not {shown}\n"
                        f"  fix: give what weft.graph(...) or weft.viz.watch(...) makes, or its to_dict()")
    if document.get("version") != 1:
        raise ValueError(f"the graph page reads version 1 of the format, and this document has version "
                         f"{document.get('version')!r}\n  fix: show it with the version of weft that wrote it, or with "
                         f"a newer one")
    return document


def fill_in(document, connect="'none'"):
    """The page around a document; `connect` says where it may ask for more."""
    style, script = bundle()
    document = with_trouble(document)
    parts = {"policy": policy(style, script, connect), "version": __version__,
             "title": escape(str(document.get("title") or "graph")), "style": style, "data": embed(document),
             "script": script}
    made = read("page.html")
    pieces = made.split("{{")       # not str.replace: the data may hold anything, also {{style}}
    return pieces[0] + "".join(parts[name] + rest for name, rest in (piece.split("}}", 1) for piece in pieces[1:]))


def with_trouble(document):
    """A document whose graphs tell where NaN began, those too that were written without."""
    if document.get("format") == "weft-run":
        return {**document, "graphs": [with_trouble(graph) for graph in document.get("graphs") or ()]}
    found = None if "trouble" in document else trouble_of(document)
    return document if found is None else {**document, "trouble": found}


def policy(style, script, connect):
    """The content-security policy: only this style and this script, nothing loaded, nothing sent."""
    return (f"default-src 'none'; style-src '{digest(style)}'; script-src '{digest(script)}'; img-src data:; "
            f"connect-src {connect}; base-uri 'none'; form-action 'none'")


def digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def bundle():
    """(style, script) from the files of the static folder."""
    style = "\n".join(read(f"{name}.css") for name in STYLES)
    script = "(() => {\n\"use strict\";\n" + "\n".join(read(f"{name}.js") for name in SCRIPTS) + "\n})();\n"
    return style, script


def read(name):
    with open(os.path.join(STATIC, name), encoding="utf-8") as file:
        return file.read()


def embed(document):
    """JSON that can stand inside a script element: no </script>, no comment, no number that JSON doesn't know."""
    return (dumps(document).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
            .replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def dumps(value):
    """Compact JSON; NaN and infinities as the words that the format has for them."""
    try:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=plain)
    except ValueError:
        return json.dumps(finite(value), separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=plain)


def plain(value):
    """What JSON doesn't know by itself: NumPy's and weft's numbers, paths, anything else by its text."""
    try:
        return finite(value.item())
    except (AttributeError, ValueError, RuntimeError, TypeError):
        return str(value)


def finite(value):
    """The same with "nan", "inf" and "-inf" for numbers that aren't finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else "nan" if value != value else "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {str(k): finite(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(v) for v in value]
    return value


def save(document, path):
    """Write the page; the file appears whole or not at all."""
    text = html(document).encode()
    with replacing(path) as file:
        file.write(text)
    return os.fspath(path)


def show(document, path=None, browser=True):
    """Write the page, open it in a browser where there is one, and give its path; a notebook shows it as output.

    path: where to keep it; without one, a file in the folder for temporary files, or none in a notebook.

    >>> import weft
    >>> graph = weft.graph(weft.ones(3, requires_grad=True).sum())
    >>> path = weft.viz.show(graph, "graph.html", browser=False)
    the graph page: file:///.../graph.html
    """
    document = check(document)
    if browser and notebook.is_notebook():
        notebook.display(html(document), str(document.get("title") or "graph"))
        return None if path is None else save(document, path)
    if path is None:
        handle, path = tempfile.mkstemp(prefix="weft-graph-", suffix=".html")
        os.close(handle)
    save(document, path)
    address = "file://" + os.path.abspath(path)
    if not (browser and open_browser(address)):
        print(f"the graph page: {address}")
    return path


def open_browser(address):
    """Whether a browser could be started; never one that takes over the terminal."""
    windows = (os.name != "posix" or os.uname().sysname == "Darwin"
               or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))))
    if not windows:
        return False
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
