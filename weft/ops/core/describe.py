"""What an op's function says of itself: its signature, and a docstring with shapes and an example.

The examples are made by tools/stubs.py from the bodies' samples, with their results, and read when somebody asks.
"""
import functools
import json
import os

from weft.ops.core.body import MISSING
from weft.tensor.tensor import OPS

IN_PLACE = "In place: writes to the tensor itself and returns it."
PUBLIC = {"x": "input", "y": "other"}       # names of parameters in bodies, and PyTorch's


class Described:
    """What `inspect` finds behind an op's function that is a plain one: the signature, made when asked."""

    def __init__(self, op, in_place):
        self.op, self.in_place = op, in_place

    def __call__(self, *args, **kwargs):
        return self.op.call(args, kwargs)

    @property
    def __signature__(self):
        return signature(self.op, self.in_place)


def signature(op, in_place=False):
    """The signature of an op's function under PyTorch's names; an in-place form has no `out`."""
    import inspect  # heavy, only for who asks
    kinds, found = inspect.Parameter, []
    for p in inspect.signature(op.forward or op.compose).parameters.values():
        found.append(p.replace(name=PUBLIC.get(p.name, p.name) if op.forward is not None else p.name))
    if in_place and found:
        found[0] = kinds("self", kinds.POSITIONAL_OR_KEYWORD)
    elif "out" not in [p.name for p in found]:
        at = len(found) - (bool(found) and found[-1].kind is kinds.VAR_KEYWORD)
        found.insert(at, kinds("out", kinds.KEYWORD_ONLY, default=None))
    return inspect.Signature(found)


def signature_text(op, name, in_place=False):
    """`add(input, other, *, alpha=1, out=None)`."""
    parts = []
    for i, (own, default) in enumerate(zip(op.names, op.defaults)):
        if i == op.n_positional:
            parts.append("*")
        shown = "self" if in_place and i == 0 else PUBLIC.get(own, own)
        parts.append(shown if default is MISSING else f"{shown}={default!r}")
    if not in_place and "out" not in op.names:
        parts += ["out=None"] if "*" in parts else ["*", "out=None"]
    return f"{name}({', '.join(parts)})"


def docstring(op, name, in_place=False):
    """The signature, the body's sentences, the shapes and an example."""
    return f"{signature_text(op, name.rpartition('.')[2], in_place)}\n\n{body_text(op, name, in_place)}"


def body_text(op, name, in_place=False):
    """The same without the signature."""
    text = op.doc.strip()
    if "\n" in text:
        import textwrap  # heavy, only for who asks
        first, _, rest = text.partition("\n")
        text = first + "\n" + textwrap.dedent(rest)
    if in_place:
        text += "\n\n" + IN_PLACE
    more = examples().get(name)
    return text + "\n\n" + more if more else text


def docstring_of(function):
    """The docstring of a `calls.OpFunction`."""
    space = function.__module__.removeprefix("weft").lstrip(".")
    return docstring(function.op, f"{space}.{function.__name__}" if space else function.__name__)


@functools.cache
def examples():
    """Public name -> shapes and an example: made by tools/stubs.py from the bodies' samples, read when first asked for.
    """
    try:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "examples.json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:       # not made yet
        return {}


OPS.signature_of, OPS.docstring_of = signature, docstring_of
