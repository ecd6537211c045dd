# compiled, hot
"""`__torch_function__`: who is asked before an op runs."""
import functools

from weft.core import dtype as dtypes
from weft.core.errors import message
from weft.core.modes import NO_OVERRIDE
from weft.core.runtime import mode_bits
from weft.tensor.tensor import Tensor, is_plain

FORMS = {}      # public function -> (args, kwargs) in the form that a subclass is given them, where that is another
_NUMBERS = frozenset((bool, complex, slice, dtypes.dtype))


def overridden(args, kwargs):
    """Whether an argument is of a tensor subclass, whose __torch_function__ is to be asked."""
    for a in args:
        if isinstance(a, Tensor):
            if not is_plain(a):
                return True
        elif a is None or isinstance(a, (int, float, str)):
            continue
        elif isinstance(a, (list, tuple)):
            for e in a:
                if isinstance(e, Tensor):
                    if not is_plain(e):
                        return True
                elif not isinstance(e, (int, float, str, list, tuple)) and hasattr(e, "__torch_function__"):
                    return True
        elif type(a) not in _NUMBERS and hasattr(a, "__torch_function__"):
            return True
    return bool(kwargs) and overridden(tuple(kwargs.values()), None)


def override(public, args, kwargs):
    """Ask the subclasses' __torch_function__, the most derived first."""
    if public in FORMS:
        args, kwargs = FORMS[public](*args, **kwargs)
    types = []
    for a in (*args, *kwargs.values()):
        for e in (a if isinstance(a, (list, tuple)) else (a,)):
            if (hasattr(e, "__torch_function__") and (not isinstance(e, Tensor) or not is_plain(e))
                and type(e) not in types):
                at = next((i for i, t in enumerate(types) if issubclass(type(e), t)), len(types))
                types.insert(at, type(e))
    for cls in types:
        result = cls.__torch_function__(public, tuple(types), args, kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(message(f"no __torch_function__ of {', '.join(t.__name__ for t in types)} takes {public.__name__}"))


def overridable(function):
    """A function that asks a tensor subclass's __torch_function__ first."""
    @functools.wraps(function)
    def method(*args, **kwargs):
        self = args[0] if args else None
        if is_plain(self) or mode_bits() & NO_OVERRIDE or not overridden(args, kwargs):
            return function(*args, **kwargs)
        return override(method, args, kwargs)
    return method
