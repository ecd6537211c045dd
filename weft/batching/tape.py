# compiled
"""Running a level's groups, and their backward: many entries at once, as one node of the graph.

A group's inputs are stacked, the op runs on the stack by its batch rule (ops/lanes), and the few nodes that this
records stay inside the `Tape`. To the engine the tape is one node: its parents are the tensors from outside, its
outputs what the program holds. Its backward goes through the groups in reverse, so it is batched as the forward was,
and the gradient of a parameter that all examples share is one product for each group.
"""
import numpy as np

from weft.autograd import engine
from weft.autograd.graph import Node, next_seq
from weft.batching.gather import Made, place, stacked, still_held
from weft.batching.record import Outside, Slot
from weft.core.errors import where
from weft.core.modes import AUTOCAST, FUNCTION, GRAD_OFF, INFERENCE, MATCH, NUMERICS, SAVED_HOOKS, TAKE, WATCH, local
from weft.core.place import at as place_at
from weft.core.runtime import mode_bits, set_mode_bits
from weft.ops.core.promotion import promote
from weft.ops.core.record import edge
from weft.ops.lanes.rules import Call, Unruled, by_name, rule_of
from weft.tensor.tensor import OPS, Tensor, alias, wrap

ELSEWHERE = WATCH | TAKE | MATCH | AUTOCAST | FUNCTION | INFERENCE | NUMERICS | SAVED_HOOKS


NO_VALUES = np.empty(0, np.float32)


class Step:
    """One group that takes part in the graph. leaves: its inputs that want gradients, with the Route of each."""

    __slots__ = ("outs", "mades", "leaves", "routes", "at", "direct", "ran")


