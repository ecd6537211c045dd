# compiled, hot
"""How often Python's collector of reference cycles goes through everything, where large graphs live.

By default that is once for some 77,000 new objects. The graph of 64 small trees has 220,000, none of them garbage, and
their memory comes from far away: two thirds of such a program's time were spent on looking through it. So the third
threshold grows with the most tensors that lived at a time: ten such graphs or so are made from one look to the next.
Young objects are looked at as often as ever. Who chooses thresholds of his own keeps them.
"""
import gc

START = gc.get_threshold()      # what Python itself begins with, or the user's choice
EACH = 60           # objects (nodes, tuples, ...) for each tensor that lived, that are made from one look to the next
FEW = 1 << 11       # tensors that change nothing
SPELL = 1 << 16     # how many are made before the most that lived is found anew

ALIVE, MOST = 0, 0          # tensors now; at the same time in this spell
LIMIT, LEFT = FEW, SPELL    # as many alive, or so many made, and the threshold is looked at
CHOSEN = START              # what stands there if nobody else changed it


def came():
    """A tensor was made."""
    global ALIVE, MOST, LEFT
    ALIVE += 1
    LEFT -= 1
    if ALIVE > MOST:
        MOST = ALIVE
    if MOST >= LIMIT or LEFT <= 0:
        choose()


def went():
    """One was let go of."""
    global ALIVE
    ALIVE -= 1


def alive():
    """How many tensors there are."""
    return ALIVE


def choose():
    """Set the third threshold by the most that lived at a time."""
    global MOST, LIMIT, LEFT, CHOSEN
    most = MOST
    MOST = ALIVE
    LIMIT = max(FEW, 2 * most)
    LEFT = max(SPELL, 4 * most)
    young, middle, old = gc.get_threshold()
    if (young, middle, old) != CHOSEN or young == 0 or START[2] == 0:
        return              # the user's; or there is none (Python 3.14)
    wanted = max(START[2], EACH * most // (young * (middle + 1)))
    if wanted != old:
        gc.set_threshold(young, middle, wanted)
        CHOSEN = gc.get_threshold()
