"""Steps that change nothing are left out, and what is made of constants alone is made once: never another bit.

`x * 1`, `x / 1`, `x - 0` (not `x + 0.0`, which makes -0.0 a 0.0; not of complex numbers, whose infinities change),
`-(-x)`, a type and back from a wider one, views that end where they began; `x ** 2` is `x * x`. Memory that the
program gets, or that a later step writes to, stays as it is.
"""
import numpy as np

from weft.core.modes import GRAD_OFF
from weft.core.runtime import mode_bits, set_mode_bits
from weft.jit.kinds import CONST, EXT, LIST, OP, SLOT, VALUE, WHOLE, WRITE
from weft.jit.passes.share import renamed
from weft.jit.path import arg, numbers_in
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor, wrap

NEUTRAL = {FUNCTIONS["mul"].op: 1, FUNCTIONS["div"].op: 1, FUNCTIONS["sub"].op: 0}
POWER, MUL = FUNCTIONS["_power"].op, FUNCTIONS["mul"].op
NEG, CAST = FUNCTIONS["neg"].op, FUNCTIONS["_cast"].op
WINDOWS = {FUNCTIONS["as_strided"].op, FUNCTIONS["_as_strided"].op}    # they see more than their argument
RESHAPES = {FUNCTIONS["reshape"].op, FUNCTIONS["flatten"].op}          # views, of what lies one after the other
SMALL = 4096                    # so many bytes a constant may have


class Place:
    """How a value lies: shape, type and strides."""

    def __init__(self, spec):
        self.shape, self.dtype, self.strides = tuple(spec.shape), spec.dtype, tuple(spec.strides)

    def __eq__(self, other):
        return (self.shape, self.dtype, self.strides) == (other.shape, other.dtype, other.strides)

    def repeats(self):
        """Whether elements share a place."""
        return any([n > 1 and stride == 0 for n, stride in zip(self.shape, self.strides)])


