"""The manual is right: every code block of docs/ and of both READMEs runs and prints what the page shows (tools/pages.py
says how), commands exist, links lead somewhere, figures are the benchmarks', and the notebook is what it says.
"""
import importlib.util
import json
import pathlib
import random
import re
import tempfile

import numpy
import pytest

import weft
from weft.core.cuts import cuts
from weft.kernels import fast

HOME = pathlib.Path(__file__).resolve().parent.parent
DOCS = sorted((HOME / "docs").glob("*.md"))
PAGES = [*DOCS, HOME / "README.md", HOME / "README.zh-CN.md", HOME / "CONTRIBUTING.md"]

WITH_KERNELS = {"debugging.md", "profiling.md"}


def tool(name):
    spec = importlib.util.spec_from_file_location(name, HOME / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pages, figures, mistakes = tool("pages"), tool("figures"), tool("mistakes")


def forget():
    """What messages tell of earlier lines, as in a program that has just begun."""
    before = cuts()
    before.off = before.detached = before.taken = before.latest = None


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """As in a program of its own: no browser, its own folder for files, and what it sets is set back."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    forget()
    states = weft.get_rng_state(), numpy.random.get_state(), random.getstate()
    yield tmp_path
    weft.set_rng_state(states[0]), numpy.random.set_state(states[1]), random.setstate(states[2])


@pytest.mark.parametrize("path", [p for p in PAGES if p.name != "mistakes.md"], ids=lambda path: path.name)
def test_the_page_is_right(path, alone):
    if path.name in WITH_KERNELS and fast.name == "reference":
        pytest.skip("it shows graphs and sizes as they are with the compiled kernels")
    pages.Page(path, alone).run()


def test_common_mistakes_say_what_the_page_shows():
    """docs/mistakes.md is written by tools/mistakes.py: each of its programs runs on its own."""
    shown = (HOME / "docs" / "mistakes.md").read_text()
    for mistake in mistakes.MISTAKES:
        part = shown.split(f"## {mistakes.headline(mistake.title)}\n")[1].split("\n## ")[0]
        wanted = re.search(r"weft, \d+ frames?:\n```\n(.*?)\n```", part, re.S)[1]
        forget()
        seen = mistakes.run(mistake, "weft")
        assert pages.alike(wanted, f"{seen.kind}: {seen.text}"), (wanted, seen.text)


@pytest.mark.parametrize("text, error", [
    ('```python\nprint(1 + 1)\n```\n```text\n3\n```\n', "the page shows\n3"),
    ('```python\n1 / 0\n```\n```text\nZeroDivisionError: another text\n```\n', "another text"),
    ('```python\npass\n```\n```text\nZeroDivisionError: no\n```\n', "there was none"),
    ('<!-- python\nassert 1 == 2\n-->\n', ""),
    ('```pycon\n>>> 1 + 1\n3\n```\n', "Expected"),
    ('```sh\nmake nothing-of-this\n```\n', "no nothing-of-this"),
    ('```sh\nweft fly\n```\n', "weft fly"),
    ('```sh\nweft view --sideways train.py\n```\n', "--sideways"),
    ('```sh\npip install "weft[wings]"\n```\n', "wings"),
    ('```sh\npython examples/none.py\n```\n', "examples/none.py"),
    ('```python\nprint("89 % right")\n```\n```text\n95 % right\n```\n', "95 %"),
    ('```python title="a.py"\nimport torch\n```\n', "nothing below runs"),
    ('```py\nprint(1)\n```\n', "would not be run"),
    ('```sh\nmake demo\n```\n```text\nanything\n```\n', "only weft and python"),
])
def test_a_page_that_is_wrong_is_found(text, error, tmp_path):
    (tmp_path / "page.md").write_text(text)
    with pytest.raises(AssertionError, match=re.escape(error) or None):
        pages.Page(tmp_path / "page.md", tmp_path).run()


def test_a_block_that_is_not_run_says_why():
    for path in PAGES:
        for block in pages.blocks_of(path.read_text(encoding="utf-8")):
            if block.skipped:
                assert len(block.title.split()) > 3, (path.name, block.title)


def anchors(text):
    """The anchors of a page's headings, as MkDocs and GitHub make them."""
    outside = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    heads = re.findall(r"^#+ (.+?)\s*$", outside, re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        assert there.exists(), f"{path.name}: {target}"
        if anchor:
            assert anchor in anchors(there.read_text(encoding="utf-8")), f"{path.name}: {target}"


def test_the_differences_name_tests_that_exist():
    """The last column of docs/differences.md: a test of test_differences.py, or files."""
    rows = (HOME / "docs" / "differences.md").read_text().splitlines()
    own = (HOME / "tests" / "test_differences.py").read_text()
    named = re.findall(r"`([^`]+)`", " ".join(row.rstrip(" |").rsplit(" | ", 1)[-1] for row in rows if row[:2] == "| "))
    tests = [name for name in named if re.fullmatch(r"test_\w+", name)]
    files = [name for name in named if name.startswith("tests/")]
    assert len(tests) > 8 and len(files) > 20
    assert [name for name in tests if f"def {name}(" not in own] == []
    assert [name for name in files if not list(HOME.glob(name))] == []


def test_every_page_is_in_the_menu():
    nav = re.findall(r"[\w-]+\.md", (HOME / "mkdocs.yml").read_text().split("\nnav:")[1])
    assert len(nav) == len(set(nav))
    assert {path.name for path in DOCS} <= set(nav)


def test_the_figures_are_the_benchmarks():
    results = json.loads((HOME / "benchmarks" / "results.json").read_text())
    for page in figures.PAGES:
        text = (HOME / page).read_text(encoding="utf-8")
        assert figures.REGION.search(text), page
        assert figures.filled(text, results) == text, f"{page}: python tools/figures.py writes them"


def test_the_reference_has_every_public_name_and_example():
    reference = tool("reference")
    made = reference.pages()
    everything = "\n".join(made.values())
    assert len(re.findall(r"^```pycon$", everything, re.M)) > 2000
    headed = set(re.findall(r"\{ #(weft[\w.]*) \}", everything))
    assert len(reference.public()) == len(reference.names().PUBLIC)
    for path in reference.public():
        owner, _, name = path.rpartition(".")
        assert path in headed or owner in headed and f"[{reference.escaped(name)}](" in everything, path
    for page, text in made.items():
        for target, anchor in re.findall(r"\]\(([\w-]*\.?m?d?)#(weft[\w.]*)\)", text):
            there = made["reference/" + target] if target else text
            assert f"{{ #{anchor} }}" in there, (page, target, anchor)
    listed = re.findall(r"reference/[\w-]+\.md", str(reference.nav()))
    assert sorted(listed) == sorted(made)


def test_the_notebook_prints_what_it_shows(alone, monkeypatch):
    """Each cell runs in one namespace, its last expression shown, and gives the output that the file keeps."""
    monkeypatch.chdir(alone)
    path = HOME / "docs" / "tour.ipynb"
    assert path.stat().st_size < 60_000
    book = json.loads(path.read_text(encoding="utf-8"))
    assert book["nbformat"] == 4
    wanted, got = tool("notebook").outputs(book)
    assert len(wanted) >= 8
    for cell, (shown, printed) in enumerate(zip(wanted, got)):
        assert pages.alike(shown, printed), f"cell {cell + 1} shows\n{shown}\nand printed\n{printed}"
