"""Counts the edits of all modules, so that what depends on their structure (optimizers, captured steps) knows when to look again."""


class Edits:
    """A counter that goes up whenever a parameter or module is added to, replaced in or removed from a module."""

    def __init__(self):
        self.count = 0


EDITS = Edits()


class Members:
    """An iterator over a module's parameters that knows the module: what `Module.parameters()` gives."""

    __slots__ = ("module", "recurse", "_steps")

    def __init__(self, module, recurse, steps):
        self.module, self.recurse, self._steps = module, recurse, steps

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._steps)
