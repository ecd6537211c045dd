"""docs/tour.ipynb run without Jupyter: the cells in one namespace, the last expression of each shown.

    python tools/notebook.py [PATH]             says whether the cells print what the file shows
    python tools/notebook.py --write [PATH]     runs them and keeps what they print
"""
import ast
import contextlib
import io
import json
import linecache
import os
import pathlib
import sys
import tempfile

TOUR = pathlib.Path(__file__).resolve().parent.parent / "docs" / "tour.ipynb"


def code_cells(book):
    return [cell for cell in book["cells"] if cell["cell_type"] == "code"]


def run_cell(source, number, names):
    """(what a cell printed, its last expression as text, or nothing)."""
    file = f"In[{number}]"          # as IPython's cells are told in messages
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(tree, file, "exec"), names)
        value = eval(compile(ast.Expression(last.value), file, "eval"), names) if last is not None else None
    return said.getvalue(), "" if value is None else repr(value)


def kept(cell):
    """The text that a cell's outputs show."""
    return "".join("".join(output.get("text") or output.get("data", {}).get("text/plain", "")) + "\n"
                   for output in cell["outputs"])


def outputs(book):
    """(what the file shows, what runs now) for each code cell."""
    names = {"__name__": "__main__"}
    ran = [run_cell("".join(cell["source"]), i, names) for i, cell in enumerate(code_cells(book), 1)]
    return [kept(cell) for cell in code_cells(book)], [printed + shown for printed, shown in ran]


def as_lines(text):
    return text.rstrip("\n").splitlines(keepends=True)


def write(path):
    """Run the cells and keep their outputs in the file."""
    book = json.loads(path.read_text(encoding="utf-8"))
    names = {"__name__": "__main__"}
    for number, cell in enumerate(code_cells(book), 1):
        printed, shown = run_cell("".join(cell["source"]), number, names)
        cell["execution_count"] = number
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": as_lines(printed)}] if printed else []
        if shown:
            cell["outputs"].append({"data": {"text/plain": as_lines(shown)}, "execution_count": number, "metadata": {},
                                    "output_type": "execute_result"})
    path.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main():
    given = [word for word in sys.argv[1:] if word != "--write"]
    path = pathlib.Path(given[0]).resolve() if given else TOUR
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if "--write" in sys.argv[1:]:
            write(path)
            return 0
        wanted, got = outputs(json.loads(path.read_text(encoding="utf-8")))
    from pages import alike  # beside this file

    wrong = [i for i, (a, b) in enumerate(zip(wanted, got), 1) if not alike(a, b)]
    print(f"cells that print something else: {wrong}" if wrong else "every cell prints what the file shows")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
