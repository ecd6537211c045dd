# compiled, hot
"""Writing into a tensor that is there already: checks first, then the values, then the history."""
import numpy as np

from weft.autograd.graph import Node, next_seq
from weft.autograd.outputs import CUSTOM_VIEW, INFERENCE_VIEW
from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.modes import AUTOCAST, GRAD_OFF, NUMERICS, SLOW, TAKE, WATCH, enable_grad, local
from weft.core.runtime import mode_bits, set_mode_bits
from weft.core.seam import tell_wrote
from weft.kernels.native import binary_into, copy_into, overlaps, same_layout
from weft.ops.core.autocast import without_cast
from weft.ops.core.bind import bind
from weft.ops.core.inference import check_inference
from weft.ops.core.promotion import cast
from weft.ops.core.record import edge, mask_of, record_one
from weft.tensor.calls import call_arrays
from weft.tensor.names import FUNCTIONS
from weft.tensor.override import overridden, override
from weft.tensor.tensor import OPS, Tensor, alias, needs_grad, replay, wrap

SPECIAL = SLOW | NUMERICS


def check_writable(x, name, fills=False):
    """Refuse before anything is written: leaves in a graph, views that can't carry history, overlapping memory.

    `fills`: one value is written, so elements that share a place agree on it.
    """
    if not fills and is_expanded(x):
        fail(RuntimeError, f"{name}: unsupported operation: more than one element of the written-to tensor refers to a "
             f"single memory location (it was expanded)", "clone() it first")
    if x._inference:
        check_inference(x, name)
    if mode_bits() & GRAD_OFF:
        return
    if x._wants_grad:
        fail(RuntimeError, f"{name}: a leaf Variable that requires grad is being used in an in-place operation.",
             "write under no_grad(), or use the form without _ and keep its result")
    if x._view_of is None:
        return
    base = x._view_of.base()
    if base._wants_grad:
        fail(RuntimeError, f"{name}: a view of a leaf Variable that requires grad is being used in an in-place "
             f"operation.",
             "write under no_grad(), or clone() the leaf first")
    if needs_grad(base) or needs_grad(x):
        _check_kinds(x, name)


def is_expanded(x):
    """Whether several elements of a tensor share a place in memory, or will when its values are there."""
    if x._on_meta:
        return False
    if x._owed is None:
        return overlaps(x._form)
    if not x._owed.readable or x._seldom is None or "strides" not in x._seldom:
        return False
    shape = x._form.shape
    return 0 not in shape and any([s == 0 and n > 1 for n, s in zip(shape, x._seldom["strides"])])


def _check_kinds(x, name):
    """A view, or what it is a view of, may come from where a write through it can't become history."""
    view = x._view_of
    while view is not None:
        if view.kind == 2:
            fail(RuntimeError, f"{name}: Output {view.out} of {view.op.node_name} is a view and is being modified "
                 f"inplace. This view is the output of a function that returns multiple views. Such functions do not "
                 f"allow the output views to be modified inplace.",
                 "use the form without _, or index the tensor itself")
        if view.kind == 1:
            fail(RuntimeError, f"{name}: A view was created in no_grad mode and is being modified inplace with grad "
                 f"mode enabled.",
                 "make the view outside no_grad(), or write inside it")
        if view.kind == INFERENCE_VIEW:
            fail(RuntimeError, f"{name}: A view was created in inference mode and is being modified inplace in normal "
                 f"mode.",
                 "make the view outside inference_mode, or write inside it")
        if view.kind == CUSTOM_VIEW:
            made_by = x._made_by.name().removesuffix("Backward") if x._made_by is not None else "a Function"
            fail(RuntimeError, f"{name}: Output {x._made_nr} of {made_by} is a view and is being modified inplace. "
                 f"This view was created inside a custom Function (or because an input was returned as-is): writing "
                 f"through it would pass by the Function's own backward. This behavior is forbidden.",
                 "clone() the output of the custom Function first")
        view = view.source._view_of


