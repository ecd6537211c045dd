# compiled, -O3
"""Recording: every op inside `autobatch` is noted in a `Table` and answered with tensors whose values are owed.

What an op gives (shapes, types, how it lies in memory) depends on what it is given, not on values; so it is worked out
once, by the op's shape rule, and kept as a `Kind`. The next op of that kind is compared with the last one that looked
like it, or costs one look into a table.
"""
from weft.autograd.graph import Node
from weft.batching.kinds import CALLS, LATELY, Outside, Slot, form_of, learn
from weft.batching.kinds import KINDS as ALL_KINDS
from weft.batching.table import Table, Value, same_bytes
from weft.core.matching import NOTHING as NOT_GIVEN
from weft.core.matching import Matcher
from weft.core.modes import GRAD_OFF, INFERENCE, NUMERICS, SAVED_HOOKS, local
from weft.core.runtime import mode_bits, pointer_hash, pure_fields, running, user_code, user_offset
from weft.kernels.native import address, held_once, same_strides
from weft.ops.core.apply import view_kind
from weft.ops.index.view import SELECT as SELECT_OP
from weft.tensor.tensor import OPS, Tensor, is_plain, needs_grad, settle, tie, wrap

GHOST = GHOST_NODE = Node.__new__(Node)     # the node of a tensor whose graph is owed, too
SELECT = SELECT_OP      # x[3], whose number may differ within a batch
ASIDE = ASIDE_BITS = INFERENCE | NUMERICS | SAVED_HOOKS  # where ops run as they are
NEAR = 127    # places for the tensors from outside that came lately
LARGE = 4096            # a tensor from outside with more elements than this is taken for one that examples share
MOST_COMPARED = 1 << 20     # bytes of a tensor whose memory others hold, too
KINDS = ALL_KINDS
NOTHING = NOT_GIVEN
WORD, FACTOR, FACTOR_2, PLACE_FACTOR = 2 ** 64 - 1, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0x9E3779B97F4A7C15


class Call:
    """A call as it was written, op(x, y, z), that came down to one entry of this kind. x: the form of its tensor; form:
    that of y, 0 where y is this very object, and so is z; turned: the entry takes y before x; only: the one of its
    outputs that the call gives, or -1; graph: whether it was to have a gradient, which may decide what a composition
    does.
    """


