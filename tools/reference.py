"""The API reference, made of what tests/test_docs.py counts as public: a page for each module (the ops of `weft` itself
by their families), an entry for each name with its signature, its sentences and the example that the tests run.

    python tools/reference.py FOLDER      writes the pages there, for reading them as they are

`make docs` asks for pages() and nav() while the site is built (tools/manual_site.py); nothing of it is kept in git.
"""
import functools
import importlib.util
import inspect
import pathlib
import re
import sys

HOME = pathlib.Path(__file__).resolve().parent.parent
# the folders of weft/ops, and what has no op, as a reader would look for it
FAMILIES = {"create": "Creating and converting", "pointwise": "Elementwise", "shape": "Shapes, views, joining",
            "reduce": "Reductions, sorting, statistics", "index": "Indexing",
            "linalg": "Products and linear algebra", "nn": "Networks' functions", "random": "Random numbers",
            "fft": "Fourier transforms", "lists": "Lists of tensors", "sparse": "Sparse tensors", "types": "Types",
            "other": "Creation, modes and settings"}
SPECIAL = re.compile(r"([\\*_<>\[\]#|~^$])")
CODE = re.compile(r"(`+[^`]*`+)")
EXAMPLE = re.compile(r"^>>>", re.M)


@functools.cache
def names():
    """tests/test_docs.py: the public names, and what each says."""
    spec = importlib.util.spec_from_file_location("test_docs", HOME / "tests" / "test_docs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def public():
    """Public name -> (definition, value, text), a method under the class that defines it where that one is public; the
    tests have it under the first class that inherits it.
    """
    given = names().PUBLIC
    classes = {id(value): path for path, (_, value) in given.items() if inspect.isclass(value)}
    found = {}
    for path, held in given.items():
        owner, _, member = path.rpartition(".")
        if owner in given and inspect.isclass(given[owner][1]):
            home = next((base for base in given[owner][1].__mro__ if member in vars(base)), None)
            owner = classes.get(id(home), owner)
        found.setdefault(f"{owner}.{member}", (*held, names().text_of(path)))
    return found


def page_of(path, module):
    """Which page a public name stands on: weft's own are divided by the folder that their op comes from."""
    value = public()[path][1]
    if module != "weft":
        return module
    if path == "weft.Tensor" or path.startswith("weft.Tensor."):
        return "weft.Tensor"
    owner = public()[".".join(path.split(".")[:2])][1]
    if inspect.isclass(owner):
        return "weft, types"
    op = getattr(value, "op", None)
    home = (op.forward or op.compose).__module__ if op is not None else getattr(value, "__module__", "")
    found = re.match(r"weft\.ops\.(\w+)", home or "")
    return "weft, " + (found[1] if found and found[1] in FAMILIES else "other")


@functools.cache
def divided():
    """Page -> its public names, in the order of the pages."""
    modules = sorted((place for place, _ in names().modules()), key=len, reverse=True)
    order = ["weft.Tensor", *(f"weft, {family}" for family in FAMILIES), *sorted(modules)]
    found = {page: [] for page in order}
    for path in public():
        module = next(place for place in modules if path.startswith(place + "."))
        found[page_of(path, module)].append(path)
    return {page: paths for page, paths in found.items() if paths}


def file_of(page):
    return "reference/" + page.replace("weft, ", "ops-").replace(".", "-") + ".md"


def title_of(page):
    return f"weft: {FAMILIES[page[6:]]}" if page.startswith("weft, ") else page


@functools.cache
def places():
    """Public name -> the page that has it."""
    return {path: page for page, paths in divided().items() for path in paths}


def signature_of(path):
    """`(input, other, *, alpha=1, out=None)`, or nothing for properties and what can't be asked."""
    definition, value, _ = public()[path]
    if isinstance(definition, property) or not callable(value):
        return ""
    try:
        return re.sub(r" at 0x[0-9a-f]+", "", str(inspect.signature(value)))
    except (TypeError, ValueError):
        return ""


def escaped(text):
    """A docstring's prose, whose stars and underscores mean themselves."""
    return "".join(part if i % 2 else SPECIAL.sub(r"\\\1", part) for i, part in enumerate(CODE.split(text)))


def as_markdown(text):
    """A docstring: paragraphs, lists, text that is aligned by spaces, examples."""
    made = []
    text = inspect.cleandoc(text)
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.splitlines()
        if EXAMPLE.search(inspect.cleandoc(paragraph)):
            made.append("```pycon\n" + inspect.cleandoc(paragraph) + "\n```")
        elif all(line.lstrip().startswith("- ") for line in lines):
            made.append("\n".join(escaped(line.strip()) for line in lines))
        elif any(re.search(r"\S {2,}\S", line) or line.startswith("    ") for line in lines):
            made.append("```text\n" + paragraph + "\n```")
        else:
            made.append(escaped(paragraph))
    return "\n\n".join(made)


def place_of(path, page):
    """Where an entry stands, seen from a page."""
    there = places()[path]
    return f"{'' if there == page else pathlib.Path(file_of(there)).name}#{path}"


def entry(path, page, level, seen):
    """One name: heading, signature, sentences, example; what says the same as an earlier one points at it."""
    text = public()[path][2]
    kind = "class " if inspect.isclass(public()[path][1]) else ""
    shown = path if level == 2 else path.rsplit(".", 1)[1]
    lines = [f"{'#' * level} {escaped(shown)} {{ #{path} }}", ""]
    if signature_of(path) or kind:
        lines += ["```python", f"{kind}{shown}{signature_of(path)}", "```", ""]
    if text in seen:
        lines += [f"As [{escaped(seen[text])}]({place_of(seen[text], page)}).", ""]
    else:
        seen[text] = path
        lines += [as_markdown(text), ""]
    return lines


def sorted_entries(paths):
    """(class or function, its members) by name."""
    owners = sorted((p for p in paths if p.rsplit(".", 1)[0] not in paths), key=str.lower)
    return [(owner, sorted(p for p in paths if p.rsplit(".", 1)[0] == owner)) for owner in owners]


def page_text(page, paths, seen):
    """A page: its entries, members below their class; members that are described elsewhere in one line."""
    lines = [f"# {title_of(page)}", "", *opening(page, paths), ""]
    for owner, members in sorted_entries(set(paths)):
        lines += entry(owner, page, 2, seen)
        elsewhere = {}
        for member in members:
            text = public()[member][2]
            if text in seen:
                elsewhere[member] = seen[text]
            else:
                lines += entry(member, page, 3, seen)
        if elsewhere:
            links = ", ".join(f"[{escaped(member.rsplit('.', 1)[1])}]({place_of(first, page)})"
                              for member, first in elsewhere.items())
            lines += [f"Described elsewhere: {links}.", ""]
    return "\n".join(lines)


def opening(page, paths):
    """The first paragraph of the module's own docstring, if it has one."""
    if page.startswith("weft, "):
        return [f"{len(paths)} names of `weft` itself."]
    module = sys.modules.get(page)
    text = inspect.cleandoc(module.__doc__).split("\n\n")[0] if module is not None and module.__doc__ else ""
    return [escaped(text)] if text else []


@functools.cache
def pages():
    """Path below docs/ -> markdown."""
    seen = {}
    # functions come before the methods and modules that repeat them, so that those point here
    order = sorted(divided(), key=lambda page: (not page.startswith("weft, "), page))
    made = {file_of(page): page_text(page, divided()[page], seen) for page in order}
    return {"reference/index.md": index(), **made}


def index():
    lines = ["# API reference", "",
             f"{len(public()):,} public names, each with its signature and an example. The text comes from the op's "
             "body or the docstring, and `tests/test_docs.py` runs every example. `help(weft.add)` shows the same. "
             "The search (key `/`) finds names.", "", "| | names |", "| --- | --- |"]
    lines += [f"| [{escaped(title_of(page))}]({pathlib.Path(file_of(page)).name}) | {len(paths)} |"
              for page, paths in divided().items()]
    return "\n".join(lines) + "\n"


def nav():
    """The reference's part of the nav: modules by their first part, so that no list is long."""
    groups = {}
    for page in divided():
        parts = page.split(".")
        groups.setdefault("weft" if len(parts) < 3 and page.startswith("weft, ") or page == "weft.Tensor" else parts[1],
                          []).append({title_of(page).removeprefix("weft: "): file_of(page)})
    made = ["reference/index.md"]
    for name, entries in groups.items():
        title = "weft" if name == "weft" else f"weft.{name}"
        made.append({title: entries} if len(entries) > 1 else entries[0])
    return made


def main():
    folder = pathlib.Path(sys.argv[1])
    for path, text in pages().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    print(f"{len(pages())} pages in {folder / 'reference'}")


if __name__ == "__main__":
    main()
