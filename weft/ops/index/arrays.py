# compiled
"""Where indices point: checks, flat positions and accumulation. Arrays in, arrays out; the ops stand in the other index
files.
"""
import functools
import math

import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.layout import empty_as
from weft.kernels import fast
from weft.kernels.native import in_one_piece, number
from weft.ops.core.promotion import cast, number_array

INDEX_FIX = "index dtype must be int64 (or int32): convert it with .long()"
LONG, INT = np.dtype(np.int64), np.dtype(np.int32)      # a type object would be looked up at every comparison


def lift(array):
    """A zero-dim array seen as one of a single element, so that `dim` has something to point at."""
    return array.reshape(1) if array.ndim == 0 else array


def check_long(index, who, kind=RuntimeError, what="Expected dtype int32/int64 for index"):
    """Refuse an index that is neither int64 nor int32."""
    if index.dtype != LONG and index.dtype != INT:
        fail(kind, f"{who}(): {what}, got {dtypes.of_array(index.dtype)}", INDEX_FIX)


def check_bounds(index, size, dim, kind=RuntimeError, who=""):
    """All of an int64 index must lie in [0, size); one pass, since negative numbers are huge as unsigned ones."""
    if not fast.within(index, size) and index.size and index.view(np.uint64).max() >= size:
        _out_of_bounds(index, (index < 0) | (index >= size), size, dim, kind, who)


def wrap_negative(index, size, dim, kind=IndexError, who=""):
    """An int64 index with negative numbers counted from the end."""
    if fast.within(index, size) or not index.size or index.view(np.uint64).max() < size:
        return index
    if index.min() < -size or index.max() >= size:
        _out_of_bounds(index, (index < -size) | (index >= size), size, dim, kind, who)
    return np.where(index < 0, index + size, index)


def _out_of_bounds(index, bad, size, dim, kind, who):
    fail(kind, f"{who}index {index[bad].flat[0]} is out of bounds for dimension {dim} with size {size}",
         f"indices along that dimension go from 0 to {size - 1}" if size else "that dimension is empty")


def c_strides(shape):
    """Steps in elements of a C-ordered array."""
    steps, step = [], 1
    for n in reversed(shape):
        steps.append(step)
        step *= n
    return steps[::-1]


def along(n, axis, ndim, step=1):
    """0, step, 2 step, ... laid along one axis; not to be written to."""
    return _kept_along(n, axis, ndim, step) if n <= 1024 else _along(n, axis, ndim, step)


def _along(n, axis, ndim, step):
    return np.arange(0, n * step, step).reshape((1,) * axis + (n,) + (1,) * (ndim - axis - 1)) if step else \
        np.zeros((1,) * ndim, np.int64)


_kept_along = functools.lru_cache(256)(_along)


def dim_positions(shape, dim, index):
    """Flat places of x[i][index[i][j]][j]...: what gather reads and scatter writes; index has shape's number of dims.
    """
    steps = c_strides(shape)
    flat = index if steps[dim] == 1 else index * steps[dim]
    for d in range(len(shape)):
        if d != dim and index.shape[d] > 1:
            flat = flat + along(index.shape[d], d, len(shape), steps[d])
    return flat


def expand_masks(shape, indices):
    """For each dimension its int64 index or None; a mask of k dimensions becomes k indices."""
    found = []
    for index in indices:
        if index is not None and index.dtype.kind == "b":
            found.extend(np.nonzero(index))
        else:
            found.append(index)
    found.extend([None] * (len(shape) - len(found)))
    return found


