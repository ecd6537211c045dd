"""The benchmark's own code, on made-up figures: no timing is judged here."""
import json
import os
import signal
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import weft

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

import busy
import child
import heat
import measure
import others
import packages
import picture
import products
import rows
import shapes
import table

MADE = [
    {"name": "fast", "group": "a", "threads": 2, "unit": "s", "goal": 0.8, "weft": 1e-6, "torch": 4e-6, "ratio": 0.25,
     "gflops": 50.0},
    {"name": "slow & <odd>", "group": "a", "threads": 2, "unit": "s", "goal": 0.8, "weft": 0.9, "torch": 1.0,
     "ratio": 0.9, "gbs": 5.0, "others": {"jax": 1e-3}},
    {"name": "absent", "group": "b", "threads": 1, "unit": "s", "goal": 0.8, "weft": None, "torch": 1.0, "ratio": None,
     "status": "not there yet: conv2d"},
    {"name": "memory", "group": "b", "threads": 2, "unit": "B", "goal": None, "weft": 3e6, "torch": 6e6, "ratio": 0.5},
]
LIMITS = {2: {"gflops": 100.0, "gbs": 20.0}}


@pytest.mark.parametrize("seconds, text", [(1.234e-6, "1.23 us"), (0.0004567, "457 us"), (0.012, "12.00 ms"),
                                           (2.5, "2.50 s"), (None, "-")])
def test_times(seconds, text):
    assert table.in_time(seconds) == text


def test_lines():
    fast, slow, absent, memory = (table.line(r, LIMITS) for r in MADE)
    assert "0.25" in fast and "OVER" not in fast and "50.0 GFLOP/s" in fast and "50%" in fast
    assert "OVER" in slow and "25%" in slow and "jax 1.00 ms" in slow
    assert "not there yet: conv2d" in absent and "1.00 s" in absent
    assert "3.0 MB" in memory and "6.0 MB" in memory
    assert table.summary(MADE) == "1 goals met, 1 missed, 1 rows not there yet"


def test_the_longest_name_has_room_in_the_picture():
    with open(os.path.join(os.path.dirname(picture.__file__), "results.json"), encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    assert max(len(row["name"]) for row in picture.shown(rows, 2)) * 6.5 < picture.LEFT - 10      # pixels, in wide letters


def test_picture_is_well_formed():
    root = ElementTree.fromstring(picture.draw(MADE, 2, "a machine", "weft 1, torch 2"))
    words = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "slow & <odd>" in words and "absent" not in words and "0.25" in words
    assert len(list(root.iter("{http://www.w3.org/2000/svg}rect"))) == 3


def test_heat_map_has_a_cell_for_each_product():
    made = [{"family": "a < b", "what": "x & y", "label": "1 x 2 x 3 nn", "threads": threads, "ratio": ratio,
             "weft": 1.0, "numpy": 1.0, "torch": 1.0} for threads in (1, 2) for ratio in (0.3, 0.9, 1.0, 5.0)]
    root = ElementTree.fromstring(heat.draw(made))
    cells = [e for e in root.iter("{http://www.w3.org/2000/svg}rect") if len(e)]
    assert len(cells) == 8 and len({e.get("fill") for e in cells}) == 4
    assert cells[-1][0].text.startswith("1 x 2 x 3 nn (x & y), 2 threads: 5.00")


def test_products_are_several_hundred_of_every_layout():
    found = shapes.all_products()
    assert len(found) == len({p[2:] for p in found}) > 300
    assert {p.layout for p in found} == {"nn", "nt", "tn"} and any(p.stack > 1 for p in found)
    assert "64 x 9216 x 128 nt" in map(str, found)


def test_turns_call_everything():
    calls = [0, 0]

    def count(k):
        calls[k] += 1
    best = measure.by_turns([lambda: count(0), lambda: count(1)], seconds=0.01, rounds=2, pause=0)
    assert all(t > 0 for t in best) and all(calls)


def test_rows_have_different_names():
    names = [r.name for r in rows.all_rows()]
    assert len(names) == len(set(names)) and len(names) > 80
    assert all(r.goal is None or 0 < r.goal <= 1 for r in rows.all_rows())


@pytest.mark.parametrize("row", [r for r in rows.all_rows() if r.small and r.group == "8x8"], ids=lambda r: r.name)
def test_small_rows_run(row):
    row.make(weft)()


def test_backward_rows_give_gradients():
    def build(T, new, grad):
        x = new.normal(3, 2, grad=grad)
        return (lambda: x * x), [x]
    only, both = rows.forward_and_backward("square", build, 0.8, "g", flops=6)
    assert only.make(weft)().shape == (3, 2) and both.flops == 18
    assert both.make(weft)()[0].shape == (3, 2)


def test_results_can_be_kept():
    assert json.loads(json.dumps(MADE)) == MADE


def test_rows_of_packages_are_left_out_where_they_are_absent():
    names = [r.name for r in rows.all_rows() if r.group == "packages"]
    assert names == [name for name, (package, _) in packages.MODELS.items() if package not in packages.absent()]


def test_a_child_says_what_went_wrong():
    with pytest.raises(RuntimeError, match="KeyError: 'no such model'"):
        child.Child("no such model", "weft", 1)


def test_a_child_sleeps_between_its_turns():
    square = shapes.Product("made", "up", 3, 4, 5, "nt")
    asked = child.Child("products", "weft", 1)
    asked.stop()
    with asked.turn():
        seconds, digest = asked((square, 0.001))
    assert seconds > 0 and digest == products.timed("numpy", 1)((square, 0.001))[1]
    assert os.waitid(os.P_PID, asked.process.pid, os.WSTOPPED).si_status == signal.SIGSTOP


@pytest.mark.parametrize("layout, stack", [("nn", 1), ("nt", 1), ("tn", 3)])
def test_products_are_the_same_numbers_for_every_library(layout, stack):
    product = shapes.Product("made", "up", 33, 17, 21, layout, stack)
    ours, numpys = (np.asarray(products.call(library, product)()) for library in ("weft", "numpy"))
    np.testing.assert_array_equal(ours, numpys)


def test_other_work_begins_and_ends(monkeypatch):
    made = []
    start = busy.subprocess.Popen
    monkeypatch.setattr(busy.subprocess, "Popen", lambda *given: made.append(start(*given)) or made[-1])
    with busy.others(2):
        assert [process.poll() for process in made] == [None, None]
    assert all(process.returncode is not None for process in made)
    assert set(busy.NAMES) <= {row.name for row in rows.all_rows()}


def test_whole_steps_run_in_each_of_wefts_ways(capsys):
    for way in [way for way in others.WAYS if way.startswith("weft")]:
        others.child(way, 0, weft.get_num_threads(), 0.01)
    ready, seconds = zip(*[json.loads(line) for line in capsys.readouterr().out.splitlines()])
    assert len(seconds) == 3 and min(seconds) > 0 and min(ready) >= 0
