"""Recording a path: every op is owed for as long as can be, and noted as an event of the path.

That the ops are owed while they are recorded shows what a plain record can't: whether a check or the rule of a gradient
looked at values. Such a check runs again every time; such a backward ends the path.
"""
from weft.autograd import engine
from weft.autograd.api import first_grad
from weft.core.modes import GRAD_OFF, INFERENCE, MATCH
from weft.core.place import here
from weft.core.runtime import mode_bits, set_mode_bits
from weft.core.seam import Aside, title_of
from weft.jit import path
from weft.jit.kinds import BACKWARD, CONST, EXT, OP, REG, SAME, SLOT, WRITE
from weft.jit.passes.simplify import without_copies
from weft.jit.path import Unsupported
from weft.kernels.native import is_half
from weft.tensor.tensor import describe, is_plain, settle


class Recorder:
    """Notes what a call does after the events that it has in common with known paths."""

    def __init__(self, run):
        self.at, self.reason = run.at, None
        self.forms = []             # of each output of the path, its stand-in
        event = run.at
        while event is not None:
            self.forms[:0] = event.forms
            event = event.before
        self.slots = {}             # id of a promise, or of an array -> the output's number
        self.regs = {}              # the same for a backward's results
        self.ext = {id(array): k for k, array in enumerate(run.arrays)}
        self.held = [*run.outs, *run.arrays, *run.ext]      # so that ids stay their own
        for k, t in enumerate(run.outs):
            if t is not None:
                self.slots[id(t._form)] = k
        self.pending = []           # (op, values, promises)
        self.nodes = {}             # id of a node -> numbers of its outputs
        self.body = self.current = None
        self.check_reads = False

    def stop(self, reason):
        """The path can't go on: what comes now is not recorded."""
        if self.reason is None:
            self.reason = reason
            self.at.children.append(path.ending(reason, self.at))

    # ops

    def before(self, op):
        self.current, self.check_reads = op, False

    def takes(self, op, values):
        if op.writes or path.runs_anyway(op, values):
            return False
        self.args = self.args_or_stop(op, values)
        return self.args is not None

    def args_or_stop(self, op, values):
        """The Args of an op's values; None where the path can't have it."""
        if self.reason is not None:
            return None
        try:
            return path.args_of(op, values, self.tensor_arg, bool(op.writes) and self.body is None, self.body is None)
        except Unsupported as error:
            self.stop(str(error))
            return None

    def tensor_arg(self, t):
        if t._owed is not None and t._owed.array is not None:
            settle(t)
        key = id(t._form if t._owed is None else t._owed)
        if self.body is not None and key in self.regs:
            return path.arg(REG, self.regs[key])
        if key in self.slots:
            k = self.slots[key]
            return path.arg(SLOT, k, self.forms[k], t._made_by is not None)
        if t._owed is not None:
            raise Unsupported("a value that another capture owes")
        if key in self.ext:
            return path.arg(EXT, self.ext[key], path.template(t), t._wants_grad)
        if self.body is not None:
            self.held.append(t)
            return path.arg(CONST, value=t)        # made by a rule, out of nothing but shapes
        if t._made_by is not None or t._view_of is not None and t._view_of.base().requires_grad:
            raise Unsupported("a tensor with a graph that was made outside")
        if t._on_meta or t._inference:
            raise Unsupported("a tensor on the meta device, or one of inference mode")
        self.held += [t, t._form]
        self.ext[key] = len(self.ext)
        return path.arg(EXT, self.ext[key], path.template(t), t._wants_grad)

    def take(self, op, values, outputs, many):
        """Owe what an op gives."""
        unusual = any([is_half(t._form) for t in path.tensors_in(values)])
        promises = [t._owed for t in outputs]
        self.held += promises
        self.pending.append((op, list(values), promises))
        self.current = None
        if self.body is not None:
            first = self.body.n_regs
            self.body.steps.append(path.Step(op, self.args, first, len(outputs), unusual))
            self.body.n_regs += len(outputs)
            self.body.specs += [describe(t) for t in outputs]
            self.body.own += [not op.is_view and not op.maybe_view] * len(outputs)
            for k, promise in enumerate(promises):
                self.regs[id(promise)] = first + k
            return
        self.append(OP, op, outputs, unusual).many = many
        if any([t._memory_record is not None and t._memory_record.outside for t in path.tensors_in(values)]):
            self.work()         # others may write to that memory at any time

    def append(self, kind, op, outputs, unusual=False):
        """A new event at the end of the path; its outputs have numbers from now on."""
        bits = mode_bits() | MATCH
        if bits & INFERENCE:
            bits |= GRAD_OFF
        event = path.event(kind, op, bits, self.args, len(self.forms), outputs, self.at)
        event.unusual, event.whole = unusual, bool(op is not None and op.writes) or self.check_reads
        event.many = len(outputs) > 1
        event.place = here()
        for k, t in enumerate(outputs, len(self.forms)):
            key = t._form if t._owed is None else t._owed
            self.slots[id(key)] = k
            self.held.append(key)
            if t._made_by is not None:
                self.nodes.setdefault(id(t._made_by), []).append(k)
                self.held.append(t._made_by)
        self.forms += event.forms
        self.at.children.append(event)
        self.at = event
        return event

    def after(self, op, values, outputs):
        """An op has run, or was owed: `take` has noted that one."""
        if self.pending and self.pending[-1][0] is op and outputs and any([outputs[0]._owed is p for p in
                                                                            self.pending[-1][2]]):
            return
        self.current = None
        if path.runs_anyway(op, values) or self.reason is not None:
            return
        if not op.writes or self.body is not None:
            self.stop(f"{title_of(op)}: it ran where it could not be owed")
            return
        self.args = self.args_or_stop(op, values)
        if self.args is None:
            return
        self.append(OP, op, outputs)

    def write(self, target, result):
        """Whether the copy of an output into a tensor from outside is noted as an event. A leaf that wants a gradient
        is written to without a history only (grad mode is off).
        """
        if self.reason is not None or self.body is not None or not is_plain(target) or target._owed is not None \
                or target._made_by is not None or target._wants_grad and not mode_bits() & GRAD_OFF \
                or result._made_by is not None or target._view_of is not None:
            return False
        into, source = self.tensor_arg(target), self.tensor_arg(result)
        if into.kind != EXT or source.kind != SLOT:
            return False
        self.args = [into, source]
        self.append(WRITE, None, [])
        return True

    def unchanged(self, op, values):
        if self.body is None and not path.runs_anyway(op, values):
            self.args = self.args_or_stop(op, values)
            if self.args is not None:
                self.append(SAME, op, [])

    # backward

    def backward(self, root):
        """Run `root.backward()`, with its ops owed, and note it as one event."""
        body = path.Body(self.tensor_arg(root))
        bits = mode_bits() | MATCH
        self.body, self.regs = body, {}
        engine.backward([root], [first_grad(root, 0)], False, False, None, True)
        self.body = None
        if self.reason is not None:
            return
        self.args = [body.root]
        event = self.append(BACKWARD, None, [grad for _, _, grad in body.leaves])
        event.bits, event.body = bits, body
        body.leaves = [(leaf, source) for leaf, source, _ in body.leaves]
        without_copies(body)

    def assigned(self, tensor, what, value):
        if self.body is None:
            if what != "grad":
                self.stop(f"`.{what}` of a tensor was changed")
            return
        key = id(tensor._form)
        if what != "grad" or key not in self.ext or value is None:
            self.stop("a gradient of something that is no leaf of this step")
            return
        self.held.append(value)
        self.body.leaves.append((self.ext[key], self.tensor_arg(value), value))

    def backward_before(self, node):
        if self.body is None:
            self.stop("a backward other than the plain `loss.backward()`")
        else:
            self.body.visited.update(self.nodes.get(id(node), ()))

    # values

    def work(self):
        """Run what is owed."""
        pending, self.pending = self.pending, []
        with Aside():
            bits = set_mode_bits(mode_bits() | GRAD_OFF)
            try:
                for op, values, promises in pending:
                    made = op.compute(values)
                    for promise, real in zip(promises, made if isinstance(made, tuple) else (made,), strict=True):
                        promise.array = real._form
                        self.held.append(real._form)
                        for numbers in (self.slots, self.regs):
                            if id(promise) in numbers:
                                numbers[id(real._form)] = numbers[id(promise)]
            finally:
                set_mode_bits(bits)

    def settled(self):
        """Somebody needs a value that is owed."""
        if self.body is not None:
            self.stop("the rule of a gradient looks at values")
        if self.current is not None:
            self.check_reads = True
        self.work()
