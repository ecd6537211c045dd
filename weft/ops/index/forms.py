# compiled, -Og
"""What the index families share: in-place forms of private ops, and zeros for gradients."""
import numpy as np

from weft.core.modes import NO_OVERRIDE
from weft.core.runtime import mode_bits
from weft.ops.core.registry import FUNCTIONS, introduce
from weft.ops.index.arrays import value_array
from weft.tensor.calls import make_in_place
from weft.tensor.names import method
from weft.tensor.override import override
from weft.tensor.tensor import OPS, Tensor, is_plain, wrap


def zeros_of(t):
    """Zeros like a gradient."""
    return wrap(np.zeros(t._form.shape, t._form.dtype))


def in_place(name, public, op, prepare):
    """Make `x.name(...)` of a private op; prepare(x, ...) gives the op's arguments after x."""
    def function(self, *args, **kwargs):
        if not isinstance(self, Tensor):
            raise TypeError(f"{name}(): the first argument must be a tensor, not {type(self).__name__}")
        if not is_plain(self) and mode_bits() & NO_OVERRIDE == 0:
            return override(made, (self, *args), kwargs)
        if op is None:      # prepare chooses
            chosen, rest = prepare(self, *args, **kwargs)
            return OPS.run_inplace(chosen.op, self, rest, {})
        return OPS.run_inplace(op, self, prepare(self, *args, **kwargs), {})
    made = make_in_place(public.op, function)
    introduce(made, public.op, name, True)
    FUNCTIONS[name] = made
    method(made, name)
    return made


def as_tensor(value, like=None):
    """A tensor of a value that may be an array or a list."""
    if isinstance(value, Tensor):
        return value
    array, ours = np.asarray(value), not isinstance(value, np.ndarray)
    if like is not None and array.dtype != like._form.dtype:
        array, ours = array.astype(like._form.dtype), True
    return OPS.from_outside(array, ours)


def check_value(value, np_dtype, who):
    """Refuse what can't be written into a tensor of a type: a number too large, a tensor with dimensions."""
    if not isinstance(value, Tensor):
        value_array(value, np_dtype, who)
    elif value._form.ndim:
        value_array(value._form, np_dtype, who)


def need_tensor(value, who, name):
    if not isinstance(value, Tensor):
        raise TypeError(f"{who}(): argument '{name}' must be Tensor, not {type(value).__name__}")
    return value


def long(values):
    """A tensor of ints, for samples."""
    return wrap(np.array(values, dtype=np.int64))
