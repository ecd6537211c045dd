"""Training steps on a machine that is busy: two processes of the lowest priority beside them.

    python benchmarks/bench.py --only busy

weft and PyTorch have a process each and work by turns, both beside the same two. The median of all steps counts, not
the best: what is asked is how long a step takes there, and a best one would be one that was left alone.
"""
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager

from child import Child

NAMES = ["GPT 4 layers of 128, batch 12, length 64, training step", "MNIST CNN, batch 64, training step"]
GOAL = 0.5
# it ends with the process that started it, however that one ends
LOOP = "import os\nos.nice(19)\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(100000))"


@contextmanager
def others(count=2):
    """Other work beside: `count` processes that only compute."""
    made = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(count)]
    try:
        time.sleep(0.3)     # they have started
        yield
    finally:
        for process in made:
            process.terminate()
            process.wait()


def steps(child, seconds):
    """Seconds of each step of one turn, two at least, after one that isn't counted."""
    found, until = [], time.perf_counter() + seconds
    with child.turn():
        child()
        while len(found) < 2 or time.perf_counter() < until:
            start = time.perf_counter()
            child()
            found.append(time.perf_counter() - start)
    return found


def measure(threads, seconds, rounds=3):
    """Rows of the table, each about `seconds` of either library's time beside other work."""
    for name in NAMES:
        result = {"name": f"{name}, beside two busy processes", "group": "busy", "threads": threads, "unit": "s",
                  "goal": GOAL, "weft": None, "torch": None, "ratio": None}
        try:
            children = {library: Child(name, library, threads) for library in ("weft", "torch")}
        except RuntimeError as error:
            yield {**result, "status": f"fails: {str(error)[:90]}"}
            continue
        for child in children.values():
            child.stop()
        times = {library: [] for library in children}
        with others():
            for _ in range(rounds):
                for library, child in children.items():
                    times[library] += steps(child, seconds / rounds)
        ours, theirs = (statistics.median(times[library]) for library in ("weft", "torch"))
        yield {**result, "weft": ours, "torch": theirs, "ratio": ours / theirs}
