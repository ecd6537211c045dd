"""`script` and what belongs to it. PyTorch turns such functions into a language of its own; here Python runs them, with
the same results (PyTorch does that too, with PYTORCH_JIT=0)."""
import builtins
import contextlib
import inspect
import types
from typing import Any, Final, Union, cast, get_args, get_origin

from weft.nn.module import Module
from weft.nn.parameter import is_lazy

__all__ = ["script", "script_if_tracing", "script_method", "ignore", "unused", "export", "is_scripting", "is_tracing",
           "interface", "annotate", "isinstance", "Attribute", "Final", "ScriptModule", "ScriptFunction",
           "TracerWarning"]


class ScriptModule(Module):
    """What PyTorch's scripted modules are; `script` leaves a module as it is, so one is an instance only if its class
    says so.

    >>> import weft
    >>> isinstance(weft.nn.Linear(1, 1), weft.jit.ScriptModule)
    False
    """


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """The function, module or class itself.

    >>> import weft
    >>> weft.jit.script(lambda x: x + 1)(2)
    3
    """
    if not (builtins.isinstance(obj, Module) or callable(obj)):
        raise TypeError(f"script() takes a function, a class or a module, not a {type(obj).__name__}")
    if inspect.isclass(obj) and issubclass(obj, Module):
        raise RuntimeError(f"Type '{obj.__name__}' cannot be compiled since it inherits from nn.Module, consider "
                           f"passing an instance instead")
    if builtins.isinstance(obj, Module) and any(is_lazy(t) for t in (*obj.parameters(), *obj.buffers())):
        raise RuntimeError(f"{obj._get_name()} has parameters or buffers whose size is not known yet, so it can't be "
                           f"compiled\n  fix: run a forward pass with an example first")
    if builtins.isinstance(obj, Module):
        object.__setattr__(obj, "_scripted", True)
    return obj


def is_scripted(obj):
    """Whether `script` was given this module."""
    return builtins.isinstance(obj, Module) and obj.__dict__.get("_scripted", False)


def _itself(fn):
    """A decorator that leaves the function as it is.

    >>> import weft
    >>> @weft.jit.export
    ... def double(x):
    ...     return x * 2
    >>> double(weft.ones(2))
    tensor([2., 2.])
    """
    return fn


script_if_tracing = script_method = export = interface = _itself
_script_if_tracing = _overload = _overload_method = _itself


class ScriptFunction:
    """What PyTorch's scripted functions are; `script` leaves a function as it is, so none is one.

    >>> import weft
    >>> isinstance(weft.jit.script(len), weft.jit.ScriptFunction)
    False
    """


class TracerWarning(Warning):
    """A trace that doesn't do what its program does.

    >>> import weft
    >>> issubclass(weft.jit.TracerWarning, Warning)
    True
    """

    @staticmethod
    def ignore_lib_warnings():
        """Don't show those that weft's own code would cause: it causes none.

        >>> import weft
        >>> weft.jit.TracerWarning.ignore_lib_warnings()
        """


def ignore(drop=False, **kwargs):
    """Decorator, with or without arguments: a function that stays Python, as all do.

    >>> import weft
    >>> @weft.jit.ignore
    ... def double(x):
    ...     return x * 2
    >>> double(weft.ones(2))
    tensor([2., 2.])
    """
    return drop if callable(drop) else _itself


def unused(fn):
    """Decorator: a function that a scripted module would leave out.

    >>> import weft
    >>> @weft.jit.unused
    ... def double(x):
    ...     return x * 2
    >>> double(weft.ones(2))
    tensor([2., 2.])
    """
    return fn


def is_scripting():
    """Whether this runs inside of a scripted function: never.

    >>> import weft
    >>> weft.jit.is_scripting()
    False
    """
    return False


_tracing = []       # one entry for each trace that is being made


@contextlib.contextmanager
def tracing():
    """While a program is traced."""
    _tracing.append(True)
    try:
        yield
    finally:
        _tracing.pop()


def is_tracing():
    """Whether a trace is being made.

    >>> import weft
    >>> weft.jit.is_tracing()
    False
    """
    return bool(_tracing)


def annotate(the_type, the_value):
    """The value; the type is for readers.

    >>> import weft
    >>> weft.jit.annotate(int, 3)
    3
    """
    return cast(the_type, the_value)


def fits_type(value, kind):
    """Whether a value is of a type, with what stands in brackets: `List[int]`, `Dict[str, Tensor]`, `Optional[int]`."""
    origin, inside = get_origin(kind), get_args(kind)
    if kind is None or kind is Any:
        return kind is Any or value is None
    if origin in (Union, types.UnionType):
        return any([fits_type(value, one) for one in inside])
    if origin is None or not inside:
        return builtins.isinstance(value, origin or kind)
    if not builtins.isinstance(value, origin):
        return False
    if origin is dict:
        return all([fits_type(k, inside[0]) and fits_type(v, inside[1]) for k, v in value.items()])
    if origin is tuple and not (len(inside) == 2 and inside[1] is ...):
        return len(value) == len(inside) and all(map(fits_type, value, inside))
    return all([fits_type(v, inside[0]) for v in value])


def isinstance(obj, target_type):
    """Whether an object is of a type, or of one of several; types of what lists, dicts and tuples hold count, too.

    >>> import weft
    >>> from typing import Dict, List
    >>> weft.jit.isinstance([1, 2], List[int]), weft.jit.isinstance({"a": 1}, (Dict[str, str], List[int]))
    (True, False)
    """
    kinds = target_type if type(target_type) is tuple else (target_type,)
    return any([fits_type(obj, kind) for kind in kinds])


def Attribute(value, type):
    """The value of an attribute whose type is given.

    >>> import weft
    >>> weft.jit.Attribute(3, int)
    3
    """
    return value
