# compiled
"""What ops on lists of tensors ask of every tensor in them; runs once for each tensor, so it is compiled."""
import numpy as np

from weft.core.errors import fail
from weft.core.modes import GRAD_OFF, NO_OVERRIDE, NUMERICS
from weft.core.place import here
from weft.core.runtime import mode_bits
from weft.kernels.native import overlaps
from weft.ops.core.bind import bind
from weft.ops.core.inplace import check_writable
from weft.ops.core.promotion import common_dtype
from weft.ops.core.record import mask_of
from weft.tensor.override import overridden, override
from weft.tensor.tensor import Tensor

NUMBERS = (int, float, complex, np.number, np.bool_)


def call(op, args, kwargs):
    """An op over lists: one op on the road, whatever the lists hold."""
    bits = mode_bits()
    if bits & NO_OVERRIDE == 0 and overridden(args, kwargs):
        return override(op.public, args, kwargs)
    values = bind(op, args, kwargs)
    if bits & GRAD_OFF == 0 and mask_of(values):
        values = of_one_type(values)
    return op.compute(values)


def call_in_place(op, plain, carry, args, kwargs):
    """`op`, which writes to the tensors of its first list; where a graph cares, or somebody looks for what isn't
    finite, `carry`, which writes the results of `plain` with their history.
    """
    bits = mode_bits()
    if bits & NO_OVERRIDE == 0 and overridden(args, kwargs):
        return override(op.public, args, kwargs)
    values = bind(op, args, kwargs)
    if plain.check is not None:
        plain.check(*values)
    written = values[0]
    may_write(written, op.name, op.fills)
    if bits & NUMERICS or bits & GRAD_OFF == 0 and mask_of(values):
        carry(op, plain, values)
        return written
    try:
        op.compute(values)
    except BaseException:
        count_writes(written)       # some may have been
        raise
    return written


def check_list(name, given, what):
    """Refuse what is no list of tensors, with PyTorch's errors."""
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"{name}(): argument '{what}' must be tuple of Tensors, not {type(given).__name__}")
    if not given:
        fail(RuntimeError, f"{name}(): Tensor list must have at least one tensor.")
    for one in given:
        if not isinstance(one, Tensor):
            raise TypeError(f"{name}(): argument '{what}' must be tuple of Tensors, but it holds a "
                            f"{type(one).__name__}")


def check_pair(name, first, other, what):
    """The same of a list beside the first one, which was checked: as long as that one, too."""
    check_list(name, other, what)
    if len(first) != len(other):
        fail(RuntimeError, f"{name}(): Tensor lists must have the same number of tensors, got {len(first)} and "
             f"{len(other)}")


def check_numbers(name, first, value, what):
    """One number for all (or a tensor of them), or a list of as many."""
    if not isinstance(value, (list, tuple)):
        if not isinstance(value, (Tensor, *NUMBERS)):
            raise TypeError(f"{name}(): argument '{what}' must be a number or a list of numbers or of tensors, not "
                            f"{type(value).__name__}")
        return
    if len(value) != len(first):
        fail(RuntimeError, f"{name}(): Tensor list must have same number of elements as scalar list, got {len(first)} "
             f"and {len(value)}")
    for v in value:
        if type(v) is not float and not isinstance(v, NUMBERS):
            raise TypeError(f"{name}(): argument '{what}' must be a list of numbers or of tensors, but it holds a "
                            f"{type(v).__name__}")


def holds_tensors(given):
    """Whether a list is one of tensors and not of numbers: its first element decides, as in PyTorch."""
    return isinstance(given, (list, tuple)) and len(given) > 0 and isinstance(given[0], Tensor)


def may_write(tensors, name, fills):
    """Refuse before anything is written, as every op in place does."""
    bits = mode_bits()
    for one in tensors:
        t = one
        if (t._on_meta or t._owed is not None or t._inference or overlaps(t._form)
                or bits & GRAD_OFF == 0 and (t._wants_grad or t._view_of is not None)):
            check_writable(t, name, fills)


def count_writes(tensors):
    """Count a write to every tensor of a list, at the user's line."""
    place = here()
    for one in tensors:
        t = one
        t._own_memory_record().mark_at(place)


def of_one_type(values):
    """Values for the graph: lists of their own, since it keeps them, and in each row tensors of the type that the row's
    result has. Where PyTorch would promote in silence, a cast is an op of its own, with its own gradient.
    """
    values = [list(v) if isinstance(v, (list, tuple)) else v for v in values]
    kind = None
    mixed = False
    for v in values:
        for one in v if isinstance(v, list) else (v,):
            if isinstance(one, Tensor):
                t = one
                mixed = mixed or kind is not None and t._form.dtype != kind
                kind = t._form.dtype
            elif isinstance(one, complex):
                mixed = True
    if not mixed:
        return values
    n = max([len(v) for v in values if isinstance(v, list)])
    columns = [i for i, v in enumerate(values) if isinstance(v, Tensor) or isinstance(v, list) and len(v) == n]
    for i in columns:
        if isinstance(values[i], Tensor):
            values[i] = [values[i]] * n
    for k in range(n):
        kind = common_dtype([values[i][k] for i in columns])
        for i in columns:
            if isinstance(values[i][k], Tensor):
                values[i][k] = values[i][k].to(kind)
    return values
