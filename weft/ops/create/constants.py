# compiled
"""Tensors of constants: zeros, ones, full, empty, arange, eye, and those made after another tensor."""
import functools
import math
import operator

import numpy as np

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.core import layout as layouts
from weft.core.errors import fail
from weft.core.modes import INFERENCE, NO_OVERRIDE, WATCH
from weft.core.runtime import attach, mode_bits
from weft.kernels import fast
from weft.ops.core.apply import is_plain, overridden, override, write_out
from weft.ops.core.registry import FUNCTIONS, NOGRAD, op
from weft.ops.core.unusual import empty_spec
from weft.tensor.tensor import Tensor, wrap

CPU, META, DEFAULT = devices.CPU, devices.META, dtypes.default
CURRENT = devices._current      # [the default device]


def public(function, *names, method=False):
    """Make a plain function part of the library under its names."""
    for name in names or (function.__name__.rstrip("_"),):
        FUNCTIONS[name] = function
        if method:
            attach(Tensor, name, function)
    function.__module__ = "weft"
    return function


def overridable(function):
    """A method that asks a tensor subclass's __torch_function__ first."""
    @functools.wraps(function)
    def method(*args, **kwargs):
        self = args[0] if args else None
        if is_plain(self) or mode_bits() & NO_OVERRIDE or not overridden(args, kwargs):
            return function(*args, **kwargs)
        return override(method, args, kwargs)
    return method


for _name, _value in (layouts.FORMATS | layouts.LAYOUTS).items():
    FUNCTIONS[_name] = _value
FUNCTIONS["layout"], FUNCTIONS["memory_format"] = layouts.layout, layouts.memory_format
FUNCTIONS.update(nan=math.nan, inf=math.inf, pi=math.pi, e=math.e, newaxis=None)


# what all of them share

def np_of(dtype):
    """NumPy's type of a dtype; Python's and NumPy's own are taken too."""
    try:
        return dtype.np
    except AttributeError:
        return dtype_of(dtype).np


def dtype_of(value):
    """The dtype that an argument names; Python's float is float64 there, as in NumPy."""
    if value is float:
        return dtypes.float64
    return dtypes.complex128 if value is complex else dtypes.of_type(value)


def shape_of(size, who):
    """The shape that `zeros(2, 3)`, `zeros((2, 3))` or `zeros(size=(2, 3))` asks for."""
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        size = size[0]
    for n in size:
        if type(n) is not int:
            return _checked_shape(size, who)
    return size


def _checked_shape(size, who):
    found = []
    for i, n in enumerate(size):
        if isinstance(n, Tensor) and n.array.size == 1 and n.array.dtype.kind in "iu":
            n = n.item()
        if isinstance(n, (bool, str, float)) or not hasattr(n, "__index__"):
            raise TypeError(f"{who}(): argument 'size' must be tuple of ints, but found element of type "
                            f"{type(n).__name__} at pos {i}")
        found.append(operator.index(n))
    return tuple(found)


def allocate(make, shape, np_dtype, who):
    """`make(shape, np_dtype)`, or an error that says why not."""
    try:
        return make(shape, np_dtype)
    except (MemoryError, ValueError, OverflowError):
        explain_size(shape, np_dtype, who)
        raise


def explain_size(shape, np_dtype, who):
    shape = list(shape)
    if any(n < 0 for n in shape):
        fail(RuntimeError, f"{who}: Dimension size must be non-negative. Trying to create tensor with negative "
             f"dimension {min(shape)}: {shape}", "check how the size was computed")
    wanted = math.prod(shape) * np_dtype.itemsize
    fail(RuntimeError, f"{who}: [enforce fail] can't allocate memory: not enough memory: you tried to allocate "
         f"{wanted} bytes for a tensor of shape {shape}", "make it smaller, or device='meta' if only its shape matters")


def is_meta(device):
    """Whether an argument, or the default, names the meta device."""
    return device is META or devices.of(device).type == "meta"


def finish(t, device, requires_grad):
    """The rarely wanted: another device, inference mode, requires_grad."""
    if is_meta(device):
        if not t._meta:
            t.array, t._meta = empty_spec(t.array.shape, t.array.dtype), True
    if mode_bits() & INFERENCE:
        t._inference = True
    if requires_grad:
        mark_leaf(t)
    return t


def mark_leaf(t):
    if t.array.dtype.kind not in "fcV":
        fail(RuntimeError, f"Only Tensors of floating point and complex dtype can require gradients, this one is "
             f"{t.dtype}",
             "convert it first, for example with .float()")
    t._leaf = True


@op
class _filled:
    """Zeros, ones or another constant, as an op that watchers see."""
    tags, method, node_name = NOGRAD, False, "FullBackward0"

    def forward(size, value, dtype, device):
        if device is META:
            return empty_spec(size, dtype.np)
        made = np.empty(size, dtype.np)
        made[...] = value
        return made


