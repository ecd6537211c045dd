# compiled
"""Running an op where some inputs are half precision, meta tensors, or lists of tensors."""
import numpy as np

from weft.core.size import broadcast_shapes
from weft.kernels.native import is_half
from weft.ops.core.promotion import FLOAT32, cast
from weft.tensor.calls import call_arrays
from weft.tensor.tensor import Tensor


def run_unusual(op, values):
    """The result, and whether it is a meta one, where some values are half precision, meta, or lists of tensors."""
    arrays, meta, half = [], False, False
    for v in values:
        tensors = ([v] if isinstance(v, Tensor) else [e for e in v if isinstance(e, Tensor)]
                   if isinstance(v, (list, tuple)) else ())
        for t in tensors:
            meta = meta or t._meta
            half = half or is_half(t.array)
        if isinstance(v, (list, tuple)) and tensors:
            arrays.append([e.array if isinstance(e, Tensor) else e for e in v])
        else:
            arrays.append(v.array if isinstance(v, Tensor) else v)
    if meta:
        return run_meta(op, arrays), True
    return run_half(op, arrays) if half and not op.keep_half else run_forward(op, arrays), False


def run_forward(op, arrays):
    return call_arrays(op.forward, arrays, op.n_positional, op.kw_names)


def run_half(op, arrays):
    """Compute in float32 and round once at the end, as PyTorch does on the CPU."""
    half = None

    def widen(a):
        nonlocal half
        if isinstance(a, np.ndarray) and is_half(a):
            half = a.dtype
            return cast(a, FLOAT32)
        if isinstance(a, list):
            return [widen(e) for e in a]
        return a

    wide = [widen(a) for a in arrays]
    result = run_forward(op, wide)
    if "dtype" in op.aliases and wide[op.aliases["dtype"]] is not None:
        return result

    def narrow(a):
        a = np.asarray(a)
        return cast(a, half) if a.dtype == FLOAT32 else a

    return tuple(narrow(a) for a in result) if isinstance(result, (tuple, list)) else narrow(result)


def empty_spec(shape, np_dtype):
    """An array of any shape in the memory of one element: what a meta tensor holds."""
    return np.lib.stride_tricks.as_strided(np.zeros(1, np_dtype), tuple(shape), (0,) * len(shape))


def run_meta(op, arrays):
    """The result's shape and type without its values."""
    if op.shape_rule is not None:
        shape, np_dtype = op.shape_rule(*arrays)
        return empty_spec(shape, np_dtype)
    if op.pointwise:
        shape = broadcast_shapes(*[a.shape for a in arrays if isinstance(a, np.ndarray)])
        tiny = [np.ones((), a.dtype) if isinstance(a, np.ndarray) else a for a in arrays]
        made = run_forward(op, tiny)
        if isinstance(made, (tuple, list)):
            return tuple(empty_spec(shape, np.asarray(m).dtype) for m in made)
        return empty_spec(shape, np.asarray(made).dtype)
    made = run_forward(op, arrays)
    if op.is_view or op.maybe_view:
        return made
    if isinstance(made, (tuple, list)):
        return tuple(empty_spec(np.shape(m), np.asarray(m).dtype) for m in made)
    return empty_spec(np.shape(made), np.asarray(made).dtype)
