"""Which classes and functions of the user's a checkpoint may name: none, until `add_safe_globals` is called.

>>> class Config:
...     pass
>>> with safe_globals([Config]):
...     Config in get_safe_globals()
True
>>> get_safe_globals()
[]
"""

# modules from which nothing is taken, even if the user says so
BLOCKED = ("sys", "os", "posix", "nt", "subprocess")
_allowed = {}       # (object, name or None) -> None, in the order in which they were added


def _entries(safe_globals):
    for entry in safe_globals:
        if not isinstance(entry, tuple):
            yield entry, None
            continue
        if len(entry) != 2:
            raise ValueError(f"Expected tuple of length 2 (global, str of callable full path), but got tuple of "
                             f"length: {len(entry)}")
        if type(entry[1]) is not str:
            raise TypeError(f"Expected second item in tuple to be str of callable full path, but got: {type(entry[1])}")
        yield entry


def add_safe_globals(safe_globals):
    """Let checkpoints make objects of these classes and call these functions; (object, "module.name") gives one another
    name.

    >>> import weft
    >>> import fractions
    >>> weft.serialization.add_safe_globals([fractions.Fraction])
    >>> weft.save(fractions.Fraction(1, 3), "third.pt")
    >>> weft.load("third.pt")
    Fraction(1, 3)
    >>> weft.serialization.clear_safe_globals()
    """
    _allowed.update(dict.fromkeys(list(_entries(safe_globals))))


def get_safe_globals():
    """What was allowed so far.

    >>> import weft
    >>> import fractions
    >>> with weft.serialization.safe_globals([fractions.Fraction]):
    ...     weft.serialization.get_safe_globals()
    [<class 'fractions.Fraction'>]
    """
    return [thing if name is None else (thing, name) for thing, name in _allowed]


def clear_safe_globals():
    """Take back everything that was allowed.

    >>> import weft
    >>> import fractions
    >>> weft.serialization.add_safe_globals([fractions.Fraction])
    >>> weft.serialization.clear_safe_globals()
    >>> weft.serialization.get_safe_globals()
    []
    """
    _allowed.clear()


class safe_globals:
    """Inside, checkpoints may name these; afterwards they may not, unless they could before.

    >>> import weft
    >>> import fractions
    >>> weft.save(fractions.Fraction(1, 3), "third.pt")
    >>> with weft.serialization.safe_globals([fractions.Fraction]):
    ...     weft.load("third.pt")
    Fraction(1, 3)
    """

    def __init__(self, safe_globals):
        self.safe_globals = safe_globals

    def __enter__(self):
        self._before = dict(_allowed)
        add_safe_globals(self.safe_globals)

    def __exit__(self, *exc):
        _allowed.clear()
        _allowed.update(self._before)


def user_globals():
    """What the user allows, by the names that a file may give it; weft's own things go by PyTorch's names too."""
    found = {}
    for thing, name in _allowed:
        if name is None:
            name = f"{thing.__module__}.{thing.__qualname__}"
        found[name] = thing
        for one, other in (("weft.", "torch."), ("torch.", "weft.")):
            if name.startswith(one):
                found[other + name.removeprefix(one)] = thing
    return found
