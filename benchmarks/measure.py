"""Times functions alternately in one run, best of several: a ratio is then free of the machine's mood."""
import gc
import time


def once(function):
    """Seconds of one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def best_of(function, count):
    """Seconds a call, over `count` calls."""
    calls = range(count)
    start = time.perf_counter()
    for _ in calls:
        function()
    return (time.perf_counter() - start) / count


def by_turns(functions, seconds=0.8, rounds=12, pause=0.002):
    """The best time in seconds of each function, measured by turns within about `seconds` altogether.

    Every turn starts with a call that isn't counted (its own data come back to the caches), after a pause in which the threads of the
    turn before it stop spinning.
    """
    functions = list(functions)
    for f in functions:
        f()
    guesses = [max(min(once(f) for _ in range(3)) if once(f) < seconds else once(f), 1e-7) for f in functions]
    rounds = max(2, min(rounds, int(seconds / sum(guesses))))
    counts = [max(1, int(seconds / rounds / len(functions) / guess)) for guess in guesses]
    best = [float("inf")] * len(functions)
    gc.collect()
    was_on = gc.isenabled()
    gc.disable()        # as timeit does
    try:
        for _ in range(rounds):
            for i, f in enumerate(functions):
                time.sleep(pause)
                f()
                best[i] = min(best[i], best_of(f, counts[i]))
    finally:
        if was_on:
            gc.enable()
    return best
