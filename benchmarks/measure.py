"""Times functions alternately in one run, best of several: a ratio is then free of the machine's mood."""
import gc
import time


def once(function, clock=time.perf_counter):
    """Seconds of one call."""
    start = clock()
    function()
    return clock() - start


SAMPLE = 5e-4       # seconds: what is shorter is called so often in a row, so that the clock itself doesn't count


def best_of(function, count, batch, clock=time.perf_counter):
    """Seconds a call: the best of `count` calls, timed `batch` at a time."""
    best, calls = float("inf"), range(batch)
    for _ in range(max(1, count // batch)):
        start = clock()
        for _ in calls:
            function()
        best = min(best, clock() - start)
    return best / batch


def by_turns(functions, seconds=0.8, rounds=12, pause=0.002, clock=time.perf_counter):
    """The best time in seconds of each function, measured by turns within about `seconds` altogether. What works on one
    thread only may be timed by `time.thread_time`: then it doesn't count while others have the processor.

    A turn starts with a call that isn't counted (its own data come back to the caches; not where that is too dear),
    after a pause in which the threads of the turn before it stop spinning. Samples are short, so that some of them fall
    where nobody else uses the processor.
    """
    functions = list(functions)
    firsts = [once(f, clock) for f in functions]
    guesses = [max(first if first > seconds / 4 else min(once(f, clock) for _ in range(3)), 1e-7)
               for f, first in zip(functions, firsts)]
    rounds = max(2, min(rounds, int(seconds / sum(guesses))))
    counts = [max(1, int(seconds / rounds / len(functions) / guess)) for guess in guesses]
    batches = [max(1, min(count, int(SAMPLE / guess))) for count, guess in zip(counts, guesses)]
    best = [float("inf")] * len(functions)
    gc.collect()
    was_on = gc.isenabled()
    gc.disable()        # as timeit does
    try:
        for _ in range(rounds):
            for i, f in enumerate(functions):
                time.sleep(pause)
                if guesses[i] < seconds / 4:
                    f()
                best[i] = min(best[i], best_of(f, counts[i], batches[i], clock))
    finally:
        if was_on:
            gc.enable()
    return best
