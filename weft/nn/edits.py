"""What is known about edits of modules, for those that depend on their structure (optimizers, captured steps,
messages).

- `EDITS.count` goes up with every edit, so that they know when to look again; `EDITS.ways` where hooks come and go, or
  training mode is switched;
- `Homes` finds the module that a list of parameters belongs to;
- `note_origin` and `origin_of` keep how a parameter came from the one that it replaced (which rows and columns of it
  are left).
"""
import weakref


class Edits:
    """A counter that goes up whenever a parameter or module is added to, replaced in or removed from a module."""

    def __init__(self):
        self.count = self.ways = 0


EDITS = Edits()
LIVE = weakref.WeakValueDictionary()        # id -> module: all modules that there are


class Members:
    """An iterator over a module's parameters that knows the module: what `Module.parameters()` gives."""

    __slots__ = ("module", "recurse", "_steps")

    def __init__(self, module, recurse, steps):
        self.module, self.recurse, self._steps = module, recurse, steps

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._steps)


# where parameters belong

class Homes:
    """Which module holds which, and whose the parameters are, of all modules that there are now."""

    def __init__(self):
        self.parents, self.owners, self._held = {}, {}, {}
        for module in list(LIVE.values()):
            for child in module._modules.values():
                if child is not None:
                    self.parents.setdefault(id(child), []).append(module)
            for p in module._parameters.values():
                self.owners.setdefault(id(p), []).append(module)

    def held(self, module):
        """The ids of all parameters of a module."""
        if id(module) not in self._held:
            self._held[id(module)] = {id(p) for p in module.parameters()}
        return self._held[id(module)]

    def of(self, params, outermost=False):
        """The smallest module that holds all these parameters, or the outermost one; None if there is none."""
        wanted = {id(p) for p in params}
        waiting = [(0, module) for module in self.owners.get(next(iter(wanted), None), ())]
        best, seen = None, set()
        while waiting:
            height, module = waiting.pop()
            if id(module) in seen:
                continue
            seen.add(id(module))
            held = self.held(module)
            rank = -height if outermost else (len(held), height)
            if wanted <= held and (best is None or rank < best[0]):
                best = (rank, module)
            waiting += [(height + 1, parent) for parent in self.parents.get(id(module), ())]
        return None if best is None else best[1]


def names_of(params):
    """The parameters' names in the outermost module that holds them all, one for each, in order; None where there is no
    such module.
    """
    params = list(params)
    home = Homes().of(params, outermost=True)
    if home is None:
        return None
    names = {}
    for name, p in home.named_parameters():
        names.setdefault(id(p), name)
    return [names[id(p)] for p in params]


# where a parameter came from

class Origin:
    """How a parameter came from an older one: for each dimension the old index of every new index (-1: a new one), or
    None: unchanged.
    """

    __slots__ = ("old", "maps", "before")

    def __init__(self, old, maps, before):
        self.old, self.maps, self.before = old, maps, before


def first_ones(old, new):
    """Maps between two shapes that cut or pad: the first indices of every dimension stay."""
    return tuple(None if a == b else [i if i < a else -1 for i in range(b)] for a, b in zip(old, new))


_ORIGINS = {}       # id of the new parameter -> (a weak reference to it, its Origin)


def note_origin(new, old, maps=None):
    """Remember that `new` came from `old`; with old=None: from nothing, so that it starts clean under whatever name."""
    key = id(new)
    origin = Origin(None if old is None else weakref.ref(old), maps, None if old is None else origin_of(old))
    _ORIGINS[key] = (weakref.ref(new, lambda _: _ORIGINS.pop(key, None)), origin)


def origin_of(p):
    """The Origin of a parameter, or None if nothing is known."""
    found = _ORIGINS.get(id(p))
    return found[1] if found is not None and found[0]() is p else None
