# compiled
"""The seam: where others look on while ops run, or answer in their place.

Three verbs. A `Watcher` *sees* every op of its thread, forward and backward, before and after; it is told that a value
is *read* (`item`, `bool`, `tolist`, `numpy`, printing, an index, a data-dependent op). A `Taker` is a Watcher that also
*answers instead*: the op's results are then tensors without values (`Tensor._owed` is a `Promise` of the taker's),
whose shape, type and strides come from the op's shape rule; whoever needs the values asks the taker to keep it.

What doesn't run op by op (a captured plan, a batch of many small graphs) tells the watchers through `report`, with the
lines and modules that its ops were written in.
"""
import re

from weft.core.modes import TAKE, WATCH, local
from weft.core.runtime import mode_bits, set_mode_bits


class Watcher:
    """Told of every op between `start()` and `stop()`, or inside `with`; every method may be left as it is.

    What an op does besides giving its outputs stands in the op: `op.writes` (numbers of the parameters that it writes
    to), `op.random` (that of the generator it draws from, or -1), `op.reads` (those whose values decide what it does).
    A watcher works on arrays and never calls an op itself.
    """

    bits = WATCH
    sees_each = True        # whether it is to see each op as it runs, so that no plan runs in its place

    def start(self):
        """Begin to be told; the watchers that are there already are told first.

        >>> import weft
        >>> m = weft.profiler.memory().start()
        >>> x = weft.ones(1024)
        >>> m.stop()
        >>> m.peak
        4096
        """
        tell_joined(self)
        local.watchers = [*local.watchers, self]
        set_mode_bits(mode_bits() | self.bits)
        return self

    def stop(self):
        """No longer be told.

        >>> import weft
        >>> m = weft.profiler.memory().start()
        >>> x = weft.ones(1024)
        >>> m.stop()
        >>> m.peak
        4096
        """
        local.watchers = [w for w in local.watchers if w is not self]
        if not local.watchers:
            set_mode_bits(mode_bits() & ~WATCH)

    def __enter__(self):
        return self.start()

    def __exit__(self, *exc):
        self.stop()

    def joined(self, watcher):
        """Another watcher of this thread is about to start."""

    def before(self, op, values):
        """An op is about to run on bound values; an error in it means that no `after` follows."""

    def after(self, op, values, outputs):
        """An op has run; its outputs carry their nodes already."""

    def unchanged(self, op, values):
        """In place of `after`: the op had nothing to do and gave its first input back."""

    def enter(self, op, values):
        """A step that is made of other ops, or of none, begins (a custom Function); its `after` comes when it is done.
        """

    def leave(self, op):
        """It ends, also by an error."""

    def applied(self, function, ctx, args, outputs):
        """A custom Function has run; before its `after`, while ctx still has what was saved for a jvp."""

    def wrote(self, target, result):
        """A tensor was written to in place (after its op's `after`); result: what was copied into it, or the tensor
        itself where the op filled its memory directly.
        """

    def read(self, tensor, how):
        """A tensor's value is about to leave the graph: how is `item`, `bool`, `tolist`, `numpy`, `print`..."""

    def assigned(self, tensor, what, value):
        """A tensor got another `.grad` or `.data` (what), not by an op: value is a tensor or None."""

    def backward_before(self, node, grad):
        """A node is about to run in a backward; grad: that of its output, a list for several outputs."""

    def backward_after(self, node, grad, grads):
        """A node has run; grads: one for each of its parents, None where there is none."""

    def leaf(self, leaf, grad):
        """A leaf's gradient of one backward is complete."""

    def reported(self, op, values, outputs, place, seconds):
        """An op that ran elsewhere, once for each of its uses in the user's program; `place` says where that is."""
        self.after(op, values, outputs)


