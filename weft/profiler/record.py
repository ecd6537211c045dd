"""What a profiler notes while the program runs: as little as possible. A list of tuples, made sense of at the end (resolve.py).

A tuple begins with the time in nanoseconds and says what begins (an op, a node of the backward, a range) or ends.
"""
import os
import sys
from time import perf_counter_ns

from weft.core.runtime import current_module, user_code, user_offset
from weft.core.watchers import Watcher
from weft.ops.flops import Shape
from weft.tensor.tensor import Tensor

OP, FUNCTION, END_OP, NODE, END_NODE, RANGE, END_RANGE = range(7)
OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Recorder(Watcher):
    """The watcher of a profile. `log` holds
    (time, OP or FUNCTION, op), (time, END_OP, op, sequence number or -1, code, offset, module, details),
    (time, NODE, name, sequence number, code, offset, module), (time, END_NODE, sequence number),
    (time, RANGE, key, name, args, code, offset, module), (time, END_RANGE, key).
    """

    def __init__(self, shapes=False, memory=False, stack=False):
        self.log = log = []
        self.shapes, self.memory, self.stack = shapes, memory, stack
        # functions, not methods: one look-up less for each op
        self.before, self.after, self.backward_before, self.backward_after = _hot(log.append, shapes or memory, stack)

    def range_begin(self, key, name, args):
        code = user_code()
        self.log.append((perf_counter_ns(), RANGE, id(key), name, args, code, user_offset(), current_module()))

    def range_end(self, key):
        self.log.append((perf_counter_ns(), END_RANGE, id(key)))

    def enter(self, op, values):
        self.log.append((perf_counter_ns(), FUNCTION, op))


def _hot(add, detailed, stack):
    now, line, offset, module = perf_counter_ns, user_code, user_offset, current_module

    def before(op, values):
        add((now(), OP, op))

    def after(op, values, outs):
        end = now()
        node = outs[0]._node if outs else None
        if node is None:
            add((end, END_OP, op, -1, line(), offset(), module(), None))
        else:
            add((end, END_OP, op, node.seq, node.code, node.lasti, node.module, None))

    def after_detailed(op, values, outs):
        end = now()
        node = outs[0]._node if outs else None
        details = snapshot(values), tuple([Shape(o.array.shape) for o in outs]), made_bytes(op, values, outs), frames() if stack else None
        add((end, END_OP, op, -1 if node is None else node.seq, line(), offset(), module(), details))

    def backward_before(node, grad):
        add((now(), NODE, node.name(), node.seq, node.code, node.lasti, node.module))

    def backward_after(node, grad, grads):
        add((now(), END_NODE, node.seq))

    return before, after_detailed if detailed or stack else after, backward_before, backward_after


def snapshot(values):
    """Bound values with a Shape for each tensor, so that nothing is kept alive."""
    return tuple([Shape(v.array.shape) if isinstance(v, Tensor) else
                  v if v is None or isinstance(v, (bool, int, float, str)) else
                  snapshot(v) if isinstance(v, (list, tuple)) else type(v).__name__ for v in values])


def made_bytes(op, values, outs):
    """The bytes of the outputs that are new memory."""
    if op.is_view:
        return 0
    return sum([o.array.nbytes for o in outs if o.array.base is None and not any([o is v for v in values])])


def frames():
    """The user's frames, innermost first: (code, offset) each."""
    found, frame = [], sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(OWN):
            found.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(found)
