"""What names mean in the programs that weft saves: Python's own functions, `math`, and weft's as `torch.<name>`."""
import ast
import warnings

import weft
from weft.futures import Future
from weft.jit import _allowed, _values
from weft.jit._language import dotted
from weft.jit._values import Refused
from weft.tensor.tensor import Tensor

UNKNOWN = (False, None)


def fork(function, *args, **kwargs):
    """torch.jit.fork of a function of the program."""
    made = Future()
    made.set_result(_values.run(function, args, kwargs))
    return made


def wait(future):
    """torch.jit.wait"""
    if not isinstance(future, Future):
        raise TypeError(f"wait() takes a Future, not a {type(future).__name__}")
    return future.wait()


_allowed.METHODS[Future] = frozenset(("wait", "done", "value"))
def checkpoint(function, *args, use_reentrant=None, preserve_rng_state=True, **kwargs):
    """torch.utils.checkpoint.checkpoint: the call as it is."""
    return _values.run(function, args, kwargs)


def warn(text):
    """warnings.warn of a text."""
    warnings.warn(str(text), stacklevel=3)


_OWN = {"warnings.warn": warn, "torch.utils.checkpoint.checkpoint": checkpoint, "torch.jit.fork": fork,
        "torch.jit._fork": fork, "torch.jit.wait": wait, "torch.jit._wait": wait,
        "torch.jit._unwrap_optional": weft.jit._unwrap_optional,
        "hash": lambda value: hash(_allowed.key(value)), "pow": _allowed.power_modulo,
        "set": lambda *values: set(*[map(_allowed.key, v) for v in values]),
        "dict": lambda *pairs, **named: dict(*[_allowed.keys_of(p) for p in pairs], **named),
        **{f"math.{name}": function for name, function in _allowed.COUNTED.items()}}


def _plain(text):
    """A name of torch's without its first part, or None."""
    return text[6:] if text.startswith("torch.") else None


class Python:
    """The dialect of weft's own files."""

    def value(self, name):
        """(True, what a name stands for), or (False, None)."""
        short = _plain(name)
        if name.startswith("math.") and isinstance(_allowed.MATH.get(name[5:]), float):
            return True, _allowed.MATH[name[5:]]
        if short is not None and _allowed.constant(short) is not None:
            return True, _allowed.constant(short)
        found = self.function(name)
        return (True, _values.Native(name, found)) if found is not None else UNKNOWN

    def function(self, name):
        """What a call of a name runs, or None."""
        if name in _OWN:
            return _OWN[name]
        short = _plain(name)
        if short is None:
            found = _allowed.BUILTINS.get(name)
            return found if found is not None or not name.startswith("math.") else _math(name[5:])
        if short.startswith("nn.") and short.count(".") == 2 and not short.startswith(("nn.functional.", "nn.init.")):
            return _of_layer(*short.split(".")[1:])
        if short.startswith("Tensor."):
            return _of_tensor(short[7:])
        return _allowed.function(short)

    def context(self, name):
        """What `with name():` enters, or None."""
        short = _plain(name)
        return _allowed.CONTEXTS.get(short) if short is not None else None

    def special(self, name):
        """For calls whose arguments aren't values: a function (maker, node) -> what runs; None for others."""
        return SPECIAL.get(name)


def _math(name):
    found = _allowed.MATH.get(name)
    return found if callable(found) else None


def _of_tensor(name):
    """torch.Tensor.add: a method as a function."""
    if _allowed.tensor_method(name) is None:
        return None
    return lambda tensor, *args, **kwargs: _values.invoke(tensor, name, args, kwargs)


def _of_layer(cls, name):
    """torch.nn.Linear.forward: what `super().forward` of a layer's subclass calls."""
    found = _allowed.layer(cls)
    if found is None or name.startswith("__") or not callable(getattr(found, name, None)) \
            or hasattr(weft.nn.Module, name) and name != "forward":
        return None

    def call(module, *args, **kwargs):
        if not isinstance(module, found):
            raise TypeError(f"torch.nn.{cls}.{name} takes a {cls}, not a {type(module).__name__}")
        return getattr(found, name)(module, *args, **kwargs)
    return call


# calls whose arguments aren't values

def of_type(who):
    """A call that takes a type and a value, and gives the value."""
    def call(maker, node):
        if len(node.args) != 2 or node.keywords:
            raise Refused(f"{who} takes a type and a value", node)
        return maker.expression(node.args[1])
    return call


_annotate = of_type("annotate()")


def _isinstance(maker, node):
    if len(node.args) != 2 or node.keywords:
        raise Refused("isinstance() takes a value and a type", node)
    value, fits = maker.expression(node.args[0]), type_check(maker, node.args[1])
    return lambda env: fits(value(env))


