# compiled
"""Tensors of constants: zeros, ones, full, empty, arange, eye, and those made after another tensor."""
import math
import operator

import numpy as np

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.core import layout as layouts
from weft.core.errors import fail
from weft.core.layout import strided
from weft.core.modes import INFERENCE, WATCH
from weft.core.runtime import mode_bits
from weft.core.seam import minds_made
from weft.core.spec import Spec, formatted, ordered, reach_of
from weft.kernels import fast
from weft.ops.core.failure import explain_too_large, is_too_large
from weft.ops.core.out import write_out
from weft.ops.core.registry import FUNCTIONS, NOGRAD, op
from weft.ops.core.samples import size as lengths
from weft.ops.create.sparse import check_strided, sparse_zeros
from weft.tensor.names import method, public
from weft.tensor.override import overridable
from weft.tensor.tensor import Tensor, describe, mark_leaf, without_values, wrap

CPU, META, DEFAULT = devices.CPU, devices.META, dtypes.default
CURRENT = devices._current      # [the default device]
LOOKED_ON = WATCH | INFERENCE   # somebody wants to see what is made


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
        if isinstance(n, Tensor) and n._form.size == 1 and n._form.dtype.kind in "iu":
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
    if device is None:
        device = CURRENT[0]
    return device is not CPU and (device is META or devices.of(device).type == "meta")


def finish(t, device, requires_grad):
    """The rarely wanted: another device, inference mode, requires_grad."""
    if is_meta(device):
        if not t._on_meta:
            t = without_values(describe(t))
    if mode_bits() & INFERENCE:
        t._inference = True
    if requires_grad:
        mark_leaf(t)
    return t


@op
class _filled:
    """Zeros, ones or another constant (None: whatever is there), laid out by strides in bytes, as watchers see it."""
    tags, method, node_name = NOGRAD, False, "FullBackward0"

    def forward(size, value, dtype, strides=None):
        made = uninitialised(size, dtype.np) if strides is None else empty_with(size, strides, dtype.np)
        if value is not None:
            made[...] = value
        return made

    def shape(size, value, dtype, strides=None):
        return Spec(size, dtype.np, strides)
    samples = [(lengths(2, 3), 1.5, dtypes.float64), (lengths(2, 3), 0, dtypes.int64, lengths(8, 16))]


