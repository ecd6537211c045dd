# compiled
"""What a recorded path is made of: events with their arguments, and the steps of a backward."""
import numpy as np

from weft.core import dtype as dtypes
from weft.core.device import device
from weft.core.layout import memory_format
from weft.core.spec import stand_in
from weft.jit.kinds import CONST, END, EXT, FREE, LIST, OP, RENAME, SAME, SLOT, WRITE
from weft.jit.match import Arg, Event, same_number
from weft.kernels.native import strided
from weft.tensor.tensor import Tensor, describe, is_plain

NUMBERS = (int, float, bool, complex)
OWN = ("weft.", "torch.")       # as programs of PyTorch's call weft's modules (`weft run`)
FEW = 4096                      # numbers that an array among an op's arguments may have
DEEPEST = 16                    # lists inside each other among an op's arguments; a list may hold itself
PLAIN = (*NUMBERS, str, type(None), type(Ellipsis), dtypes.dtype, device, memory_format)


class Unsupported(Exception):
    """An op or an argument that a path can't have; the text says why, for `explain()`."""


class Body:
    """A backward: its ops in order, and the gradients that leaves get."""

    def __init__(self, root):
        self.root, self.steps, self.leaves, self.visited, self.n_regs = root, [], [], set(), 0
        self.specs, self.own = [], []       # of each result: its Spec, and whether it has memory of its own


class Step:
    """One op of a backward; `first`: the number of its first result among the backward's."""

    def __init__(self, op, args, first, n_outs, unusual):
        self.op, self.args, self.first, self.n_outs, self.unusual = op, args, first, n_outs, unusual


def arg(kind, index=-1, value=None, wants=False, items=None, graph=False):
    made = Arg()
    made.kind, made.index, made.value, made.wants, made.items = kind, index, value, wants, items
    made.graph = graph
    return made


def template(t):
    """An array without memory that lies as a tensor's does."""
    spec = describe(t)
    made = strided(np.zeros(1, spec.dtype), spec.shape, spec.strides, 0)
    if not t._form.flags.writeable:
        made.flags.writeable = False
    return made


def args_of(op, values, tensor_arg, free, compared=True):
    """The Args of bound values; tensor_arg(t) gives that of a tensor. free: floats may differ from call to call.
    compared: what is no plain value can't be told from another one (inside a backward nothing is compared).
    """
    return [arg_of(op, v, tensor_arg, free, compared) for v in values]


def arg_of(op, value, tensor_arg, free, compared, depth=0):
    """The Arg of one value (a function of its own: one inside another that calls itself would hold `tensor_arg`)."""
    if isinstance(value, Tensor):
        if not is_plain(value):
            raise Unsupported(f"{op.name}: a {type(value).__name__}, which may have rules of its own")
        return tensor_arg(value)
    if type(value) in (list, tuple):
        if depth >= DEEPEST:
            raise Unsupported(f"{op.name}: more than {DEEPEST} lists stand inside each other")
        return arg(LIST, value=type(value),
                   items=[arg_of(op, v, tensor_arg, free, compared, depth + 1) for v in value])
    if type(value) is float and free:
        return arg(FREE)
    if type(value) is slice:
        if any(isinstance(v, Tensor) for v in (value.start, value.stop, value.step)):
            raise Unsupported(f"{op.name}: a slice of tensors")
        return arg(CONST, value=value)
    if isinstance(value, PLAIN) or isinstance(value, tuple) and all(type(v) is int for v in value):
        return arg(CONST, value=value)
    if hasattr(value, "get_state") and hasattr(value, "engine"):       # a generator: this very one
        return arg(CONST, value=value)
    if type(value) is np.ndarray and value.size <= FEW and value.dtype.kind in "iub":      # lengths, ends of rows
        return arg(CONST, value=value.copy())
    known = type(value).__module__.startswith(OWN) and type(value).__eq__ is not object.__eq__
    if (known or not compared) and not any([isinstance(v, Tensor) for v in fields_of(value)]):
        return arg(CONST, value=value)
    raise Unsupported(f"{op.name}: an argument of type {type(value).__name__}")


def fields_of(value):
    """What an object of a class of weft's own holds."""
    return [*getattr(value, "__dict__", {}).values(), *[getattr(value, name, None) for name in
                                                        getattr(type(value), "__slots__", ())]]


