"""The table: what an op does that is given a sparse tensor. Whatever isn't in it says so."""
from weft.core.errors import fail

RULES = {}      # name of a function ("mm", "add_") -> its rule for sparse tensors, with the same parameters
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
    found = RULES.get(name)
    if found is None:
        refuse(name)
    return found(*args, **kwargs)


def refuse(name):
    """Say that a function takes no sparse tensors."""
    fail(NotImplementedError, f"{name}: there is no rule for sparse tensors",
         "give it x.to_dense(), or work on x.values() and put them back with weft.sparse_coo_tensor")