class Taker(Watcher):
    """A watcher that may answer ops instead of letting them run; the innermost of a thread is asked.

    With `takes` an op is accepted or refused (then its inputs are settled and it runs). For one that is accepted the
    results are made from its shape rule, recorded in the graph like any others, and handed over with `take`; each
    has a Promise of its own in `_owed`, which its aliases share.
    """

    bits = WATCH | TAKE
    minds_rows = True       # whether sums of gradients that are kept as rows (autograd/rows.py) must be ops
    minds_data = True       # whether tensors of a program's numbers and arrays, and of constants, must be ops

    def start(self):
        self._outer = local.taker
        local.taker = self
        return super().start()

    def stop(self):
        local.taker = self._outer
        if local.taker is None:
            set_mode_bits(mode_bits() & ~TAKE)
        super().stop()

    def takes(self, op, values):
        """Whether to answer this op."""
        return False

    def take(self, op, values, outputs, many):
        """Owe these outputs of `op(*values)`; many: it gives a tuple of them, be it of one. What the op writes
        (`op.writes`) must be written when this returns: the tensors that it writes to, and views of them, are in
        others' hands.
        """

    def promise(self):
        """What an output of an op that it takes carries until its values are there."""
        return Promise(self)

    def takes_inplace(self, op, x, args, kwargs):
        """Whether `x.op_(*args, **kwargs)` was seen to as a whole, x having the new values and history now."""
        return False

    def takes_write(self, target, result):
        """Whether the copy of `result` into `target` (in-place ops) was seen to; else it is made now."""
        return False

    def writing(self, tensor):
        """A tensor's memory is about to be written, now: whatever is owed and needs its old values runs first."""

    def takes_backward(self, root):
        """Whether the plain `root.backward()` of a tensor that it owes was seen to."""
        return False

    def inspected(self, tensor):
        """Somebody looks at the graph behind a tensor that it owes."""

    def aliased(self, tensor):
        """A tensor that it owes is about to get an alias (`detach()`), which has the same record of writes."""

    def handed_out(self, tensor):
        """Others hold a tensor's memory from now on: a NumPy array, a DLPack capsule, a storage."""

    def drawing(self):
        """A random generator's state is read or set, not by an op."""

    def settle(self, promise):
        """Keep a promise: `promise.array = ...`, the values."""
        raise NotImplementedError


class Promise:
    """Values that a taker owes to a tensor and its aliases."""

    __slots__ = ("owner", "array", "__weakref__")
    readable = True         # False: nobody can have the values of this one tensor (ops/lanes)
    with_graph = False      # True: the history is owed, too, and the owner's `settle_tensor` brings both

    def __init__(self, owner):
        self.owner = owner
        self.array = None       # the values, once they are there

    def value(self):
        """The values; the owner is asked for them where they aren't there yet."""
        if self.array is None:
            self.owner.settle(self)
        return self.array


class Aside:
    """A scope in which nobody looks on and nothing is answered: where a taker does the real work."""

    def __enter__(self):
        self._bits = set_mode_bits(mode_bits() & ~(WATCH | TAKE))

    def __exit__(self, *exc):
        set_mode_bits(mode_bits() & ~(WATCH | TAKE) | self._bits & (WATCH | TAKE))


def tell_joined(watcher):
    """Tell this thread's watchers that one more starts."""
    for other in local.watchers:
        other.joined(watcher)


def tell_read(tensor, how):
    """Tell this thread's watchers that a value is read; whoever reads asks for WATCH first."""
    for watcher in local.watchers:
        watcher.read(tensor, how)


def minds_made():
    """Whether those who look on want what is made of numbers alone to be an op; somebody does look on."""
    return not mode_bits() & TAKE or local.taker.minds_data


def tell_wrote(target, result):
    """Tell this thread's watchers that a tensor was written to in place."""
    for watcher in local.watchers:
        watcher.wrote(target, result)


def tell_assigned(tensor, what, value):
    """Tell this thread's watchers of a new `.grad` or `.data`."""
    for watcher in local.watchers:
        watcher.assigned(tensor, what, value)


def report(op, values, outputs, place, seconds=None):
    """Tell this thread's watchers of an op that did not take the road of `apply` (capture and automatic batching call
    this).
    """
    for watcher in local.watchers:
        watcher.reported(op, values, outputs, place, seconds)


_TITLES = {}


def title_of(op):
    """An op's name as users know it: that of PyTorch's node for what is private here (`_power` is `pow`)."""
    found = _TITLES.get(op)
    if found is None:
        found = op.name if not op.name.startswith("_") else snake(op.node_name)
        _TITLES[op] = found
    return found


def snake(node_name):
    """`NativeBatchNormBackward0` is `native_batch_norm`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])|(?<=[0-9]D)(?=[A-Z])", "_",
                  re.sub(r"Backward\d*$", "", node_name)).lower()
