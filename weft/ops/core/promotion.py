# compiled
"""PyTorch's type promotion: tensors, zero-dim tensors and Python numbers in one op."""
import numpy as np

from weft.core import dtype as dtypes
from weft.core.spec import like
from weft.kernels import fast
from weft.kernels.native import is_half, is_inexact, number, same_type
from weft.tensor.names import public
from weft.tensor.tensor import Tensor, describe, without_values, wrap

FLOAT16, FLOAT32 = np.dtype("f2"), np.dtype("f4")
DEFAULT, TO_FLOAT, TO_BOOL, NO_BOOL = "default", "to_float", "to_bool", "no_bool"


def common_dtype(values):
    """PyTorch's result type of tensors and numbers."""
    dims = zero = plain = None
    for v in values:
        if isinstance(v, Tensor):
            d = v.dtype
            if v._form.ndim:
                dims = d if dims is None else dtypes.promote_types(dims, d)
            else:
                zero = d if zero is None else dtypes.promote_types(zero, d)
        elif isinstance(v, (bool, int, float, complex, np.number, np.bool_)):
            d = dtypes.of_scalar(v)
            plain = d if plain is None else dtypes.promote_types(plain, d)
    return dtypes.result_category(dims, zero, plain)


def alike(op, values):
    """The array whose type all promoted tensors have, if it is a full floating type and the rest are real numbers."""
    first = None
    for i in op.promoted:
        v = values[i]
        if isinstance(v, Tensor):
            t = v
            if first is None:
                first = t._form
            elif not same_type(first, t._form):
                return None
        elif v is not None and type(v) is not float and type(v) is not int:
            return None
    return first if first is not None and is_inexact(first) and not is_half(first) else None


def promote(op, values):
    """Bring the promoted parameters to one type; numbers become zero-dim tensors."""
    first = alike(op, values)
    if first is not None:
        changed = None
        for i in op.promoted:
            v = values[i]
            if type(v) is float or type(v) is int:
                if changed is None:
                    changed = list(values)
                changed[i] = wrap(number_array(v, first.dtype))
        return values if changed is None else changed
    chosen = common_dtype([values[i] for i in op.promoted])
    if chosen is None:
        raise TypeError(f"{op.name}(): expected a tensor, got "
                        f"{', '.join([type(values[i]).__name__ for i in op.promoted])}")
    if op.promotion == TO_FLOAT and chosen.category < 2:
        chosen = dtypes.default.dtype
    elif op.promotion == NO_BOOL and chosen.category == 0:
        chosen = dtypes.int64
    target = chosen.np
    values = list(values)
    for i in op.promoted:
        v = values[i]
        if isinstance(v, Tensor):
            if v._form.dtype != target:
                if v._on_meta or v._owed is not None:
                    values[i] = without_values(like(describe(v), target), v._owed)
                else:
                    values[i] = wrap(cast(v._form, target))
        elif v is None or isinstance(v, str):
            continue
        elif isinstance(v, (bool, int, float, complex, np.number, np.bool_)):
            # beside half types a number keeps float32's precision: they are computed in float32 anyway
            values[i] = wrap(number_array(v, FLOAT32 if chosen.is_half and not op.keep_half else target))
        else:
            raise TypeError(f"{op.name}(): argument '{op.names[i]}' must be a tensor or a number, not "
                            f"{type(v).__name__}")
    return values


def cast(array, target):
    """`astype` with PyTorch's rules: complex to real drops the imaginary part, in silence."""
    found = fast.cast(array, target.num)
    if found is not None:
        return found
    if is_half(array) and target.kind in "iu":      # NumPy takes a hundred times as long for one at a time
        array = cast(array, FLOAT32)
    if array.dtype.kind == "c" and target.kind not in "c":
        if target.kind == "b":
            return array != 0
        array = array.real
    with np.errstate(all="ignore"):
        if target.num == FLOAT16.num:               # double is rounded to float first
            array = array.astype(FLOAT32)
        if target.itemsize == 1 and target.name.startswith("float8"):
            return _to_float8(array, target)
        return array.astype(target)


def _to_float8(array, target):
    """Types of a byte where PyTorch's conversion is not that of ml_dtypes."""
    if array.dtype == target:
        return array.astype(target)
    exact = array.astype(np.float32)
    if target.name == "float8_e8m0fnu":         # powers of two: the exponent, rounded up from 1.5 on, without the sign
        bits = exact.view(np.uint32)
        exponent = bits >> 23 & 0xff
        up = (bits & 0x7fffff) >= np.where(exponent == 0, 0x400001, 0x400000)
        return np.where(exponent == 0xff, 0xff, exponent + up).astype(np.uint8).view(target)
    if target.name == "float8_e4m3fn":          # it has no infinity: PyTorch takes the greatest
        return np.clip(exact, -448, 448).astype(target)
    found = exact.astype(target)
    if target.name == "float8_e5m2":            # one of its three NaNs
        bytes_ = found.view(np.uint8)
        bytes_[np.isnan(exact)] |= 0x7f
    return found


def number_array(v, target):
    """A Python number as a zero-dim array; integers wrap, as a C cast does."""
    found = number(v, target)
    if found is not None:
        return found
    if target.kind == "f" and target.itemsize > 2 and isinstance(v, (float, int)) and -3e38 < v < 3e38:
        return np.array(v, target)
    if target.kind in "iu" and isinstance(v, int) and not isinstance(v, bool):
        v &= (1 << 64) - 1
        return np.array(v, dtype=np.uint64).astype(target)
    return cast(np.asarray(v), target)


def result_type(tensor1, tensor2):
    """The type that an op on both gives; each may be a tensor or a number.

    >>> import weft
    >>> weft.result_type(weft.ones(2), 1j)
    torch.complex64
    """
    for value in (tensor1, tensor2):
        if not isinstance(value, (Tensor, bool, int, float, complex, np.number, np.bool_)):
            raise TypeError(f"result_type() takes tensors and numbers, got {type(value).__name__}")
    return common_dtype((tensor1, tensor2))


public(result_type)
