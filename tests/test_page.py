"""The graph page as a file: everything in it, nothing that could run or be fetched; bounded runs."""
import base64
import hashlib
import html
import json
import linecache
import math
import os
import re
import subprocess
import sys
import types

import graph_samples as samples
import numpy as np
import pytest

import weft
from weft.viz import page
from weft.viz.run import Run, as_number
from weft.viz.series import Graphs, Series


def data_of(text):
    """The document inside a page, as a browser would read it."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))


def test_one_file_with_everything():
    made = page.html(samples.mlp())
    assert data_of(made) == json.loads(json.dumps(samples.mlp()))
    assert made.startswith("<!doctype html>") and "{{" not in re.sub(r'(?s)<script.*?</script>', "", made)
    assert not re.search(r'(?:src|href)="(?!data:|#)',
                         made) and "@import" not in made and "url(" not in made.replace("url(#hatch)", "")


def test_every_kind_of_op_has_a_colour():
    import weft.nn.utils
    import weft.optim  # noqa: F401  (which have ops of their own)
    from weft.ops.core.registry import ALL
    script = page.read("families.js")
    families = set(re.findall(r"^  (\w+): \"[A-Z]", script, re.M))
    mapped = dict(re.findall(r"^  (\w+): \"([a-z]+)\"", script, re.M))
    assert {op.kind for op in ALL} <= families | set(mapped) and set(mapped.values()) <= families
    styles = page.read("theme.css")
    assert all(f".f-{family} " in styles for family in families)


def test_only_its_own_script_may_run():
    made = page.html(samples.mlp())
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', made).group(1)
    script, style = re.search(r"(?s)<script>(.*?)</script>",
                              made).group(1), re.search(r"(?s)<style>(.*?)</style>", made).group(1)
    for text in (script, style):
        assert "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'" in policy
    assert "default-src 'none'" in policy and "connect-src 'none'" in policy and "unsafe" not in policy


def test_data_cannot_leave_its_element():
    evil = "</script><script>alert(1)</script><!--{{script}}\u2028&"
    document = samples.mlp()
    document["title"] = document["nodes"][0]["source"] = evil
    made = page.html(document)
    assert data_of(made)["title"] == data_of(made)["nodes"][0]["source"] == evil
    assert "alert(1)</script>" not in made and made.count("<script") == 2 and "<title>&lt;/script&gt;" in made


def test_numbers_that_json_lacks_become_words():
    document = samples.mlp()
    document["nodes"][0]["time"] = math.nan
    document["nodes"][1]["bytes"] = np.int64(7)
    document["nodes"][2]["values"] = {"min": -math.inf, "max": np.float32(2.5)}
    found = data_of(page.html(document))["nodes"]
    assert found[0]["time"] == "nan" and found[1]["bytes"] == 7 and found[2]["values"] == {"min": "-inf", "max": 2.5}


@pytest.mark.parametrize("what, said", [(3, "not int"), ({"format": "other"}, "format 'other'"), ([], "not list"),
                                        (None, "not NoneType")])
def test_something_else_is_refused(what, said):
    with pytest.raises(TypeError, match="the graph page shows a graph or a run") as error:
        page.html(what)
    assert said in str(error.value) and "fix:" in str(error.value)


def test_a_later_version_is_refused():
    with pytest.raises(ValueError, match="reads version 1"):
        page.html({**samples.mlp(), "version": 2})


def test_save_writes_all_or_nothing(tmp_path):
    target = tmp_path / "run.html"
    page.save(samples.mlp(), target)
    before = target.read_text()
    with pytest.raises(TypeError):
        page.save(3, target)
    assert target.read_text() == before and os.listdir(tmp_path) == ["run.html"]


def test_show_without_a_browser_prints_where(tmp_path, capsys):
    path = page.show(samples.mlp(), tmp_path / "g.html", browser=False)
    assert capsys.readouterr().out.strip() == f"the graph page: file://{tmp_path}/g.html" and data_of(open(path).read())["title"] == "mlp"


def test_show_opens_a_browser(tmp_path, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr(page.webbrowser, "open", lambda address: opened.append(address) or True)
    monkeypatch.setenv("DISPLAY", ":1")
    page.show(samples.mlp(), tmp_path / "g.html")
    assert opened == [f"file://{tmp_path}/g.html"] and capsys.readouterr().out == ""


def test_no_terminal_browser_is_started(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(page.webbrowser, "open", lambda _: pytest.fail("started"))
    if sys.platform == "linux":
        assert page.open_browser("file:///x") is False


@pytest.fixture
def notebook(monkeypatch):
    """A stand-in for IPython's kernel; what is displayed is in its list."""
    shown, cells = [], {}
    shell = types.SimpleNamespace(kernel=object(), compile=types.SimpleNamespace(_filename_map=cells))
    display = types.SimpleNamespace(HTML=lambda text: text, display=shown.append)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    shell.shown, shell.cells = shown, cells
    return shell


