"""What the user calls a tensor: the variable that holds it, from the outermost of the program's frames on."""
import sys

from weft.tensor.tensor import Tensor

MOST = 64           # entries of a list or dict that are looked at


def name_of_variable(t):
    """`images` for a tensor that a variable of the running program holds, `batch[0]` or `self.table` for one inside
    of what it holds; None when nobody does.

    A name further out says more: `images` of the training loop, not the `x` of some forward.
    """
    for variables in reversed(list(users_variables())):
        found = name_in(variables, t)
        if found is not None:
            return found
    return None


def users_variables():
    """The variables of each frame that is not weft's own, the innermost first."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in OWN:
            yield frame.f_locals
        frame = frame.f_back


OWN = ("weft", "runpy", "_pytest", "pluggy", "IPython", "ipykernel", "threading")


def name_in(variables, t):
    """The name of a tensor among variables, or within the lists, dicts and modules that they are."""
    inside = []
    for name, value in list(variables.items()):
        if name.startswith("_"):
            continue
        if value is t:
            return name
        if isinstance(value, (list, tuple, dict)) or hasattr(value, "_modules") and not isinstance(value, Tensor):
            inside.append((name, value))
    for name, value in inside:
        found = part_in(value, t)
        if found is not None:
            return name + found
    return None


def part_in(value, t):
    """`[0]`, `["mask"]` or `.table`: how a tensor is reached from what holds it."""
    if isinstance(value, dict):
        return next((f"[{key!r}]" for key, part in list(value.items())[:MOST] if part is t), None)
    if isinstance(value, (list, tuple)):
        return next((f"[{at}]" for at, part in enumerate(value[:MOST]) if part is t), None)
    return next((f".{name}" for name, part in list(vars(value).items()) if part is t), None)
