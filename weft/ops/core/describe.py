"""What an op's function says of itself: its signature, and a docstring with shapes and an example.

The examples are made by tools/stubs.py from the bodies' samples, with their results, and read when somebody asks.
"""
import functools
import os
import re

from weft.tensor.tensor import OPS

IN_PLACE = "In place: writes to the tensor itself and returns it."
PUBLIC = {"x": "input", "y": "other"}       # names of parameters in bodies, and PyTorch's


class Described:
    """What `inspect` finds behind an op's function that is a plain one: the signature, made when asked."""

    def __init__(self, op, name, in_place):
        self.op, self.name, self.in_place = op, name, in_place

    def __call__(self, *args, **kwargs):
        return self.op.call(args, kwargs)

    @property
    def __signature__(self):
        return signature(self.op, self.name, self.in_place)


def signature(op, name, in_place=False):
    """The signature of an op's function under PyTorch's names; an in-place form has no `out`."""
    import inspect  # heavy, only for who asks
    kinds, found = inspect.Parameter, []
    for p in inspect.signature(op.forward or op.compose).parameters.values():
        found.append(p.replace(name=PUBLIC.get(p.name, p.name) if op.forward is not None else p.name))
    if hasattr(op.compose, "shown"):
        found = [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in op.compose.shown.split()]
    if in_place and found:
        found = [p for p in found if p.name != "inplace"]
        if "." not in name:         # a method
            found[0] = kinds("self", kinds.POSITIONAL_OR_KEYWORD)
    elif "out" not in [p.name for p in found]:
        at = len(found) - (bool(found) and found[-1].kind is kinds.VAR_KEYWORD)
        found.insert(at, kinds("out", kinds.KEYWORD_ONLY, default=None))
    return inspect.Signature(found)


def docstring(op, name, in_place=False):
    """The body's sentences, the shapes and an example; the signature stands beside it."""
    text = op.doc.strip()
    if "\n" in text:
        import textwrap  # heavy, only for who asks
        first, _, rest = text.partition("\n")
        text = first + "\n" + textwrap.dedent(rest)
    text = with_public_names(op, text, in_place and "." not in name)
    if in_place:
        text += "\n\n" + IN_PLACE
    more = examples().get(name)
    return text + "\n\n" + more if more else text


def with_public_names(op, text, method):
    """A body says x and y; whoever calls the op says input and other."""
    if "x" in op.names or "input" in op.names:
        text = re.sub(r"\bx\b", "self" if method else "input", text)
    return re.sub(r"\by\b", "other", text) if "y" in op.names or "other" in op.names else text


def docstring_of(function):
    """The docstring of a `calls.OpFunction`."""
    return docstring(function.op, name_of(function), function.in_place is not None)


def signature_of(function):
    """The signature of a `calls.OpFunction`."""
    return signature(function.op, name_of(function), function.in_place is not None)


def name_of(function):
    """`linalg.inv`."""
    space = function.__module__.removeprefix("weft").removeprefix("torch").lstrip(".")
    return f"{space}.{function.__name__}" if space else function.__name__


@functools.cache
def examples():
    """Public name -> shapes and an example: made by tools/stubs.py from the bodies' samples, read when first asked for.
    """
    import json  # only for who asks
    try:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "examples.json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:       # not made yet
        return {}


OPS.signature_of, OPS.docstring_of = signature_of, docstring_of
