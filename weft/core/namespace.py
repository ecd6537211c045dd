"""The public modules: what they are filled with, what they load when it is first asked for, what they say of the rest.
"""
import difflib
import importlib
import os

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


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


def parts(names, modules="", functions=()):
    """`__getattr__` and `__dir__` of a package (its globals are `names`), whose parts are loaded when first asked for.

    modules: names of its own modules; functions: {name: the module that has it}. The package also finds its modules in
    the folder of weft/compat that has its name.
    """
    package, lazy, functions = names["__name__"], frozenset(modules.split()), dict(functions)
    folder = os.path.join(HOME, "compat", *package.split(".")[1:])
    if folder not in names.get("__path__", [folder]):       # a module has none; a reloaded package has it already
        names["__path__"].append(folder)

    def __getattr__(name):
        if name in lazy:
            return importlib.import_module(f"{package}.{name}")
        if name in functions:
            return names.setdefault(name, getattr(importlib.import_module(functions[name]), name))
        raise AttributeError(missing(package, name, {*names, *lazy, *functions}))

    def __dir__():
        return sorted({*names, *lazy, *functions})
    return __getattr__, __dir__


def later(module, name):
    """A function of a module that is loaded when it is first called."""
    def call(*args, **kwargs):
        return getattr(importlib.import_module(module), name)(*args, **kwargs)
    call.__name__ = call.__qualname__ = name
    return call
