"""The twin of calls.pyx in plain Python: a kernel on its tensors' arrays, and the public function of an op."""
from functools import wraps

from weft.core.modes import FUNCTION
from weft.core.runtime import mode_bits
from weft.tensor.tensor import OPS, Tensor


def call_arrays(function, values, n_positional, names):
    """`function` on the values, tensors replaced by their arrays; the last ones go by the keywords `names`."""
    arrays = [_unwrapped(v) for v in values]
    if n_positional == len(arrays):
        return function(*arrays)
    return function(*arrays[:n_positional], **dict(zip(names, arrays[n_positional:])))


def _unwrapped(value):
    """A tensor's array; for a list with tensors, the list of their arrays."""
    if isinstance(value, Tensor):
        return value._array
    if isinstance(value, (list, tuple)) and any(isinstance(e, Tensor) for e in value):
        return [e._array if isinstance(e, Tensor) else e for e in value]
    return value


def make_function(op, missing):
    """The public function of an op, which is also its method."""
    if op.unary_code >= 0:
        def function(*args, **kwargs):
            return op.call1(args[0]) if len(args) == 1 and not kwargs else op.call(args, kwargs)
    elif op.binary_code >= 0:
        def function(*args, **kwargs):
            if len(args) != 2 or kwargs:
                return op.call(args, kwargs)
            result = op.call2(args[0], args[1])
            if result is NotImplemented:
                op.refuse(args[0], args[1])
            return result
    else:
        def function(*args, **kwargs):
            return op.call(args, kwargs)
    return function


def make_in_place(op, run):
    """The `_` form of an op; `run(self, ...)` where it is more than the op itself, else None."""
    def function(self, *args, **kwargs):
        if mode_bits() & FUNCTION:
            return OPS.ask_mode(function, (self, *args), kwargs)
        return OPS.run_inplace(op, self, args, kwargs) if run is None else run(self, *args, **kwargs)
    return function


def seen(function):
    """A function that asks the innermost TorchFunctionMode first, if there is one."""
    @wraps(function)
    def asking(*args, **kwargs):
        if mode_bits() & FUNCTION:
            return OPS.ask_mode(asking, args, kwargs)
        return function(*args, **kwargs)
    return asking
