"""`make ecosystem`: reading the programs, comparing what they gave, the page; nothing is installed or run here."""
import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

import ecosystem
import ecosystem_run

TOOLS = Path(ecosystem.__file__).parent
PROGRAMS = sorted((TOOLS / "ecosystem").glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=[p.stem for p in PROGRAMS])
def test_a_program_says_what_it_needs_and_does(path):
    program = ecosystem.read_program(str(path))
    assert program["name"] == path.stem and program["pip"] and program["packages"] and program["cases"]
    assert not any("torch==" in line for line in program["pip"])
    for case, (what, _) in program["cases"].items():
        assert what != case and "|" not in what, case


def test_a_program_is_read_without_being_run(tmp_path):
    (tmp_path / "some.py").write_text('"""some: text."""\n# pip install some>=2 --no-deps\n# pip install other\n'
                                      'import nowhere\n\n\ndef _helper():\n    pass\n\n\ndef first():\n'
                                      '    """does a\n    thing\n\n    It may\n    fail.\n    """\n')
    program = ecosystem.read_program(str(tmp_path / "some.py"))
    assert program["pip"] == ["some>=2 --no-deps", "other"] and program["packages"] == ["some", "other"]
    assert program["cases"] == {"first": ("does a thing", "It may fail.")}


def side(error=None, texts=None, **arrays):
    return ({"cases": {"case": {"error": error, "texts": texts or {}, "seconds": 0.5}}},
            {f"case.{name}": np.asarray(value) for name, value in arrays.items()})


F = np.float32
COMPARED = [
    (side(a=F([1, 2])), side(a=F([1, 2])), "agrees", None),
    (side(a=F([1, 2.00001])), side(a=F([1, 2])), "agrees", None),
    (side(a=F([1, 2.1])), side(a=F([1, 2])), "differs", "case.a: off by 5.0e-02 of the largest"),
    (side(a=np.float64([1, 2.00001])), side(a=np.float64([1, 2])), "differs", "off by 5.0e-06"),
    (side(a=F([np.nan, np.inf])), side(a=F([np.nan, np.inf])), "agrees", None),
    (side(a=F([np.nan, 1])), side(a=F([2, 1])), "differs", "infinite or NaN"),
    (side(a=F([np.inf, 1])), side(a=F([-np.inf, 1])), "differs", "infinite or NaN"),
    (side(a=[1, 2]), side(a=[1, 3]), "differs", "off by 1.0e+00"),
    (side(a=F([1])), side(a=F([[1]])), "differs", "float32[1], not float32[1, 1]"),
    (side(a=F([1])), side(a=[1]), "differs", "float32[1], not int64[1]"),
    (side(a=F([])), side(a=F([])), "agrees", None),
    (side(a=F([1])), side(b=F([1])), "differs", "only one of them gives case.a"),
    (side(texts={"case.s": "x"}), side(texts={"case.s": "y"}), "differs", "case.s is 'x', not 'y'"),
    (side(texts={"case.s": "a" * 90 + "x"}), side(texts={"case.s": "a" * 90 + "y"}), "differs",
     f"case.s is '{'a' * 20}x', not '{'a' * 20}y'"),
    (side(error="Broken: it"), side(a=F([1])), "fails", "Broken: it"),
    (side(a=F([1])), side(error="Broken: that"), "fails on PyTorch only", "Broken: that"),
    (side(error="Broken: it"), side(error="Broken: that"), "fails on PyTorch, too", "Broken: that"),
]


@pytest.mark.parametrize("ours, theirs, result, why", COMPARED)
def test_results_are_compared(ours, theirs, result, why):
    row = ecosystem.compare("case", ours, theirs)
    assert row["result"] == result
    assert row.get("why") is None if why is None else why in row["why"]


def test_a_case_belongs_to_its_own_name():
    ours = side(a=F([1]))
    ours[1]["case2.a"] = F([5])
    assert ecosystem.compare("case", ours, side(a=F([1])))["result"] == "agrees"


def test_leaves_of_a_result():
    found = dict(ecosystem_run.leaves({"a": [np.ones(2), "text", None], "b": 1.5, "c": (1, 2), "d": True}))
    assert found[".a.1"] == "text" and found[".a.2"] == "None"
    assert found[".b"].dtype == np.float32 and found[".c"].tolist() == [1, 2] and found[".d"].tolist() is True


KEPT = {"zoo": {"version": "1.2", "cases": {
    "a": {"what": "one | two", "result": "agrees", "difference": 1.2e-7, "seconds": [0.5, 1.0]},
    "b": {"what": "three", "result": "fails", "why": "TypeError: x", "note": "Because."}}},
    "Apt": {"version": "3", "cases": {"c": {"what": "four", "result": "fails on PyTorch, too", "why": "E: y"}}}}


def test_the_page():
    text = ecosystem.page(KEPT)
    assert "1 of the 2 cases that run on PyTorch agree, of 2 packages" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")][2:]
    assert rows == ["| Apt 3 | four | fails on PyTorch, too: E: y |  |  |",
                    "| zoo 1.2 | one \\| two | agrees | 1e-07 | 0.50 |", "|  | three | fails: Because. |  |  |"]


def test_a_package_that_cannot_be_installed_keeps_its_rows(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ecosystem, "KEPT", str(tmp_path / "kept.json"))
    monkeypatch.setattr(ecosystem, "PAGE", str(tmp_path / "page.md"))
    monkeypatch.setattr(ecosystem, "make_environment", lambda side: None)
    monkeypatch.setattr(ecosystem, "install", lambda program, side, again: "no such package")
    ecosystem.keep("einops", KEPT["zoo"])
    before = (tmp_path / "kept.json").read_text(), (tmp_path / "page.md").read_text()
    assert ecosystem.main(["--only", "einops"]) == 0
    assert "can't be installed beside torch: no such package" in capsys.readouterr().out
    assert before == ((tmp_path / "kept.json").read_text(), (tmp_path / "page.md").read_text())


def test_what_is_done_is_kept_when_stopped(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ecosystem, "KEPT", str(tmp_path / "kept.json"))
    monkeypatch.setattr(ecosystem, "PAGE", str(tmp_path / "page.md"))
    monkeypatch.setattr(ecosystem, "make_environment", lambda side: None)

    def one(program, options):
        if program["name"] == "safetensors":
            raise KeyboardInterrupt
        return KEPT["zoo"]
    monkeypatch.setattr(ecosystem, "one", one)
    assert ecosystem.main(["--only", "einops,safetensors"]) == 130
    assert json.loads((tmp_path / "kept.json").read_text()).keys() == {"einops"}
    assert "stopped" in capsys.readouterr().out


def test_names_are_checked(capsys):
    with pytest.raises(SystemExit, match="no program nothing"):
        ecosystem.main(["--only", "nothing"])
    assert ecosystem.main(["--list", "--only", "einops"]) == 0
    assert "functions:" in capsys.readouterr().out


def test_the_page_is_that_of_the_results():
    kept = json.loads(Path(ecosystem.KEPT).read_text())
    assert Path(ecosystem.PAGE).read_text() == ecosystem.page(kept)
    assert kept.keys() <= {p.stem for p in PROGRAMS}
