"""`script` and what belongs to it. PyTorch turns such functions into a language of its own; here Python runs them, with
the same results (PyTorch does that too, with PYTORCH_JIT=0)."""
import contextlib
import inspect
from typing import Final, cast

from weft.nn.module import Module
from weft.nn.parameter import is_lazy

__all__ = ["script", "script_if_tracing", "script_method", "ignore", "unused", "export", "is_scripting", "is_tracing",
           "interface", "annotate", "Attribute", "Final", "ScriptModule", "ScriptFunction", "TracerWarning"]


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
    if not (isinstance(obj, Module) or callable(obj)):
        raise TypeError(f"script() takes a function, a class or a module, not a {type(obj).__name__}")
    if inspect.isclass(obj) and issubclass(obj, Module):
        raise RuntimeError(f"Type '{obj.__name__}' cannot be compiled since it inherits from nn.Module, consider "
                           f"passing an instance instead")
    if isinstance(obj, Module) and any(is_lazy(t) for t in (*obj.parameters(), *obj.buffers())):
        raise RuntimeError(f"{obj._get_name()} has parameters or buffers whose size is not known yet, so it can't be "
                           f"compiled\n  fix: run a forward pass with an example first")
    if isinstance(obj, Module):
        object.__setattr__(obj, "_scripted", True)
    return obj


def is_scripted(obj):
    """Whether `script` was given this module."""
    return isinstance(obj, Module) and obj.__dict__.get("_scripted", False)


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


def Attribute(value, type):
    """The value of an attribute whose type is given.

    >>> import weft
    >>> weft.jit.Attribute(3, int)
    3
    """
    return value
