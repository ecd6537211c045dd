"""Fills public modules (weft, weft.linalg, ...) with the functions that the ops registered under their names."""
import difflib


def fill(names, functions, prefix):
    """Put every function called `prefix.<name>` into a module's globals as <name>; private ones stay out."""
    for path, function in functions.items():
        space, _, name = path.rpartition(".")
        if space == prefix and not name.startswith("_"):
            names[name] = function


def missing(module, name, names):
    """The text for a name that isn't there, with the nearest one that is."""
    close = difflib.get_close_matches(name, [n for n in names if not n.startswith("_")], n=1)
    return f"module '{module}' has no attribute '{name}'" + (f". Did you mean: '{close[0]}'?" if close else "")