def made_of(make, value, shape, np_dtype, who, device, requires_grad, out):
    """The road of zeros, ones, empty and full."""
    if (out is None and device is None and not requires_grad and CURRENT[0] is CPU
        and mode_bits() & (WATCH | INFERENCE) == 0):
        try:
            return wrap(make(shape, np_dtype))
        except (MemoryError, ValueError, OverflowError):
            explain_size(shape, np_dtype, who)
            raise
    return _made_slowly(make, value, shape, np_dtype, who, device, requires_grad, out)


def _made_slowly(make, value, shape, np_dtype, who, device, requires_grad, out):
    device = META if is_meta(device) else CPU
    if any(n < 0 for n in shape):
        explain_size(shape, np_dtype, who)
    if device is META:
        t = wrap(empty_spec(shape, np_dtype))
        t._meta = True
    elif mode_bits() & WATCH and value is not None:
        t = _filled.op.call((tuple(shape), value, dtypes.of_array(np_dtype), device), {})
    else:
        t = wrap(allocate(make, shape, np_dtype, who))
    if out is not None:
        return into(out, t, who)
    return finish(t, device, requires_grad)


def into(out, t, who):
    """Give the result to `out=`."""
    if t.array.dtype != out.array.dtype:
        t = wrap(t.array.astype(out.array.dtype))
    return write_out(_filled.op, out, t)


def out_dtype(dtype, out):
    """The type asked for, else that of out=, else the default; both must agree."""
    if dtype is None:
        return DEFAULT.dtype.np if out is None else out.array.dtype
    found = np_of(dtype)
    if out is not None and out.array.dtype != found:
        raise RuntimeError(f"dtype {dtype} does not match dtype of out parameter ({out.dtype})")
    return found


# of a size

def all_ones(shape, np_dtype):
    """An array of ones."""
    one = _ONES.get(np_dtype)
    if one is None:
        one = _ONES[np_dtype] = np.ones((), np_dtype)
    made = native_filled(shape, one)
    if made is None:
        made = np.empty(shape, np_dtype)
        made.fill(1)
    return made


_ONES = {}      # NumPy's type -> 1 of it
native_zeros, native_filled, native_empty = fast.zeros, fast.filled, fast.uninitialised


def all_zeros(shape, np_dtype):
    """An array of zeros."""
    made = native_zeros(shape, np_dtype.num)
    return np.zeros(shape, np_dtype) if made is None else made


def uninitialised(shape, np_dtype):
    """An array of whatever the memory holds."""
    made = native_empty(shape, np_dtype.num)
    return np.empty(shape, np_dtype) if made is None else made


def zeros(*args, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
          names=None):
    """A tensor of zeros."""
    shape = shape_of(args if size is None else (size,), "zeros")
    if not args and size is None:
        raise TypeError('zeros() missing 1 required positional arguments: "size"')
    np_dtype = DEFAULT.dtype.np if dtype is None and out is None else out_dtype(dtype, out)
    return made_of(all_zeros, 0, shape, np_dtype, "zeros", device, requires_grad, out)


def ones(*args, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
         names=None):
    """A tensor of ones."""
    shape = shape_of(args if size is None else (size,), "ones")
    if not args and size is None:
        raise TypeError('ones() missing 1 required positional arguments: "size"')
    np_dtype = DEFAULT.dtype.np if dtype is None and out is None else out_dtype(dtype, out)
    return made_of(all_ones, 1, shape, np_dtype, "ones", device, requires_grad, out)


def empty(*args, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
          memory_format=None, names=None):
    """A tensor whose values are whatever the memory holds."""
    shape = shape_of(args if size is None else (size,), "empty")
    if not args and size is None:
        raise TypeError('empty() missing 1 required positional arguments: "size"')
    np_dtype = DEFAULT.dtype.np if dtype is None and out is None else out_dtype(dtype, out)
    t = made_of(uninitialised, None, shape, np_dtype, "empty", device, requires_grad, out)
    if memory_format is not None and out is None and not t._meta:
        t.array = layouts.empty_format(t.array, np_dtype, memory_format)
    return t


def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
         names=None):
    """A tensor with the same number everywhere; its type is the number's."""
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    if type(fill_value) is not float:
        fill_value = number_of(fill_value, "full", "fill_value")
    if dtype is None and out is None:
        np_dtype = dtypes.of_scalar(fill_value).np
    else:
        np_dtype = out_dtype(dtype, out)
    value = exact_number(fill_value, np_dtype)
    return made_of(Filler(value), value, shape_of((size,), "full"), np_dtype, "full", device, requires_grad, out)


