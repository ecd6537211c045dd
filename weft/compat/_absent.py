"""Names that packages import and compare with, but that programs seldom use: using one says that weft doesn't have it.
"""


def _refuse(place, fix):
    raise NotImplementedError(f"weft has no {place}" + (f"\n  fix: {fix}" if fix else ""))


class Absent(type):
    """The type of a class that isn't there: nothing is an instance of it, and nothing can be made of it."""

    def __call__(cls, *args, **kwargs):
        _refuse(cls.place, cls.fix)

    def __instancecheck__(cls, instance):
        return False


def absent_classes(names, module, fix="", place=None):
    """Put classes that refuse to be used into a module, whose globals are given; `place`: what they call it."""
    for name in names.split():
        module[name] = Absent(name, (), {"place": f"{place or _torch(module)}.{name}", "fix": fix,
                                         "__module__": module["__name__"],
                                         "__doc__": "A name to compare with: weft doesn't have it."})


def absent_functions(names, module, fix="", place=None):
    """Put functions that refuse to be called into a module, whose globals are given; `place`: what they call it."""
    for name in names.split():
        module[name] = _function(f"{place or _torch(module)}.{name}", name, module["__name__"], fix)


def _function(place, name, module, fix):
    def function(*args, **kwargs):
        _refuse(place, fix)
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__doc__ = "NotImplementedError: weft doesn't have it."
    return function


def _torch(module):
    return "torch" + module["__name__"].removeprefix("weft").removeprefix("torch")
