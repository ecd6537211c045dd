"""Autocast: an op on its inputs in the type that its body asks for in a region of mixed precision.

    autocast = "lower"      the region's type
    autocast = "float32"    the precise one
    autocast = "widest"     the widest that is among its inputs
    autocast = "same"       those that they have

or a function of the arguments that gives one of them, or None for "same". Only floating types of the CPU below float64
are cast, by ops that everybody sees; what the op calls itself is left alone.
"""
from weft.core import dtype as dtypes
from weft.core.autocast import state
from weft.core.errors import fail
from weft.core.modes import AUTOCAST, GRAD_OFF, INFERENCE
from weft.core.runtime import mode_bits, set_mode_bits
from weft.tensor.names import FUNCTIONS
from weft.tensor.nested import tensors_in
from weft.tensor.tensor import Tensor

LOWER, FLOAT32, WIDEST = "lower", "float32", "widest"
CAST = (dtypes.float32, dtypes.bfloat16, dtypes.float16)


def call_cast(op, args, kwargs):
    """A composition on its arguments, cast."""
    target = _target(op, args, kwargs)
    with without_cast():
        if target is not None:
            args = [_cast_all(value, target) for value in args]
            kwargs = {name: _cast_all(value, target) for name, value in kwargs.items()}
        return op.call(tuple(args), kwargs)


def compute_cast(op, values):
    """The same for bound values."""
    target = _target(op, values, {})
    with without_cast():
        return op.compute(values if target is None else [_cast_all(value, target) for value in values])


class without_cast:
    """Autocast is off inside: the op has its types."""

    def __enter__(self):
        set_mode_bits(mode_bits() & ~AUTOCAST)

    def __exit__(self, *error):
        set_mode_bits(mode_bits() | AUTOCAST)


def _target(op, args, kwargs):
    """The type that the op's inputs get; None where they stay as they are."""
    kind = op.autocast(*args, **kwargs) if callable(op.autocast) else op.autocast
    if kind == LOWER:
        return state.dtypes["cpu"]
    return dtypes.float32 if kind == FLOAT32 else _widest(args, kwargs) if kind == WIDEST else None


def _widest(args, kwargs):
    lower = chosen = state.dtypes["cpu"]
    for t in tensors_in((args, kwargs)):
        if _takes_part(t):
            if t.dtype not in (dtypes.float32, lower):
                fail(RuntimeError, f"Unexpected floating ScalarType in at::autocast::prioritize: {t.dtype} in a region "
                     f"of {lower}", f"convert it with .to({lower})")
            chosen = dtypes.float32 if t.dtype is dtypes.float32 else chosen
    return chosen


def _takes_part(t):
    return not t._on_meta and t.dtype in CAST


def _cast_all(value, target):
    """A tensor, or all in a list, in the type."""
    if isinstance(value, Tensor):
        return _cast(value, target) if _takes_part(value) and value.dtype is not target else value
    if isinstance(value, (list, tuple)) and any(isinstance(v, Tensor) for v in value):
        made = [_cast_all(v, target) for v in value]
        return made if isinstance(value, list) else tuple(made)
    return value


def _cast(t, target):
    if not (state.keep and t._wants_grad and t._view_of is None and t.dtype is dtypes.float32
            and target is state.dtypes["cpu"]):
        return FUNCTIONS["to"](t, target)
    # made under no_grad it has no history, and a leaf that was written to has other values
    now = t._writes(), mode_bits() & (GRAD_OFF | INFERENCE), target
    leaf, known, made = state.kept.get(id(t), (None, None, None))
    if leaf is not t or known != now:
        made = FUNCTIONS["to"](t, target)
        if state.depth:
            state.kept[id(t)] = (t, now, made)
    return made
