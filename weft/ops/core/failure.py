"""Why an op's forward was refused, in the user's terms."""
import contextlib
import re

import numpy as np

from weft.core.errors import message
from weft.core.size import broadcast_shapes
from weft.tensor.tensor import Tensor

# what NumPy says of sizes that no memory has
TOO_LARGE = ("too big", "aximum allowed dimension", "maximum possible size", "negative dimensions",
             "maximum supported dimension", "aximum allowed size")


def is_too_large(error):
    """Whether an error says that there is no memory, or that no memory has such a size."""
    return isinstance(error, MemoryError) or (type(error) in (ValueError, OverflowError)
                                              and any(part in str(error) for part in TOO_LARGE))


def explain_too_large(name, error):
    """A result that doesn't fit into memory, or into any memory, is a RuntimeError, as PyTorch's is."""
    if isinstance(error, MemoryError):
        raise RuntimeError(message(f"{name}: not enough memory" + (f": {error}" if str(error) else ""),
                                   "use smaller tensors, or fewer at a time")) from error
    if is_too_large(error):
        raise RuntimeError(message(f"{name}: the result would be too large for any memory ({error})",
                                   "look at the sizes and numbers that it was given")) from error


@contextlib.contextmanager
def sizes_of(name):
    """Around what makes arrays of a size that the user gives, for functions that are no ops."""
    try:
        yield
    except (ValueError, OverflowError, MemoryError) as error:
        explain_too_large(name, error)
        raise


def explain_composition(op, args, kwargs, error):
    """The same for an op that is made of others."""
    explain_too_large(op.name, error)
    explain_no_tensor(op, [*args, *[kwargs.get(name) for name in op.names[len(args):]]], error)


def explain_no_tensor(op, values, error):
    """An argument without a tensor's attributes, in a place where the samples have tensors, is said to be none."""
    told = re.match(r"'(\w+)' object has no attribute", str(error)) if isinstance(error, AttributeError) else None
    for i in tensor_places(op) if told else ():
        if i < len(values) and type(values[i]).__name__ == told.group(1) and not isinstance(values[i], Tensor):
            raise no_tensor(op, i, values[i]) from error


def no_tensor(op, i, value):
    """The error of a parameter that must be a tensor, as PyTorch says it."""
    own = op.names[i] if i < len(op.names) else "input"
    name = next((n for n in ("input", "other") if op.aliases.get(n) == i), own)
    return TypeError(message(f"{op.name}(): argument '{name}' (position {i + 1}) must be Tensor, not "
                             f"{type(value).__name__}", "make it one with torch.tensor(...)"))


def tensor_places(op):
    """The numbers of the parameters for which one of the op's samples has a tensor."""
    found = {0}
    for sample in op.samples or ():
        for i, value in enumerate(sample):
            if isinstance(value, tuple) or getattr(value, "kind", "size") not in ("size", "given"):
                found.add(i)
    return sorted(found)


def explain_failure(op, values, error):
    """Say why NumPy refused: no memory, operands that aren't tensors, shapes that don't broadcast."""
    explain_too_large(op.name, error)
    explain_no_tensor(op, values, error)
    for i in range(min(op.n_positional, len(values))):
        v = values[i]
        if (op.names[i] in ("x", "y")
                and not isinstance(v, (Tensor, bool, int, float, complex, np.number, np.bool_))):
            raise no_tensor(op, i, v) from error
    if type(error) is AttributeError and op.names and values and not isinstance(values[0], (Tensor, list, tuple)):
        raise no_tensor(op, 0, values[0]) from error
    if op.pointwise and type(error) is ValueError:
        try:
            broadcast_shapes(*[v.form.shape for v in values if isinstance(v, Tensor)])
        except RuntimeError as mismatch:
            raise RuntimeError(f"{op.name}: {mismatch}") from None
