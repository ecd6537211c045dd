# compiled, -Og
"""Evenly spaced numbers: arange, linspace, logspace; rounded as PyTorch's vectorized loops round."""
import math
import warnings

import numpy as np

from weft.core import dtype as dtypes
from weft.core.modes import INFERENCE, WATCH
from weft.core.runtime import mode_bits
from weft.core.spec import Spec
from weft.kernels import fast
from weft.ops.core.registry import NOGRAD, op
from weft.ops.create.constants import (
    CPU,
    CURRENT,
    DEFAULT,
    allocate,
    created,
    explain_size,
    finish,
    into,
    is_meta,
    out_dtype,
    public,
)
from weft.tensor.tensor import Tensor, without_values, wrap

FEW = 1 << 20
LONG = dtypes.int64.np
LOOKED_ON = INFERENCE | WATCH
FAR = 1 << 62           # whole numbers below it don't leave int64 when one is added to another


def _deliver(op, values, who, device, requires_grad, out):
    """The numbers that `op(*values)` gives, whose last two values are how many and of which type."""
    if is_meta(device):
        t = without_values(Spec((values[-2],), values[-1].np))
    else:
        t = created(op, values)
    if out is not None:
        # a tensor with room enough keeps its shape
        return into(out, t.reshape(out._form.shape) if out._form.size == t._form.size else t, who)
    if requires_grad or device is not None or CURRENT[0] is not CPU or mode_bits() & INFERENCE:
        return finish(t, device, requires_grad)
    return t


def arange(*args, start=None, end=None, step=None, out=None, dtype=None, layout=None, device=None, pin_memory=False,
           requires_grad=False):
    """The numbers from `start` (0) up to but without `end`, `step` (1) apart.

    arange(end), arange(start, end), arange(start, end, step)

    >>> import weft
    >>> weft.arange(1, 4)
    tensor([1, 2, 3])
    """
    if start is None and end is None:
        if (args and step is None and dtype is None and out is None and device is None and not requires_grad
                and CURRENT[0] is CPU and mode_bits() & LOOKED_ON == 0):
            made = _whole(*args) if len(args) > 1 else _whole(0, args[0])
            if made is not None:
                return wrap(made)
        if len(args) == 1:
            args = (0, args[0])
    given = [*args, *(None,) * (3 - len(args))]
    if len(given) > 3:
        raise TypeError(f"arange() takes from 1 to 3 positional arguments but {len(given)} were given")
    for i, (name, value) in enumerate((("start", start), ("end", end), ("step", step))):
        if value is not None:
            if i == 1 and len(args) == 1 and given[1] is None or given[i] is None or i == 0 and not args:
                given[i] = value
            elif i == 0 and len(args) == 2 and args[0] == 0:    # arange(5, start=2)
                given[0] = value
            else:
                raise TypeError(f"arange() got multiple values for argument '{name}'")
    first, last, gap = 0 if given[0] is None else given[0], given[1], 1 if given[2] is None else given[2]
    if last is None:
        raise TypeError("arange() missing a required argument: 'end'")
    return _arange(_number(first), _number(last), _number(gap), out, dtype, device, requires_grad)