class Tape(Node):
    """The groups of one level as a node."""

    def __init__(self, session, whole):
        self.session, self.node, self.whole = session, self, whole
        self.seq, self.n_outputs, self.parents, self.outs = next_seq(), 2, (), ()
        self.steps, self.outputs, self.places, self.numbers, self.entries = [], [], [], {}, []
        self.keeps = []     # the parents as tensors, and what `numbers` tells apart
        self.place()

    def name(self):
        return "BatchBackward0"

    # tensors from outside

    def tensor(self, source):
        if isinstance(source, Outside):
            t = source.tensor
            return t if t._form is source.array else wrap(source.array)
        return self.session.tensor_of(source)

    def array(self, source):
        return source.array if isinstance(source, Outside) else self.session.tensor_of(source)._array

    def number(self, source):
        """Which of the parents it is; -1 where no gradient is wanted."""
        if not source.wants:
            return -1
        t = self.tensor(source)
        parent = edge(t)
        key = (id(parent), t._made_nr if parent is not t else 0)
        at = self.numbers.get(key)
        if at is None:
            at = self.numbers[key] = len(self.keeps)
            self.keeps.append(t)
            self.parents += (parent,)
            self.outs += (t._made_nr if parent is not t else 0,)
        return at

    def output(self, value):
        """The number of a value among the outputs."""
        if value.nr < 0:
            value.nr = len(self.places)
            self.places.append((value.made, value.row))
            self.n_outputs = max(2, len(self.places))
            if self.entries is not None:
                self.outputs.append(value)
        return value.nr

    # forward

    def run_groups(self, groups, report):
        bits = mode_bits()
        try:
            for entries in groups:
                wants = entries[0].graph
                set_mode_bits(bits & ~ELSEWHERE & ~GRAD_OFF if wants else bits & ~ELSEWHERE | GRAD_OFF)
                if wants:
                    self.entries.extend(entries)
                self.run_group(entries, report)
        finally:
            set_mode_bits(bits)
            self.node = None

    def run_group(self, entries, report):
        kind = entries[0].kind
        n = len(entries)
        if n > 1 and kind.single is None:
            try:
                if self.run_batch(entries):
                    report.batched(kind, n)
                    return
            except Unruled:
                kind.single = "its batch rule does not take such a call"
            except Exception as error:      # whoever is to blame says so when it runs by itself
                report.asked(f"{type(error).__name__} in a batch, which then ran one by one")
        for entry in entries:
            self.run_one(entry)
        report.alone(kind, n)

    def run_batch(self, entries):
        """Whether the entries ran as one."""
        first = entries[0]
        kind = first.kind
        rule = free_rule if kind.free >= 0 else rule_of(kind.op)
        if rule is None:
            kind.single = "it has no batch rule"
            return False
        n = len(entries)
        inputs, flags, leaves, routes = [], [], [], []
        any_stacked = False
        for at in range(len(kind.slots)):
            array, route, is_stack = stacked(entries, at, self)
            any_stacked = any_stacked or is_stack
            inputs.append(self.leaf(array, route, first.graph, leaves, routes))
            flags.append(is_stack)
        numbers = None
        if kind.free >= 0:
            numbers = [entry.free for entry in entries]
            if any_stacked or numbers.count(numbers[0]) < n:
                any_stacked = True
        if not any_stacked:         # the very same call, n times
            made = outputs_of(kind.op.compute(filled(kind.template, inputs, first.free, kind.free)))
        else:
            call = BatchCall(kind, n, inputs, flags, numbers)
            promote_numbers(call)
            made = [call.fitted(t, out) for t, out in zip(rule(call), kind.outputs, strict=True)]
        self.placed(entries, made, leaves, routes, any_stacked)
        return True

    def run_one(self, entry):
        kind = entry.kind
        inputs, leaves, routes = [], [], []
        for at in range(len(kind.slots)):
            array, route, _ = stacked([entry], at, self)
            inputs.append(self.leaf(array, route, entry.graph, leaves, routes))
        try:
            made = outputs_of(kind.op.compute(filled(kind.template, inputs, entry.free, kind.free)))
        except Exception as error:
            add_line(error, place_of(entry))
            raise
        self.placed([entry], made, leaves, routes, False)

    def leaf(self, array, route, wants, leaves, routes):
        """An input of a group as a tensor without history, whose gradient goes the given way."""
        t = alias(array) if isinstance(array, Tensor) else wrap(array)
        if wants and t._form.dtype.kind in "fcV" and route.wants():
            t._wants_grad = True
            leaves.append(t)
            routes.append(route)
        return t

    def placed(self, entries, outs, leaves, routes, is_stack):
        """Where the values of these entries are from now on."""
        mades = []
        for t in outs:
            made = Made.__new__(Made)
            made.array, made.wants = t._array, t._made_by is not None or t._wants_grad
            made.form = made.array.shape, made.array.dtype
            mades.append(made)
        place(entries, mades, self, is_stack)
        if leaves and any([m.wants for m in mades]):
            step = Step()
            step.outs, step.mades, step.leaves, step.routes, step.at = outs, mades, leaves, routes, place_of(entries[0])
            node, step.ran = outs[0]._made_by, False
            step.direct = len(outs) == 1 and node is not None and all([p is None or isinstance(p, Tensor)
                                                                       for p in node.parents])
            self.steps.append(step)

    # backward

    def run(self, grad):
        if mode_bits() & GRAD_OFF == 0:
            return self.run_recorded(grad)
        for (made, row), g in zip(self.places, grad):
            if g is not None:
                made.add_row(row, g._array)
        found = [[None, False] for _ in self.parents]
        bits = set_mode_bits(mode_bits() & ~ELSEWHERE)
        keep = local.run is None or local.run.keep
        try:
            for step in reversed(self.steps):
                run_back(step, found, keep)
        finally:
            set_mode_bits(bits)
            for step in self.steps:
                for made in step.mades:
                    made.grad = None
        reached = self.reached(grad)
        return [None if g is None or reached is not None and at not in reached
                else wrap(g if g.base is None else g.copy()) for at, (g, _) in enumerate(found)]

    def reached(self, grad):
        """The numbers of the parents that the outputs with a gradient depend on; None is all of them. To the others,
        which only share a batch with them, goes no gradient at all.
        """
        if self.whole or self.entries is None:
            return None
        entries = {id(v): entry for entry in self.entries for v in (entry, *(entry.more or ()))}
        stack, seen, found = [v for v, g in zip(self.outputs, grad) if g is not None], set(), set()
        while stack:
            entry = entries.get(id(stack.pop()))
            if entry is None or id(entry) in seen:
                continue
            seen.add(id(entry))
            for source in entry.inputs if entry.graph else ():
                if isinstance(source, Outside) or source.node is not self:
                    found.add(self.number(source))
                elif source.wants:
                    stack.append(source)
        return found

    def run_recorded(self, grad):
        """The backward as a graph of its own: the entries run again one by one, as ordinary ops, and back."""
        if self.entries is None:
            raise RuntimeError("Trying to backward through the graph a second time (or directly access saved tensors "
                               "after they have already been freed): these ops ran as one batch inside autobatch()\n"
                               "  fix: call backward(retain_graph=True) the first time")
        bits = set_mode_bits(mode_bits() & ~ELSEWHERE)
        try:
            again, sources = {}, [OPS.alias.compute([t]) for t in self.keeps]
            for entry in self.entries:
                inputs = [self.input_again(source, again, sources) for source in entry.inputs]
                made = outputs_of(entry.kind.op.compute(filled(entry.kind.template, inputs, entry.free,
                                                               entry.kind.free)))
                for v, t in zip([entry, *(entry.more or ())], made):
                    again[id(v)] = t
            pairs = [(again[id(v)], g) for v, g in zip(self.outputs, grad) if g is not None]
            pairs = [(t, g) for t, g in pairs if t._made_by is not None]
            return engine.backward([t for t, _ in pairs], [g for _, g in pairs], True, True, sources, False)
        finally:
            set_mode_bits(bits)

    def input_again(self, source, again, sources):
        found = again.get(id(source))
        if found is not None:
            return found
        if not isinstance(source, Outside) and source.node is self:     # without a gradient: its values will do
            made = source.made
            return wrap(made.array if source.row < 0 else made.array[source.row, ...])
        at = self.number(source)
        return self.tensor(source).detach() if at < 0 else sources[at]

    def free(self):
        """Let go of what the groups saved, and of all values that nobody can ask for."""
        if self.entries is None:
            return
        for v in still_held(self.entries):
            v.owner.array_of(v)
        for step in self.steps:
            for made in step.mades:
                made.array = None
            if step.ran:
                if step.direct:
                    step.outs[0]._made_by.free()
                for t in (*step.outs, *step.leaves):    # only their places in the graph are still of use
                    t._form = NO_VALUES
        self.entries, self.outputs = None, []       # which hold this tape


