"""the examples: a list of the models with their data, time and score; or run one of them

usage: weft examples
       weft examples NAME [ARGUMENTS]

Each is a short program to read: `weft examples NAME --help` says what it shows, and `--quick` runs it in seconds. The
times are CPU seconds of one core. The score is what the program promises (and weft's tests check), and what was seen.
"""
import ast
import difflib
import re
import sys
from pathlib import Path

from weft.cli.run import execute, guarded, new_main

OPTIONS = ("--help",)
COLUMNS = (("name", 17), ("data", 29), ("time", 5), ("score", 43))       # 100 in all, with the spaces between


def __getattr__(name):
    if name == "WORDS":             # what shell completion offers; looked up only then
        return tuple(programs())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def run(arguments):
    """List the examples or run one; the exit code."""
    if not arguments:
        print(table())
        return 0
    if arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    found, name = programs(), arguments[0].removesuffix(".py")
    if name not in found:
        close = difflib.get_close_matches(name, found, n=1, cutoff=0.4)
        print(f"weft examples: there is no example '{name}'" + (f". Did you mean: {close[0]}?" if close else "")
              + "\n  fix: `weft examples` lists them", file=sys.stderr)
        return 2
    return start(found[name], arguments[1:])


def folder():
    """Where the examples are: in the package that was installed, or beside it in the repository."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "examples"
    return inside if inside.is_dir() else package.parent / "examples"


def programs():
    """{name: file} of the programs; what they share is none."""
    return {path.stem: path for path in sorted(folder().glob("*.py")) if "__main__" in path.read_text("utf-8")}


def start(path, arguments):
    """Run it as `python FILE` does."""
    sys.path[0] = str(path.parent)
    sys.argv[:] = [str(path), *arguments]
    main = new_main()
    main.__file__ = str(path)
    return guarded(lambda: execute(main))


def facts(path):
    """Its docstring, the sentence that this begins with, and its lines Data, Time and Score."""
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    lines = dict(re.findall(r"^(Data|Time|Score): +(.+)$", text, re.MULTILINE))
    return {"text": text, "sentence": " ".join(text.partition("\n\n")[0].split()),
            "data": lines.get("Data"), "time": lines.get("Time"), "score": lines.get("Score", "").partition(";")[0]}


def table():
    """A row for each: its data, time and score, or its sentence where it has none."""
    rows = ["  ".join(title.ljust(width) for title, width in COLUMNS).rstrip()]
    for name, path in programs().items():
        known = {"name": name, **facts(path)}
        if known["data"] and known["time"] and known["score"]:
            cells = [cut(known[title], width).ljust(width) for title, width in COLUMNS]
        else:
            cells = [name.ljust(COLUMNS[0][1]), cut(known["sentence"], sum(w + 2 for _, w in COLUMNS[1:]) - 2)]
        rows.append("  ".join(cells).rstrip())
    return "\n".join(rows) + f"\n\nrun one: weft examples NAME [--quick]; to read, they are in\n{folder()}"


def cut(text, width):
    return text if len(text) <= width else text[:width - 1] + "…"
