# compiled, -O3
"""Recording: every op inside `autobatch` is noted as an `Entry` and answered with tensors whose values are owed.

What an op gives (shapes, types, how it lies in memory) depends on what it is given, not on values; so it is worked out
once, by the op's shape rule, and kept as a `Kind`. The next op of that kind costs one look into a table.
"""
from weft.autograd.graph import Node
from weft.core.matching import Matcher
from weft.core.modes import GRAD_OFF, INFERENCE, NUMERICS, SAVED_HOOKS, local
from weft.core.runtime import pointer_hash, pure_fields, running, user_code, user_offset
from weft.core.spec import stand_in
from weft.kernels.native import is_inexact
from weft.ops.core.apply import view_kind
from weft.ops.index.view import SELECT as SELECT_OP
from weft.tensor.storage import address
from weft.tensor.tensor import OPS, Tensor, is_plain, needs_grad, settle, tie, wrap

GHOST = GHOST_NODE = Node.__new__(Node)     # the node of a tensor whose graph is owed, too
SELECT = SELECT_OP      # x[3], whose number may differ within a batch
ASIDE = ASIDE_BITS = INFERENCE | NUMERICS | SAVED_HOOKS  # where ops run as they are
LARGE = 4096            # a tensor from outside with more elements than this is taken for one that examples share
KINDS = RECORDED = {}            # (op, what it is given) -> Kind
FORMS = {}              # (shape, type, strides) -> a stand-in array: what a tensor without values holds
MOST_KINDS = 20000


class Kind:
    """An op with all that it is given but the values of tensors.

    template: its values, with a `Slot` in the place of each tensor; forms: a stand-in for each output; notes: where an
    output would lie, if not densely; same: it gives its first input back; alone: why it is not recorded, single: why it
    never runs in a batch, in words; free: the number of its value (an index) that may differ within a batch, or -1.
    """


class Slot:
    """Where an entry's input number `at` belongs in the template; `like`: a tensor of its shape and type."""


class Outside:
    """A tensor from outside the recording. share: not 0 where all examples are taken to use this one."""


class Value:
    """The promise of one output. of: the entry that gives it (None for an entry, which is its first output's promise
    itself); made, row: where its values are once it has run (row -1: it is all of them); node, nr: its history then;
    held: the program can still ask for it.
    """

    readable = True
    with_graph = True       # whoever settles a tensor lets the owner do it: its history is owed, too

    def value(self):
        """The values; they are computed where they aren't there yet."""
        if self.array is None:
            self.array = self.owner.array_of(self)
        return self.array


class Entry(Value):
    """One call of an op. inputs: a `Value` or `Outside` for each tensor; more: the outputs after the first."""


