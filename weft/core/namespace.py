"""The public modules: what they are filled with, what they load when it is first asked for, what they say of the rest.
"""
import importlib
import os

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def fill(names, functions, prefix):
    """Put every function called `prefix.<name>` into a module's globals as <name>; private ones stay out."""
    for path, function in functions.items():
        space, _, name = path.rpartition(".")
        if space == prefix and not name.startswith("_"):
            names[name] = function


class Missing(AttributeError):
    """A name that isn't there. What to do about it is worked out when somebody reads the message: hasattr() doesn't,
    and programs ask it in their loops.
    """

    def __init__(self, text, name, advice):
        super().__init__(text, name=name)
        self.advice = advice            # a function: what stands after the text

    def __str__(self):
        return self.args[0] + self.advice()

    def __reduce__(self):
        return AttributeError, (str(self),)


Missing.__name__ = Missing.__qualname__ = "AttributeError"
Missing.__module__ = "builtins"


def nearest(name, names):
    """". Did you mean: 'randn'?", where one of the names is really like it: written otherwise, one slip of the fingers
    (two in a long one), or begun with it.
    """
    plain = _plain(name)
    best = min((n for n in names if n != name), key=lambda n: (_distance(plain, _plain(n)), n), default=None)
    if best is None or _distance(plain, _plain(best)) > _slips(plain, _plain(best)):
        longer = [n for n in names if n != name and len(plain) > 3 and _plain(n).startswith(plain)]
        best = min(longer, key=len, default=None)
    return f". Did you mean: '{best}'?" if best else ""


def _plain(name):
    return name.replace("_", "").lower()


def _slips(name, other):
    """How many slips of the fingers leave a name recognizable."""
    if len(name) < 4:
        return int(len(name) == len(other) == 3 and name[:2] == other[:2])        # fc1 and fc2
    return 1 if len(name) < 8 else 2


def _distance(a, b, most=3):
    """How many letters were left out, put in, exchanged or swapped with the next one; `most` stands for all above."""
    if abs(len(a) - len(b)) >= most:
        return most
    before, row = [], list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) >= most:
            return most
    return row[-1]


# parts of PyTorch that aren't here, and what to do instead
ABSENT = {
    **dict.fromkeys(("weft.smm", "weft.hspmm"), "use torch.sparse.mm, whose result is dense"),
    "weft.sspaddmm": "use torch.sparse.addmm", "weft.saddmm": "use torch.sparse.addmm",
    "weft.xla": "there is no accelerator: everything runs on the CPU, device='cpu'",
}


def missing(module, name, names):
    """The error of a public module without such a name; `names()` are those that it has."""
    def advice():
        known = ABSENT.get(f"{module}.{name}")
        return f"\n  fix: {known}" if known else nearest(name, [n for n in names() if not n.startswith("_")])
    return Missing(f"module '{module}' has no attribute '{name}'", name, advice)


def refuse(names):
    """`__getattr__` of a module (its globals are `names`) that has nothing to load later."""
    def __getattr__(name):
        raise missing(names["__name__"], name, names.copy)
    return __getattr__


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
            return _loaded(names, name, functions)
        raise missing(names["__name__"], name, __dir__)     # which may be torch's by then (compat/_torch.py)

    def __dir__():
        return sorted({*names, *lazy, *functions})
    return __getattr__, __dir__


def _loaded(names, name, functions):
    return names.setdefault(name, getattr(importlib.import_module(functions[name]), name))


def later_names(names, otherwise, functions):
    """`__getattr__` of a package with names ({name: the module that has it}) that only PyTorch's programs ask for:
    dir() doesn't list them. `otherwise` is its `__getattr__` for the rest.
    """
    def __getattr__(name):
        return _loaded(names, name, functions) if name in functions else otherwise(name)
    return __getattr__


def later(module, name):
    """A function of a module that is loaded when it is first called."""
    def call(*args, **kwargs):
        return getattr(importlib.import_module(module), name)(*args, **kwargs)
    call.__name__ = call.__qualname__ = name
    return call