def test_show_in_a_notebook_is_the_cells_output(notebook, tmp_path, capsys):
    assert page.show(samples.mlp()) is None and capsys.readouterr().out == ""
    frame = re.fullmatch(r'<div><iframe srcdoc="([^"]*)" title="mlp" sandbox="allow-scripts allow-downloads" .*</iframe></div>',
                         notebook.shown[0], re.S)
    assert html.unescape(frame.group(1)) == page.html(samples.mlp())
    kept = tmp_path / "kept.html"
    assert page.show(samples.mlp(), kept) == str(kept) and kept.exists() and len(notebook.shown) == 2


def test_cells_are_named_by_their_number(notebook):
    made_up = "/tmp/ipykernel_7/4254249944.py"
    notebook.cells[made_up] = 4
    source = "import weft\ny = weft.graph(lambda x: x.exp(), weft.ones(3))"
    scope = {}
    linecache.cache[made_up] = (len(source), None, source.splitlines(True), made_up)
    exec(compile(source, made_up, "exec"), scope)
    node = scope["y"].find(op="exp")[0]
    assert node.where == "In[4]:2" and node.source.startswith("y = weft.graph(")


def test_errors_name_the_cell(notebook):
    made_up, source = "/tmp/ipykernel_7/1854677407.py", "import weft\nweft.ones(2) @ weft.ones(3)"
    notebook.cells[made_up] = 6
    linecache.cache[made_up] = (len(source), None, source.splitlines(True), made_up)
    with pytest.raises(RuntimeError, match=r"in  In\[6\]:2: weft.ones\(2\) @ weft.ones\(3\)"):
        exec(compile(source, made_up, "exec"), {})


def test_static_files_are_all_used():
    used = {f"{name}.css" for name in page.STYLES} | {f"{name}.js" for name in page.SCRIPTS} | {"page.html"}
    assert set(os.listdir(page.STATIC)) == used


@pytest.mark.parametrize("name", [f"{n}.js" for n in page.SCRIPTS])
def test_scripts_stay_readable(name):
    text = page.read(name)
    assert text.startswith("// ") and len(text.splitlines()) <= 400 and max(map(len, text.splitlines())) <= 150
    assert "innerHTML" not in text and "eval(" not in text and "document.write" not in text


def test_importing_weft_brings_no_page():
    found = subprocess.run([sys.executable, "-c",
                            "import weft, sys; print([m for m in sys.modules if 'viz' in m or m == 'http.server'])"],
                           capture_output=True, text=True)
    assert found.stdout.strip() == "[]", found.stderr


# runs

def test_series_are_bounded_and_know_what_is_new():
    made = Series(100)
    for i in range(1000):
        made.add(i, i * 10)
    assert 50 <= len(made.entries) <= 100 and made.entries[-1] == 9990 and made.entries == sorted(made.entries)
    assert made.entries[0] == 0 and made.since(997) == [9980, 9990] and made.since(999) == []