def run_inplace(op, x, args, kwargs):
    """`x.op_(...)`."""
    if not isinstance(x, Tensor):
        if hasattr(x, "__torch_function__"):
            return override(inplace_function(op), (x, *args), kwargs)
        raise TypeError(f"{op.name}_(): the first argument must be a tensor, not {type(x).__name__}")
    if mode_bits() & 32 == 0 and type(x) is not Tensor and overridden((x, *args), kwargs):
        return override(inplace_function(op), (x, *args), kwargs)
    if op.binary_code >= 0 and len(args) == 1 and not kwargs and quick_write(op, x, args[0]):
        return x
    if mode_bits() & 32 == 0 and overridden(args, kwargs):
        return override(inplace_function(op), (x, *args), kwargs)
    check_writable(x, op.name + "_", op.fills)
    if mode_bits() & TAKE and local.taker.takes_inplace(op, x, args, kwargs):
        return x
    alone = nobody_cares(x, args, kwargs)
    if op.write is not None and (x._owed is None or x._owed.readable):
        return _write_at_once(op, x, args, kwargs) if alone else _write_directly(op, x, args, kwargs)
    if alone or mode_bits() & GRAD_OFF:
        return store(x, compute(op, x, args, kwargs), op.name + "_")
    before = as_it_was(x)
    out = compute(op, before, [before if a is x else a for a in args], kwargs)
    keep_saved(before, out)
    return store(x, out, op.name + "_")


def nobody_cares(x, args, kwargs):
    """Whether a write is no history, for no graph holds what it touches, and nobody looks on."""
    bits = mode_bits()
    if bits & SPECIAL or x._on_meta or x._owed is not None or x._inference:
        return False
    if bits & GRAD_OFF:
        return True
    if needs_grad(x) or x._view_of is not None and needs_grad(x._view_of.base()):
        return False
    return not kwargs and (not args or mask_of(list(args)) == 0)


def _write_at_once(op, x, args, kwargs):
    """The op's own way to fill memory, and no more."""
    call_arrays(op.write, bind(op, (x, *args), kwargs), op.n_positional, op.kw_names)
    bump(x)
    if x._view_of is not None and mode_bits() & GRAD_OFF == 0:
        x._view_of.version = x._memory_record.version
    return x


def quick_write(op, x, y):
    """`x.op_(y)` of plain tensors that no graph cares about, by the native loop; False when that doesn't take it."""
    bits = mode_bits()
    if bits & SPECIAL:
        return bits & SPECIAL == WATCH and watched_write(op, x, y)
    if x._on_meta or x._inference or x._owed is not None or type(x) is not Tensor:
        return False
    if bits & GRAD_OFF == 0 and (x._wants_grad or x._made_by is not None or x._view_of is not None):
        return False
    if type(y) is Tensor:
        other = y
        if other._on_meta or other._owed is not None or bits & GRAD_OFF == 0 and needs_grad(other):
            return False
        y = other._form
    elif op.tensor_slots & 2:
        return False
    if not binary_into(op.binary_code, x._form, y):
        return False
    x._own_memory_record().mark()
    return True


def watched_write(op, x, y):
    """The same while others look on."""
    values = [x, y, *op.defaults[2:]]
    for watcher in local.watchers:
        watcher.before(op, values)
    bits = set_mode_bits(mode_bits() & ~WATCH)
    try:
        done = quick_write(op, x, y)
    finally:
        set_mode_bits(bits)
    if done:
        for watcher in local.watchers:
            watcher.after(op, values, [x])
        tell_wrote(x, x)
    return done


def compute(op, x, args, kwargs):
    """`op(x, *args)`, by its short road where it has one."""
    if op.autocast is not None and mode_bits() & AUTOCAST:
        with without_cast():        # what is written to keeps its type
            return compute(op, x, args, kwargs)
    if kwargs or len(args) > 1:
        return op.call((x, *args), kwargs)
    if not args:
        return op.call1(x)
    out = op.call2(x, args[0])
    if out is NotImplemented:
        fail(TypeError, f"unsupported operand type(s) for {op.name}_: 'Tensor' and '{type(args[0]).__name__}'",
             "give a tensor or a number")
    return out


