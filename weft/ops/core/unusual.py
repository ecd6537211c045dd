# compiled
"""Running an op where some inputs are of half precision, or lists of tensors."""
import numpy as np

from weft.kernels.native import is_half
from weft.ops.core.promotion import FLOAT32, cast
from weft.tensor.calls import call_arrays
from weft.tensor.tensor import Tensor


def run_unusual(op, values):
    """The result where some values are half precision or lists of tensors."""
    arrays, half = [], False
    for v in values:
        tensors = ([v] if isinstance(v, Tensor) else [e for e in v if isinstance(e, Tensor)]
                   if isinstance(v, (list, tuple)) else ())
        for t in tensors:
            half = half or is_half(t._form)
        if isinstance(v, (list, tuple)) and tensors:
            arrays.append([e._array if isinstance(e, Tensor) else e for e in v])
        else:
            arrays.append(v._array if isinstance(v, Tensor) else v)
    return run_half(op, arrays) if half and not op.keep_half else run_forward(op, arrays)


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