def kept(iteration, shape=1, size=10, failed=False, trouble=None):
    made = object.__new__(__import__("weft.viz.run", fromlist=["Kept"]).Kept)
    made.number, made.iteration, made.shape, made.size, made.failed = iteration + 1, iteration, shape, size, failed
    made.trouble = trouble
    return made


def test_graphs_are_spread_over_the_iterations():
    made = Graphs(10, 10**6)
    for i in range(1000):
        made.add(kept(i))
    steps = [entry.iteration for entry in made.kept]
    assert len(steps) == 10 and steps[0] == 0 and steps[-1] == 999
    assert max(b - a for a, b in zip(steps, steps[1:])) <= 300


def test_graphs_of_another_structure_stay():
    made = Graphs(10, 10**6)
    for i in range(1000):
        made.add(kept(i, shape=2 if i in (123, 456) else 1, failed=i == 600))
    assert {0, 123, 456, 600, 999} <= {entry.iteration for entry in made.kept}


def test_graphs_are_bounded_by_their_nodes():
    made = Graphs(60, 50_000)
    for i in range(100):
        made.add(kept(i, size=10_000))
    assert len(made.kept) == 5


def test_a_run_of_documents(tmp_path):
    run = Run("tree")
    for i in range(5):
        run.add_graph(samples.tree(i, i), i)
        run.step = i
        run.log(loss=1 / (i + 1), accuracy=weft.tensor(0.5), count=np.int64(3))
        run.measure(i)
    made = run.to_dict()
    assert [g["iteration"] for g in made["graphs"]] == list(range(5)) and made["metrics"][1]["values"] == {"loss": 0.5,
                                                                                                           "accuracy": 0.5, "count": 3}
    assert [m["step"] for m in made["memory"]] == list(range(5)) and all(m["peak"] >= 0 for m in made["memory"])
    run.save(tmp_path / "r.html")
    assert data_of((tmp_path / "r.html").read_text())["title"] == "tree"
    run.save(tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["format"] == "weft-run"
    assert repr(run) == "<Run tree: 5 graphs, 5 steps logged, live>" and "5 graphs" in run._repr_html_()


def test_several_logs_of_a_step_are_one():
    run = Run()
    run.log(loss=1.0)
    run.log(accuracy=2)
    run.log(step=7, loss=3.0)
    assert [(m["step"], m["values"]) for m in run.to_dict()["metrics"]] == [(0, {"loss": 1.0, "accuracy": 2}),
                                                                            (7, {"loss": 3.0})]


@pytest.mark.parametrize("value, said", [(weft.ones(3), "Tensor of shape [3]"), ("much", "a str"),
                                         (None, "a NoneType")])
def test_a_metric_is_a_number(value, said):
    run = Run()
    with pytest.raises(TypeError, match="loss must be a number") as error:
        run.log(loss=value)
    assert said in str(error.value) and run.to_dict()["metrics"] == []
    assert as_number("loss", weft.tensor([2.0])) == 2.0


def test_more_gives_what_is_new():
    run = Run()
    assert run.more(0) is None
    run.log(loss=1.0)
    first = run.more(0)
    assert first["metrics"][0]["values"] == {"loss": 1.0} and first["state"] == "live" and "graphs" not in first and run.more(first["seen"]) is None
    run.add_graph(samples.mlp(), 4)
    second = run.more(first["seen"])
    assert second["metrics"] == [] and [{**g, "shape": ""}
                                        for g in second["graphs"]] == [{"number": 2, "iteration": 4, "size": 10,
                                                                        "failed": False, "trouble": None, "shape": ""}]
    assert run.graph(2)["iteration"] == 4 and run.graph(99) is None
    run.end("RuntimeError: x")
    assert run.more(second["seen"])["state"] == "failed" and run.more(second["seen"])["error"] == "RuntimeError: x"