def index_positions(shape, indices):
    """Flat places of x[indices], in the shape of that result; indices are int64 arrays, masks or None."""
    full = expand_masks(shape, indices)
    steps = c_strides(shape)
    taken = [d for d in range(len(shape)) if full[d] is not None]
    block = 0
    for d in taken:
        block = block + wrap_negative(full[d].astype(np.int64, copy=False), shape[d], d) * steps[d]
    block = np.asarray(block)
    free = [d for d in range(len(shape)) if full[d] is None]
    lead = taken[0] if taken[-1] - taken[0] + 1 == len(taken) else 0    # where the indices' own dimensions stand
    ndim = block.ndim + len(free)
    flat = block.reshape(block.shape + (1,) * (len(free) - lead))
    for k, d in enumerate(free):
        axis = k if k < lead else k + block.ndim
        flat = flat + along(shape[d], axis, ndim, steps[d])
    return flat


def copied(x):
    """A C-ordered copy."""
    made = fast.copied(x)
    return x.copy() if made is None else made


def copied_in_order(x):
    """A dense copy in x's own memory order."""
    if x.flags.c_contiguous:
        return copied(x)
    made = empty_as(x)
    if not fast.copy_into(made, x):
        made[...] = x
    return made


def zeros(shape, np_dtype):
    """A C-ordered array of zeros."""
    made = fast.filled(shape, np.zeros((), np_dtype)) if type(shape) is tuple else None
    return np.zeros(shape, np_dtype) if made is None else made


def plain_values(values):
    """C-ordered values, or one element where all are that one (an expanded gradient)."""
    if values.flags.c_contiguous:
        return values
    if not any(values.strides) and values.size:
        return values[(slice(1),) * values.ndim].reshape(())
    return copied(values)


def add_along(made, dim, index, values):
    """made[:, ..., index] += values for a C-ordered array and an int64 index of any shape; repeated indices add up."""
    shape = made.shape
    if not values.size or fast.write_dim(made, dim, index, plain_values(values), True):
        return
    n, inner, outer = shape[dim], math.prod(shape[dim + 1:]), math.prod(shape[:dim])
    index = wrap_negative(index, n, dim).reshape(-1)
    # all different: plain copies will do
    if inner >= 32 and index.size > 1 and np.bincount(index, minlength=n).max() == 1:
        blocks = made.reshape(outer, n, inner)
        blocks[:, index] += values.reshape(outer, index.size, inner)
        return
    flat = index
    if inner > 1:
        flat = (index * inner)[:, None] + along(inner, 0, 1)
    if outer > 1:
        flat = flat + along(outer, 0, flat.ndim + 1, n * inner)
    add_at(made.reshape(-1), flat, values)


def merged(shape, indices):
    """Adjacent indices (or a mask) as one index into their dimensions seen as one: (dim, index, the shape so seen), or
    None.
    """
    dim = 0
    while indices[dim] is None:
        dim += 1
    chosen = indices[dim:]
    if len(chosen) == 1 and chosen[0].dtype.kind == "b":
        mask = chosen[0]
        if mask.shape != shape[dim:dim + mask.ndim] or not mask.ndim:
            return None
        index, taken = fast.true_places(contiguous(mask)), mask.ndim
    else:
        for i in chosen:
            if i is None or i.dtype != LONG:
                return None
        taken = len(chosen)
        if dim + taken > len(shape):
            return None
        index = fast.joined_index(chosen, shape[dim:dim + taken])
    return (None if index is None else (dim, index, (*shape[:dim], math.prod(shape[dim:dim + taken]),
                                                     *shape[dim + taken:])))


def write_merged(x, indices, values, accumulate):
    """x[indices] = values, or += values, by the native kernel; whether it was done. x is C-ordered; values broadcast.
    """
    where = merged(x.shape, indices) if x.flags.c_contiguous else None
    if where is None:
        return False
    dim, index, shape = where
    made = (*shape[:dim], *index.shape, *shape[dim + 1:])
    if values.size != 1 and values.shape != made:
        try:
            values = np.broadcast_to(values, made)
        except ValueError:
            return False
    elif values.ndim > len(made):
        return False
    return bool(fast.write_dim(x.reshape(shape), dim, index, plain_values(values), accumulate))


def numpy_key(indices):
    return tuple([slice(None) if i is None else i for i in indices])


