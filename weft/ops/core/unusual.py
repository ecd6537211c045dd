# compiled
"""Running an op where some inputs are of half precision, or lists of tensors."""
import numpy as np

from weft.kernels.native import expand, is_half
from weft.ops.core.promotion import FLOAT32, cast
from weft.tensor.calls import call_arrays
from weft.tensor.tensor import Tensor


def run_unusual(op, values):
    """The result where some values are half precision or lists of tensors."""
    arrays, half = [], False
    for v in values:
        if isinstance(v, Tensor):
            half = half or is_half(v._form)
            v = v._array
        elif isinstance(v, (list, tuple)):
            tensors = [e for e in v if isinstance(e, Tensor)]
            if tensors:
                half = half or any([is_half(t._form) for t in tensors])
                v = [e._array if isinstance(e, Tensor) else e for e in v]
        arrays.append(v)
    return run_half(op, arrays) if half and not op.keep_half else run_forward(op, arrays)


def run_forward(op, arrays):
    return call_arrays(op.forward, arrays, op.n_positional, op.kw_names)


def run_half(op, arrays):
    """Compute in float32 and round once at the end, as PyTorch does on the CPU."""
    half, wide = None, []
    for a in arrays:
        if isinstance(a, np.ndarray):
            if is_half(a):
                half, a = a.dtype, in_float32(a)
        elif isinstance(a, list):
            for e in a:
                if isinstance(e, np.ndarray) and is_half(e):
                    half = e.dtype
            a = [widened(e) for e in a]
        wide.append(a)
    result = run_forward(op, wide)
    if "dtype" in op.aliases and wide[op.aliases["dtype"]] is not None:
        return result
    return tuple([narrowed(a, half) for a in result]) if isinstance(result, (tuple, list)) else narrowed(result, half)


def widened(a):
    """A half array in float32; others as they are, those in lists too."""
    if isinstance(a, list):
        return [widened(e) for e in a]
    return in_float32(a) if isinstance(a, np.ndarray) and is_half(a) else a


def in_float32(a):
    """A half array in float32; what repeats in it is converted once, and repeats again: how results lie depends on it.
    """
    if 0 not in a.strides or not a.size:
        return cast(a, FLOAT32)
    once = a[tuple([slice(1) if stride == 0 else slice(None) for stride in a.strides])]
    wide = cast(once, FLOAT32)
    repeated = expand(wide, a.shape)
    return np.broadcast_to(wide, a.shape) if repeated is None else repeated


def narrowed(a, half):
    """A float32 result in the half type."""
    a = np.asarray(a)
    return cast(a, half) if a.dtype == FLOAT32 else a
