"""The table: what an op does that is given a sparse tensor. Whatever isn't in it says so."""
from functools import partial

from weft.core.errors import fail
from weft.tensor.names import FUNCTIONS

RULES = {}      # name of a function ("mm", "zero_") -> its rule for sparse tensors, with the same parameters
EACH, IN_PLACE = "an elementwise op", "an op in place"      # what has no rule of its own: rules for all of a kind
SPACES = frozenset(("masked", "linalg", "special", "fft", "signal.windows"))    # whose names are other functions


def rule(*names):
    """Register a function as the rule of the ops of these names, or of its own."""
    def register(function):
        for name in names or (function.__name__,):
            RULES[name] = function
        return function
    return register


def answer(function, args, kwargs):
    """`function(*args, **kwargs)`, where a sparse tensor is among the arguments."""
    space = (getattr(function, "__module__", None) or "").partition(".")[2]
    name = f"{space}.{function.__name__}" if space in SPACES else function.__name__
    found = rule_of(name, function)
    if found is None:
        refuse(name)
    return found(*args, **kwargs)


def rule_of(name, function):
    """The rule of a function: its own, that of elementwise ops, or for `name_` what follows from the rule of `name`."""
    if name in RULES:
        return RULES[name]
    if name.endswith("_") and not name.startswith("_") and name[:-1] in FUNCTIONS:
        plain = rule_of(name[:-1], FUNCTIONS[name[:-1]])
        return None if plain is None else partial(RULES[IN_PLACE], name, plain)
    op = getattr(function, "op", None)
    return partial(RULES[EACH], function) if op is not None and op.pointwise else None


def refuse(name):
    """Say that a function takes no sparse tensors."""
    fail(NotImplementedError, f"{name}: there is no rule for sparse tensors",
         "give it x.to_dense(), or work on x.values() and put them back with weft.sparse_coo_tensor")
