"""Times two callables alternately in one run, best of several: the ratio is then free of the machine's mood."""
import gc
import time


def once(function, count):
    start = time.perf_counter()
    for _ in range(count):
        function()
    return (time.perf_counter() - start) / count


def pair(first, second, seconds=0.25, rounds=9):
    """The best time in seconds of each of two callables, measured by turns."""
    count = max(1, int(seconds / rounds / max(once(second, 3), once(first, 3), 1e-7)))
    best = [float("inf"), float("inf")]
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for i, function in enumerate((first, second)):
                best[i] = min(best[i], once(function, count))
    finally:
        gc.enable()
    return best