class Filler:
    """`make(shape, np_dtype)` for a constant."""

    def __init__(self, value):
        self.value = value

    def __call__(self, shape, np_dtype):
        made = native_filled(shape, np.array(self.value, np_dtype))
        if made is None:
            made = np.empty(shape, np_dtype)
            made.fill(self.value)
        return made


def number_of(value, who, name):
    """A Python number from a number or a zero-dim tensor."""
    if isinstance(value, Tensor):
        if value.array.ndim:
            raise TypeError(f"{who}(): argument '{name}' must be Number, not Tensor")
        return value.item()
    if isinstance(value, np.generic):
        return value.item()
    if not isinstance(value, (bool, int, float, complex)):
        raise TypeError(f"{who}(): argument '{name}' must be Number, not {type(value).__name__}")
    return value


def exact_number(value, np_dtype):
    """A number as an array of the type may be filled with; RuntimeError where the type can't hold it."""
    kind = np_dtype.kind
    if kind == "f" and type(value) is float and -65504 <= value <= 65504:
        return value
    if type(value) is complex and kind != "c":
        if value.imag != 0:
            _overflow(np_dtype)
        value = value.real
    if kind == "b":
        return np.array(bool(value))
    if kind in "iu":
        try:
            value = int(value)
        except (ValueError, OverflowError):
            _overflow(np_dtype)
        info = np.iinfo(np_dtype)
        if not (-info.max if kind == "u" else info.min) <= value <= info.max:
            _overflow(np_dtype)
        return np.array(value & info.max if kind == "u" else value, np_dtype)
    if kind == "c":
        return np.array(value).astype(np_dtype)
    with np.errstate(all="ignore"):
        made = np.array(value, np.float64).astype(np_dtype)
        if np_dtype.itemsize < 8 and type(value) is not bool and np.isinf(made) and not math.isinf(value):
            limit = dtypes.finfo(dtypes.of_array(np_dtype)).max
            if abs(value) > limit:
                _overflow(np_dtype)
    return made


def _overflow(np_dtype):
    name = {"float32": "float", "float64": "double"}.get(np_dtype.name, np_dtype.name)
    name = name + "_t" if np_dtype.kind in "iu" else name
    raise RuntimeError(f"value cannot be converted to type {name} without overflow")


def empty_strided(size, stride, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """An uninitialized tensor with the given strides (counted in elements)."""
    shape, stride = shape_of((size,), "empty_strided"), shape_of((stride,), "empty_strided")
    if len(shape) != len(stride):
        raise RuntimeError(f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides "
                           f"({len(stride)})")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"empty_strided: strides must be non-negative, got {list(stride)}")
    np_dtype = DEFAULT.dtype.np if dtype is None else np_of(dtype)
    t = made_of(Strider(stride), None, shape, np_dtype, "empty_strided", device, requires_grad, None)
    return t


class Strider:
    """`make(shape, np_dtype)` for given strides."""

    def __init__(self, stride):
        self.stride = stride

    def __call__(self, shape, np_dtype):
        if 0 in shape:
            np.empty(shape, np_dtype)   # negative sizes
            return np.ndarray(shape, np_dtype, np.empty(1, np_dtype), 0, [s * np_dtype.itemsize for s in self.stride])
        span = 1 + sum((n - 1) * s for n, s in zip(shape, self.stride))
        if min(shape, default=0) < 0:
            raise ValueError("negative dimensions")
        return np.ndarray(shape, np_dtype, np.empty(span, np_dtype), 0, [s * np_dtype.itemsize for s in self.stride])


def empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, requires_grad=False,
                   pin_memory=False):
    """An uninitialized dense tensor whose dimensions lie in memory in the given order."""
    shape, order = shape_of((size,), "empty_permuted"), tuple(physical_layout)
    if len(order) != len(shape):
        raise RuntimeError(f"Number of dimensions in size does not match the length of the physical_layout; i.e. "
                           f"len(size) = {len(shape)} is not equal to len(physical_layout) = {len(order)}")
    if sorted(order) != list(range(len(shape))):
        raise RuntimeError(f"Duplicate or out-of-range dim in physical_layout: {list(order)}")
    np_dtype = DEFAULT.dtype.np if dtype is None else np_of(dtype)
    return made_of(Permuter(order), None, shape, np_dtype, "empty_permuted", device, requires_grad, None)


class Permuter:
    """`make(shape, np_dtype)` for a given order of the dimensions in memory."""

    def __init__(self, order):
        self.order = order

    def __call__(self, shape, np_dtype):
        return layouts.empty_ordered(shape, np_dtype, self.order)