class Recorder(Matcher):
    """Answers the ops of one `autobatch` region. seen: the `Outside` of each tensor from outside by its address, near:
    some of them, found without making a number; recent: kinds of ops that came lately, by op and first tensors; calls:
    the same for calls as they were written; key, wants, loose: what the inputs in the table say that were put there for
    the next entry: which entries it runs with, whether gradients go through it, and whether a tensor from outside is
    one example's own.
    """

    def match(self, op, values, bits):
        own = op
        if self.closed or bits & ASIDE:
            return None
        table, place = self.table, self.place_of(own, values)
        inputs, before, free = None, table.n_inputs, -1
        kind = self.find(place, own, values)
        if kind is None:
            if own.writes or own.reads:
                return None
            if own.random >= 0:
                return self.session.drawn(own, values)
            inputs = []
            key = self.key_of(own, values, inputs)
            if key is None:
                return None
            kind = KINDS.get(key)
            if kind is None or kind.alone is not None:
                return None
            self.recent[place ^ 1], self.recent[place] = self.recent[place], kind
        if kind.same:
            if inputs is None:
                table.take_back(before)
            return values[0]
        if inputs is not None:
            self.put(kind, inputs)
        if kind.free >= 0:
            free = values[kind.free][0]
        if self.others:
            for watcher in local.watchers:
                watcher.before(op, values)
        if kind.n_outs == 1 and not kind.many and not self.others:
            first = self.note(kind, free, bits)
            return self.owe(first, kind, 0, values, bits)
        outs = self.answer(kind, values, None, free, bits)
        if self.others:
            for watcher in local.watchers:
                watcher.after(op, values, outs)
        if not kind.many:
            return outs[0]
        return own.together(outs)

    # calls as they were written

    def match_call(self, op, x, y, z, bits):
        if self.closed or self.others or bits & ASIDE or not isinstance(x, Tensor):
            return None
        place = place_of_call(op, x, y, z)
        call = self.calls[place]
        if not self.is_call(call, op, x, y, z, bits):
            call = self.calls[place ^ 1]
            if not self.is_call(call, op, x, y, z, bits):
                return None
        kind = call.kind
        first = self.note(kind, -1, bits)
        values = None
        if kind.view:
            values = kind.template.copy()
            values[0] = x
        if call.only >= 0:
            return self.owe(first + call.only, kind, call.only, values, bits)
        if not kind.many:
            return self.owe(first, kind, 0, values, bits)
        return kind.op.together([self.owe(first + k, kind, k, values, bits) for k in range(kind.n_outs)])

    def is_call(self, call, op, x, y, z, bits):
        """Whether this is a call that is known; its inputs are put into the table then."""
        if call is None or call.op is not op or call.z is not z or call.form == 0 and call.y is not y:
            return False
        kind, before = call.kind, self.table.n_inputs
        self.key, self.wants, self.loose = pointer_hash(kind.leader), False, False
        if call.form == 0:
            fits = self.puts(x, call.x)
        elif not isinstance(y, Tensor):
            return False
        elif call.turned:
            fits = self.puts(y, call.form) and self.puts(x, call.x)
        else:
            fits = self.puts(x, call.x) and self.puts(y, call.form)
        if not fits or kind.view and self.loose or call.graph != (self.wants and bits & GRAD_OFF == 0):
            self.table.take_back(before)
            return False
        return True

    def learn_call(self, op, x, y, z, made):
        """What a call gave is kept where it is all of one entry, whose inputs are those of the call."""
        if self.closed or not isinstance(x, Tensor) or not is_fixed(y) or not is_fixed(z) or isinstance(z, Tensor):
            return None
        first = made[0] if isinstance(made, tuple) and made else made
        if not isinstance(first, Tensor):       # `equal` gives a bool
            return None
        out = first
        if not isinstance(out._owed, Value) or out._owed.table is not self.table:
            return None
        table, number = self.table, out._owed.number
        entry = table.entry_of(number)
        kind = table.kind_of(entry)
        given, inputs = [self.number_of(t) for t in (x, y, z) if isinstance(t, Tensor)], table.inputs_of(entry)
        turned, only = inputs != given, -1
        if turned and (len(given) != 2 or inputs != given[::-1]) or kind.free >= 0:
            return None
        if kind.many and not isinstance(made, tuple):       # a composition that gives the first of an op's outputs
            only = number - table.first_of(entry)
        elif table.first_of(entry) != number or kind.many != isinstance(made, tuple) \
                or kind.many and len(made) != kind.n_outs:
            return None
        if turned and kind.view:
            return None
        call = Call.__new__(Call)
        call.op, call.kind, call.y, call.z, call.x = op, kind, y, z, self.form_here(x)
        call.turned, call.only = turned, only
        call.graph = mode_bits() & GRAD_OFF == 0 and any([self.wants_here(t) for t in (x, y) if isinstance(t, Tensor)])
        if isinstance(y, Tensor):
            call.y, call.form = None, self.form_here(y)
        place = place_of_call(op, x, y, z)
        self.calls[place ^ 1], self.calls[place] = self.calls[place], call

    def number_of(self, t):
        """What stands for a tensor in the table, None where nothing does."""
        if isinstance(t._owed, Value):
            return t._owed.number if t._owed.table is self.table else None
        known = self.known(t)
        return None if known is None or known.table != self.table.serial else ~known.number

    def form_here(self, t):
        return t._owed.form if t._owed is not None else self.known(t).form

    def wants_here(self, t):
        return t._owed.wants if t._owed is not None else self.known(t).wants

    # what an op is given

    def find(self, place, op, values):
        """The kind of a call, one of two that came lately, and its inputs in the table; None if it is neither."""
        before = self.table.n_inputs
        for k in range(2):
            kind = self.recent[place ^ k]
            if kind is not None and kind.op is op:
                if self.fits(kind, values):
                    return kind
                self.table.take_back(before)
        return None

    def place_of(self, op, values):
        """Where to look for the kind of such a call first."""
        at = pointer_hash(op)
        n = len(values)
        for i in range(n if n < 2 else 2):
            if isinstance(values[i], Tensor):
                at = with_form(at, values[i])
        return slot_of(at)

    def fits(self, kind, values):
        """Whether a call is of this kind, as `key_of` would say; its inputs are put into the table then. What needs a
        closer look doesn't fit.
        """
        self.key, self.wants, self.loose = pointer_hash(kind.leader), False, False
        n = len(values)
        for i in range(n):
            part, value = kind.template[i], values[i]
            if part is value or i == kind.free:
                continue
            if type(part) is Slot:
                slot = part
                if not isinstance(value, Tensor) or not self.puts(value, slot.form):
                    return False
            elif not self.part_fits(part, value):
                return False
        if kind.op.is_view and self.loose:
            return False
        return is_free(kind, values) if kind.op is SELECT else True

    def part_fits(self, part, value):
        if part is value:
            return True
        if type(part) is Slot:
            slot = part
            return isinstance(value, Tensor) and self.puts(value, slot.form)
        kind = type(value)
        if kind is not type(part):
            return False
        if kind is tuple or kind is list:
            if len(part) != len(value):
                return False
            for i in range(len(value)):
                if not self.part_fits(part[i], value[i]):
                    return False
            return True
        return kind is int and value == part

    def puts(self, t, form):
        """Whether a tensor, whose source is put into the table, is of this form."""
        owed = t._owed
        if owed is not None:
            if not isinstance(owed, Value) or t._wants_grad or t._made_by is not None and t._made_by is not GHOST:
                return False
            v = owed
            if v.form != form or v.array is not None or v.owner is not self.session \
                    or v.wants and t._made_by is None:      # a detached one: without the history
                return False
            self.put_value(v)
            return True
        known = self.known(t)
        if known is None:
            known = self.see_own(t)
            if known is None:
                return False
        if known.form != form or known.live is not None and not is_still(known):
            return False
        self.put_outside(known)
        return True

    def put_value(self, v):
        table = self.table
        self.wants = self.wants or v.wants
        table.put(v.number if v.table is table else ~table.outside(v))
        self.key = mixed(self.key, 0)

    def put_outside(self, x):
        table = self.table
        self.wants = self.wants or x.wants
        if x.table != table.serial:
            x.table, x.number = table.serial, table.outside(x)
        table.put(~x.number)
        self.key = mixed(self.key, x.share)
        self.loose = self.loose or x.share == 0 or x.live is not None

    def put(self, kind, inputs):
        """Put the inputs of an entry into the table."""
        self.key, self.wants = pointer_hash(kind.leader), False
        for source in inputs:
            if isinstance(source, Value):
                self.put_value(source)
            else:
                self.put_outside(source)

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
            if isinstance(v, Outside) and (not v.share or v.live is not None):
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
            form = self.form_of(value, inputs)
            return None if form == 0 else form
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

    def form_of(self, t, inputs):
        """The number of a tensor's stand-in, whose source is added to the inputs; 0 where it can't be recorded."""
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
        known = self.known(t)
        if known is None or known.live is not None and not is_still(known):
            if not is_plain(t) or t._on_meta or t._inference:
                return 0
            known = self.see(t)
            if known is None:
                return 0
        inputs.append(known)
        return known.form

    def cut(self, v, t):
        """The same value without its history, for what a program does with `x.detach()`."""
        if v.cut is None:
            key = ("cut", v.form)
            kind = KINDS.get(key)
            if kind is None:
                kind = learn(key, OPS.alias, [t, *OPS.alias.defaults[1:]], [t], [v.form], False)
                kind.view = False
            made = self.answer(kind, None, [v], -1, GRAD_OFF)[0]
            v.cut = made._owed
        return v.cut

    def known(self, t):
        """What stands for a tensor from outside that was seen before, or None."""
        place = near_place(t)
        found = self.near[place]
        if found is not None and found.tensor is t:
            return found
        found = self.seen.get(pointer_hash(t))
        if found is not None:
            self.near[place] = found
        return found

    def forget(self):
        """Let go of the tensors from outside."""
        self.seen, self.near = {}, [None] * NEAR

    def see_own(self, t):
        """A tensor from outside for the first time, None where that needs a closer look."""
        record = t._memory_record
        if not is_plain(t) or t._on_meta or t._inference or record is not None and record.outside:
            return None
        return self.see(t)

    def see(self, t):
        """A tensor from outside for the first time."""
        record = t._memory_record
        outside = record is not None and record.outside and not self.is_own(t)
        form = t._form
        wants = needs_grad(t)
        known = Outside.__new__(Outside)
        if outside:                 # others may write to it at any time, so there is a copy, compared at every use
            if form.nbytes <= MOST_COMPARED and form.flags.forc:
                known.live = form
            elif wants:
                return None
            form = form.copy("K")
        known.tensor, known.array, known.wants = t, form, wants
        last = self.last
        if last is not None and same_strides(form, last.array):
            known.form = last.form
        else:
            known.form = pointer_hash(form_of(form.shape, form.dtype, form.strides))
            self.last = known
        base = t if t._view_of is None else t._view_of.base()
        if base._wants_grad or type(t) is not Tensor or form.size > LARGE:
            known.share = address(form)
        else:
            known.share = 0
        if form is t._form or known.live is not None:   # of what isn't compared every use has a copy of its own
            self.seen[pointer_hash(t)] = self.near[near_place(t)] = known
        return known

    # what it gives

    def answer(self, kind, values, inputs, free, bits):
        """Note an entry; the tensors that it owes. inputs: None where they are in the table already."""
        if inputs is not None:
            self.put(kind, inputs)
        first = self.note(kind, free, bits)
        return [self.owe(first + k, kind, k, values, bits) for k in range(kind.n_outs)]

    def note(self, kind, free, bits):
        """Note an entry whose inputs were put; the number of its first value. Whether it takes part in the graph is
        `self.graph` then.
        """
        wants = self.wants and bits & GRAD_OFF == 0 and kind.op.differentiable
        self.graph = wants
        self.graph_ops += wants
        code = user_code()
        key = pointer_hash(kind.leader) if kind.gathered else self.key      # whatever their number is
        return self.table.note(kind, free, mixed(key, wants), wants, code, user_offset(), running())

    def owe(self, number, kind, k, values, bits):
        """The tensor of one output, without values."""
        out = kind.outs[k]
        wants = self.graph and out.inexact
        t = wrap(out.form)
        t._owed = self.table.promised(number, self.session, out.number, wants)
        if wants:
            t._made_by = GHOST
            t._made_nr = k
        if out.notes is not None:
            t._seldom = out.notes.copy()
        if kind.view:
            tie(t, values[0], kind.op, values, k, view_kind(kind.op, bits))
        return t

    def is_own(self, t):
        """Whether a tensor's memory is its own: `x.data` shares that of x, and neither knows of the other."""
        return held_once(t._form)

    def learn(self, op, values, outputs, many):
        """The Kind of an op that was answered by its shape rule; it is given the outputs, None where it gave its first
        input back.
        """
        inputs = []
        key = self.key_of(op, values, inputs)
        return learn(key, op, values, outputs, [source.form for source in inputs], many), inputs


