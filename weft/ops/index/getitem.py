# compiled, -O3
"""`x[...]`, read and written. Ints, slices, None and Ellipsis give a view by the short road; all else goes to
`advanced`.
"""
import numpy as np

from weft.core.errors import fail
from weft.core.modes import FUNCTION, GRAD_OFF, NO_OVERRIDE, WATCH
from weft.core.runtime import mode_bits
from weft.kernels import fast
from weft.kernels.native import basic as basic_view
from weft.kernels.native import copy_into
from weft.ops.core.inplace import bump
from weft.ops.core.promotion import cast
from weft.ops.core.record import record_one
from weft.ops.index import advanced
from weft.ops.index.arrays import type_name, value_array
from weft.ops.index.forms import as_tensor
from weft.ops.index.view import (
    ALIAS,
    NEW_AXIS,
    SELECT,
    SLICE,
    SLOW_BITS,
    convert_slice,
    explain,
    view_at,
)
from weft.tensor.function_modes import ask_mode
from weft.tensor.override import overridden, override
from weft.tensor.tensor import OPS, Tensor, is_plain, needs_grad, wrap

LONG = np.dtype(np.int64)
INDEX_DIM = advanced.INDEX_DIM
SLOW = SLOW_BITS
take_dim, masked_fill_into = fast.take_dim, fast.masked_fill_into


# reading

def getitem(x, index):
    """x[index]."""
    if mode_bits() & FUNCTION:
        return ask_mode(Tensor.__getitem__, (x, index), {})
    if not is_plain(x) and mode_bits() & NO_OVERRIDE == 0:
        return override(Tensor.__getitem__, (x, index), {})
    kind = type(index)
    if kind is int:
        return view_at(SELECT, x, (index, ...))
    if kind is slice:
        return view_at(SLICE, x, (index,))
    if kind is not tuple:
        if index is None:
            return view_at(NEW_AXIS, x, (None, ...))
        if index is Ellipsis:
            return view_at(ALIAS, x, (...,))
        if kind is Tensor:
            return at_tensor(x, index)
        return advanced.getitem(x, index)
    made = ALIAS
    dots = False
    for item in index:
        kind = type(item)
        if kind is int:
            made = SELECT
        elif kind is slice:
            if item.start is not None or item.stop is not None or item.step is not None:
                made = SLICE
        elif item is None:
            made = NEW_AXIS
        elif item is Ellipsis and not dots:
            dots = True
        else:
            return advanced.getitem(x, index)
    if not dots:
        index = (*index, ...)       # so that a single element is a view too, not a number
    return view_at(made, x, index)


def at_tensor(x, index):
    """x[index] for one index tensor: the rows that an int64 one names, by the short road."""
    rows = index._form
    if (rows.dtype != LONG or rows.ndim == 0 or x._form.ndim == 0 or mode_bits() & SLOW or x._on_meta or index._on_meta
            or x._owed is not None or index._owed is not None):
        return advanced.getitem(x, index)
    found = take_dim(x._form, 0, rows)
    if found is None:
        try:
            found = x._form.take(rows, 0)
        except IndexError:
            advanced.check_indices(x._form.shape, [rows])
            raise
    out = wrap(found)
    if mode_bits() & GRAD_OFF == 0 and needs_grad(x):
        record_one(INDEX_DIM, 1, [x, 0, index], out)
    return out


# writing

def setitem(x, index, value):
    """x[index] = value."""
    if mode_bits() & FUNCTION:
        ask_mode(Tensor.__setitem__, (x, index, value), {})
        return
    if not is_plain(x) and mode_bits() & NO_OVERRIDE == 0:
        override(Tensor.__setitem__, (x, index, value), {})
        return
    kind = type(index)
    if (kind is tuple or kind is Tensor) and written_at_once(x, index, value):
        return
    if kind is int:
        basic, indices = (index, ...), None
    elif kind is slice:
        basic, indices = (convert_slice(index),), None
    elif overridden((index, value), None) and not mode_bits() & NO_OVERRIDE:
        override(Tensor.__setitem__, (x, index, value), {})
        return
    else:
        basic, indices = advanced.locate(x, index)
    if not isinstance(value, (Tensor, float, int, complex)):
        value = converted(x, value)
    if (untracked(x) and (not isinstance(value, Tensor) or not value._on_meta
                          and (mode_bits() & GRAD_OFF or not needs_grad(value)))):
        if indices is None:
            write_basic(x, basic, value)
        else:
            target = x._array if basic is None else x._array[basic]
            advanced.write(target, indices, value)
        bump(x)
    elif indices is None:
        assign(view_at(SLICE, x, basic), value)
    else:
        advanced.assign(x if basic is None else view_at(SLICE, x, basic), indices, value)


