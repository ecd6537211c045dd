"""`make_tensor`: random tensors of any type for tests."""
import math

import numpy as np

from weft.core import dtype as dtypes
from weft.core.size import Size
from weft.ops.create.constants import finish
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import wrap


def make_tensor(*shape, dtype, device="cpu", low=None, high=None, requires_grad=False, noncontiguous=False,
                exclude_zero=False, memory_format=None):
    """A tensor with values evenly between `low` and `high`: by default -9 to 9, or 0 to 9 where nothing is negative.

    noncontiguous: with gaps in memory. exclude_zero: zeros become the smallest positive value, so that it can be
    divided by.

    >>> import weft
    >>> x = weft.testing.make_tensor(2, 3, dtype=weft.float32, device="cpu", low=0, high=1)
    >>> x.shape, bool((x >= 0).all())
    (torch.Size([2, 3]), True)
    """
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    shape, dtype = Size(shape), dtypes.of_type(dtype)
    if noncontiguous and memory_format is not None:
        raise ValueError(f"The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
                         f"{noncontiguous=} and {memory_format=}")
    if requires_grad and dtype.category < 2:
        raise ValueError(f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}")
    low, high = _bounds(dtype, low, high)
    wide = (*shape[:-1], shape[-1] * 2) if noncontiguous and shape and shape.numel() > 1 else shape
    array = _values(wide, dtype, low, high)
    if wide is not shape:
        array = array[..., ::2]
    if exclude_zero:
        array[array == 0] = 1 if dtype.category < 2 else dtypes.finfo(dtype).tiny
    t = wrap(array)
    if memory_format is not None:
        t = t.clone(memory_format=memory_format)
    return finish(t, device, requires_grad)


def _bounds(dtype, low, high):
    """The limits, checked and brought into what the type can hold."""
    default = (0, 2) if dtype.category == 0 else (-9 if dtype.is_signed else 0, 10 if dtype.category == 1 else 9)
    low, high = default[0] if low is None else low, default[1] if high is None else high
    if any(isinstance(v, complex) for v in (low, high)):
        raise ValueError(f"`low` and `high` must be real numbers, got {low} and {high}")
    if any(math.isnan(v) for v in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low > high or low == high and dtype.category < 2:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    if dtype.category == 0:
        least, most = 0, 2
    elif dtype.category == 1:
        info = np.iinfo(dtype.np)
        least, most, low, high = int(info.min), int(info.max) + 1, _up(low), _up(high)
    else:
        info = dtypes.finfo(dtype)
        least, most = info.min, info.max
    if low > most or high < least:
        raise ValueError(f"The value interval from {low} to {high} lies outside of what {dtype} can hold ({least} to "
                         f"{most})")
    return max(low, least), min(high, most)


def _up(value):
    return value if math.isinf(value) else math.ceil(value)


def _values(shape, dtype, low, high):
    if dtype.category < 2:
        return _integers(tuple(shape), dtype, int(low), int(high))
    real = dtype.to_real()
    width = np.float64 if real is dtypes.float64 else np.float32
    with np.errstate(all="ignore"):
        made = _even(shape, width, low, high)
        if dtype.is_complex:
            made = made + 1j * _even(shape, width, low, high)
        return np.asarray(made).astype(dtype.np)


def _integers(shape, dtype, low, high):
    """Whole numbers from low to high - 1, added as 64-bit words, which wrap round."""
    span = min(max(high - low, 1), 2 ** 63 - 1)
    steps = FUNCTIONS["randint"](0, span, shape)._array.astype(np.uint64)
    with np.errstate(all="ignore"):
        return np.asarray(steps + np.uint64(low & (2 ** 64 - 1))).astype(dtype.np)


def _even(shape, width, low, high):
    zero_to_one = FUNCTIONS["rand"](tuple(shape), dtype=dtypes.of_array(np.dtype(width)))._array
    half = zero_to_one * width(high / 2 - low / 2)
    return half + width(low) + half     # in two steps, so that a span of the whole type can't overflow
