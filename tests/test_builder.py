"""tools/builder.py: what is rebuilt, and what is not."""
import os
import sys

import pytest

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(HOME, "tools"))
builder = pytest.importorskip("builder")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """One product of one source and one header, built."""
    monkeypatch.chdir(tmp_path)
    os.makedirs("weft")
    for name in ("weft/a.cpp", "weft/a.h", "a.o"):
        with open(name, "w", encoding="utf-8") as file:
            file.write(name)
    kept = builder.Kept()
    kept.note(builder.Work("a.o", "weft/a.cpp", ["cc", "-O2"], 1), ["weft/a.cpp", "weft/a.h"], 1.0)
    kept.save()
    return builder.Work("a.o", "weft/a.cpp", ["cc", "-O2"], 1)


def good(work):
    return builder.Kept().is_good(work)         # read again, as the next build does


def test_nothing_changed(tree):
    assert good(tree)


def test_a_touched_file_rebuilds_nothing_and_a_changed_header_does(tree):
    os.utime("weft/a.h", (0, 0))
    assert good(tree)
    with open("weft/a.h", "a", encoding="utf-8") as file:
        file.write("more")
    assert not good(tree)


def test_another_flag_rebuilds(tree):
    tree.command = ["cc", "-O3"]
    assert not good(tree)


def test_a_missing_product_is_rebuilt(tree):
    os.remove("a.o")
    assert not good(tree)


def test_a_broken_record_rebuilds_all(tree):
    with open(builder.Kept().path, "w", encoding="utf-8") as file:
        file.write("{")
    assert not good(tree)


def test_a_tree_that_was_moved_is_still_built(tmp_path, monkeypatch):
    """Twice, and something is built in between; another header in the place of one is noticed there, too."""
    here = tmp_path / "one"
    for step, name in enumerate(("one", "two", "three 3")):
        now = tmp_path / name
        if step:
            os.rename(here, now)
        else:
            for folder in ("weft", ".venv"):
                (now / folder).mkdir(parents=True)
            for file in ("weft/a.cpp", ".venv/numpy.h", "a.o", "b.o"):
                (now / file).write_text(file)
        here = now
        monkeypatch.setattr(builder, "HOME", str(here))
        monkeypatch.chdir(here)
        first, second = (builder.Work(made, "weft/a.cpp", ["cc", f"-I{here}/.venv", str(here / "x")], 1)
                         for made in ("a.o", "b.o"))
        if step:
            assert good(first) and good(second) == (step == 2)
        if step < 2:
            kept = builder.Kept()
            kept.note((first, second)[step], ["weft/a.cpp", f"{here}/.venv/numpy.h"], 1.0)
            kept.save()
    (here / ".venv/numpy.h").write_text("another one")
    assert not good(first) and not good(second)


def test_dependency_files_are_read(tmp_path):
    path = tmp_path / "a.d"
    path.write_text("it: weft/a.cpp \\\n weft/b/../a.h /usr/include/x.h\n")
    assert builder.read_listed(path) == ["/usr/include/x.h", "weft/a.cpp", "weft/a.h"]


def test_what_is_compiled(monkeypatch):
    monkeypatch.chdir(HOME)
    monkeypatch.delenv("WEFT_SETS", raising=False)
    found = builder.modules()
    assert found["weft/ops/core/apply.py"] == ["-O3"] and found["weft/ops/nn/loss.py"] == []
    assert found["weft/kernels/conv.py"] == ["-Og"] and builder.SHARED in builder.names(in_place=True)
    assert "weft/kernels/native.pyx" in found and "weft/_pure.py" not in found
    assert len(builder.wanted_sets(in_place=True)) <= 1 <= len(builder.names(in_place=True))
    monkeypatch.setenv("WEFT_SETS", "v2 v3")
    assert set(builder.wanted_sets(in_place=True)) <= {"v2", "v3"}


def test_an_old_cython_is_refused(monkeypatch):
    monkeypatch.setattr("importlib.metadata.version", lambda name: "3.2.4")
    with pytest.raises(builder.Failed, match="too old") as failure:
        builder.cython_version()
    assert "Cython>=3.3" in builder.explain(failure.value)


def test_a_log_gets_sparse_lines_without_carriage_returns():
    import io
    out = io.StringIO()
    progress = builder.Progress(3, out)
    for name in ("a.cpp", "b.cpp"):
        progress.show(name)
    progress.said -= 60
    progress.show("c.cpp")
    progress.finish()
    assert out.getvalue().splitlines() == ["building 0/3  c.cpp  0:00", "built 3 files in 0:00"]
