"""What may look on while ops run: the one interface of recording, profiling and numeric checks, and the place where
others report.

A watcher is told of every op of this thread, forward and backward. What doesn't run op by op (a captured plan, a batch
of many small graphs) tells the watchers through `report`, with the lines and modules that its ops were written in.
"""
import re

from weft.core.modes import WATCH, local
from weft.core.runtime import current_module, mode_bits, set_mode_bits, user_code, user_offset


class Watcher:
    """Told of every op between `start()` and `stop()`, or inside `with`; every method may be left as it is.

    A watcher works on arrays and never calls an op itself.
    """

    def start(self):
        """Begin to be told; the watchers that are there already are told first."""
        local.watchers = [*local.watchers, self]
        set_mode_bits(mode_bits() | WATCH)
        return self

    def stop(self):
        """No longer be told."""
        local.watchers = [w for w in local.watchers if w is not self]
        if not local.watchers:
            set_mode_bits(mode_bits() & ~WATCH)

    def __enter__(self):
        return self.start()

    def __exit__(self, *exc):
        self.stop()

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

    def wrote(self, target, result):
        """A result was copied into a tensor in place (after its op's `after`)."""

    def backward_before(self, node, grad):
        """A node is about to run in a backward; grad: that of its output, a list for several outputs."""

    def backward_after(self, node, grad, grads):
        """A node has run; grads: one for each of its parents, None where there is none."""

    def leaf(self, leaf, grad):
        """A leaf's gradient of one backward is complete."""

    def reported(self, op, values, outputs, stamp, seconds):
        """An op that ran elsewhere, once for each of its uses in the user's program; `stamp` says where that is."""
        self.after(op, values, outputs)


class Place:
    """A line of the user's program and the module that it ran in: what `Stamp` is for now, given from outside."""

    __slots__ = ("code", "lasti", "module")

    def __init__(self, code=None, lasti=0, module=None):
        self.code, self.lasti, self.module = code, lasti, module


def place_now():
    """Where the user's program is."""
    code = user_code()
    return Place(code, user_offset(), current_module())


def report(op, values, outputs, stamp, seconds=None):
    """Tell this thread's watchers of an op that did not take the road of `apply` (capture and automatic batching call
    this).
    """
    for watcher in local.watchers:
        watcher.reported(op, values, outputs, stamp, seconds)


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