class Algebra:
    """Walks over the steps. names: a value that is left out -> the Arg that stands for it; made: a value -> its step;
    at: a value -> the number of its step; handed: values whose memory others get; last: a value -> its last reader.
    """

    def __init__(self, graph):
        self.graph, self.names, self.made, self.at, self.steps = graph, {}, {}, {}, []
        self.handed, self.last, self.writes = graph.kept(), {}, []
        for i, step in enumerate(graph.steps):
            self.last.update(dict.fromkeys(numbers_in(step.args, VALUE), i))
            if step.kind in (WHOLE, WRITE):
                self.writes.append(i)
        for step in reversed(graph.steps):      # memory that others get, or write to, by views too
            if step.kind in (WHOLE, WRITE) or is_view(step) and not self.handed.isdisjoint(step.outs):
                self.handed.update(numbers_in(step.args, VALUE))

    def may_go(self, k, i):
        """Whether another value may stand for value k, which step i makes."""
        return k not in self.handed and self.is_quiet(i, k)

    def is_quiet(self, i, k):
        """Whether no memory is written between step i and the last reader of value k."""
        return not any([i < at <= self.last.get(k, i) for at in self.writes])

    def add(self, i, step):
        args = [renamed(a, self.names) for a in step.args]
        op, args = self.plainer(step, args)
        step = step.having(args, op)
        if step.kind == OP and len(step.outs) == 1 and not step.many and not step.unusual and not step.has_effect() \
                and self.may_go(step.outs[0], i):
            found = self.constant(step) or self.same(step)
            if found is not None:
                self.names[step.outs[0]] = found
                return
        self.made.update(dict.fromkeys(step.outs, step))
        self.at.update(dict.fromkeys(step.outs, i))
        self.steps.append(step)

    def plainer(self, step, args):
        """The op and arguments that give the same bits by a loop that has a kernel."""
        if step.op is not POWER or step.unusual or step.kind != OP or args[0].kind not in (VALUE, EXT, SLOT) \
                or args[0].kind != VALUE and args[0].value is None:
            return step.op, args
        x, e = self.place(args[0]).dtype, args[1]
        is_square = e.kind == CONST and type(e.value) in (int, float) and e.value == 2
        if is_square and x.kind == "f" and x == self.graph.specs[step.outs[0]].dtype:
            return MUL, [args[0], args[0]]
        return step.op, args

    def constant(self, step):
        """The result of a step that is given nothing but constants."""
        if step.op.reads or not all(map(is_constant, step.args)) or not any([isinstance(a.value, Tensor)
                                                                             for a in step.args]):
            return None
        bits = set_mode_bits(mode_bits() | GRAD_OFF)
        try:
            made = step.op.work([given(a) for a in step.args], False)
        except Exception:       # it will say so when it runs
            return None
        finally:
            set_mode_bits(bits)
        made = np.asarray(made) if isinstance(made, np.generic) else made       # the plain core's numbers
        if not isinstance(made, np.ndarray) or made.dtype != self.graph.specs[step.outs[0]].dtype \
                or made.shape != tuple(self.graph.specs[step.outs[0]].shape):
            return None
        held = made if made.base is None else made.base
        return arg(CONST, value=wrap(made)) if getattr(held, "nbytes", SMALL + 1) <= SMALL else None

    def same(self, step):
        """What a step gives as it is."""
        x, place = step.args[0], Place(self.graph.specs[step.outs[0]])
        before = self.made.get(x.index) if x.kind == VALUE else None
        if step.op in NEUTRAL:
            y = step.args[1]
            alone = y.kind == CONST and type(y.value) in (int, float) and y.value == NEUTRAL[step.op] \
                and str(y.value) != "-0.0" and all([a.kind == CONST and a.value is d for a, d
                                                    in zip(step.args[2:], step.op.defaults[2:])])
            return x if alone and place.dtype.kind in "fiu" and self.lies_so(x, place) else None
        if before is None or before.op is not step.op or step.op is not NEG and step.op is not CAST:
            return self.began(step, place)
        wide, narrow = self.place(x).dtype, place.dtype
        exact = step.op is NEG or wide.kind == narrow.kind == "f" and wide.itemsize >= narrow.itemsize
        quiet = self.is_quiet(self.at[x.index], step.outs[0])       # what was read then is what there is now
        return before.args[0] if exact and quiet and self.lies_so(before.args[0], place) else None

    def began(self, step, place):
        """The value that a chain of views, of which a step is the last, comes back to."""
        while step is not None and self.looks_at(step):
            x = step.args[0]
            if self.lies_so(x, place) and not place.repeats():
                return x
            step = self.made.get(x.index) if x.kind == VALUE else None
        return None

    def looks_at(self, step):
        """Whether a step gives a view of its first argument, and of nothing beside that."""
        if step.op in WINDOWS or step.args[0].kind not in (VALUE, EXT, SLOT):
            return False
        if step.args[0].kind != VALUE and step.args[0].value is None:
            return False
        place = self.place(step.args[0])
        return place.dtype.kind != "c" and (step.op.is_view or step.op in RESHAPES and place.strides == dense(place))

    def place(self, a):
        return Place(self.graph.specs[a.index] if a.kind == VALUE else a.value)

    def lies_so(self, a, place):
        return a.kind == VALUE and self.place(a) == place or a.kind in (EXT, SLOT) and a.value is not None \
            and self.place(a) == place


def dense(place):
    """The strides of the same values one after the other."""
    return Place(np.empty(place.shape, place.dtype)).strides


def is_view(step):
    """Whether a step's value lies, or may lie, in the memory of its first argument."""
    return step.op is not None and (step.op.is_view or step.op.maybe_view)


def is_constant(a):
    return a.kind == CONST or a.kind == LIST and all(map(is_constant, a.items))


def given(a):
    """A constant argument as an op takes it."""
    return a.value([given(item) for item in a.items]) if a.kind == LIST else a.value


def simplified(graph):
    """Without steps that change nothing."""
    walk = Algebra(graph)
    for i, step in enumerate(graph.steps):
        walk.add(i, step)
    return graph.having(walk.steps)
