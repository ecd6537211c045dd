"""Python's collector of reference cycles beside large graphs."""
import subprocess
import sys

import pytest

from weft.core.runtime import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="only the compiled core counts tensors")
PROGRAM = """
import gc
import weft
from weft.core import collector
full = 0
def count(phase, info):
    global full
    full += phase == "start" and info["generation"] == 2
gc.callbacks.append(count)
def large():
    x, total = weft.ones(1, requires_grad=True), 0
    for k in range(15000):
        total = (x * k).tanh() + total
    total.backward()
"""


def lines_of(program):
    """What a process of its own prints: thresholds belong to the whole process."""
    done = subprocess.run([sys.executable, "-c", PROGRAM + program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the collector is another one")
def test_large_graphs_are_not_looked_through_again_and_again():
    program = "large()\nfull = 0\nfor _ in range(4): large()\nprint(full, *gc.get_threshold())"
    full, young, middle, old = map(int, lines_of(program))
    assert full <= 1 and (young, middle) == (700, 10) and old > 30


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the collector is another one")
def test_the_threshold_comes_back_where_graphs_are_small_again():
    program = """
large()
first = gc.get_threshold()[2]
x = weft.ones(1, requires_grad=True)
for _ in range(300000): x * 2
print(first, *gc.get_threshold())"""
    first, young, middle, old = map(int, lines_of(program))
    assert first > 30 and (young, middle, old) == (700, 10, 10)


def test_thresholds_that_the_user_chose_stay():
    assert lines_of("gc.set_threshold(900, 7, 5)\nlarge()\nprint(*gc.get_threshold())") == ["900", "7", "5"]
    assert lines_of("gc.set_threshold(0)\nlarge()\nprint(gc.get_threshold()[0])") == ["0"]


def test_what_is_let_go_of_is_no_longer_counted():
    program = """
gc.collect()
before = collector.alive()
for _ in range(3): large()
gc.collect()
print(collector.alive() - before)"""
    assert int(lines_of(program)[0]) <= 2


def test_cycles_in_large_graphs_are_found_nevertheless():
    program = """
import weakref
def leave():
    x = weft.ones(1, requires_grad=True)
    y = x
    for _ in range(100): y = y * 2
    y.grad_fn.metadata["loop"] = y
    return weakref.ref(y.grad_fn)
large()
kept = [leave() for _ in range(2000)]
print(sum(ref() is not None for ref in kept))
gc.collect()
print(sum(ref() is not None for ref in kept))"""
    late, after = map(int, lines_of(program))
    assert after == 0 and late < 2000, (late, after)
