"""Whether a step leaves reference cycles, which only the garbage collector could free."""
import gc


def leaves_cycles(step, runs=3):
    """Whether every run of `step` does: what a thread of an earlier test leaves as it ends comes in one run only."""
    step()      # what is made once
    gc.collect()
    gc.disable()
    try:
        for _ in range(runs):
            step()
            if gc.collect() == 0:
                return False
        return True
    finally:
        gc.enable()
