"""TorchFunctionModes: programs that are asked before every public function of this thread runs.

The innermost mode is asked, with itself taken off the stack, so that a function that it calls goes to the next one. No
mode costs nothing: ops look at a bit that they read anyway (`core/modes.FUNCTION`), functions that are no ops are
wrapped in `calls.seen`, and Tensor's other methods and its properties are replaced only while there is a mode.
"""
import threading

from weft.core.errors import message
from weft.core.modes import FUNCTION, NO_OVERRIDE, local
from weft.core.runtime import mode_bits, set_mode_bits
from weft.tensor.names import method
from weft.tensor.override import override
from weft.tensor.tensor import OPS, Tensor, is_plain


def push_mode(mode):
    """Let a mode be asked first."""
    _change_stack((*local.function_modes, mode))
    _count(1)


def pop_mode():
    """Take the innermost mode off the stack; it comes back."""
    *rest, mode = local.function_modes
    _change_stack(tuple(rest))
    _count(-1)
    return mode


def _change_stack(modes):
    local.function_modes = modes
    bits = mode_bits()
    set_mode_bits(bits | FUNCTION if modes else bits & ~FUNCTION)


class without_mode:
    """A scope without the innermost mode, or with other ones; gives the mode that was taken off."""

    def __init__(self, modes=None):
        self.modes = modes

    def __enter__(self):
        self._before, self._bit = local.function_modes, mode_bits() & FUNCTION
        _change_stack(self._before[:-1] if self.modes is None else self.modes)
        return self._before[-1] if self._before else None

    def __exit__(self, *exc):
        local.function_modes = self._before
        set_mode_bits(mode_bits() & ~FUNCTION | self._bit)


def ask_mode(function, args, kwargs):
    """What the innermost mode gives for a call; the arguments' own __torch_function__ where it doesn't want it."""
    function, args = as_operator(function, args)
    types = overloaded(args, kwargs)
    with without_mode() as mode:
        result = mode.__torch_function__(function, types, args, kwargs)
        if result is NotImplemented and types:
            result = override(function, args, kwargs)
    if result is NotImplemented:
        raise TypeError(message(f"Multiple dispatch failed for '{getattr(function, '__name__', function)}'; all "
                                f"__torch_function__ handlers returned NotImplemented: mode object {mode}"))
    return result


OPS.ask_mode = ask_mode


def as_operator(function, args):
    """A call as PyTorch names it: `x == 1` is Tensor.__eq__, and `1 + x` has the tensor first."""
    name = getattr(function, "__name__", "")
    if name.startswith("_") and hasattr(function, "op"):
        return getattr(Tensor, _OPERATORS.get(name, f"_{name}__"), function), args
    if name in ("add", "mul") and len(args) == 2 and isinstance(args[1], Tensor) and isinstance(args[0], (int, float)):
        return function, args[::-1]
    return function, args


_OPERATORS = {"_rdiv": "__rtruediv__"}


def overloaded(args, kwargs):
    """The types among the arguments that have a __torch_function__ of their own, subclasses first."""
    types = []
    if mode_bits() & NO_OVERRIDE:
        return ()
    for a in (*args, *kwargs.values()):
        for e in a if isinstance(a, (list, tuple)) else (a,):
            kind = type(e)
            if isinstance(e, (int, float, str, type)) or e is None or isinstance(e, Tensor) and is_plain(e):
                continue
            if hasattr(kind, "__torch_function__") and kind not in types:
                types.insert(next((i for i, t in enumerate(types) if issubclass(kind, t)), len(types)), kind)
    return tuple(types)


# Tensor's attributes that are no ops, while there is a mode in any thread

_PLAIN = frozenset(("__format__", "__deepcopy__", "__reversed__", "__array__", "__dlpack__", "__reduce_ex__"))
_NEVER = frozenset(("backward_steps",))
_KINDS = ("function", "cython_function_or_method", "property", "getset_descriptor")
_lock, _changed = threading.Lock(), {}
_modes = 0      # in all threads


def _count(change):
    """Keep Tensor's attributes watched as long as there is a mode anywhere."""
    global _modes
    with _lock:
        _modes += change
        if change > 0 and _modes == 1:
            for name, value in list(vars(Tensor).items()):
                if name in _PLAIN or not name.startswith("_") and name not in _NEVER and type(value).__name__ in _KINDS:
                    _changed[name] = value
                    method(Watched(name, value), name)
        elif _modes == 0:
            for name, value in _changed.items():
                method(value, name)
            _changed.clear()


class Watched:
    """An attribute of Tensor that asks this thread's innermost mode."""

    def __init__(self, name, value):
        self.name, self.value = name, value
        self.field = hasattr(type(value), "__set__")       # a property

    def __get__(self, tensor, owner=None):
        if tensor is None:
            return self.value
        if not mode_bits() & FUNCTION:
            return self.value.__get__(tensor, owner)
        if self.field:
            return ask_mode(self.value.__get__, (tensor,), {})
        return lambda *args, **kwargs: ask_mode(self.value, (tensor, *args), kwargs)

    def __set__(self, tensor, value):
        if not self.field:
            raise AttributeError(f"'Tensor' object attribute '{self.name}' is read-only")
        if mode_bits() & FUNCTION:
            ask_mode(self.value.__set__, (tensor, value), {})
        else:
            self.value.__set__(tensor, value)

    def __delete__(self, tensor):
        if mode_bits() & FUNCTION:
            ask_mode(self.value.__delete__, (tensor,), {})
        else:
            self.value.__delete__(tensor)