def event(kind, op, bits, args, first, outs, before):
    """An event after `before`, not yet among its children. outs: the tensors that it gave."""
    made = Event()
    made.kind, made.op, made.bits, made.args, made.n_args = kind, op, bits, args, len(args)
    made.first, made.n_outs = first, len(outs)
    made.forms = [t._form if t._owed is not None or t._on_meta else stand_in(t._form.shape, t._form.dtype)
                  for t in outs]        # of one that ran, too: the path must not hold its memory
    made.wants = [t._made_by is not None for t in outs]
    made.views = [t._view_of is not None and not (op.cuts and isinstance(t._view_of.values[1], dtypes.dtype))
                  for t in outs]
    made.notes = [note_of(t) for t in outs]
    made.children, made.before = [], before
    return made


def note_of(t):
    """Where a tensor lies, if not densely."""
    if t._owed is None and not t._on_meta:
        return None if t._form.flags.c_contiguous else {"strides": t._form.strides}
    return {key: t._seldom[key] for key in ("strides", "offset") if key in t._seldom} or None \
        if t._seldom is not None else None


def root():
    """Where the tree of a function's paths begins."""
    return event(OP, None, 0, [], 0, [], None)


def ending(reason, before, whole):
    """The mark that a path goes no further; whole: nor does another one after the same event."""
    made = event(END, None, 0, [], 0, [], before)
    made.reason, made.whole = reason, whole
    return made


def structure(event):
    """The ops of the path up to an event, whatever sizes and constants they have."""
    ops = []
    while event.before is not None:
        ops.append((event.kind, event.op, event.n_outs))
        event = event.before
    return tuple(ops)


def n_ops(event):
    """How many ops the path up to an event has, those of backwards, too."""
    n = 0
    while event is not None:
        n += 1 if event.op is not None else len(event.body.steps) if event.body is not None else 0
        event = event.before
    return n


def outline(value):
    """What tells values from others by which an op would be another one: sizes, types, and plain constants."""
    if isinstance(value, Tensor):
        return value._form.shape, value._form.dtype.num, value._form.strides
    if isinstance(value, (list, tuple)):
        return tuple([outline(v) for v in value])
    return repr(value) if isinstance(value, PLAIN) or type(value) is slice else id(value)


def same_event(a, b):
    """Whether two events that follow the same one are the same to whoever follows the path."""
    return (a.kind == b.kind and a.op is b.op and a.bits == b.bits and a.n_args == b.n_args and a.n_outs == b.n_outs
            and a.kind in (OP, SAME, WRITE, RENAME) and a.many == b.many and a.wants == b.wants and a.views == b.views
            and a.notes == b.notes and all(map(same_form, a.forms, b.forms)) and all(map(same_arg, a.args, b.args)))


def same_arg(a, b):
    """Whether the same values fit two arguments."""
    if a.kind != b.kind or a.index != b.index or a.wants != b.wants or a.graph != b.graph:
        return False
    if a.kind == EXT:
        return same_form(a.value, b.value) and a.value.flags.writeable == b.value.flags.writeable
    if a.kind == LIST:
        return a.value is b.value and len(a.items) == len(b.items) and all(map(same_arg, a.items, b.items))
    return a.kind != CONST or a.value is b.value or type(a.value) is type(b.value) and same_number(a.value, b.value)


def same_form(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and a.strides == b.strides


def is_seen_through(event, k):
    """Whether output k of the path up to an event is a view, or has views."""
    while event is not None:
        if (any(event.views) or event.op is not None and event.op.is_view) and (
                event.first <= k < event.first + event.n_outs or k in numbers_in(event.args[:1], SLOT)):
            return True
        event = event.before
    return False


def numbers_in(args, kind):
    """The numbers of those arguments that are of one kind, in lists too."""
    for a in args:
        if a.kind == kind:
            yield a.index
        elif a.kind == LIST:
            yield from numbers_in(a.items, kind)


def tensors_in(values, depth=0):
    """The tensors among bound values and in their lists; no path has what stands deeper (`arg_of`)."""
    for v in values:
        if isinstance(v, Tensor):
            yield v
        elif isinstance(v, (list, tuple)) and depth < DEEPEST:
            yield from tensors_in(v, depth + 1)


def swapped(values, old, new):
    """Bound values in which one tensor stands for another, in their lists too."""
    return [new if v is old else type(v)(swapped(v, old, new)) if type(v) in (list, tuple) else v for v in values]


def runs_anyway(op, values):
    """Ops that are never owed: what makes tensors of nothing, and what looks at values to know its shape."""
    return bool(op.reads) or op.random < 0 and not op.writes and next(tensors_in(values), None) is None