def update_flat(x, change, *args):
    """Call change(flat, *args) on x's elements as one row, whatever x's strides."""
    if x.flags.c_contiguous:
        change(x.reshape(-1), *args)
        return
    flat = np.ascontiguousarray(x).reshape(-1)
    change(flat, *args)
    x[...] = flat.reshape(x.shape)


def is_half(array):
    return array.dtype.itemsize == 2 and array.dtype.kind in "fV"


def at(ufunc, flat, places, values):
    """ufunc.at on one row; the one-dimensional form is many times faster than the general one."""
    places = places.reshape(-1)
    values = np.broadcast_to(values, places.shape) if values.ndim == 0 else values.reshape(-1)
    if is_half(flat):       # sum in float32, round once
        wide = flat.astype(np.float32)
        ufunc.at(wide, places, values.astype(np.float32))
        flat[...] = wide.astype(flat.dtype)
        return
    with np.errstate(all="ignore"):
        ufunc.at(flat, places, values)


def add_at(flat, places, values):
    at(np.add, flat, places, values)


def assign_at(flat, places, values):
    flat[places] = values


def contiguous(array):
    """The array itself, or a copy in one piece."""
    return array if in_one_piece(array) else copied(array)


_C_NAMES = {"float32": "float", "float64": "double", "float16": "at::Half", "bfloat16": "at::BFloat16",
            "int64": "int64_t", "int32": "int", "uint8": "uint8_t"}


def value_array(value, np_dtype, who):
    """A number, or a zero-dim array, in the type of the tensor it goes into."""
    kind = type(value)
    if kind is float:
        found = number(value, np_dtype)         # None for infinite ones, and for types of whole numbers
        if found is not None:
            return found
    if (np_dtype.itemsize >= 4 and (kind is float and np_dtype.kind == "f" or kind is int and np_dtype.kind in "fi")
        and -1e9 < value < 1e9):
        return number_array(value, np_dtype)    # nothing to round away or to wrap
    if isinstance(value, np.ndarray):
        if value.ndim:
            fail(RuntimeError, f"{who} only supports a 0-dimensional value tensor, but got tensor with {value.ndim} "
                 f"dimension(s).",
                 "give a number or a zero-dim tensor")
        return value if value.dtype == np_dtype else cast(value, np_dtype)
    if isinstance(value, (bool, int, float, complex, np.number, np.bool_)):
        if overflows(value, np_dtype):
            name = dtypes.of_array(np_dtype).name
            fail(RuntimeError, f"{who}: value cannot be converted to type {_C_NAMES.get(name, name)} without overflow "
                 f"(it is {value})",
                 "give a value that the tensor's type can hold, or convert the tensor first")
        return number_array(value, np_dtype)
    raise TypeError(f"{who}(): argument 'value' must be a number or a zero-dim tensor, not {type(value).__name__}")


def overflows(value, np_dtype):
    """Whether a number is beyond what a type holds; unsigned types take negative numbers, which wrap."""
    if isinstance(value, (complex, np.complexfloating)):
        return np_dtype.kind != "c"
    if np_dtype.kind in "bc":
        return False
    if np_dtype.kind in "iu":
        info = np.iinfo(np_dtype)
        low = info.min if np_dtype.kind == "i" else -info.max
        return not low <= value <= info.max
    return math.isfinite(value) and abs(value) > dtypes.finfo(dtypes.of_array(np_dtype)).max


def same_dtype(x, source, text):
    """Refuse a source of another type; `text` may name {x} and {source}."""
    if x.dtype != source.dtype:
        fail(RuntimeError, text.format(x=type_name(x), source=type_name(source)),
             f"convert the source with .to({dtypes.of_array(x.dtype)})")


_NAMES = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long",
          "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool",
          "complex64": "ComplexFloat", "complex128": "ComplexDouble"}


def type_name(array):
    """PyTorch's name of an element type in messages: Float, Long, ..."""
    name = dtypes.of_array(array.dtype).name
    return _NAMES.get(name, name)
