# compiled
"""Recording a path: every op is owed for as long as can be, and noted as an event of the path.

That the ops are owed while they are recorded shows what a plain record can't: whether a check or the rule of a gradient
looked at values. Such a check runs again every time; such a backward ends the path.
"""
from functools import partial
from weakref import ref

from weft.autograd import engine
from weft.autograd.api import first_grad
from weft.core.modes import ANOMALY, GRAD_OFF, INFERENCE, MATCH, NUMERICS, SAVED_HOOKS
from weft.core.place import here
from weft.core.runtime import mode_bits, set_mode_bits
from weft.core.seam import Aside, title_of
from weft.jit import path
from weft.jit.execute import write_directly
from weft.jit.kinds import BACKWARD, CONST, EXT, OP, REG, RENAME, SAME, SLOT, WRITE
from weft.jit.leaving import why_not_blind
from weft.jit.match import has_hooks
from weft.jit.passes.simplify import without_copies
from weft.jit.path import Unsupported
from weft.kernels.native import is_half
from weft.ops.core.inplace import compute, graft, keep_saved, store
from weft.tensor.tensor import Tensor, describe, is_plain, lay_out, needs_grad, settle, wrap

SEEN = ANOMALY | NUMERICS | SAVED_HOOKS     # modes in which each op is seen as it runs
HOOKED = "a backward that runs hooks of leaves"
LOOKED_AT = "check_numerics, anomaly detection, or hooks of saved tensors"