class Recorder(Matcher):
    """Answers the ops of one `autobatch` region."""

    def match(self, op, values, bits):
        own = op
        if self.closed or bits & ASIDE or own.writes or own.reads:
            return None
        if own.random >= 0:
            return self.session.drawn(own, values)
        inputs = []
        entry_free = -1
        key = self.key_of(own, values, inputs)
        if key is None:
            return None
        kind = KINDS.get(key)
        if kind is None or kind.alone is not None:
            return None
        if kind.same:
            return values[0]
        if kind.free >= 0:
            entry_free = values[kind.free][0]
        if self.others:
            for watcher in local.watchers:
                watcher.before(op, values)
        outs = self.answer(kind, values, inputs, entry_free, bits)
        if self.others:
            for watcher in local.watchers:
                watcher.after(op, values, outs)
        if not kind.many:
            return outs[0]
        return own.returns(*outs) if own.returns is not None else tuple(outs)

    def key_of(self, op, values, inputs):
        """What an op is given, hashable; fills `inputs`. None: it can't be recorded."""
        parts = [op]
        n = len(values)
        for i in range(n):
            part = self.part_of(values[i], inputs)
            if part is None:
                return None
            parts.append(part)
        if not inputs:
            return None
        if op.is_view:
            v = inputs[0]
            if isinstance(v, Outside) and not v.share:
                return None                 # a view of a tensor from outside is one: its memory is shared
        if op is SELECT:
            index = values[1]
            if type(index) is tuple and len(index) == 2 and type(index[0]) is int and index[1] is Ellipsis:
                t = values[0]
                n = t._form.shape[0]
                if -n <= index[0] < n:
                    parts[2] = "free"
        return tuple(parts)

    def part_of(self, value, inputs):
        if isinstance(value, Tensor):
            return self.tensor_part(value, inputs)
        if value is None:
            return 0
        kind = type(value)
        if kind is int or kind is bool or kind is str:
            return (kind, value)
        if kind is float:
            return (kind, value) if value != 0.0 else (kind, str(value))
        if kind is list or kind is tuple:
            parts = [kind]
            for e in value:
                part = self.part_of(e, inputs)
                if part is None:
                    return None
                parts.append(part)
            return tuple(parts)
        if kind is slice:
            part = self.part_of((value.start, value.stop, value.step), inputs)
            return None if part is None else (slice, part)
        try:
            hash(value)
        except TypeError:
            return None
        return (kind, value)

    def tensor_part(self, t, inputs):
        owed = t._owed
        if owed is not None:
            if isinstance(owed, Value) and not t._wants_grad and (t._made_by is None or t._made_by is GHOST):
                v = owed
                if v.array is None and v.owner is self.session:
                    if v.wants and t._made_by is None:      # a detached one: without the history
                        v = self.cut(v, t)
                    inputs.append(v)
                    return v.form
            settle(t)
        known = self.seen.get(pointer_hash(t))
        if known is None:
            if not is_plain(t) or t._on_meta or t._inference:
                return None
            known = self.see(t)
            if known is None:
                return None
        inputs.append(known)
        return known.form

    def cut(self, v, t):
        """The same value without its history, for what a program does with `x.detach()`."""
        if v.cut is None:
            key = ("cut", v.form)
            kind = KINDS.get(key)
            if kind is None:
                kind = self.learn_as(key, OPS.alias, [t, *OPS.alias.defaults[1:]], [t], False)
                kind.view = False
            self.answer(kind, None, [v], -1, GRAD_OFF)
            v.cut = self.pending[-1]
        return v.cut

    def see(self, t):
        """A tensor from outside for the first time."""
        form = t._form
        wants = needs_grad(t)
        record = t._memory_record
        if record is not None and record.outside:       # others may write to it at any time
            if wants:
                return None
            form = form.copy()
        known = Outside.__new__(Outside)
        known.tensor, known.array, known.wants = t, form, wants
        known.form = form_id(form_of(form.shape, form.dtype, form.strides))
        base = t if t._view_of is None else t._view_of.base()
        if base._wants_grad or type(t) is not Tensor or form.size > LARGE:
            known.share = address(form)
        else:
            known.share = 0
        self.seen[pointer_hash(t)] = known
        return known

    def answer(self, kind, values, inputs, free, bits):
        """Note an entry; the tensors that it owes."""
        wants = False
        entry = Entry.__new__(Entry)
        key = pointer_hash(kind)
        for i in range(len(inputs)):
            source = inputs[i]
            if isinstance(source, Value):
                v = source
                v.uses += 1
                wants = wants or v.wants
                key = key * 1000003
            else:
                x = source
                wants = wants or x.wants
                key = key * 1000003 + x.share
        wants = wants and bits & GRAD_OFF == 0 and kind.op.differentiable
        entry.kind, entry.inputs, entry.free, entry.graph, entry.key = kind, inputs, free, wants, key * 2 + wants
        entry.code = user_code()
        entry.lasti = user_offset()
        entry.module = running()
        self.graph_ops += wants
        self.pending.append(entry)
        first = self.owe(entry, kind, 0, values, bits)
        if kind.n_outs == 1:
            return [first]
        outs = [first]
        entry.more = []
        for k in range(1, kind.n_outs):
            v = Value.__new__(Value)
            v.of = entry
            entry.more.append(v)
            outs.append(self.owe(v, kind, k, values, bits))
        return outs

    def owe(self, v, kind, k, values, bits):
        """The tensor of one output, without values."""
        t = wrap(kind.forms[k])
        v.owner, v.form, v.row, v.nr = self.session, kind.ids[k], -1, -1
        t._owed = v
        entry = v.of
        if entry is None:
            entry = v
        if entry.graph and kind.inexact[k]:
            v.wants = True
            t._made_by = GHOST
            t._made_nr = k
        if kind.notes[k] is not None:
            t._seldom = dict(kind.notes[k])
        if kind.view:
            tie(t, values[0], kind.op, values, k, view_kind(kind.op, bits))
        return t

    def learn(self, op, values, outputs, many):
        """The Kind of an op that was answered by its shape rule; it is given the outputs, None where it gave its first
        input back.
        """
        inputs = []
        key = self.key_of(op, values, inputs)
        return self.learn_as(key, op, values, outputs, many), inputs

    def learn_as(self, key, op, values, outputs, many):
        kind = Kind.__new__(Kind)
        kind.op, kind.many, kind.same, kind.free = op, many, outputs is None, -1
        kind.forms, kind.ids, kind.notes, kind.inexact = [], [], [], []
        places = []
        kind.template = [self.template_of(v, places) for v in values]
        kind.slots = places
        for i in range(1, len(key)):
            if key[i] == "free":
                kind.free = i - 1
        for k, t in enumerate(outputs or ()):
            form = t._form
            strides = t._seldom.get("strides") if t._seldom is not None else None
            own = form_of(form.shape, form.dtype, strides if strides is not None else dense(form))
            kind.forms.append(own)
            kind.ids.append(form_id(own))
            kind.notes.append({k: v for k, v in t._seldom.items() if k in ("strides", "offset")}
                              if t._seldom is not None else None)
            kind.inexact.append(is_inexact(form) and k not in op.nondiff)
            kind.view = t._view_of is not None
        kind.n_outs = len(kind.forms)
        kind.outputs = [wrap(form) for form in kind.forms]
        if len(KINDS) > MOST_KINDS:
            KINDS.clear()
        KINDS[key] = kind
        return kind

    def template_of(self, value, places):
        if isinstance(value, Tensor):
            slot = Slot.__new__(Slot)
            slot.at = len(places)
            slot.like = wrap(stand_in(value._form.shape, value._form.dtype))
            places.append(slot)
            return slot
        if isinstance(value, (list, tuple)):
            return type(value)([self.template_of(v, places) for v in value])
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
    """The one stand-in for all tensors of this shape, type and layout."""
    key = (shape, np_dtype, strides)
    found = FORMS.get(key)
    if found is None:
        found = FORMS[key] = stand_in(shape, np_dtype)
    return found


def form_id(form):
    """The number of a stand-in."""
    return pointer_hash(form)


def start(recorder, session):
    """Make a recorder ready."""
    recorder.session, recorder.pending, recorder.seen = session, [], {}
    recorder.closed, recorder.others = False, False
    return recorder


pure_fields(Kind, op=None, template=None, slots=None, forms=None, ids=None, notes=None, inexact=None, outputs=None,
            n_outs=0, many=False, same=False, view=False, free=-1, alone=None, single=None)
pure_fields(Slot, at=0, like=None)
pure_fields(Outside, tensor=None, array=None, form=0, share=0, wants=False)
pure_fields(Value, owner=None, of=None, array=None, form=0, uses=0, wants=False, held=False, made=None, row=-1,
            node=None, nr=-1, cut=None)
pure_fields(Entry, kind=None, inputs=None, more=None, code=None, lasti=0, module=None, free=-1, key=0, graph=False,
            mark=0, level=0, depth=0, left=0, consumers=None, group=None)
pure_fields(Recorder, session=None, pending=None, seen=None, closed=False, others=False, graph_ops=0)