def scalar_tensor(s, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A zero-dim tensor of the default type."""
    np_dtype = DEFAULT.dtype.np if dtype is None else np_of(dtype)
    value = exact_number(number_of(s, "scalar_tensor", "s"), np_dtype)
    return made_of(Filler(value), value, (), np_dtype, "scalar_tensor", device, requires_grad, None)


def eye(n, m=None, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """The identity matrix, or its first `m` columns."""
    n, m = _checked_shape((n, n if m is None else m), "eye")
    for name, value in (("n", n), ("m", m)):
        if value < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {value}")
    np_dtype = out_dtype(dtype, out)
    return made_of(_eye, None, (n, m), np_dtype, "eye", device, requires_grad, out)


def _eye(shape, np_dtype):
    made = np.zeros(shape, np_dtype)
    made.reshape(-1)[:min(shape) * shape[1]:shape[1] + 1] = 1
    return made


for _function in (zeros, ones, empty, full, empty_strided, empty_permuted, scalar_tensor, eye):
    public(_function)


# after another tensor

def _like(x, who, make, value, dtype, device, requires_grad, memory_format):
    if not isinstance(x, Tensor):
        raise TypeError(f"{who}(): argument 'input' (position 1) must be Tensor, not {type(x).__name__}")
    np_dtype = x.array.dtype if dtype is None else np_of(dtype)
    if x._meta or device is not None or requires_grad or mode_bits() & (WATCH | INFERENCE):
        if x._meta and device is None:
            device = META
        if memory_format is None and x.array.flags.c_contiguous or x._meta or is_meta(device):
            return made_of(make, value, x.array.shape, np_dtype, who, device or CPU, requires_grad, None)
        return finish(wrap(layouts.empty_format(x.array, np_dtype, memory_format, make)), device or CPU, requires_grad)
    if memory_format is None:
        return wrap(layouts.empty_as(x.array, np_dtype, make))
    return wrap(layouts.empty_format(x.array, np_dtype, memory_format, make))


@overridable
def zeros_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None,
               pin_memory=False):
    """Zeros with a tensor's shape, type and memory order."""
    return _like(input, "zeros_like", all_zeros, 0, dtype, device, requires_grad, memory_format)


@overridable
def ones_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None,
              pin_memory=False):
    """Ones with a tensor's shape, type and memory order."""
    return _like(input, "ones_like", all_ones, 1, dtype, device, requires_grad, memory_format)


@overridable
def empty_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None,
               pin_memory=False):
    """Uninitialized, with a tensor's shape, type and memory order."""
    return _like(input, "empty_like", uninitialised, None, dtype, device, requires_grad, memory_format)


@overridable
def full_like(input, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None,
              pin_memory=False):
    """One number everywhere, with a tensor's shape, type and memory order."""
    if not isinstance(input, Tensor):
        raise TypeError(f"full_like(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    value = exact_number(number_of(fill_value, "full_like", "fill_value"), input.array.dtype if dtype is None
                         else np_of(dtype))
    return _like(input, "full_like", Filler(value), value, dtype, device, requires_grad, memory_format)


for _function in (zeros_like, ones_like, empty_like, full_like):
    public(_function, method=True)


def _new(x, who, make, value, args, size, dtype, device, requires_grad):
    shape = shape_of(args if size is None else (size,), who)
    np_dtype = x.array.dtype if dtype is None else np_of(dtype)
    return made_of(make, value, shape, np_dtype, who, (META if x._meta else None) if device is None else device,
                   requires_grad, None)


def new_zeros(self, *args, size=None, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """Zeros of this tensor's type."""
    return _new(self, "new_zeros", all_zeros, 0, args, size, dtype, device, requires_grad)


def new_ones(self, *args, size=None, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """Ones of this tensor's type."""
    return _new(self, "new_ones", all_ones, 1, args, size, dtype, device, requires_grad)


def new_empty(self, *args, size=None, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """Uninitialized, of this tensor's type."""
    return _new(self, "new_empty", uninitialised, None, args, size, dtype, device, requires_grad)


def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """One number everywhere, of this tensor's type."""
    value = exact_number(number_of(fill_value, "new_full", "fill_value"), self.array.dtype if dtype is None
                         else np_of(dtype))
    return _new(self, "new_full", Filler(value), value, (), size, dtype, device, requires_grad)


def new_empty_strided(self, size, stride, *, dtype=None, device=None, requires_grad=False, layout=None,
                      pin_memory=False):
    """Uninitialized, of this tensor's type, with the given strides."""
    if device is None and self._meta:
        device = META
    return empty_strided(size, stride, dtype=self.dtype if dtype is None else dtype, device=device,
                         requires_grad=requires_grad)


for _function in (new_zeros, new_ones, new_empty, new_full, new_empty_strided):
    attach(Tensor, _function.__name__, _function)       # subclass.py makes them keep the class
