# compiled
"""What functions on lists of tensors (`_foreach_*`, `_fused_*`) have in common; runs once for each tensor, so it is
compiled.
"""
from weft.core.modes import GRAD_OFF, SLOW
from weft.core.runtime import mode_bits
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
            if t._meta or t._inference or t._owed is not None:
                return False
            if bits & GRAD_OFF == 0 and (t._view is not None or needs_grad(t)):
                return False
    return True


def arrays_of(tensors):
    """The arrays of a list of tensors; None for None."""
    if tensors is None:
        return None
    arrays = []
    for one in tensors:
        t = one
        arrays.append(t.form if t._owed is None else t.array)
    return arrays


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