def as_it_was(x):
    """A stand-in for `x` with the history it has now: a node that saved `x` itself would hold itself."""
    if x._owed is not None:
        x._owed.owner.inspected(x)
    before = alias(x)
    if x._seldom is not None and "tangent" in x._seldom:
        before._seldom = {"tangent": x._seldom["tangent"]}
    if needs_grad(x):
        before._made_by, before._made_nr = x._made_by, x._made_nr
    return before


def keep_saved(before, out):
    """Copy the old values if the backward wants them, since they are about to be overwritten."""
    node = out._made_by
    if node is not None and node.saved is not None and any([v is before for v in node.saved]):
        before._form, before._memory_record = before._array.copy(), None


def inplace_function(op):
    """The public `_` form of an op."""
    return FUNCTIONS[op.name + "_"]


def _write_directly(op, x, args, kwargs):
    """The op has its own way to fill memory."""
    if mode_bits() & TAKE:
        local.taker.writing(x)
    before = as_it_was(x) if mode_bits() & GRAD_OFF == 0 else x
    values = [before if v is x else v for v in bind(op, (x, *args), kwargs)]
    arrays = [v._array if isinstance(v, Tensor) else
              [e._array if isinstance(e, Tensor) else e for e in v] if isinstance(v, (list, tuple)) else v
              for v in values]
    if mode_bits() & WATCH:
        for watcher in local.watchers:
            watcher.before(op, values)
    tracking = mode_bits() & GRAD_OFF == 0
    mask = mask_of(values) if tracking and op.differentiable else 0
    made = wrap(x._array)
    if mask:
        record_one(op, mask, values, made)
        keep_saved(before, made)
    if not x._on_meta:
        op.write(*arrays[:op.n_positional], **dict(zip(op.kw_names, arrays[op.n_positional:])))
    bump(x)
    if tracking:
        graft(x, made)
    if mode_bits() & (WATCH | NUMERICS):
        op.finish_special(values, [x], mode_bits() & (WATCH | NUMERICS))
        tell_wrote(x, x)
    return x


def store(x, out, name):
    """Write a result into `x` and give `x` its history."""
    alike = same_layout(out._form, x._form)
    if not alike and out._form.shape != x._form.shape:
        fail(RuntimeError, f"{name}: output with shape {list(x._form.shape)} doesn't match the broadcast shape "
             f"{list(out._form.shape)}", "use the form without _, which may grow")
    if not alike and out._form.dtype != x._form.dtype:
        if not dtypes.can_cast(out.dtype, x.dtype):
            fail(RuntimeError, f"{name}: result type {out.dtype} can't be cast to the desired output type {x.dtype}",
                 f"use the form without _, or make the tensor {out.dtype} first")
        out = out.to(x.dtype)
    if not x._on_meta:
        if out._on_meta:
            fail(RuntimeError, f"{name}: Expected all tensors to be on the same device, but found at least two "
                 f"devices, cpu and meta!",
                 "a meta tensor has no values to write")
        write_through(x, out)
    bump(x)
    if mode_bits() & GRAD_OFF == 0:
        graft(x, out)
    if mode_bits() & WATCH:
        tell_wrote(x, out)
    return x


def write_through(x, out):
    """Copy the values of `out` into `x`, unless the taker owes that copy from now on."""
    if mode_bits() & TAKE:
        if local.taker.takes_write(x, out):
            return
        local.taker.writing(x)
    target, values = x._array, out._array
    if not copy_into(target, values):
        target[...] = values


def bump(x):
    """Count a write, and remember whose it was."""
    x._own_memory_record().mark()


def graft(x, out):
    """Make the node of `out` the history of `x`; a write through a view becomes history of its base."""
    view = x._view_of
    base = x if view is None else view.base()
    if out._made_by is None and not needs_grad(base):
        if view is not None:
            view.version = x._memory_record.version
        return
    if view is not None:
        follow_moves(x)
        set_history(base, CopySlices(base, view, out), 0)
    elif out._made_by is None:
        set_history(x, Overwritten(x), 0)
    else:
        set_history(x, out._made_by, out._made_nr)


def set_history(t, node, out):
    """Change the node of a tensor; a retained gradient is one of the tensor, so it moves along."""
    old = t._made_by
    if old is not None and old.extra is not None:
        retained = old.extra.get("retain", {})
        holder = retained.get(t._made_nr)
        if holder is not None and holder() is t:
            del retained[t._made_nr]
            if node is not None:
                node.note("retain", dict)[out] = holder
    t._made_by, t._made_nr = node, out