def is_still(known):
    """Whether memory that others may write to has the values that were copied."""
    return same_bytes(known.live, known.array)


def is_free(kind, values):
    """Whether x[number] is of a kind for all numbers, or of that for all other indices."""
    index = values[1]
    if type(index) is tuple and len(index) == 2 and type(index[0]) is int and index[1] is Ellipsis:
        t = values[0]
        n = t._form.shape[0]
        if -n <= index[0] < n:
            return kind.free == 1
    return kind.free < 0


def is_fixed(given):
    """Whether an argument that is the same object says the same; tensors are compared by their forms."""
    return (given is NOTHING or given is None or type(given) in (int, float, bool, str)
            or isinstance(given, Tensor))


def place_of_call(op, x, y, z):
    """Where to look for what became of such a call."""
    at = with_form(pointer_hash(op), x)
    at = with_form(at, y) if isinstance(y, Tensor) else at * 31 + pointer_hash(y)
    return slot_of(at * 31 + pointer_hash(z))


def with_form(at, t):
    """A place that depends on a tensor's form, too, where others are likely to have it."""
    return at * 31 + pointer_hash(t._form) if t._owed is not None or t._wants_grad else at


def near_place(t):
    """The place of a tensor in `near`."""
    return pointer_hash(t) % NEAR


def slot_of(at):
    return (at * PLACE_FACTOR & WORD) >> 54


def mixed(key, more):
    """A hash of a hash and one more number (as splitmix64 does it)."""
    key = (key ^ more) * FACTOR & WORD
    key = (key ^ (key >> 27)) * FACTOR_2 & WORD
    return key ^ (key >> 31)


def start(recorder, session):
    """Make a recorder ready."""
    recorder.session, recorder.table = session, Table()
    recorder.forget()
    recorder.recent, recorder.calls = LATELY, CALLS     # those of all regions
    recorder.closed, recorder.others, recorder.knows_calls = False, False, True
    return recorder


pure_fields(Call, op=None, kind=None, x=0, form=0, y=None, z=None, turned=False, only=-1, graph=False)
pure_fields(Recorder, session=None, table=None, seen=None, near=None, last=None, recent=None, calls=None, closed=False,
            others=False, graph=False, graph_ops=0, key=0, wants=False, loose=False)
