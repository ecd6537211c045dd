"""Times two statements alternately in one run, best of several: the ratio is then free of the machine's mood."""
import gc
import timeit


def pair(statement, first, second, seconds=0.3, rounds=11):
    """The best time in seconds of one statement in two namespaces, measured by turns."""
    timers = [timeit.Timer(statement, globals=names) for names in (first, second)]
    once = max(max(t.timeit(5) / 5 for t in timers), 1e-7)
    count = max(3, int(seconds / rounds / once))
    best = [float("inf"), float("inf")]
    gc.collect()
    for _ in range(rounds):
        for i, timer in enumerate(timers):
            best[i] = min(best[i], timer.timeit(count) / count)     # timeit switches the collector off
    return best
