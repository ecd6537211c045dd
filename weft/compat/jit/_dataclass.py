"""Dataclasses in saved programs: the methods that Python's `dataclass` makes have no source that could be read, so
their text is made here from the fields."""
import ast
import dataclasses
import inspect

from weft.jit._values import Refused

_COMPARED = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
_LEFT_OUT = ("__hash__", "__setattr__", "__delattr__", "__replace__", "__getstate__", "__setstate__")
_EMPTY = {list: "[]", dict: "{}", set: "set()"}


def is_made(cls, function):
    """Whether `dataclass` made a method of a class."""
    return dataclasses.is_dataclass(cls) and function.__code__.co_filename in ("<string>", dataclasses.__file__)


def is_left_out(cls, function):
    """Whether a method that `dataclass` made isn't saved: objects of a loaded program have one of their own."""
    return function.__name__ in _LEFT_OUT and is_made(cls, function)


def text_of(cls, function):
    """The text of a method that `dataclass` made, or None for any other."""
    if cls is None or not is_made(cls, function):
        return None
    name, fields = function.__name__, dataclasses.fields(cls)
    if name == "__init__":
        return _start(cls, function, fields)
    if name in _COMPARED:
        mine, other = [", ".join([f"{who}.{f.name}" for f in fields if f.compare]) for who in ("self", "other")]
        return f"def {name}(self, other):\n    return ({mine},) {_COMPARED[name]} ({other},)" if mine else \
            f"def {name}(self, other):\n    return () {_COMPARED[name]} ()"
    if name == "__repr__":
        shown = ", ".join([f"{f.name}={{self.{f.name}!r}}" for f in fields if f.repr])
        return f"def __repr__(self):\n    return f'{cls.__name__}({shown})'"
    return None


def _start(cls, function, fields):
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    places = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
    named = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    given = {p.name for p in parameters}
    lines = [f"self.{f.name} = {f.name if f.name in given else _made_by(f)}" for f in fields
             if f.name in given or f.default_factory is not dataclasses.MISSING]
    if hasattr(cls, "__post_init__"):
        kept = {f.name for f in fields}
        lines.append(f"self.__post_init__({', '.join([p for p in (*places, *named) if p not in kept])})")
    taken = ", ".join(["self", *places, *(["*", *named] if named else [])])
    return f"def __init__({taken}):\n    " + "\n    ".join(lines or ["pass"])


def _made_by(field):
    found = _EMPTY.get(field.default_factory)
    if found is None:
        raise Refused(f"the default of the field {field.name!r} is made by a function; only list, dict and set can be "
                      "saved")
    return found


def default_of(cls, function, name):
    """The expression that makes a field's default anew for each object, or None where the default is a value."""
    if cls is None or not is_made(cls, function):
        return None
    field = cls.__dataclass_fields__.get(name)
    made = field is not None and field.default_factory is not dataclasses.MISSING
    return ast.parse(_made_by(field), mode="eval").body if made else None
