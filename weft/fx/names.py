"""Names for the values of a graph: legal in Python, and each given once."""
import builtins
import keyword
import re

TAKEN = {"inf", "nan", "NoneType", "torch", "weft", "device", "fx_pytree", "pytree", "self"}
_NUMBERED = re.compile(r"(.*)_(\d+)")
_ILLEGAL = re.compile(r"[^0-9a-zA-Z_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def is_taken(name, of=None):
    """Whether a name means something already: a keyword, a builtin, or what generated code needs."""
    if name in keyword.kwlist:
        return True
    if name in builtins.__dict__:
        return builtins.__dict__[name] is not of
    return name in TAKEN


def snake_case(name):
    """MaxPool2d -> max_pool2d."""
    return _CAMEL.sub("_", name).lower()


class Namespace:
    """The names in use, and of what."""

    def __init__(self):
        self.names = {}             # name -> the object that has it, or None
        self.given = {}             # object -> its name
        self.counts = {}            # name without number -> the greatest number so far

    def create_name(self, candidate, obj):
        """A name like the candidate that nobody has; an object keeps the one that it has."""
        if obj is not None and obj in self.given:
            return self.given[obj]
        candidate = _ILLEGAL.sub("_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = "_" + candidate
        numbered = _NUMBERED.fullmatch(candidate)
        base, number = (numbered.group(1), int(numbered.group(2))) if numbered else (candidate, None)
        if candidate in self.names or is_taken(candidate, obj):
            number = self.counts.get(base, 0) if number is None or base in self.counts else number
            while candidate in self.names or is_taken(candidate, obj):
                number = (number or 0) + 1
                candidate = f"{base}_{number}"
        self.names[candidate] = obj
        self.counts[base] = max(self.counts.get(base, 0), number or 0)
        if obj is not None:
            self.given[obj] = candidate
        return candidate

    def associate_name_with_obj(self, name, obj):
        """Note who has a name."""
        self.names[name] = obj
        self.given[obj] = name