class Overwritten(Node):
    """A write that has no derivative: what was there before gets a gradient of zeros."""

    def __init__(self, x):
        self.parents, self.outs = (x._made_by,), (x._made_nr,)
        self.seq = next_seq()
        self.n_outputs = 1
        self.place()

    def name(self):
        return "ZeroBackward0"

    def run(self, grad):
        return [grad * 0 if mode_bits() & GRAD_OFF == 0 else wrap(np.zeros_like(grad._array))]

    def free(self):
        pass


class CopySlices(Node):
    """A write through a view: the base's gradient outside the view goes on, that inside goes to what was written."""

    kind = "index"

    def __init__(self, base, view, out):
        self.chain = view.chain()       # not the view: it holds the base, whose node this is
        self.geometry = base._form.shape, base._form.strides
        base_edge = edge(base) if base._made_by is not None else None
        self.parents = (base_edge, out._made_by)
        self.outs = (base._made_nr if base_edge is not None else 0, out._made_nr)
        self.seq = next_seq()
        self.n_outputs = 1
        self.place()

    def name(self):
        return "CopySlices"

    def run(self, grad):
        laid_out = OPS.copy_strided(grad, *self.geometry)
        inside = replay(self.chain, laid_out)
        outside = None
        if self.parents[0] is not None:
            outside = laid_out.clone()
            replay(self.chain, outside).zero_()
        return [outside, None if self.parents[1] is None else inside.clone()]

    def free(self):
        pass


def refresh(t):
    """Bring a view's node up to date after its base was written to."""
    view = t._view_of
    version = t._memory_record.version
    if view.version == version or view.kind == 1 or view.kind == INFERENCE_VIEW:
        return
    follow_moves(t)
    view.version = version
    base = view.base()
    if view.kind == CUSTOM_VIEW and t._made_by is not None:
        fail(RuntimeError, f"Output {t._made_nr} of {t._made_by.name()} is a view and its base or another view of its "
             f"base has been modified inplace. This view was created inside a custom Function (or because an input was "
             f"returned as-is).",
             "clone() the output of the custom Function first")
    if t._wants_grad:
        return
    if not needs_grad(base):
        set_history(t, None, 0)
        return
    with enable_grad():
        again = replay(view.chain(), base)
    set_history(t, again._made_by, again._made_nr)


def note_move(x):
    """Remember that t_() or the like gave x another geometry, which the steps of views taken before don't fit."""
    if x._seldom is None:
        x._seldom = {}
    x._seldom["moved"] = x._memory_record.version


def follow_moves(t):
    """If a tensor on the way from the base to this view got another geometry since, take the view as a window of the
    base's memory: where its elements lie has not changed.
    """
    view = t._view_of
    source = view.source
    while source is not None and (source._seldom is None or source._seldom.get("moved", -1) <= view.version):
        source = None if source._view_of is None else source._view_of.source
    base = view.base()
    if source is None or t._on_meta or t._owed is not None or base._owed is not None \
            or t._form.dtype != base._form.dtype:
        return
    far = t._form.__array_interface__["data"][0] - base._form.__array_interface__["data"][0]
    own = base._form.shape, in_elements(base._form)
    view.source, view.op, view.out = base, FUNCTIONS["_as_strided"].op, 0
    view.values = [base, t._form.shape, in_elements(t._form), far // t._form.itemsize, own]


def in_elements(array):
    return tuple([stride // array.itemsize for stride in array.strides])


def write_values(x, array):
    """Overwrite a tensor's numbers, outside the graph."""
    if mode_bits() & TAKE:
        local.taker.writing(x)
    if not x._on_meta:
        np.copyto(x._array, cast(array, x._form.dtype) if array.dtype != x._form.dtype else array, casting="unsafe")
    bump(x)
    if mode_bits() & WATCH:
        tell_wrote(x, wrap(array))


OPS.run_inplace, OPS.refresh, OPS.write_values = run_inplace, refresh, write_values
OPS.graft = graft