def empty_with(shape, strides, np_dtype):
    """An uninitialized array with exactly these strides in bytes."""
    itemsize = np_dtype.itemsize
    span = reach_of(shape, strides) + itemsize if 0 not in shape else itemsize
    return np.ndarray(shape, np_dtype, uninitialised((-(-span // itemsize),), np_dtype), 0, strides)


def laid_out(spec, value, device, requires_grad):
    """A tensor of one value (None: of whatever is there) with the strides of a Spec."""
    if is_meta(device):
        return finish(without_values(spec), META, requires_grad)
    strides = None if spec.c_contiguous else spec.strides
    return finish(created(_filled.op, (spec.shape, value, dtypes.of_array(spec.dtype), strides)), CPU, requires_grad)


def created(op, values, who=None, shape=(), np_dtype=None):
    """What an op without tensors among its values gives: on the road where somebody looks on, else at once."""
    try:
        return op.call(values, {}) if mode_bits() & WATCH and minds_made() else wrap(op.forward(*values))
    except (ValueError, OverflowError, MemoryError) as error:
        if who is not None and is_too_large(error):
            explain_size(shape, np_dtype, who)
        explain_too_large(op.name.strip("_"), error)
        raise


def is_quiet():
    """Whether what is made needs to be shown to nobody, nor marked."""
    bits = mode_bits()
    return bits & LOOKED_ON == 0 or bits & INFERENCE == 0 and not minds_made()


def made_of(make, value, shape, np_dtype, who, device, requires_grad, out):
    """The road of zeros, ones, empty and full."""
    if out is None and not requires_grad and (CURRENT[0] is CPU if device is None else device is CPU) and is_quiet():
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
        t = without_values(Spec(shape, np_dtype))
    elif mode_bits() & WATCH and minds_made():
        t = _filled.op.call((tuple(shape), value, dtypes.of_array(np_dtype)), {})
    else:
        t = wrap(allocate(make, shape, np_dtype, who))
    if out is not None:
        return into(out, t, who)
    return finish(t, device, requires_grad)


def into(out, t, who):
    """Give the result to `out=`."""
    if t._form.dtype != out._form.dtype:
        t = t.to(out.dtype)
    return write_out(_filled.op, out, t)


def out_dtype(dtype, out):
    """The type asked for, else that of out=, else the default; both must agree."""
    if dtype is None:
        return DEFAULT.dtype.np if out is None else out._form.dtype
    found = np_of(dtype)
    if out is not None and out._form.dtype != found:
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
    """A tensor of zeros.

    >>> import weft
    >>> weft.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    shape = shape_of(args if size is None else (size,), "zeros")
    if not args and size is None:
        raise TypeError('zeros() missing 1 required positional arguments: "size"')
    np_dtype = DEFAULT.dtype.np if dtype is None and out is None else out_dtype(dtype, out)
    if layout is not None and layout is not strided:
        return sparse_zeros(shape, dtypes.of_array(np_dtype), layout, requires_grad)
    return made_of(all_zeros, 0, shape, np_dtype, "zeros", device, requires_grad, out)


def ones(*args, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
         names=None):
    """A tensor of ones.

    >>> import weft
    >>> weft.ones(2, 3)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    """
    shape = shape_of(args if size is None else (size,), "ones")
    if not args and size is None:
        raise TypeError('ones() missing 1 required positional arguments: "size"')
    if layout is not None:
        check_strided(layout, "ones")
    np_dtype = DEFAULT.dtype.np if dtype is None and out is None else out_dtype(dtype, out)
    return made_of(all_ones, 1, shape, np_dtype, "ones", device, requires_grad, out)


def empty(*args, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
          memory_format=None, names=None):
    """A tensor whose values are whatever the memory holds.

    >>> import weft
    >>> weft.empty(2, 3).shape
    torch.Size([2, 3])
    """
    shape = shape_of(args if size is None else (size,), "empty")
    if not args and size is None:
        raise TypeError('empty() missing 1 required positional arguments: "size"')
    np_dtype = DEFAULT.dtype.np if dtype is None and out is None else out_dtype(dtype, out)
    if layout is not None and layout is not strided:
        return sparse_zeros(shape, dtypes.of_array(np_dtype), layout, requires_grad)
    if memory_format is None or out is not None:
        return made_of(uninitialised, None, shape, np_dtype, "empty", device, requires_grad, out)
    if any(n < 0 for n in shape):
        explain_size(shape, np_dtype, "empty")
    return laid_out(formatted(Spec(shape, np_dtype), np_dtype, memory_format), None, device, requires_grad)


def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
         names=None):
    """A tensor with the same number everywhere; its type is the number's.

    >>> import weft
    >>> weft.full((2, 2), 0.5)
    tensor([[0.5000, 0.5000],
            [0.5000, 0.5000]])
    """
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    if type(fill_value) is not float:
        fill_value = number_of(fill_value, "full", "fill_value")
    if layout is not None:
        check_strided(layout, "full")
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
        if value._form.ndim:
            raise TypeError(f"{who}(): argument '{name}' must be Number, not Tensor")
        return value.item()
    if isinstance(value, np.generic):
        return value.item()
    if not isinstance(value, (bool, int, float, complex)):
        raise TypeError(f"{who}(): argument '{name}' must be Number, not {type(value).__name__}")
    return value


def whole_number(value, who, name):
    """A Python int from an int or a zero-dim tensor of one: nothing is cut off silently."""
    found = number_of(value, who, name)
    if not isinstance(found, int):
        raise TypeError(f"{who}(): argument '{name}' must be int, not {type(found).__name__}")
    return int(found)


def exact_number(value, np_dtype):
    """A number as an array of the type may be filled with; RuntimeError where the type can't hold it."""
    kind = np_dtype.kind
    if np_dtype.itemsize == 1 and kind in "fV" and math.isfinite(value):       # float8
        info = dtypes.finfo(dtypes.of_array(np_dtype))
        if not info.min <= value <= info.max:
            _overflow(np_dtype)
        return np.array(value, np.float32).astype(np_dtype)
    if kind == "f" and type(value) is float and -65504 <= value <= 65504:
        return value if np_dtype.itemsize > 2 else float(np.float32(value))     # rounded to float first
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
    """An uninitialized tensor with the given strides (counted in elements).

    >>> import weft
    >>> weft.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    shape, stride = shape_of((size,), "empty_strided"), shape_of((stride,), "empty_strided")
    if len(shape) != len(stride):
        raise RuntimeError(f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides "
                           f"({len(stride)})")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"empty_strided: strides must be non-negative, got {list(stride)}")
    np_dtype = DEFAULT.dtype.np if dtype is None else np_of(dtype)
    if any(n < 0 for n in shape):
        explain_size(shape, np_dtype, "empty_strided")
    try:
        return laid_out(Spec(shape, np_dtype, [s * np_dtype.itemsize for s in stride]), None, device, requires_grad)
    except (MemoryError, ValueError, OverflowError):
        explain_size(shape, np_dtype, "empty_strided")
        raise


def empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, requires_grad=False,
                   pin_memory=False):
    """An uninitialized dense tensor whose dimensions lie in memory in the given order.

    >>> import weft
    >>> weft.empty_permuted((2, 3, 4), (2, 0, 1)).stride()
    (3, 1, 6)
    """
    shape, order = shape_of((size,), "empty_permuted"), tuple(physical_layout)
    if len(order) != len(shape):
        raise RuntimeError(f"Number of dimensions in size does not match the length of the physical_layout; i.e. "
                           f"len(size) = {len(shape)} is not equal to len(physical_layout) = {len(order)}")
    if sorted(order) != list(range(len(shape))):
        raise RuntimeError(f"Duplicate or out-of-range dim in physical_layout: {list(order)}")
    np_dtype = DEFAULT.dtype.np if dtype is None else np_of(dtype)
    if any(n < 0 for n in shape):
        explain_size(shape, np_dtype, "empty_permuted")
    return laid_out(ordered(shape, np_dtype, order), None, device, requires_grad)


def scalar_tensor(s, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """A zero-dim tensor of the default type.

    >>> import weft
    >>> weft.scalar_tensor(3.0)
    tensor(3.)
    """
    np_dtype = DEFAULT.dtype.np if dtype is None else np_of(dtype)
    value = exact_number(number_of(s, "scalar_tensor", "s"), np_dtype)
    return made_of(Filler(value), value, (), np_dtype, "scalar_tensor", device, requires_grad, None)


def eye(n, m=None, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """The identity matrix, or its first `m` columns.

    >>> import weft
    >>> weft.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    n, m = _checked_shape((n, n if m is None else m), "eye")
    for name, value in (("n", n), ("m", m)):
        if value < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {value}")
    np_dtype = out_dtype(dtype, out)
    if is_meta(device):
        t = without_values(Spec((n, m), np_dtype))
    else:
        t = created(_identity.op, (n, m, dtypes.of_array(np_dtype)))
    return finish(t, device, requires_grad) if out is None else into(out, t, "eye")


@op
class _identity:
    """Ones on the diagonal of a matrix of zeros."""
    tags, method, node_name = NOGRAD, False, "EyeBackward0"

    def forward(n, m, dtype):
        made = allocate(np.zeros, (n, m), dtype.np, "eye")
        made.reshape(-1)[:min(n, m) * m:m + 1] = 1
        return made

    def shape(n, m, dtype):
        return (n, m), dtype.np
    samples = [(2, 3, dtypes.float64)]


for _function in (zeros, ones, empty, full, empty_strided, empty_permuted, scalar_tensor, eye):
    public(_function)


# after another tensor

def _like(x, who, make, value, dtype, device, requires_grad, memory_format):
    if not isinstance(x, Tensor):
        raise TypeError(f"{who}(): argument 'input' (position 1) must be Tensor, not {type(x).__name__}")
    np_dtype = x._form.dtype if dtype is None else np_of(dtype)
    if x._on_meta or x._owed is not None or device is not None or requires_grad or not is_quiet():
        device = (META if x._on_meta else CPU) if device is None else device
        return laid_out(formatted(describe(x), np_dtype, memory_format), value, device, requires_grad)
    return wrap(layouts.empty_format(x._form, np_dtype, memory_format, make))


@overridable
def zeros_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None,
               pin_memory=False):
    """Zeros with a tensor's shape, type and memory order.

    >>> import weft
    >>> weft.zeros_like(weft.ones(2))
    tensor([0., 0.])
    """
    return _like(input, "zeros_like", all_zeros, 0, dtype, device, requires_grad, memory_format)


@overridable
def ones_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None,
              pin_memory=False):
    """Ones with a tensor's shape, type and memory order.

    >>> import weft
    >>> weft.ones_like(weft.zeros(2))
    tensor([1., 1.])
    """
    return _like(input, "ones_like", all_ones, 1, dtype, device, requires_grad, memory_format)


@overridable
def empty_like(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None,
               pin_memory=False):
    """Uninitialized, with a tensor's shape, type and memory order.

    >>> import weft
    >>> weft.empty_like(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """
    return _like(input, "empty_like", uninitialised, None, dtype, device, requires_grad, memory_format)


@overridable
def full_like(input, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None,
              pin_memory=False):
    """One number everywhere, with a tensor's shape, type and memory order.

    >>> import weft
    >>> weft.full_like(weft.zeros(2), 3)
    tensor([3., 3.])
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"full_like(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    value = exact_number(number_of(fill_value, "full_like", "fill_value"), input._form.dtype if dtype is None
                         else np_of(dtype))
    return _like(input, "full_like", Filler(value), value, dtype, device, requires_grad, memory_format)


for _function in (zeros_like, ones_like, empty_like, full_like):
    public(_function, method=True)


def _new(x, who, make, value, args, size, dtype, device, requires_grad):
    shape = shape_of(args if size is None else (size,), who)
    np_dtype = x._form.dtype if dtype is None else np_of(dtype)
    return made_of(make, value, shape, np_dtype, who, (META if x._on_meta else None) if device is None else device,
                   requires_grad, None)


def new_zeros(self, *args, size=None, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """Zeros of this tensor's type.

    >>> import weft
    >>> weft.ones(1).new_zeros(2)
    tensor([0., 0.])
    """
    return _new(self, "new_zeros", all_zeros, 0, args, size, dtype, device, requires_grad)


def new_ones(self, *args, size=None, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """Ones of this tensor's type.

    >>> import weft
    >>> weft.zeros(1).new_ones(2)
    tensor([1., 1.])
    """
    return _new(self, "new_ones", all_ones, 1, args, size, dtype, device, requires_grad)


def new_empty(self, *args, size=None, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """Uninitialized, of this tensor's type.

    >>> import weft
    >>> weft.zeros(1).new_empty(2, 3).shape
    torch.Size([2, 3])
    """
    return _new(self, "new_empty", uninitialised, None, args, size, dtype, device, requires_grad)


def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """One number everywhere, of this tensor's type.

    >>> import weft
    >>> weft.zeros(1).new_full((2,), 3)
    tensor([3., 3.])
    """
    value = exact_number(number_of(fill_value, "new_full", "fill_value"), self._form.dtype if dtype is None
                         else np_of(dtype))
    return _new(self, "new_full", Filler(value), value, (), size, dtype, device, requires_grad)


def new_empty_strided(self, size, stride, *, dtype=None, device=None, requires_grad=False, layout=None,
                      pin_memory=False):
    """Uninitialized, of this tensor's type, with the given strides.

    >>> import weft
    >>> weft.ones(1).new_empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    if device is None and self._on_meta:
        device = META
    return empty_strided(size, stride, dtype=self.dtype if dtype is None else dtype, device=device,
                         requires_grad=requires_grad)


for _function in (new_zeros, new_ones, new_empty, new_full, new_empty_strided):
    method(overridable(_function))
