"""The watcher of a profile."""
from weft.core.seam import Watcher
from weft.profiler.log import Log


class Recorder(Watcher):
    """Notes ops, nodes of the backward and ranges in `log`, a list of tuples (see log.py)."""

    def __init__(self, shapes=False, memory=False, stack=False):
        self.shapes, self.memory = shapes, memory
        notes = Log(shapes or memory, stack)
        self.log = notes.entries
        # the notebook's own methods, one call less for each op
        self.before, self.after, self.enter = notes.before, notes.after, notes.enter
        self.backward_before, self.backward_after = notes.backward_before, notes.backward_after
        self._begin, self._end = notes.begin, notes.end

    def range_begin(self, key, name, args):
        self._begin(id(key), name, args)

    def range_end(self, key):
        self._end(id(key))
