"""One `autobatch` region at the seam: what is recorded, when it runs, and which tensors get their values."""
import contextlib
from weakref import ref

import numpy as np

from weft.batching.kinds import KINDS, forget
from weft.batching.record import ASIDE_BITS, GHOST_NODE, Recorder, start
from weft.batching.schedule import groups_of, known_groups
from weft.batching.table import Table, Value
from weft.batching.tape import ELSEWHERE, Tape
from weft.core.dtype import default
from weft.core.modes import GRAD_OFF, MATCH, TAKE, local
from weft.core.runtime import mode_bits, pointer_hash, set_matcher, set_mode_bits
from weft.core.seam import Taker, tell_wrote, title_of
from weft.ops.core.inplace import compute, run_inplace
from weft.tensor.tensor import Tensor, is_plain, lay_again, settle, wrap

GHOST, ASIDE = GHOST_NODE, ASIDE_BITS


class Session(Taker):
    """Answers ops between `start()` and `stop()`; `report` counts what became of them; told: lines of ops that failed,
    which the program knows of.
    """

    sees_each = False       # a captured function that it stands in follows what it runs

    def __init__(self, report):
        self.report, self.recorder, self.told = report, start(Recorder(), self), set()

    @property
    def graph_ops(self):
        """How many ops that record a graph there were."""
        return self.recorder.graph_ops

    def start(self):
        super().start()
        self.recorder.others = self.minds_rows = self.minds_data = len(local.watchers) > 1
        self.outer_bits = mode_bits() & MATCH
        self.outer = set_matcher(self.recorder)
        set_mode_bits(mode_bits() | MATCH)
        return self

    def stop(self, failed=False):
        """End; failed: the program left by an error, which must not be hidden by one of what it left behind."""
        recorder = self.recorder
        try:
            self.run_all()
        except Exception:       # whoever asks for such a value is told then
            if not failed:
                raise
        finally:
            recorder.closed = True
            set_matcher(self.outer)
            set_mode_bits(mode_bits() & ~MATCH | self.outer_bits)
            super().stop()
            recorder.forget()
            recorder.session = None     # they would hold each other

    # ops

    def takes(self, op, values):
        recorder = self.recorder
        if recorder.closed or op.writes or op.random >= 0 or op.cuts or mode_bits() & ASIDE:
            self.need(op, values)
            return False
        key = recorder.key_of(op, values, [])
        if key is None or key in KINDS:          # one that is known is not recorded, for a reason
            self.need(op, values)
            return False
        return True

    def take(self, op, values, outputs, many):
        """The first of its kind: its shape rule has answered."""
        recorder = self.recorder
        kind, inputs = recorder.learn(op, values, outputs, many)
        free = values[kind.free][0] if kind.free >= 0 else -1
        made = recorder.answer(kind, values, inputs, free, mode_bits() if outputs[0]._made_by is not None
                               else mode_bits() | GRAD_OFF)
        for own, t in zip(made, outputs, strict=True):
            t._owed = own._owed
            if t._made_by is not None:
                t._made_by = GHOST

    def unchanged(self, op, values):
        """It gave its first input back, and will again."""
        recorder = self.recorder
        if not recorder.closed and any(isinstance(v, Tensor) and v._owed is not None for v in values):
            key = recorder.key_of(op, values, [])
            if key is not None and key not in KINDS:
                recorder.learn(op, values, None, False)

    def promise(self):
        return Value()

    def drawn(self, op, values):
        """A random op runs now, so that numbers are drawn in the program's order; a dropout's mask needs no values."""
        x = values[0]
        if op.name == "_dropout_mask" and isinstance(x, Tensor) and isinstance(x._owed, Value):
            return op.compute([wrap(laid_out(x)), *values[1:]])
        return None

    def need(self, op, values):
        """An op is about to run now: what it is given runs first, all at once."""
        owed = [t._owed for t in tensors_in(values) if isinstance(t._owed, Value) and t._owed.array is None]
        if owed:
            self.report.asked(title_of(op))
            self.run(owed)

    def enter(self, op, values):
        """A custom Function needs its inputs as they are, with their history."""
        for t in values:
            if isinstance(t, Tensor) and isinstance(t._owed, Value):
                self.inspected(t)

    # values

    def run(self, values, whole=False):
        """Run what these values depend on; whole: as one level, for a plain backward."""
        self.run_numbers([v.number for v in values if v.table is not None], whole)

    def run_numbers(self, numbers, whole=False):
        recorder = self.recorder
        table = recorder.table
        levels = table.select(numbers, whole)
        if not levels:
            return
        try:
            for level in range(levels):
                groups = known_groups(table) if levels == 1 else groups_of(table, level)
                Tape(self, table, whole).run_groups(groups, self.report)
        finally:
            recorder.table = Table()
            table.rest(recorder.table, self)
            table.tapes, table.crossing = [], {}

    def run_all(self):
        """Run what the program may still ask for, and forget the rest."""
        told = self.told.copy()
        try:
            self.run_numbers(self.recorder.table.held())
            self.recorder.table = Table()
        except Exception:
            self.run_each()
            if self.told != told:
                raise

    def run_each(self):
        """Run what doesn't need what failed; whoever asks for the others is told then."""
        table = self.recorder.table
        for v in [table.holder(number) for number in table.held()]:
            if v.table is not None:
                with contextlib.suppress(Exception):
                    self.run([v])

    def carried(self, table, number):
        """The value with this number, which has run, for those who come later than its tape."""
        v = table.crossing.get(number)
        if v is None:
            v = table.crossing[number] = Value()
            entry, made = table.entry_of(number), table.mades[table.made_of(number)]
            kind, k = table.kind_of(entry), number - table.first_of(entry)
            v.owner, v.number, v.made, v.row, v.form = self, number, made, table.row_of(number), kind.outs[k].number
            v.wants = table.is_graph(entry) and kind.outs[k].inexact
            if not made.graph:
                self.array_of(v)
            else:
                at = table.made_of(number)
                v.node = next(tape for tape in table.tapes if tape.first_made <= at < tape.last_made)
                v.node.held.append(ref(v))
        return v

    def array_of(self, v):
        """A value's own array, which nobody else writes to."""
        if v.array is None:
            if v.made is None:
                self.run([v])
            v.array = np.array(v.made.piece(v.row), order="C")
        return v.array

    def tensor_of(self, v):
        """A value that has run as a tensor from outside, with its history."""
        t = wrap(self.array_of(v))
        if v.wants:
            t._made_by, t._made_nr = v.node, v.node.output(v)
        return t

    def settle_tensor(self, t):
        """Give a tensor its values and its history."""
        v = t._owed
        if v.made is None:
            self.run([v])
        view = t._view_of or t._seldom and t._seldom.pop("data_view", None)
        if view is not None:
            self.share_memory(v, t, view)
        else:
            layout = t._seldom.get("strides") if t._seldom is not None else None
            array = self.array_of(v)
            if layout is not None and not lies(array, layout):      # an alias of one that was settled has its array
                v.array = array = in_order(array, layout)
            t._form = array
        t._owed = None
        lay_again(t, t)
        if t._made_by is GHOST:
            t._made_by, t._made_nr = v.node, v.node.output(v)

    def share_memory(self, v, t, view):
        """A view of a tensor that the program may write to lies in its memory."""
        if view.source._owed is not None:
            settle(view.source)
        bits = set_mode_bits(mode_bits() & ~ELSEWHERE | GRAD_OFF)
        try:
            made = view.op.compute(list(view.values))
        finally:
            set_mode_bits(bits)
        v.array = t._form = (made[view.out] if isinstance(made, tuple) else made)._form

    def read(self, tensor, how):
        if isinstance(tensor._owed, Value) and tensor._owed.owner is self and tensor._owed.array is None:
            self.report.asked(how)
            self.settle_tensor(tensor)

    def inspected(self, tensor):
        if isinstance(tensor._owed, Value) and tensor._owed.owner is self:
            self.settle_tensor(tensor)

    def handed_out(self, tensor):
        self.run_before_write(tensor)

    def writing(self, tensor):
        self.run_before_write(tensor)

    def run_before_write(self, tensor):
        """What is recorded and needs the old values of a tensor runs first."""
        recorder = self.recorder
        if isinstance(tensor._owed, Value):
            self.settle_tensor(tensor)
        if recorder.table.n:
            self.report.asked("a write in place")
            self.run_all()
        recorder.forget()

    def takes_inplace(self, op, x, args, kwargs):
        """`total += loss` makes another value, which the tensor stands for from then on, where nobody else can see its
        memory. Any other write runs now, as it would have.
        """
        if self.recorder.closed or not is_plain(x) or x._on_meta or mode_bits() & ASIDE:
            return False
        return self.is_renamed(op, x) and self.rename(op, x, args, kwargs) or self.write(op, x, args, kwargs)

    def is_renamed(self, op, x):
        """Whether a tensor may stand for another value after a write."""
        if x._view_of is not None or x._memory_record is not None or x._wants_grad or op.write is not None:
            return False
        if x._owed is None:
            return x._made_by is None and pointer_hash(x) not in self.recorder.seen and self.recorder.is_own(x)
        if x._seldom is not None and "data_of" in x._seldom:
            return False
        return isinstance(x._owed, Value) and x._owed.owner is self and (x._made_by is None or x._made_by is GHOST)

    def rename(self, op, x, args, kwargs):
        before = wrap(x._form)
        before._owed, before._made_by, before._made_nr = x._owed, x._made_by, x._made_nr
        before._seldom = dict(x._seldom) if x._seldom is not None else None
        out = compute(op, before, [before if a is x else a for a in args], kwargs)
        if out is before or out._form.shape != x._form.shape or out._form.dtype != x._form.dtype \
                or not isinstance(out._owed, Value) or out._view_of is not None or out._memory_record is not None:
            return False
        x._form, x._owed, x._made_by, x._made_nr = out._form, out._owed, out._made_by, out._made_nr
        lay_again(x, x)
        if self.recorder.others:
            tell_wrote(x, out)
        return True

    def write(self, op, x, args, kwargs):
        """Write to a tensor that has its memory: recorded, the op would keep the old values where the new ones go."""
        for t in tensors_in([*args, *kwargs.values()]):
            self.inspected(t)
        self.run_before_write(x)
        bits = set_mode_bits(mode_bits() & ~(MATCH | TAKE))
        try:
            run_inplace(op, x, args, kwargs)
        finally:
            set_mode_bits(bits)
        return True

    def assigned(self, tensor, what, value):
        if what == "data":
            self.run_before_write(tensor)

    def takes_backward(self, root):
        """Run what a plain `loss.backward()` needs as one level; the engine does the rest."""
        v = root._owed
        if not isinstance(v, Value) or v.owner is not self or root._made_by is not GHOST:
            return False
        self.run([v], True)
        self.settle_tensor(root)
        return False


def tensors_in(values):
    """The tensors among an op's values, and in lists of them."""
    found = [v for v in values if isinstance(v, Tensor)]
    for v in values:
        if isinstance(v, (list, tuple)):
            found += [e for e in v if isinstance(e, Tensor)]
    return found


def laid_out(t):
    """An array as a tensor's will be, of any values."""
    strides = t._seldom.get("strides") if t._seldom is not None else None
    made = np.empty(t._form.shape, t._form.dtype)
    return made if strides is None else in_order(made, strides)


def lies(array, strides):
    """Whether an array's dimensions have these strides, where there is a step to make."""
    return all([n == 1 or a == b for n, a, b in zip(array.shape, array.strides, strides)])


def in_order(array, strides):
    """A copy whose dimensions lie in memory in the order that the strides have."""
    order = sorted(range(array.ndim), key=lambda d: -strides[d])
    back = np.argsort(order)
    return np.ascontiguousarray(array.transpose(order)).transpose(back)


def other_default():
    """What `int / int` gives is about to be another type: what is recorded runs as it was promised."""
    if isinstance(local.taker, Session) and not local.taker.recorder.closed:
        local.taker.run_all()
    forget()


default.told.append(other_default)