class Recorder:
    """Notes what a call does after the events that it has in common with known paths."""

    def __init__(self, run, behind):
        self.at, self.reason, self.grew = run.at, None, False
        self.forms = []             # of each output of the path, its stand-in
        event = run.at
        while event is not None:
            self.forms[:0] = event.forms
            event = event.before
        self.slots = {}             # id of a promise, or of an array -> the output's number
        self.regs = {}              # the same for a backward's results
        self.ext, self.n_ext = {id(array): k for k, array in enumerate(run.arrays)}, len(run.arrays)
        self.held = [*run.arrays, *run.ext]     # so that ids stay their own
        for k, copy in (run.shared or {}).items():          # nodes have saved the copy
            self.ext[id(copy._form)] = k
            self.held += [copy, copy._form]
        self.owed = {}              # id of a promise that has not been kept -> the promise
        self.ends = []              # weak references to arrays, whose ids are forgotten with them
        self.nodes = {}             # id of a node -> numbers of its outputs
        for k, t in enumerate(run.outs):
            if t is not None:
                self.know(t._form, k)
                self.note_node(t, k)
        for node, found, k in behind:
            if found() is not None:
                self.know(found(), k)
            if node is not None:
                self.note(node, k)
        for k, t in run.saved:
            self.slots[id(t._form)] = k
            self.held.append(t)
        self.pending = []           # (op, values, promises)
        self.taken = ()             # the promises of what was owed last
        self.body = self.current = self.first = None
        self.constants = False      # whether a backward has taken a tensor for a constant
        self.check_reads = False

    def stop(self, reason, whole=True):
        """The path can't go on: what comes now is not recorded. whole: what comes another time isn't, either."""
        if self.reason is None:
            if self.body is not None and self.hooked():
                reason = HOOKED
            self.reason = reason
            if all([event.reason != reason for event in self.at.children]):
                self.at.children.append(path.ending(reason, self.at, whole))

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
        if self.reason is None and mode_bits() & SEEN:
            self.stop(LOOKED_AT)
        if self.reason is not None:
            return None
        free = bool(op.writes) and not op.n_rules and self.body is None     # a gradient's rule may need the number
        try:
            return path.args_of(op, values, self.tensor_arg, free, self.body is None)
        except Unsupported as error:
            self.stop(str(error))
            return None

    def tensor_arg(self, t):
        if t._owed is not None and not t._owed.readable:
            raise Unsupported("a sparse tensor, or one of many that a transform stands for")
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
            return path.arg(EXT, self.ext[key], path.template(t), t._wants_grad, graph=t._made_by is not None)
        if self.body is not None:
            self.held.append(t)
            self.constants = self.constants or t is not self.first
            return path.arg(CONST, value=t)        # made by a rule: `backward` looks whether of nothing but shapes
        graph = needs_grad(t) and not t._wants_grad
        if not graph and t._view_of is not None and t._view_of.base().requires_grad:
            raise Unsupported("a view without a graph of a tensor that has one")
        if t._on_meta or t._inference:
            raise Unsupported("a tensor on the meta device, or one of inference mode")
        self.held += [t, t._form]
        self.ext[key] = self.n_ext
        self.n_ext += 1
        return path.arg(EXT, self.ext[key], path.template(t), t._wants_grad, graph=graph)

    def take(self, op, values, outputs, many):
        """Owe what an op gives."""
        unusual = any([is_half(t._form) for t in path.tensors_in(values)])
        promises = [t._owed for t in outputs]
        self.owed.update({id(promise): promise for promise in promises})
        self.pending.append((op, [own(value) for value in values], promises))
        self.current, self.taken = None, promises
        if self.body is not None:
            first = self.body.n_regs
            self.body.steps.append(path.Step(op, self.args, first, len(outputs), unusual))
            self.body.n_regs += len(outputs)
            self.body.specs += [describe(t) for t in outputs]
            self.body.own += [not op.is_view and not op.maybe_view] * len(outputs)
            for k, promise in enumerate(promises):
                self.regs[id(promise)] = first + k
            return
        self.append(OP, op, outputs, unusual, many)
        if any([t._memory_record is not None and t._memory_record.outside for t in path.tensors_in(values)]):
            self.work()         # others may write to that memory at any time

    def append(self, kind, op, outputs, unusual=False, many=None):
        """A new event at the end of the path; its outputs have numbers from now on."""
        bits = mode_bits() | MATCH
        if bits & INFERENCE:
            bits |= GRAD_OFF
        event = path.event(kind, op, bits, self.args, len(self.forms), outputs, self.at)
        event.unusual, event.checked = unusual, self.check_reads
        event.whole = bool(op is not None and op.writes) or self.check_reads
        event.many = len(outputs) > 1 if many is None else many
        if op is not None and op.writes:
            event.written = [*path.numbers_in([self.args[i] for i in op.writes], SLOT)] or None
        known = [other for other in self.at.children if path.same_event(event, other)]
        if known:       # a path that the call came back to: an op that failed, or could not be owed, led away from it
            known[0].whole, known[0].checked = known[0].whole or event.whole, known[0].checked or event.checked
            event = known[0]
        else:
            event.place = here()
            self.at.children.append(event)
            self.grew = True
        for k, t in enumerate(outputs, len(self.forms)):
            if t._owed is None:
                self.know(t._form, k)
            else:
                self.slots[id(t._owed)] = k
                self.owed[id(t._owed)] = t._owed
            self.note_node(t, k)
        self.forms += event.forms
        self.at = event
        return event

    def know(self, array, k, numbers=None):
        """Output k is known by its array from now on, for as long as there is one: it isn't held."""
        numbers = self.slots if numbers is None else numbers
        numbers[id(array)] = k
        self.ends.append(ref(array, partial(forget, numbers, id(array))))

    def note_node(self, t, k):
        """Remember that output k belongs to the node that made t."""
        if t._made_by is not None:
            self.note(t._made_by, k)

    def note(self, node, k):
        self.nodes.setdefault(id(node), []).append(k)
        self.held.append(node)

    def after(self, op, values, outputs):
        """An op has run, or was owed: `take` has noted that one."""
        if outputs and any([outputs[0]._owed is promise for promise in self.taken]):
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
        if self.writes_renamed(op):
            self.stop(f"{title_of(op)}: it writes to a tensor that was written to before")
            return
        self.append(OP, op, outputs)

    def writes_renamed(self, op):
        """Whether an op that writes to memory does so to a value that a node may have saved (see `rename`)."""
        written = set(path.numbers_in([self.args[i] for i in op.writes], SLOT))
        event = self.at
        while event is not None:
            if event.kind == RENAME and event.wants[0] and event.first in written:
                return True
            event = event.before
        return False

    def write(self, target, result):
        """Whether the copy of an output into a tensor from outside is noted as an event. A leaf that wants a gradient
        is written to without a history only (grad mode is off).
        """
        if self.reason is not None or self.body is not None or not is_plain(target) or target._owed is not None \
                or target._made_by is not None or target._wants_grad and not mode_bits() & GRAD_OFF \
                or result._made_by is not None or target._view_of is not None:
            return False
        try:
            into, source = self.tensor_arg(target), self.tensor_arg(result)
        except Unsupported as why:
            self.stop(str(why))
            return False
        if into.kind != EXT or source.kind != SLOT:
            return False
        self.args = [into, source]
        self.append(WRITE, None, [])
        return True

    def fill(self, op, values):
        """Run an op that fills the memory of a tensor from outside, after what is owed, and note it as an event; False
        where that can't be.
        """
        if self.reason is not None or self.body is not None:
            return False
        x = values[0]
        self.args = self.args_or_stop(op, values) if id(x._form) not in self.slots else None
        if self.args is None or self.args[0].kind != EXT:
            return False
        self.work()
        try:
            with Aside():
                write_directly(op, values)
        except Exception:
            self.stop(f"{title_of(op)}_: it failed")
            raise
        self.check_reads = False
        self.append(WRITE, op, []).whole = True         # memory that NumPy holds, too, is no argument of it
        return True

    def may_rename(self, x):
        """Whether x is a tensor that the step made, and whose memory no view shares."""
        if self.reason is not None or self.body is not None:
            return False
        if x._owed is not None and x._owed.array is not None:
            settle(x)
        k = self.slots.get(id(x._form if x._owed is None else x._owed))
        return k is not None and not path.is_seen_through(self.at, k)

    def rename(self, op, x, args, kwargs):
        """Compute `x.op_(...)`, whose result x stands for from now on. False where that can't be: then the result was
        written into x, as always.
        """
        before = wrap(x._form)          # x with the history that it has now
        before._owed, before._made_by, before._made_nr = x._owed, x._made_by, x._made_nr
        before._seldom = None if x._seldom is None else dict(x._seldom)
        before._inference = x._inference
        made = compute(op, before, [before if a is x else a for a in args], kwargs)
        if not self.is_result(made, op, before):
            keep_saved(before, made)
            store(x, made, op.name + "_")
            return False
        k = self.at.first
        for _, values, _ in self.pending:       # what has not run yet means x as it was
            values[:] = path.swapped(values, x, before)
        x._form, x._owed = made._form, made._owed.owner.promise()
        lay_out(x, describe(made))
        self.pending.append((None, [made], [x._owed]))      # a node may have saved `made`, and x be written to
        if not mode_bits() & GRAD_OFF:
            graft(x, made)
        self.args = [self.at.args[0], path.arg(SLOT, k, made._form, made._made_by is not None)]
        self.append(RENAME, None, [x])
        return True

    def is_result(self, made, op, x):
        """Whether `made` is what the path's last event gave, `op` of x, and lies as x does."""
        event, k = self.at, self.slots.get(id(x._form if x._owed is None else x._owed))
        return (self.reason is None and event.op is op and event.kind == OP and event.n_outs == 1 and not event.whole
                and made._owed is not None and made._owed.array is None
                and self.slots.get(id(made._owed)) == event.first
                and event.args[0].kind == SLOT and event.args[0].index == k and describe(made) == describe(x)
                and (made._made_by is not None or x._made_by is None or bool(mode_bits() & GRAD_OFF)))

    def unchanged(self, op, values):
        if self.body is None and not path.runs_anyway(op, values):
            self.args = self.args_or_stop(op, values)
            if self.args is not None:
                self.append(SAME, op, [])

    # backward

    def backward(self, root):
        """Run `root.backward()`, with its ops owed, and note it as one event. Gives (leaf, the gradient that it had
        before) where that is still to be added to.
        """
        if self.reason is None and mode_bits() & SEEN:
            self.stop(LOOKED_AT)
        body = path.Body(self.tensor_arg(root))
        bits = mode_bits() | MATCH
        self.body, self.regs, self.first, self.constants = body, {}, first_grad(root, 0), False
        before = self.set_aside()
        try:
            engine.backward([root], [self.first], False, False, None, True)
        finally:
            self.body = None
            for leaf, grad in before:
                if leaf._grad is None:
                    leaf._grad = grad
        before = [(leaf, grad) for leaf, grad in before if leaf._grad is not grad]
        if self.hooked():
            self.stop(HOOKED)
        if self.reason is None and self.constants:
            why = why_not_blind(self.at, body.root.index, self.first)
            if why is not None:
                self.stop(f"a gradient's rule made a tensor that may depend on values: {why}")
        if self.reason is not None:
            return before
        self.args = [body.root]
        body_grads = [grad for _, _, grad in body.leaves]
        event = self.append(BACKWARD, None, body_grads)
        event.bits, event.body = bits, body
        body.leaves = [(leaf, source) for leaf, source, _ in body.leaves]
        without_copies(body)
        order = {id(grad): i for i, grad in enumerate(body_grads)}
        return sorted(before, key=lambda pair: order[id(pair[0]._grad)])

    def hooked(self):
        """Whether there are leaves with hooks."""
        return any([isinstance(leaf, Tensor) and leaf._wants_grad and has_hooks(leaf) for leaf in self.held])

    def set_aside(self):
        """Take their gradients from the leaves of this path: (leaf, gradient) of each that has one and no hooks."""
        found = {}
        for t in self.held:
            if isinstance(t, Tensor) and t._wants_grad and t._grad is not None and is_plain(t._grad) \
                    and not has_hooks(t):
                found[id(t)] = (t, t._grad)
        for t, _ in found.values():
            t._grad = None
        return list(found.values())

    def assigned(self, tensor, what, value):
        if self.body is None:
            if what != "grad":
                self.stop(f"`.{what}` of a tensor was changed", False)
            return
        key = id(tensor._form)
        if what != "grad" or key not in self.ext or value is None:
            self.stop("a gradient of something that is no leaf of this step")
            return
        self.held.append(value)
        try:
            self.body.leaves.append((self.ext[key], self.tensor_arg(value), value))
        except Unsupported as why:
            self.stop(f"a gradient is {why}")

    def backward_before(self, node):
        if self.body is None:
            self.stop("a backward other than the plain `loss.backward()`")
        elif id(node) not in self.nodes:
            self.stop("a backward through a graph that was made outside")
        else:
            self.body.visited.update(self.nodes[id(node)])

    # values

    def work(self):
        """Run what is owed."""
        pending, self.pending = self.pending[::-1], []
        with Aside():
            bits = set_mode_bits(mode_bits() | GRAD_OFF)
            try:
                while pending:          # an array is let go after its last reader
                    self.keep(*pending.pop())
            finally:
                set_mode_bits(bits)

    def keep(self, op, values, promises):
        """Run one op, and keep the promises of what it gives: its outputs are known by their arrays from now on."""
        made = op.compute(values) if op is not None else wrap(values[0]._array.copy("K"))
        for promise, real in zip(promises, made if isinstance(made, tuple) else (made,), strict=True):
            array = promise.array = real._form
            for numbers in (self.slots, self.regs):
                if id(promise) in numbers:
                    self.know(array, numbers.pop(id(promise)), numbers)
            self.owed.pop(id(promise), None)

    def settled(self):
        """Somebody needs a value that is owed."""
        if self.body is not None:
            self.stop("the rule of a gradient looks at values")
        if self.current is not None:
            self.check_reads = True
        self.work()


def own(value):
    """A copy of a list of arguments, which the program may change before the op runs."""
    return type(value)([own(item) for item in value]) if type(value) in (list, tuple) else value


def forget(numbers, key, _):
    """The array whose id was `key` is gone: another may have that id."""
    numbers.pop(key, None)
