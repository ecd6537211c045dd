"""Why an op's forward was refused, in the user's terms."""
import numpy as np

from weft.core.errors import message
from weft.core.size import broadcast_shapes
from weft.tensor.tensor import Tensor


def explain_failure(op, values, error):
    """Say why NumPy refused: no memory, operands that aren't tensors, shapes that don't broadcast."""
    if isinstance(error, MemoryError):
        raise RuntimeError(message(f"{op.name}: not enough memory: {error}",
                                   "use smaller tensors, or fewer at a time")) from error
    for i in range(min(op.n_positional, len(values))):
        v = values[i]
        if (op.names[i] in ("x", "y")
                and not isinstance(v, (Tensor, bool, int, float, complex, np.number, np.bool_))):
            raise TypeError(message(f"{op.name}(): argument '{'input' if op.names[i] == 'x' else 'other'}' (position "
                                    f"{i + 1}) must be Tensor, not {type(v).__name__}",
                                    "make it one with torch.tensor(...)")) from error
    if type(error) is AttributeError and op.names and values and not isinstance(values[0], (Tensor, list, tuple)):
        raise TypeError(message(f"{op.name}(): argument 'input' (position 1) must be Tensor, not "
                                f"{type(values[0]).__name__}", "make it one with torch.tensor(...)")) from error
    if op.pointwise and type(error) is ValueError:
        try:
            broadcast_shapes(*[v.form.shape for v in values if isinstance(v, Tensor)])
        except RuntimeError as mismatch:
            raise RuntimeError(f"{op.name}: {mismatch}") from None