def run_back(step, found, keep):
    """The backward of one group."""
    if step.direct:
        made = step.mades[0]
        if made.grad is None:
            return
        step.ran = True
        node = step.outs[0]._made_by
        try:
            grads = dict(zip(map(id, node.parents), node.run(wrap(made.grad))))
        except Exception as error:
            add_line(error, step.at)
            raise
        if len(grads) == len(node.parents):
            grads = [grads.get(id(leaf)) for leaf in step.leaves]
        else:
            grads = summed(step, made, keep)
    else:
        pairs = [(t, m.grad) for t, m in zip(step.outs, step.mades) if m.grad is not None and m.wants]
        if not pairs:
            return
        step.ran = True
        try:
            grads = engine.backward([t for t, _ in pairs], [wrap(g) for _, g in pairs], keep, False, step.leaves, False)
        except Exception as error:
            add_line(error, step.at)
            raise
    for route, g in zip(step.routes, grads):
        if g is not None:
            route.back(g._array, found)


def summed(step, made, keep):
    """An input that stands in several places of the op gets the sum."""
    return engine.backward(step.outs, [wrap(made.grad)], keep, False, step.leaves, False)


def place_of(entry):
    return place_at(entry.code, entry.lasti, entry.module)


def add_line(error, place):
    """Name the line in which an op was called: it runs later."""
    line = where(place)
    if line and error.args and isinstance(error.args[0], str) and line not in error.args[0]:
        error.args = (f"{error.args[0]}\n  in autobatch, called in {line}", *error.args[1:])


def outputs_of(made):
    return [] if made is None else list(made) if isinstance(made, (tuple, list)) else [made]


def filled(template, inputs, free, free_at):
    """An op's values, with these inputs in the places of the slots."""
    made = [fill(v, inputs) for v in template]
    if free_at >= 0:
        made[free_at] = (free, Ellipsis)
    return made


def fill(value, inputs):
    if type(value) is Slot:
        return inputs[value.at]
    if type(value) is list or type(value) is tuple:
        return type(value)([fill(v, inputs) for v in value])
    return value


class BatchCall(Call):
    """What a batch rule is given: see ops/lanes/rules.py."""

    def __init__(self, kind, size, inputs, flags, numbers):
        self.size, self.op, self.outputs, self.names = size, kind.op, kind.outputs, kind.op.names
        self.given = filled(kind.template, [slot.like for slot in kind.slots], 0, kind.free)
        self.values, self.batched = filled(kind.template, inputs, 0, kind.free), []
        self.any_batched, self.numbers = True, numbers
        for v in kind.template:
            if type(v) is Slot:
                self.batched.append(flags[v.at])
            elif isinstance(v, (list, tuple)) and any([type(e) is Slot for e in v]):
                self.batched.append([type(e) is Slot and flags[e.at] for e in v])
            else:
                self.batched.append(False)


def promote_numbers(call):
    """A zero-dim tensor yields to others in type promotion, but the vector of all examples' ones would not."""
    op, given = call.op, call.given
    if op.promotion is None or not any([call.batched[i] is True and not given[i]._form.ndim for i in op.promoted]):
        return
    ready = promote(op, given)
    for i in op.promoted:
        if isinstance(given[i], Tensor) and ready[i]._form.dtype != given[i]._form.dtype:
            call.values[i] = call.values[i].to(ready[i].dtype)


def free_rule(call):
    """x[number], with another number for each example."""
    rows = wrap(np.array(call.numbers))
    if not call.batched[0]:
        return [by_name("_index_dim").compute([call.values[0], 0, rows])]
    places = wrap(np.arange(call.size))
    return [by_name("_index").compute([call.values[0], [places, rows]])]
