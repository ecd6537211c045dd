# compiled
"""What functions on lists of tensors (`_foreach_*`, `_fused_*`) have in common; runs once for each tensor, so it is
compiled.
"""
from weft.core.modes import GRAD_OFF, SLOW
from weft.core.runtime import mode_bits
from weft.kernels.native import is_complex, same_layout
from weft.tensor.tensor import is_plain, needs_grad


def is_quiet(xs, ys=None, zs=None):
    """Whether a kernel may work on the memory of all these tensors: nothing is recorded, watched, or refused."""
    bits = mode_bits()
    if bits & SLOW:
        return False
    for tensors in (xs, ys, zs):
        if tensors is None:
            continue
        for one in tensors:
            if not is_plain(one):
                return False
            t = one
            if t._meta or t._inference or bits & GRAD_OFF == 0 and (t._view is not None or needs_grad(t)):
                return False
    return True


def arrays_of(tensors):
    """The arrays of a list of tensors; None for None."""
    if tensors is None:
        return None
    arrays = []
    for one in tensors:
        t = one
        arrays.append(t.array)
    return arrays


def real_arrays(tensors):
    """The arrays of a list; of complex ones the real and imaginary parts, one after the other. None for None."""
    if tensors is None:
        return None
    arrays = []
    for one in tensors:
        t = one
        if is_complex(t.form):
            arrays.append(t.array.real)
            arrays.append(t.array.imag)
        else:
            arrays.append(t.array)
    return arrays


def all_match(first, second):
    """Whether the arrays of two lists have the same shapes and types, one by one."""
    for one, other in zip(first, second):
        a = one
        b = other
        if not same_layout(a.form, b.form):
            return False
    return True


def count_writes(ws, xs=None, ys=None, zs=None):
    """Count a write to every tensor of the lists, at the user's line."""
    written = None
    for tensors in (ws, xs, ys, zs):
        if tensors is None:
            continue
        for one in tensors:
            t = one
            record = t.memory_record()
            if written is None:
                record.mark()
                written = record.written
            else:
                record.version += 1
                record.written = written
