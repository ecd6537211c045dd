# compiled, hot
"""Where values last left a graph, per thread: for the error of a loss without one, which names the latest first."""
from weft.core.place import here
from weft.core.runtime import keep, kept, pure_fields


class Cuts:
    """The places of one thread. Those that are noted often are written over, so that noting one makes nothing."""


# off: where grad mode was last switched off; detached: where a tensor last left its graph; taken: where a value was
# last taken out of a graph as a Python number; latest: which of them was the last
pure_fields(Cuts, off=None, detached=None, taken=None, latest=None)


def cuts():
    """This thread's places."""
    found = kept()
    if found is None:
        found = Cuts.__new__(Cuts)
        keep(found)
    return found


def note_off(place):
    """Grad mode is switched off there."""
    found = cuts()
    found.off = place
    found.latest = "off"


def moved(place):
    """The line that runs now, in the object that was there."""
    if place is None:
        return here()
    place.move_here()
    return place


def note_detached():
    """A tensor leaves its graph."""
    found = cuts()
    found.latest = "detached"
    found.detached = moved(found.detached)


def note_taken():
    """A value leaves its graph as a Python number."""
    found = cuts()
    found.latest = "taken"
    found.taken = moved(found.taken)
