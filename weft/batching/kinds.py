# compiled
"""What recorded ops are: an op with all that it is given but the values of tensors, which is learned once."""
from math import prod

from weft.batching.links import is_sum, link_of
from weft.core.runtime import pointer_hash, pure_fields
from weft.core.spec import stand_in
from weft.kernels import fast
from weft.kernels.native import is_inexact
from weft.ops.lanes.rows import rows_rule
from weft.tensor.tensor import Tensor, wrap

KINDS = {}              # (op, what it is given) -> Kind
LEADERS = {}            # what kinds for unequal lengths have in common -> the first of them
FORMS = {}              # (shape, type, strides) -> a stand-in array: what a tensor without values holds
MOST_KINDS = 20000
RECENT = 1024           # places of the next two
LATELY = [None] * RECENT        # kinds of ops that came lately, by op and first tensors (record.py)
CALLS = [None] * RECENT         # the same for calls as they were written
CHAINS = fast.lib is not None      # whether there is a kernel that runs them


class Kind:
    """An op with all that it is given but the values of tensors.

    template: its values, with a `Slot` in the place of each tensor; outs: an `Out` for each output; same: it gives its
    first input back; alone: why it is not recorded, single: why it never runs in a batch, in words; free: the number of
    its value (an index) that may differ within a batch, or -1. rule: how it runs on a batch, rows: on the rows of
    unequal ones (ops/lanes), counts: how many of those each of its tensors has, gathered: it takes any number of them;
    leader: the kind as whose entries its own are grouped, itself but for these; cost: what a group takes, in seconds,
    as measured; link: what it is in a chain of ops that run in one pass, None where it can't be in one (links.py);
    sums: it adds two tensors alike; table: the serial number of the last table that holds it.
    """


class Out:
    """An output. form: a stand-in for it, number: that one's; notes: where it would lie, if not densely; inexact:
    whether it may have a gradient.
    """


class Slot:
    """Where an entry's input number `at` belongs in the template; `like`: a tensor of its shape and type; form: the
    number of its stand-in."""


class Outside:
    """A tensor from outside the recording. share: not 0 where all examples are taken to use this one; number: which of
    the outsides of the table with that serial number it is; live: its memory, where others may write to it and `array`
    is a copy."""


def learn(key, op, values, outputs, forms, many):
    """The Kind of an op that gave these outputs (None: its first input back); forms: those of its tensors, in order."""
    kind = Kind.__new__(Kind)
    kind.op, kind.many, kind.same, kind.free, kind.cost = op, many, outputs is None, -1, 3e-5
    kind.outs, kind.slots = [], []
    kind.template = [template_of(v, kind.slots, forms) for v in values]
    for i in range(1, len(key)):
        if key[i] == "free":
            kind.free = i - 1
    for k, t in enumerate(outputs or ()):
        form, out = t._form, Out.__new__(Out)
        strides = t._seldom.get("strides") if t._seldom is not None else None
        out.form = form_of(form.shape, form.dtype, strides if strides is not None else dense(form))
        out.number = pointer_hash(out.form)
        out.notes = ({k: v for k, v in t._seldom.items() if k in ("strides", "offset")}
                     if t._seldom is not None else None)
        out.inexact = is_inexact(form) and k not in op.nondiff
        kind.outs.append(out)
        kind.view = t._view_of is not None
    kind.n_outs = len(kind.outs)
    kind.outputs = [wrap(out.form) for out in kind.outs]
    if len(KINDS) > MOST_KINDS:
        forget()
    if kind.free < 0:
        kind.rows = rows_rule(op, values, outputs)
    kind.leader = kind
    if kind.rows is not None:
        kind.leader, kind.gathered = LEADERS.setdefault(kind.rows.key, kind), kind.rows.gathered
        kind.counts = [0 if trail is None else slot.like._form.size // max(prod(trail), 1)
                       for slot, trail in zip(kind.slots, kind.rows.trails, strict=True)]
    kind.link = link_of(op, values, outputs) if CHAINS else None
    kind.sums = outputs is not None and is_sum(op, values, outputs)
    KINDS[key] = kind
    return kind


def forget():
    """Let go of all kinds; those that come again are learned again, and are others then."""
    KINDS.clear()
    LEADERS.clear()
    LATELY[:], CALLS[:] = [None] * RECENT, [None] * RECENT


def template_of(value, slots, forms):
    if isinstance(value, Tensor):
        slot = Slot.__new__(Slot)
        slot.at = len(slots)
        slot.like = wrap(stand_in(value._form.shape, value._form.dtype))
        slot.form = forms[slot.at]
        slots.append(slot)
        return slot
    if isinstance(value, (list, tuple)):
        return type(value)([template_of(v, slots, forms) for v in value])
    return value


def dense(form):
    """The strides of a contiguous array of this shape."""
    step, strides = form.dtype.itemsize, []
    for n in reversed(form.shape):
        strides.append(step)
        step *= n if n > 1 else 1
    strides.reverse()
    return tuple(strides)


def form_of(shape, np_dtype, strides):
    """The one stand-in for all tensors of this shape, type and layout; `pointer_hash` of it is its number."""
    key = (shape, np_dtype, strides)
    found = FORMS.get(key)
    if found is None:
        found = FORMS[key] = stand_in(shape, np_dtype)
    return found


pure_fields(Kind, op=None, template=None, slots=None, outs=None, outputs=None, n_outs=0, many=False, same=False,
            view=False, free=-1, alone=None, single=None, rule=None, rows=None, counts=None, gathered=False,
            leader=None, cost=0.0, link=None,
            sums=False, table=0)
pure_fields(Out, form=None, number=0, notes=None, inexact=False)
pure_fields(Slot, at=0, like=None, form=0)
pure_fields(Outside, tensor=None, array=None, live=None, form=0, share=0, wants=False, table=0, number=0)
