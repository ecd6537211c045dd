# compiled, -Og
"""The profiler's notebook, compiled: each op adds a tuple to a list, and nothing else; resolve.py makes sense of them.

(end, OP, op, sequence number or -1, code, offset, module, details, start): an op holds no other, so one tuple is
enough; (time, FUNCTION, op), (time, END_FUNCTION, then as for an op without start): a custom Function holds others;
(time, NODE, name, sequence number, code, offset, module), (time, END_NODE, sequence number),
(time, RANGE, key, name, args, code, offset, module), (time, END_RANGE, key); times in nanoseconds.
"""
import os
import sys
from time import perf_counter_ns

from weft.core.runtime import running, user_code, user_offset
from weft.profiler.flops import Shape
from weft.tensor.tensor import Tensor

OP, FUNCTION, END_FUNCTION, NODE, END_NODE, RANGE, END_RANGE = range(7)
OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Log:
    """What is noted, in the order of time."""

    def __init__(self, detailed, stack):
        self.entries = []
        self.detailed, self.stack = detailed or stack, stack
        self.op, self.start = None, 0       # the op that is running, and since when

    def before(self, op, values):
        self.op = op
        self.start = perf_counter_ns()

    def enter(self, op, values):
        self.entries.append((perf_counter_ns(), 1, op))

    def after(self, op, values, outs):
        end = perf_counter_ns()
        seq = -1
        if len(outs):
            t = outs[0]
            node = t._made_by
            if node is not None:
                seq = node.seq
                if not self.detailed and op is self.op:
                    self.entries.append((end, 0, op, seq, node.code, node.lasti, node.module, None, self.start))
                    return
        details = details_of(op, values, outs, self.stack) if self.detailed else None
        code = user_code()
        if op is self.op:
            self.entries.append((end, 0, op, seq, code, user_offset(), running(), details, self.start))
        else:
            self.entries.append((end, 2, op, seq, code, user_offset(), running(), details))

    def backward_before(self, node, grad):
        n = node
        self.entries.append((perf_counter_ns(), 3, n.own_name(), n.seq, n.code, n.lasti, n.module))

    def backward_after(self, node, grad, grads):
        n = node
        self.entries.append((perf_counter_ns(), 4, n.seq))

    def begin(self, key, name, args):
        code = user_code()
        self.entries.append((perf_counter_ns(), 5, key, name, args, code, user_offset(), running()))

    def end(self, key):
        self.entries.append((perf_counter_ns(), 6, key))


def details_of(op, values, outs, stack):
    """(values with shapes in place of tensors, outputs' shapes, new bytes, frames)."""
    shapes = []
    for out in outs:
        t = out
        shapes.append(Shape(t._form.shape))
    return snapshot(values), tuple(shapes), made_bytes(op, values, outs), frames() if stack else None


def snapshot(values):
    """Bound values with a Shape for each tensor, so that nothing is kept alive."""
    found = []
    for v in values:
        if isinstance(v, Tensor):
            t = v
            found.append(Shape(t._form.shape))
        elif v is None or isinstance(v, (bool, int, float, str)):
            found.append(v)
        elif isinstance(v, (list, tuple)):
            found.append(snapshot(v))
        else:
            found.append(type(v).__name__)
    return tuple(found)


def made_bytes(op, values, outs):
    """The bytes of the outputs that are new memory."""
    total = 0
    if op.is_view:
        return total
    for out in outs:
        t = out
        if t._array.base is None:
            for v in values:
                if v is out:
                    break
            else:
                total += t._form.nbytes
    return total


def frames():
    """The user's frames, innermost first: (code, offset) each."""
    found, frame = [], sys._getframe(0)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(OWN):
            found.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(found)