def written_at_once(x, index, value):
    """Write at ints and slices, or a number at a mask of x's shape, where no history is to be kept; whether it was
    done.
    """
    kind = type(value)
    if x._owed is not None or kind is not float and kind is not int and kind is not Tensor or not untracked(x):
        return False
    if kind is Tensor and (value._on_meta or value._owed is not None
                           or mode_bits() & GRAD_OFF == 0 and needs_grad(value)):
        return False
    if type(index) is Tensor:
        if kind is Tensor or index._owed is not None or index._on_meta or index._form.dtype.kind != "b" \
                or index._form.shape != x._form.shape:
            return False
        if not masked_fill_into(x._form, index._form, value_array(value, x._form.dtype, "fill_")):
            return False
    else:
        target = basic_view(x._form, index)
        if target is None:
            return False
        write_values(target, value)
    bump(x)
    return True


def converted(x, value):
    """Lists and arrays as tensors of x's type."""
    if isinstance(value, (list, tuple, np.ndarray, np.generic)):
        return as_tensor(value, x)
    raise TypeError(f"can't assign a {type(value).__name__} to a torch.{type_name(x._form)}Tensor")


def untracked(x):
    """Whether x can be written to without a thought for history."""
    if x._inference or x._on_meta or mode_bits() & WATCH:
        return False
    if mode_bits() & GRAD_OFF:
        return True
    return not x._wants_grad and x._made_by is None and (
        x._view_of is None or not needs_grad(x._view_of.base()) and not needs_grad(x))


def write_basic(x, index, value):
    """Write straight into memory."""
    try:
        target = x._array[index]
    except IndexError:
        explain(x._form.shape, index)
        raise
    write_values(target, value)


def write_values(target, value):
    """target[...] = a number or a tensor's values."""
    if 0 in target.strides and target.size:
        for n, stride in zip(target.shape, target.strides):
            if n > 1 and stride == 0:
                fail(RuntimeError, "x[index] = value: unsupported operation: more than one element of the written-to "
                     "tensor refers to a single memory location (it was expanded)", "clone() it first")
    if not isinstance(value, Tensor):
        source = value_array(value, target.dtype, "fill_")
    else:
        source = value._array
        if source.shape != target.shape:
            source = stripped(source, target.shape)
        if source.dtype != target.dtype:
            source = cast(source, target.dtype)
    if not copy_into(target, source):
        target[...] = source


def assign(view, value):
    """Write through a view, keeping the graph right."""
    if not isinstance(value, Tensor):
        view.fill_(value)
        return
    stripped(value._form, view._form.shape)
    if value._form.ndim > view._form.ndim:
        value = view_at(SLICE, value, (0,) * (value._form.ndim - view._form.ndim) + (...,))
    view.copy_(value)


def stripped(source, shape):
    """An array that broadcasts to `shape`, leading dimensions of length 1 dropped where it has too many."""
    extra = source.ndim - len(shape)
    own = source.shape
    if extra > 0:
        if any(n != 1 for n in own[:extra]):
            fail(RuntimeError, f"x[index] = value: a value of shape {list(own)} does not fit the place of shape "
                 f"{list(shape)}: the number of sizes provided ({len(shape)}) must be greater or equal to the number "
                 f"of dimensions in the tensor ({len(own)})",
                 "drop the value's extra dimensions with squeeze(), or index more of the tensor")
        source = source[(0,) * extra + (...,)]
    for i in range(1, source.ndim + 1):
        if source.shape[-i] not in (1, shape[-i]):
            fail(RuntimeError, f"x[index] = value: The expanded size of the tensor ({shape[-i]}) must match the "
                 f"existing size ({source.shape[-i]}) at non-singleton dimension {len(shape) - i}.  Target sizes: "
                 f"{list(shape)}.  Tensor sizes: {list(own)}",
                 "give a value whose sizes are those of the place, or 1")
    return source


# iterating and looking for a value

def iterate(x):
    """An iterator over the first dimension."""
    if x._form.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(x.unbind(0))


def contains(x, value):
    """Whether any element equals a number, or a tensor that broadcasts."""
    if isinstance(value, (Tensor, bool, int, float, complex, np.number)):
        return bool((x == value).any())
    fail(RuntimeError, f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(value)}.",
         "compare with a number or a tensor")


OPS.getitem, OPS.setitem, OPS.iterate, OPS.contains = getitem, setitem, iterate, contains