def _name(maker, node, most):
    """The second argument of getattr and hasattr, which may be computed: names that are Python's own are refused."""
    if not 2 <= len(node.args) <= most or node.keywords:
        raise Refused("getattr() and hasattr() take a value and a name", node)
    given = node.args[1]
    if isinstance(given, ast.Constant) and (type(given.value) is not str or given.value.startswith("__")):
        raise Refused(f"the attribute {str(given.value)[:80]} is Python's own", node)
    name = maker.expression(given)

    def checked(env):
        found = name(env)
        if type(found) is not str or found.startswith("__"):
            raise AttributeError(f"a saved program can't read the attribute {str(found)[:80]!r}")
        return found
    return checked


def _getattr(maker, node):
    name, owner = _name(maker, node, 3), maker.expression(node.args[0])
    other = maker.expression(node.args[2]) if len(node.args) == 3 else None

    def read(env):
        value, found = owner(env), name(env)
        if other is not None and not _values.has_attribute(value, found):
            return other(env)
        return _values.attribute(value, found)
    return read


def _hasattr(maker, node):
    name, owner = _name(maker, node, 2), maker.expression(node.args[0])
    return lambda env: _values.has_attribute(owner(env), name(env))


SPECIAL = {"annotate": _annotate, "torch.jit.annotate": _annotate, "isinstance": _isinstance,
           "torch.jit.isinstance": _isinstance, "getattr": _getattr, "hasattr": _hasattr}


# types

_KINDS = {"int": int, "float": float, "bool": bool, "str": str, "complex": complex, "Tensor": Tensor,
          "torch.Tensor": Tensor, "Dict": dict, "dict": dict, "List": list, "list": list, "Tuple": tuple,
          "tuple": tuple, "set": set, "Set": set, "number": (int, float, complex), "Size": tuple,
          "torch.device": weft.device, "Device": weft.device, "device": weft.device, "torch.dtype": weft.dtype,
          "torch.nn.Module": weft.nn.Module, "torch.Size": tuple, "Future": Future}


def type_check(maker, node):
    """A function: whether a value is of the type that an expression names."""
    maker.depth += 1
    if maker.depth > 100:
        raise Refused("types stand too deep inside each other", node)
    try:
        return _type_check(maker, node)
    finally:
        maker.depth -= 1


def _type_check(maker, node):
    if isinstance(node, ast.Constant) and node.value is None:
        return lambda value: value is None
    if isinstance(node, (ast.Tuple, ast.List)):
        return _any([type_check(maker, part) for part in node.elts])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _any([type_check(maker, node.left), type_check(maker, node.right)])
    if isinstance(node, ast.Subscript):
        return _generic(maker, node)
    name = dotted(node)
    name = name.removeprefix("typing.") if name is not None else None
    if name in ("Any", "NoneType"):
        return (lambda value: True) if name == "Any" else lambda value: value is None
    if name in _KINDS:
        kind = _KINDS[name]
        return lambda value: isinstance(value, kind)
    found = maker.program.classes.get(name) if name is not None else None
    if found is not None:
        return lambda value: _is_of(value, found)
    layer = _allowed.layer(name[9:]) if name is not None and name.startswith("torch.nn.") else None
    if layer is not None:
        return lambda value: isinstance(value, layer)
    raise Refused(f"{ast.unparse(node)!r} is no type that a saved program may ask for", node)


def _is_of(value, found):
    if isinstance(found, (_values.TupleClass, _values.EnumClass)):
        return isinstance(value, found.kind) or isinstance(found, _values.EnumClass) and value in list(found.kind)
    return isinstance(value, _values.Instance) and value.cls is found or getattr(value, "_script_class", None) is found


def _any(checks):
    return lambda value: any([fits(value) for fits in checks])


def _generic(maker, node):
    name = (dotted(node.value) or "").removeprefix("typing.")
    inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name in ("Tuple", "tuple") and len(inside) == 2 and isinstance(inside[1], ast.Constant):
        fits = type_check(maker, inside[0])
        return lambda value: isinstance(value, tuple) and all([fits(v) for v in value])
    checks = [type_check(maker, part) for part in inside]
    if name in ("Optional", "Union"):
        return _any([*checks, lambda value: value is None] if name == "Optional" else checks)
    if name in ("Final", "Annotated", "Future"):
        return checks[0]
    if name in ("List", "list", "Set", "set") and len(checks) == 1:
        kind = _KINDS[name]
        return lambda value: isinstance(value, kind) and all([checks[0](v) for v in value])
    if name in ("Dict", "dict") and len(checks) == 2:
        return lambda value: isinstance(value, dict) and all([checks[0](k) and checks[1](v) for k, v in value.items()])
    if name in ("Tuple", "tuple"):
        return lambda value: isinstance(value, tuple) and len(value) == len(checks) and all(
            [fits(v) for fits, v in zip(checks, value)])
    raise Refused(f"{ast.unparse(node)!r} is no type that a saved program may ask for", node)
