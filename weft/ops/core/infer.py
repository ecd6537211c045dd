# compiled
"""What an op will give, without computing it: from its `shape` rule, or derived for views, elementwise ops and
reductions.
"""
import numpy as np

from weft.core.dtype import default
from weft.core.errors import fail
from weft.core.spec import Spec, broadcast, ghost, reduced
from weft.kernels.native import address, is_half
from weft.ops.core.unusual import run_forward, run_half
from weft.tensor.tensor import Tensor, describe

SAME = object()     # the op gives back its first input
TYPES, MOST = {}, 4096      # what `_types` found out


def infer(op, values):
    """The Spec of the result of bound (and promoted) values, a tuple of them for several outputs; or SAME."""
    given = [_described(v) for v in values]
    if op.shape_rule is not None:
        n = op.n_positional
        made = op.shape_rule(*given[:n], **dict(zip(op.kw_names, given[n:])))
        return SAME if made is given[0] else _finished(made)
    if op.reads:
        fail(NotImplementedError, f"{op.name}: the shape of its result depends on values, which a tensor on the meta "
             f"device doesn't have", "give it a tensor with values")
    if op.is_view:
        return _of_view(op, given)
    if op.pointwise:
        return _of_elements(op, given)
    if op.reduces:
        return _of_reduction(op, given)
    fail(NotImplementedError, f"{op.name}: its body has no `shape` rule, so it can't run without values",
         "give it a tensor with values")


def _described(value):
    """A tensor's Spec; a list's Specs."""
    if isinstance(value, Tensor):
        return describe(value)
    if isinstance(value, (list, tuple)) and any([isinstance(e, Tensor) for e in value]):
        return [describe(e) if isinstance(e, Tensor) else e for e in value]
    return value


def _finished(made):
    """A rule's result as a Spec or a tuple of Specs."""
    if isinstance(made, Spec):
        return made
    if len(made) == 2 and isinstance(made[1], (np.dtype, type)):
        return Spec(*made)
    return tuple([_finished(m) for m in made])


def _of_view(op, given):
    """A view's forward moves no values, so it runs on arrays that have geometry only."""
    source, given = given[0], [ghost(v) if isinstance(v, Spec) else v for v in given]
    made, start = run_forward(op, given), address(given[0]) - source.offset
    found = [Spec(m.shape, m.dtype, m.strides, source, address(m) - start)
             for m in (made if isinstance(made, (tuple, list)) else (made,))]
    return tuple(found) if isinstance(made, (tuple, list)) else found[0]


def _of_elements(op, given):
    """Broadcasting gives the shape; one element says of which type the result is."""
    types = _types(op, given, False)
    operands = [v for v in given if isinstance(v, Spec)]
    try:
        return tuple([broadcast(operands, t) for t in types]) if type(types) is tuple else broadcast(operands, types)
    except RuntimeError as mismatch:        # in the words of `explain_failure`
        raise RuntimeError(f"{op.name}: {mismatch}") from None


def _of_reduction(op, given):
    """The dimensions are known by their names; one element says of which type the result is."""
    x, named = given[0], dict(zip(op.names, given))
    types = _types(op, given, True)
    dim, keepdim = named["dim"], named.get("keepdim", False)
    return tuple([reduced(x, dim, keepdim, t) for t in types]) if type(types) is tuple \
        else reduced(x, dim, keepdim, types)


def _types(op, given, with_dims):
    """The type of an op's result, a tuple of them for several: its forward on arrays of one element says so, once for
    what is given besides sizes.
    """
    try:
        key = op, default.dtype, *[(v.dtype, v.ndim * with_dims) if isinstance(v, Spec) else (type(v), v)
                                   for v in given]
        types = TYPES.get(key)
    except TypeError:       # a list
        key = types = None
    if types is None:
        made = _tiny(op, [np.ones((1,) * (v.ndim * with_dims), v.dtype) if isinstance(v, Spec) else v for v in given])
        types = tuple([np.asarray(m).dtype for m in made]) if isinstance(made, (tuple, list)) \
            else np.asarray(made).dtype
        if key is not None:
            if len(TYPES) >= MOST:
                TYPES.clear()
            TYPES[key] = types
    return types


def _tiny(op, arrays):
    """The forward on single elements."""
    half = any([isinstance(a, np.ndarray) and is_half(a) for a in arrays])
    return run_half(op, arrays) if half and not op.keep_half else run_forward(op, arrays)
