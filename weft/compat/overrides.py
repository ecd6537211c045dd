"""PyTorch's helpers for objects that take part in tensor functions through `__torch_function__`."""
import contextlib
import functools
import threading
import warnings

import weft
from weft.core.errors import message
from weft.core.modes import FUNCTION, NO_OVERRIDE, local
from weft.core.runtime import mode_bits
from weft.tensor.function_modes import ask_mode, pop_mode, push_mode, without_mode
from weft.tensor.names import FUNCTIONS
from weft.tensor.subclass import NOWRAP, call_plain, is_disabled
from weft.tensor.tensor import Tensor, is_plain

__all__ = ["get_default_nowrap_functions", "get_ignored_functions", "get_overridable_functions",
           "handle_torch_function", "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic",
           "is_tensor_like", "is_tensor_method_or_property", "resolve_name", "wrap_torch_function",
           "enable_reentrant_dispatch", "redispatch_function", "TorchFunctionMode", "BaseTorchFunctionMode"]


class _Hop(threading.local):
    """Whether the next function that asks is not to be intercepted (`redispatch_function`)."""
    skip = False


_hop = _Hop()


def _overrides(value):
    if isinstance(value, Tensor) and is_plain(value) or isinstance(value, type):
        return False
    return hasattr(type(value), "__torch_function__") and not is_disabled(type(value))


def has_torch_function(relevant_args):
    """Whether one of the arguments has a __torch_function__ of its own, or a TorchFunctionMode is to be asked."""
    if _hop.skip:
        _hop.skip = False
        return False
    bits = mode_bits()
    return bool(bits & FUNCTION) or not bits & NO_OVERRIDE and any(map(_overrides, relevant_args))


def has_torch_function_unary(arg):
    return has_torch_function((arg,))


def has_torch_function_variadic(*relevant_args):
    return has_torch_function(relevant_args)


def overloaded_types(relevant_args):
    """The arguments' types that are to be asked, subclasses before their bases, else from left to right."""
    types = []
    for value in relevant_args:
        kind = type(value)
        if _overrides(value) and kind not in types:
            types.insert(next((i for i, t in enumerate(types) if issubclass(kind, t)), len(types)), kind)
    return types


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Let the innermost mode or the arguments' __torch_function__ do the call; TypeError where none of them does."""
    if mode_bits() & FUNCTION:
        return ask_mode(public_api, args, kwargs)
    types = overloaded_types(relevant_args)
    for kind in types:
        result = kind.__torch_function__(public_api, tuple(types), args, kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(message(f"no implementation found for '{resolve_name(public_api) or public_api}' on types that "
                            f"implement __torch_function__: {[t.__name__ for t in types]}"))


def redispatch_function(func, types, args, kwargs):
    """Call a function past one level of __torch_function__: an op of torch runs and gives plain tensors, a function
    that asks has_torch_function runs its own lines, whose ops are seen again.
    """
    if getattr(func, "__module__", None) is None or func.__module__.partition(".")[0] in ("weft", "torch"):
        return call_plain(func, args, kwargs)
    _hop.skip = True
    try:
        return func(*args, **(kwargs or {}))
    finally:
        _hop.skip = False


def wrap_torch_function(dispatcher):
    """Decorator: `dispatcher(*args, **kwargs)` gives the arguments whose __torch_function__ is to be asked first."""
    def decorate(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)
        return wrapped
    return decorate


def is_tensor_like(inp):
    """Whether an object is a tensor or acts as one."""
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


# which functions there are

def get_overridable_functions():
    """The functions that ask __torch_function__, by the module that has them."""
    found = {}
    for path, function in FUNCTIONS.items():
        space, _, short = path.rpartition(".")
        if hasattr(function, "op") and not short.startswith("_"):
            module = weft
            for part in filter(None, space.split(".")):
                module = getattr(module, part, None)
            if module is not None:
                found.setdefault(module, []).append(function)
    found[Tensor] = [value for value in vars(Tensor).values() if hasattr(value, "op")]
    return found


def get_ignored_functions():
    """Public functions that never ask: those that take no tensor, and questions that only the tensor itself answers."""
    return {f for f in FUNCTIONS.values() if callable(f) and not hasattr(f, "op")}


def get_default_nowrap_functions():
    """Functions whose results keep their class under the default __torch_function__."""
    return NOWRAP


def is_tensor_method_or_property(func):
    """Whether a function is one of Tensor's methods, or the getter of a property."""
    owner = getattr(func, "__self__", None)
    if isinstance(owner, property):
        return True
    return any(func is value or isinstance(value, property) and func is value.fget for value in vars(Tensor).values())


def resolve_name(f):
    """The full public name of a function, or None."""
    for path, function in FUNCTIONS.items():
        if function is f:
            return "torch." + path
    for short, value in vars(Tensor).items():
        if value is f:
            return "torch.Tensor." + short
    return None


class TorchFunctionMode:
    """`with Mode():` hands every call of a tensor function in this thread to the mode's __torch_function__.

    >>> import weft
    >>> from weft.overrides import TorchFunctionMode
    >>> class Log(TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return func(*args, **(kwargs or {}))
    >>> with Log():
    ...     y = weft.ones(2).exp()
    ones
    exp
    """

    inner = None

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError(f"{type(self).__name__} has no __torch_function__: write "
                                  f"__torch_function__(self, func, types, args=(), kwargs=None)")

    def __enter__(self):
        push_mode(self)
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        pop_mode()

    @classmethod
    def push(cls, *args, **kwargs):
        """An instance, as PyTorch's old form of `with Mode(...)`."""
        warnings.warn("`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`", stacklevel=2)
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that lets every call go on as it is."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def _pop_mode_temporarily():
    """A scope without the innermost mode, which it gives."""
    if not local.function_modes:
        raise AssertionError("there is no TorchFunctionMode to take off")
    with without_mode() as mode:
        yield mode


def _len_torch_function_stack():
    return len(local.function_modes)


def _get_current_function_mode():
    return local.function_modes[-1] if local.function_modes else None


def _get_current_function_mode_stack():
    return list(local.function_modes)


def _push_mode(mode):
    push_mode(mode)


def _pop_mode():
    return pop_mode()


@contextlib.contextmanager
def enable_reentrant_dispatch():
    """A scope in which a __torch_dispatch__ may call autograd; here it always may."""
    yield