def _whole(first, last=None, gap=1, *more):
    """Whole numbers that rise, None for others."""
    if more or type(first) is not int or type(last) is not int or type(gap) is not int or gap <= 0 or last < first \
            or abs(first) > FAR or last > FAR or gap > FAR:
        return None
    return _counted(first, gap, -((first - last) // gap))


def _counted(first, gap, n):
    """first + i * gap as int64, n of them, none of which leaves it."""
    try:
        made = fast.counted(first, gap, n)
        return np.arange(n, dtype=LONG) * gap + first if made is None else made
    except (MemoryError, ValueError):
        explain_size((n,), LONG, "arange")
        raise


def _number(value):
    if isinstance(value, Tensor):
        value = value.item()
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, complex):
        raise RuntimeError("value cannot be converted to type double without overflow")
    if not isinstance(value, (int, float)):
        raise TypeError(f"arange(): the bounds and the step must be Numbers, not {type(value).__name__}")
    return value


def _arange(first, last, gap, out, dtype, device, requires_grad):
    if dtype is None and out is None:
        np_dtype = DEFAULT.dtype.np if float in (type(first), type(last), type(gap)) else dtypes.int64.np
    else:
        np_dtype = out_dtype(dtype, out)
    if np_dtype.kind in "bc" or np_dtype.itemsize == 1 and np_dtype.name.startswith("float8"):
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{np_dtype.name}'")
    _check_range(first, last, gap)
    if np_dtype == dtypes.int64.np:
        first, last, gap = int(first), int(last), int(gap)
        if gap == 0:
            raise ValueError("step must be nonzero")
        n = -((first - last) // gap)
    else:
        n = math.ceil((last - first) / gap)
    return _deliver(_stepped.op, (first, gap, n, dtypes.of_array(np_dtype)), "arange", device, requires_grad, out)


@op
class _stepped:
    """first, first + gap, first + 2 gap, ..., n of them."""
    tags, method, node_name = NOGRAD, False, "ArangeBackward0"

    def forward(first, gap, n, dtype):
        if dtype.np.kind in "iu":
            steps = _counted(0, 1, n)
            return (steps * int(gap) + int(first)).astype(dtype.np)
        if n > FEW:
            allocate(np.empty, (n,), dtype.np, "arange")        # says what is wrong where there isn't so much memory
        return _spaced(first, gap, n, dtype.np)

    def shape(first, gap, n, dtype):
        return (n,), dtype.np
    samples = [(1.5, 0.5, 4, dtypes.float64), (3, -1, 3, dtypes.int64)]


def _check_range(first, last, gap):
    if gap == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(first) and math.isfinite(last)):
        raise RuntimeError(f"unsupported range: {first} -> {last}")
    if (last - first) * (1 if gap > 0 else -1) < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def _spaced(first, gap, n, np_dtype):
    """first + i * gap: whole vectors step from their own first element, the rest from `first`."""
    if np_dtype.itemsize != 2:
        made = fast.spaced(float(first), float(gap), n, np_dtype.itemsize == 8)
        if made is not None:
            return made
    lanes = 32 // np_dtype.itemsize
    if np_dtype.itemsize == 2:
        first, gap = np.float32(first), np.float32(gap)
    first, gap = float(first), float(gap)
    i = np.arange(n)
    starts = i // lanes * lanes
    fused = _fused if np_dtype.itemsize == 8 else _plain
    via = np.float32 if np_dtype.itemsize == 2 else np.float64      # half types are rounded through float32
    with np.errstate(all="ignore"):
        base = fused(starts.astype(np.float64), gap, first).astype(via).astype(np_dtype).astype(np.float64)
        inside = fused((i - starts).astype(np.float64), gap, base)
        rest = n // (2 * lanes) * (2 * lanes)
        inside[rest:] = fused(i[rest:].astype(np.float64), gap, first)
        return inside.astype(via).astype(np_dtype)


def _plain(a, b, c):
    return a * b + c


_SPLIT = 134217729.0    # 2**27 + 1 cuts a float64 into halves whose products are exact


def _fused(a, b, c):
    """a * b + c in float64, rounded once."""
    product = a * b
    a_cut, b_cut = a * _SPLIT, b * _SPLIT
    a_high, b_high = a_cut - (a_cut - a), b_cut - (b_cut - b)
    a_low, b_low = a - a_high, b - b_high
    product_error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    total = product + c
    part = total - product
    total_error = (product - (total - part)) + (c - part)
    exact = total + (product_error + total_error)
    return np.where(np.isfinite(exact), exact, total)


def range_(start, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """Like arange with `end` included; PyTorch has deprecated it.

    >>> import weft
    >>> weft.range(0, 2)
    tensor([0., 1., 2.])
    """
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    warnings.warn("torch.range is deprecated and will be removed in a future release because its behavior is "
                  "inconsistent with Python's range builtin. Instead, use torch.arange, which produces values in "
                  "[start, end).", stacklevel=2)
    first, last, gap = _number(start), _number(end), _number(step)
    _check_range(first, last, gap)
    np_dtype = out_dtype(dtype, out)
    n = int((last - first) / gap) + 1
    return _deliver(_stepped_once.op, (first, gap, n, dtypes.of_array(np_dtype)), "range", device, requires_grad, out)


@op
class _stepped_once:
    """The same, each rounded once from float64: PyTorch's old `range`."""
    tags, method, node_name = NOGRAD, False, "RangeBackward0"

    def forward(first, gap, n, dtype):
        return (np.arange(n) * np.float64(gap) + first).astype(dtype.np)

    def shape(first, gap, n, dtype):
        return (n,), dtype.np
    samples = [(1.5, 0.5, 4, dtypes.float64)]


def _ends(who, start, end, steps, dtype, out):
    """The checked bounds, the count and the type of linspace and logspace."""
    found = []
    for name, value in (("start", start), ("end", end)):
        if isinstance(value, Tensor):
            if value._form.ndim:
                raise RuntimeError(f"{who} only supports 0-dimensional start and end tensors, but got {name} with "
                                   f"{value._form.ndim} dimension(s).")
            value = value.item()
        found.append(value.item() if isinstance(value, np.generic) else value)
        if not isinstance(found[-1], (bool, int, float, complex)):
            raise TypeError(f"{who}(): argument '{name}' must be Number, not {type(value).__name__}")
    steps = steps.item() if isinstance(steps, Tensor) else steps
    if not hasattr(steps, "__index__"):
        raise TypeError(f"{who}() received an invalid combination of arguments: 'steps' must be int, not "
                        f"{type(steps).__name__}")
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if dtype is None and out is None:
        default = DEFAULT.dtype
        np_dtype = (default.to_complex() if complex in map(type, found) else default).np
    else:
        np_dtype = out_dtype(dtype, out)
        if complex in map(type, found) and np_dtype.kind != "c":
            raise RuntimeError(f"{who}(): inferred dtype complex can't be safely cast to passed dtype {np_dtype.name}")
    return found[0], found[1], int(steps), np_dtype


def linspace(start, end, steps, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
             requires_grad=False):
    """`steps` numbers from `start` to `end`, both included, evenly spaced.

    >>> import weft
    >>> weft.linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
    first, last, n, np_dtype = _ends("linspace", start, end, steps, dtype, out)
    return _deliver(_spread_evenly.op, (first, last, n, dtypes.of_array(np_dtype)), "linspace", device, requires_grad,
                    out)


@op
class _spread_evenly:
    """n numbers from the first to the last."""
    tags, method, node_name = NOGRAD, False, "LinspaceBackward0"

    def forward(first, last, n, dtype):
        np_dtype = dtype.np
        if n > 1 and np_dtype.kind == "f" and np_dtype.itemsize > 2:
            with np.errstate(all="ignore"):
                first, last = np_dtype.type(first), np_dtype.type(last)
                array = fast.line(float(first), float(last), float((last - first) / np_dtype.type(n - 1)), n,
                                  np_dtype.itemsize == 8)
            if array is not None:
                return array
        array = allocate(np.empty, (n,), np_dtype, "linspace")
        if n == 1:
            array[0] = first
        elif n:
            with np.errstate(all="ignore"):
                array[...] = _line(first, last, n, np_dtype)
        return array

    def shape(first, last, n, dtype):
        return (n,), dtype.np
    samples = [(1.5, 3.0, 4, dtypes.float64), (0, 6, 3, dtypes.int64)]


def _line(first, last, n, np_dtype):
    """Counted from both ends, so that both are met exactly."""
    half = n // 2
    up, down = np.arange(half, dtype=np.float64), np.arange(n - half - 1, -1, -1, dtype=np.float64)
    if np_dtype.kind in "iu":
        first, last = int(first), int(last)
        gap = (float(last) - float(first)) / (n - 1)
        return np.trunc(np.concatenate((_fused(up, gap, float(first)), _fused(down, -gap, float(last)))))
    if np_dtype.kind == "c":
        gap = (complex(last) - complex(first)) / (n - 1)
        return np.concatenate((up * gap + first, last - down * gap))
    if np_dtype.itemsize == 2:
        return _line_half(first, last, n, np_dtype, up, down)
    first, last = np_dtype.type(first), np_dtype.type(last)
    gap = float((last - first) / np_dtype.type(n - 1))
    fused = _fused if np_dtype.itemsize == 8 else _plain
    return np.concatenate((fused(up, gap, float(first)), fused(down, -gap, float(last))))


def _line_half(first, last, n, np_dtype, up, down):
    """Half types are rounded after every step."""
    def half(values):
        return np.asarray(values, np.float32).astype(np_dtype).astype(np.float32)
    first, last = half(first), half(last)
    gap = half(half(last - first) / np.float32(n - 1))
    return np.concatenate((half(first + half(gap * half(up))), half(last - half(gap * half(down)))))


def logspace(start, end, steps, base=10.0, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
             requires_grad=False):
    """`base` to the power of `steps` numbers from `start` to `end`.

    >>> import weft
    >>> weft.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    first, last, n, np_dtype = _ends("logspace", start, end, steps, dtype, out)
    base = base.item() if isinstance(base, Tensor) else base
    return _deliver(_spread_powers.op, (first, last, base, n, dtypes.of_array(np_dtype)), "logspace", device,
                    requires_grad, out)


@op
class _spread_powers:
    """`base` to the power of n numbers from the first to the last."""
    tags, method, node_name = NOGRAD, False, "LogspaceBackward0"

    def forward(first, last, base, n, dtype):
        np_dtype = dtype.np
        array = allocate(np.empty, (n,), np_dtype, "logspace")
        with np.errstate(all="ignore"):
            if np_dtype.kind == "c":
                powers = np.array([first]) if n == 1 else _line(first, last, n, np_dtype)
                array[...] = np.power(complex(base), powers)
            elif n:
                array[...] = _rounded(np.power(float(base), _powers(first, last, n, np_dtype)), np_dtype)
        return array

    def shape(first, last, base, n, dtype):
        return (n,), dtype.np
    samples = [(0.0, 2.0, 10.0, 4, dtypes.float64)]


def _rounded(values, np_dtype):
    return values.astype(np.float32).astype(np_dtype) if np_dtype.itemsize == 2 else values.astype(np_dtype)


def _powers(first, last, n, np_dtype):
    if np_dtype.kind in "iu":
        first, last = np.float64(int(first)), np.float64(int(last))
    else:
        first, last = np_dtype.type(first), np_dtype.type(last)
    if n == 1:
        return np.array([float(first)])
    gap, half = float(last - first) / (n - 1), n // 2
    up, down = np.arange(half, dtype=np.float64), np.arange(n - half - 1, -1, -1, dtype=np.float64)
    return np.concatenate((up * gap + float(first), float(last) - down * gap))


public(arange)
public(linspace)
public(logspace)
public(range_, "range")
