# compiled
"""Running a level's groups, and their backward: many entries at once, as one node of the graph.

A group's inputs are stacked, the op runs on the stack by its batch rule (ops/lanes), and the few nodes that this
records stay inside the `Tape`. To the engine the tape is one node: its parents are the tensors from outside, its
outputs what the program holds. Its backward goes through the groups in reverse, so it is batched as the forward was,
and the gradient of a parameter that all examples share is one product for each group.
"""
from itertools import accumulate
from math import prod
from time import perf_counter
from weakref import ref

import numpy as np

from weft.autograd import engine, factors
from weft.autograd import rows as row_gradients
from weft.autograd.graph import Node, next_seq
from weft.batching.chain import AGAIN, PLANS, ChainStep, SumStep, plan_of, run
from weft.batching.gather import Made, add_parent, joined, sourced, stacked
from weft.batching.kinds import Outside, Slot
from weft.core.errors import where
from weft.core.layout import strided
from weft.core.modes import (
    AUTOCAST,
    BATCHES,
    FUNCTION,
    GRAD_OFF,
    INFERENCE,
    MATCH,
    NUMERICS,
    SAVED_HOOKS,
    TAKE,
    WATCH,
    local,
)
from weft.core.place import at as place_at
from weft.core.runtime import mode_bits, set_mode_bits
from weft.ops.core.promotion import promote
from weft.ops.core.record import edge
from weft.ops.lanes.rules import Call, Unruled, by_name, rule_of
from weft.tensor.tensor import OPS, Tensor, alias, wrap

ELSEWHERE = WATCH | TAKE | MATCH | AUTOCAST | FUNCTION | INFERENCE | NUMERICS | SAVED_HOOKS


NO_VALUES = np.empty(0, np.float32)
WRITTEN = ("one of the variables needed for gradient computation has been modified by an inplace operation: a batch of "
           "autobatch() used a tensor of shape {} at version {}, and it is at version {} now\n"
           "  fix: call backward(create_graph=True) before it is overwritten, or clone() the tensor first")
FEWEST = 4              # sums that are added up at once
FEW = 8                 # a backward through less than this part of a tape is cheaper one by one
NOBODY = Made()         # where the values are that only their chain needs


class Step:
    """One group that takes part in the graph. leaves: its inputs that want gradients, with the Route of each; stack:
    whether its outputs are stacks, or the same for all entries; span: where its entries are in the tape's order.
    """

    __slots__ = ("outs", "mades", "leaves", "routes", "at", "direct", "ran", "stack", "span")


class Tape(Node):
    """The groups of one level as a node. order: the entries that take part in the graph, as they ran; gone: those that
    a backward has come through, which need nothing any more, None is all of them.
    """

    def __init__(self, session, table, whole):
        self.session, self.table, self.whole, self.first_made = session, table, whole, len(table.mades)
        self.seq, self.n_outputs, self.parents, self.outs = next_seq(), 2, (), ()
        self.steps, self.outputs, self.places, self.numbers = [], {}, [], {}
        self.runs, self.length, self.known = [], 0, None        # the parts of the order, its length, and it itself
        self.keeps = []     # the parents as tensors and their versions; `numbers` tells them apart, and sources by id
        self.held = []      # weak references to the promises that know this tape
        self.earlier = {}   # values of other tapes, by number
        self.gone = None if whole else set()
        self.place()
        table.tapes.append(self)

    def name(self):
        return "BatchBackward0"

    # tensors from outside

    def source(self, number):
        """The `Outside`, or the `Value` of another tape, that a number stands for."""
        if number < 0:
            return self.table.outsides[~number]
        found = self.earlier.get(number)
        if found is None:
            found = self.earlier[number] = self.session.carried(self.table, number)
        return found

    def tensor(self, source):
        if isinstance(source, Outside):
            t = source.tensor
            return t if t._form is source.array else wrap(source.array)
        return self.session.tensor_of(source)

    def array(self, source):
        if source.array is not None:
            return source.array
        return source.made.piece(source.row)

    def number(self, source):
        """Which of the parents it is; -1 where no gradient is wanted."""
        if not source.wants:
            return -1
        at = self.numbers.get(id(source))       # a write in place gives a tensor another history later
        if at is not None:
            return at
        t = source.tensor if isinstance(source, Outside) else self.tensor(source)
        parent = edge(t)
        key = (id(parent), t._made_nr if parent is not t else 0)
        at = self.numbers.get(key)
        if at is None:
            at = self.numbers[key] = len(self.keeps)
            self.keeps.append((t, t._writes()))
            self.parents += (parent,)
            self.outs += (t._made_nr if parent is not t else 0,)
        self.numbers[id(source)] = at
        return at

    def output(self, value):
        """The number of a value among the outputs."""
        nr = self.outputs.get(value.number)
        if nr is None:
            nr = self.outputs[value.number] = len(self.places)
            self.places.append((value.made, value.row))
            self.n_outputs = max(2, len(self.places))
        return nr

    # forward

    def run_groups(self, groups, report):
        bits = mode_bits()
        try:
            for start, stop, *chain in self.with_sums(groups):
                first = self.table.entry_at(start)
                wants = self.table.is_graph(first)
                set_mode_bits(bits & ~ELSEWHERE & ~GRAD_OFF if wants else bits & ~ELSEWHERE | GRAD_OFF)
                if wants:
                    self.shift = self.length - start
                    self.length += stop - start
                    self.runs.append(self.table.entries(start, stop))
                if chain and chain[0] is None:
                    self.run_sums(first, start, stop, report)
                elif not chain:
                    self.run_group(first, start, stop, report)
                elif not self.run_chain(first, start, stop, *chain, report):
                    n = (stop - start) // chain[0]
                    for at in range(start, stop, n):
                        self.run_group(self.table.entry_at(at), at, at + n, report)
        finally:
            set_mode_bits(bits)
            self.last_made = len(self.table.mades)

    def with_sums(self, groups):
        """The groups, with one (start, stop, None) for single entries each of which adds to what the last one gave."""
        table, found, k = self.table, [], 0
        while k < len(groups):
            more = k + 1
            if groups[k][1] - groups[k][0] == 1:
                entry = table.entry_at(groups[k][0])
                kind, last = table.kind_of(entry), table.first_of(entry)
                own = {last}
                while kind.sums and more < len(groups) and groups[more][1] - groups[more][0] == 1:
                    other = table.entry_at(groups[more][0])
                    if table.kind_of(other) is not kind or table.is_graph(other) != table.is_graph(entry):
                        break
                    begin, added = table.inputs_of(other)
                    if begin != last or added in own:
                        break
                    last = table.first_of(other)
                    own.add(last)
                    more += 1
            if more - k < FEWEST:
                found += groups[k:more]
            else:
                found.append((groups[k][0], groups[more - 1][1], None))
            k = more
        return found

    def run_sums(self, first, start, stop, report):
        """Run entries each of which adds to what the last one gave."""
        table, kind, n = self.table, self.table.kind_of(first), stop - start
        begin, start_route, _ = stacked(table, start, start + 1, 0, self)
        added, route, _ = stacked(table, start, stop, 1, self)
        sums = np.empty((n + 1, *kind.outs[0].form.shape), kind.outs[0].form.dtype)
        sums[0] = begin._array if isinstance(begin, Tensor) else begin
        sums[1:] = added._array if isinstance(added, Tensor) else added
        made = Made.__new__(Made)
        with np.errstate(all="ignore"):
            made.array = np.cumsum(sums, 0, dtype=sums.dtype)[1:]
        graph = table.is_graph(first)
        if not graph:
            self.note_cut(start_route)
            self.note_cut(route)
        made.form, made.graph = (made.array.shape, sums.dtype), graph
        made.wants, made.unit = graph and (start_route.wants() or route.wants()), kind.outs[0].form.size
        at = len(table.mades)
        table.mades.append(made)
        for v in table.place(start, stop, at, [made], True, self):
            self.held.append(ref(v))
        if made.wants:
            self.steps.append(SumStep(made, (start_route, route)))
            self.steps[-1].span = start + self.shift, stop + self.shift
        report.batched(kind, n)

    def run_group(self, first, start, stop, report):
        kind, n = self.table.kind_of(first), stop - start
        rows = kind.rows if n > 1 else None
        equal = rows is None or self.table.is_one_kind(start, stop)
        if rows is not None and (rows.always or not equal) and self.run_rows(kind, first, start, stop):
            report.batched(kind, n)
            return
        if not equal:
            graph, groups = self.table.is_graph(first), self.table.by_kind(start, stop)
            if graph:
                self.runs[-1] = self.table.entries(start, stop)
            for at, end in groups:
                self.run_group(self.table.entry_at(at), at, end, report)
            return
        if n > 1 and kind.single is None and (rows is None or not rows.always):
            try:
                if self.run_batch(kind, first, start, stop):
                    report.batched(kind, n)
                    return
            except Unruled:
                kind.single = "its batch rule does not take such a call"
            except Exception as error:      # whoever is to blame says so when it runs by itself
                report.asked(f"{type(error).__name__} in a batch, which then ran one by one")
        for at in range(start, stop):
            self.run_one(at)
        report.alone(kind, n)

    def run_chain(self, first, start, stop, length, key, report):
        """Whether the chains order[start:stop], each of so many entries, ran in one pass."""
        table, n = self.table, (stop - start) // length
        plan = PLANS.get(key)
        if plan is None:
            plan = plan_of(key, table, table.group(start, stop)[::n])
        graph, given, routes, modes, wants = table.is_graph(first), {}, [], [], []
        for k, (j, slot) in enumerate(plan.inputs):
            array, rows, route = sourced(table, start + j * n, start + j * n + n, slot, self)
            given["in", k] = array._array if isinstance(array, Tensor) else array, rows
            routes.append(route)
            modes.append(1 if route.shared else 0)
            wants.append(graph and route.wants())
            if not graph:
                self.note_cut(route)
        for k, number in enumerate(plan.constants):
            given["constant", k] = number, None
        modes, wants = tuple(modes), tuple(wants)
        forward = plan.forward(modes, wants)
        made = None if forward is None else run(forward.program, n, plan.dtype, given)
        if made is None:
            return False
        for name, at, offset, width in forward.kept:
            given[name] = made[at] if made[at].shape[1] == width else made[at][:, offset:offset + width], None
        mades = []
        for (j, k), wanted in zip(plan.far, forward.wanted):
            own = Made.__new__(Made)
            own.array = given["made", j, k][0].reshape(n, *plan.links[j].shapes[k])
            own.form, own.graph, own.wants = (own.array.shape, plan.dtype), graph, wanted
            own.unit = plan.width(j, k)
            mades.append(own)
        for v in table.place_chains(start, n, length, plan.far, mades, NOBODY, self):
            self.held.append(ref(v))
        report.chained(plan.kinds, plan.ops, n)
        if any(wants):
            for k in forward.read:
                array, rows = given["in", k]
                if modes[k] or any([part[0].foreign for part in routes[k].parts]):  # it may be written to until then
                    given["in", k] = array.copy() if rows is None else array[rows], None
            self.steps.append(ChainStep(plan, n, modes, wants, mades, given, routes))
            self.steps[-1].span = start + self.shift, stop + self.shift
        return True

    def run_batch(self, kind, first, start, stop):
        """Whether the entries order[start:stop] ran as one."""
        rule = kind.rule
        if rule is None:
            rule = kind.rule = free_rule if kind.free >= 0 else rule_of(kind.op)
            if rule is None:
                kind.single = "it has no batch rule"
                return False
        graph, began = self.table.is_graph(first), perf_counter()
        inputs, flags, leaves, routes = [], [], [], []
        any_stacked = False
        for slot in range(len(kind.slots)):
            array, route, is_stack = stacked(self.table, start, stop, slot, self)
            any_stacked = any_stacked or is_stack
            inputs.append(self.leaf(array, route, graph, leaves, routes))
            flags.append(is_stack)
        numbers = None
        if kind.free >= 0:
            numbers = self.table.frees(start, stop)
            any_stacked = any_stacked or (numbers != numbers[0]).any()
        if not any_stacked:         # the very same call, n times
            made = outputs_of(kind.op.compute(filled(kind.template, inputs, self.table.free_of(first), kind.free)))
        else:
            call = BatchCall(kind, stop - start, inputs, flags, numbers)
            promote_numbers(call)
            made = [call.fitted(t, out) for t, out in zip(rule(call), kind.outputs, strict=True)]
        self.placed(first, start, stop, made, leaves, routes, any_stacked)
        kind.cost += (perf_counter() - began - kind.cost) * 0.1
        return True

    def run_rows(self, kind, first, start, stop):
        """Whether entries with unequal numbers of rows ran as one, on all rows below each other."""
        graph, leaves, routes, inputs, counts = self.table.is_graph(first), [], [], [], []
        began = perf_counter()
        try:
            gathered = kind.rows.gathered
            for slot, trail in enumerate(kind.rows.trails[:1] if gathered else kind.rows.trails):
                if gathered:
                    array, route, _ = joined(self.table, start, stop, -1, trail, self)
                elif trail is not None:
                    array, route, own = joined(self.table, start, stop, slot, trail, self)
                    counts.append(own)
                elif len(self.table.sources(start, stop, slot, self.first_made)) == 1:
                    array, route, _ = stacked(self.table, start, stop, slot, self)
                else:
                    return False
                inputs.append(self.leaf(array, route, graph, leaves, routes))
            outs = kind.rows.run(inputs, counts)
        except Exception:       # whoever is to blame says so when it runs by itself
            return False
        if self.table.is_held(start, stop, len(outs)):      # what a rule leaves out is seldom asked for
            return False
        if kind.rows.single:
            outs = [t.reshape((stop - start, *out.form.shape)) for t, out in zip(outs, kind.outs)]
        outs = [t if t._form.dtype == out.form.dtype else t.to(wrap(out.form).dtype) for t, out in zip(outs, kind.outs)]
        outs += [wrap(out.form) for out in kind.outs[len(outs):]]
        mades = self.mades_of(first, start, stop, outs, True)
        if not kind.rows.single:
            kinds = [self.table.kind_of(e) for e in self.table.group(start, stop)]
            for k, made in enumerate(mades):
                made.array = np.ascontiguousarray(made.array)
                made.shapes = [kind.outs[k].form.shape for kind in kinds]
                made.starts = np.array([0, *accumulate([kind.outs[k].form.size for kind in kinds])])
        self.note_step(first, start, stop, outs, mades, leaves, routes, True)
        kind.cost += (perf_counter() - began - kind.cost) * 0.1
        return True

    def run_one(self, at):
        entry = self.table.entry_at(at)
        kind = self.table.kind_of(entry)
        inputs, leaves, routes = [], [], []
        for slot in range(len(kind.slots)):
            array, route, _ = stacked(self.table, at, at + 1, slot, self)
            inputs.append(self.leaf(array, route, self.table.is_graph(entry), leaves, routes))
        try:
            made = outputs_of(kind.op.compute(filled(kind.template, inputs, self.table.free_of(entry), kind.free)))
        except Exception as error:
            add_line(error, self.place_of(entry))
            self.session.told.add((self.table.code_of(entry), self.table.offset_of(entry)))
            raise
        self.placed(entry, at, at + 1, made, leaves, routes, False)

    def leaf(self, array, route, wants, leaves, routes):
        """An input of a group as a tensor without history, whose gradient goes the given way."""
        t = alias(array) if isinstance(array, Tensor) else wrap(array)
        if not wants:
            self.note_cut(route)
        elif t._form.dtype.kind in "fcV" and route.wants():
            t._wants_grad = True
            leaves.append(t)
            routes.append(route)
        return t

    def note_cut(self, route):
        """A group without a graph is given this: where that has one, not all that runs leads to the root."""
        if self.whole and route.wants():
            self.whole, self.gone = False, set()

    def placed(self, first, start, stop, outs, leaves, routes, is_stack):
        """Where the values of these entries are from now on, and how gradients come back."""
        mades = self.mades_of(first, start, stop, outs, is_stack)
        self.note_step(first, start, stop, outs, mades, leaves, routes, is_stack)

    def mades_of(self, first, start, stop, outs, is_stack):
        mades, kind, graph = [], self.table.kind_of(first), self.table.is_graph(first)
        for k, t in enumerate(outs):
            made = Made.__new__(Made)
            array = t._array
            made.array = array if is_stack else array[None]
            made.wants = t._made_by is not None or t._wants_grad
            made.graph = graph and kind.outs[k].inexact
            made.form = made.array.shape, made.array.dtype
            made.unit = prod(made.array.shape[1:])
            made.foreign = kind.view and not is_stack
            mades.append(made)
        at = len(self.table.mades)
        self.table.mades += mades
        for v in self.table.place(start, stop, at, mades, is_stack, self):
            self.held.append(ref(v))
        return mades

    def note_step(self, first, start, stop, outs, mades, leaves, routes, is_stack):
        if not leaves or not any([m.wants for m in mades]):
            return
        step = Step()
        step.outs, step.mades, step.leaves, step.routes = outs, mades, leaves, routes
        step.at, step.stack, step.ran = self.place_of(first), is_stack, False
        step.span = start + self.shift, stop + self.shift
        node = outs[0]._made_by
        step.direct = len(outs) == 1 and node is not None and all([p is None or isinstance(p, Tensor)
                                                                   for p in node.parents])
        self.steps.append(step)

    def place_of(self, entry):
        """The line in which an op was called."""
        table = self.table
        return place_at(table.code_of(entry), table.offset_of(entry), table.module_of(entry))

    # backward

    def run(self, grad):
        if mode_bits() & GRAD_OFF == 0:
            return self.run_recorded(grad, self.order, True)
        keep = local.run is None or local.run.keep
        entries, reached = self.reached(grad)
        if entries is None:
            self.gone = self.gone if keep else None
        else:
            if not keep:
                self.gone |= entries
            if len(entries) * FEW < self.length and not self.is_written():
                return self.run_part(grad, entries)
        for (made, row), g in zip(self.places, grad):
            if g is not None:
                made.add_row(row, g._array)
        found = [[None, False, None, None, None] for _ in self.parents]
        bits = set_mode_bits(mode_bits() & ~ELSEWHERE | BATCHES)
        try:
            for step in reversed(self.steps):
                if entries is not None and entries.isdisjoint(self.entries_of(step)):
                    continue        # nothing but zeros, of what others have in common with it
                if isinstance(step, (ChainStep, SumStep)):
                    step.back(found)
                else:
                    run_back(step, found, keep or not self.is_done(step))
        finally:
            set_mode_bits(bits)
            for step in self.steps:
                for made in step.mades:
                    made.grad = None
        for held in found:
            if held[2] is not None:     # all products with one matrix at once
                add_parent([held], 0, held[2].dense())
        if entries is None:
            return [gradient(held) for held in found]
        found = [gradient(held) if at in reached else None for at, held in enumerate(found)]
        if len(entries) < self.length and not all([is_finite(g) for g in found]) and not self.is_written():
            return self.run_part(grad, entries)
        return found

    def run_part(self, grad, entries):
        """The backward through a few entries, or through some where others have what is not finite."""
        for step in self.steps:
            step.ran = step.ran or not entries.isdisjoint(self.entries_of(step))
        return self.run_recorded(grad, [e for e in self.order if e in entries], False)

    def reached(self, grad):
        """The entries that the outputs with a gradient depend on, and the numbers of their parents; None, None is all
        of them. To the others, which only share a batch with them, goes no gradient at all.
        """
        table = self.table
        if self.whole or table is None:
            return None, None
        seen, numbers = table.behind([v for v, nr in self.outputs.items() if grad[nr] is not None], self.order,
                                     self.first_made, self.last_made)
        if len(seen) == self.length:
            return None, None
        return set(seen), {self.number(self.source(number)) for number in numbers}

    def is_done(self, step):
        """Whether a backward has come through all of a group, so that nobody else needs what it has kept."""
        return self.gone is None or self.gone.issuperset(self.entries_of(step))

    def entries_of(self, step):
        return self.order[step.span[0]:step.span[1]]

    @property
    def order(self):
        if self.known is None:      # most backwards don't ask
            self.known = np.concatenate(self.runs).tolist() if self.runs else []
        return self.known

    def is_inside(self, number):
        """Whether a group of this tape made the value."""
        return number >= 0 and self.first_made <= self.table.made_of(number) < self.last_made

    def run_recorded(self, grad, entries, create):
        """The backward with these entries run again one by one, as ordinary ops; create: as a graph of its own."""
        table = self.table
        if table is None:
            raise RuntimeError(AGAIN)
        bits = set_mode_bits(mode_bits() & ~ELSEWHERE & ~GRAD_OFF)
        try:
            again, sources = {}, [OPS.alias.compute([t]) for t in self.unwritten()]
            for entry in entries:
                inputs = [self.input_again(number, again, sources) for number in table.inputs_of(entry)]
                kind = table.kind_of(entry)
                made = outputs_of(kind.op.compute(filled(kind.template, inputs, table.free_of(entry), kind.free)))
                for k, t in enumerate(made):
                    again[table.first_of(entry) + k] = t
            pairs = [(again[v], grad[nr]) for v, nr in self.outputs.items() if grad[nr] is not None]
            pairs = [(t, g) for t, g in pairs if t._made_by is not None]
            set_mode_bits(mode_bits() & ~GRAD_OFF if create else mode_bits() | GRAD_OFF)
            return engine.backward([t for t, _ in pairs], [g for _, g in pairs], create, create, sources, False)
        finally:
            set_mode_bits(bits)

    def unwritten(self):
        """The parents as tensors, as the groups have seen them."""
        for t, version in self.keeps:
            if t._writes() != version:
                raise RuntimeError(WRITTEN.format(list(t._form.shape), version, t._writes()))
        return [t for t, _ in self.keeps]

    def is_written(self):
        return any([t._writes() != version for t, version in self.keeps])

    def input_again(self, number, again, sources):
        found = again.get(number)
        if found is not None:
            return found
        if self.is_inside(number):      # without a gradient: its values will do
            return wrap(self.table.mades[self.table.made_of(number)].piece(self.table.row_of(number)))
        source = self.source(number)
        at = self.number(source)
        return self.tensor(source).detach() if at < 0 else sources[at]

    def free(self):
        """Let go of what the groups saved, and of all values that nobody can ask for."""
        if self.table is None:
            return
        for held in self.held:
            v = held()
            if v is not None and v.array is None:
                v.owner.array_of(v)
        left = []
        for step in self.steps:
            if not self.is_done(step):
                left.append(step)
                continue
            for made in step.mades:
                made.array = None
            if isinstance(step, (ChainStep, SumStep)):
                step.free()
            elif step.ran:
                for t in (*step.outs, *step.leaves):    # only their places in the graph are still of use
                    t._form = NO_VALUES
                if step.direct:
                    node = step.outs[0]._made_by
                    node.free()
                    if node.saved is None and node.plan is not None and node.plan.n_saved:      # it won't run again
                        step.leaves, step.routes = [], []
        if not left:
            self.table, self.held, self.runs, self.known, self.gone = None, [], [], None, None
            self.earlier = {}


def is_finite(g):
    """Whether a gradient has neither NaN nor infinities; one of rows stays so."""
    if g is None or type(g) is not Tensor or g._form.dtype.kind not in "fc":
        return True
    rows = row_gradients.rows_behind(g)
    return all([np.isfinite(a).all() for a in ([g._array] if rows is None else [part for _, part in rows.lookups])])


def run_back(step, found, keep):
    """The backward of one group."""
    if step.direct:
        made = step.mades[0]
        if made.grad is None:
            return
        step.ran = True
        node = step.outs[0]._made_by
        try:
            grads = dict(zip(map(id, node.parents), node.run(wrap(made.grad if step.stack else made.grad[0, ...]))))
        except Exception as error:
            add_line(error, step.at)
            raise
        if len(grads) == len(node.parents):
            grads = [grads.get(id(leaf)) for leaf in step.leaves]
        else:
            grads = summed(step, made, keep)
    else:
        pairs = [(t, m.grad if step.stack else m.grad[0, ...]) for t, m in zip(step.outs, step.mades)
                 if m.grad is not None and m.wants]
        if not pairs:
            return
        step.ran = True
        try:
            grads = engine.backward([t for t, _ in pairs], [wrap(g) for _, g in pairs], keep, False, step.leaves, False)
        except Exception as error:
            add_line(error, step.at)
            raise
    for route, g in zip(step.routes, grads):
        if g is None:
            continue
        whole = route.shared and not route.parts        # the gradient of tensors from outside, as it is
        if type(g) is not Tensor and g.layout is not strided:
            if whole:
                for _, at in route.outside:
                    found[at][4] = g if found[at][4] is None else found[at][4] + g
                continue
            g = g.to_dense()
        product = factors.factors_behind(g) if whole else None
        rows = row_gradients.rows_behind(g) if whole else None
        if product is not None or rows is not None:
            for _, at in route.outside:
                add_kept(found[at], product, rows)
        else:
            route.back(g._array, found)


def add_kept(held, product, rows):
    """held: [gradient, whether it is nobody else's, the rest of it as factors, as rows of a table, and as a sparse
    tensor].
    """
    if product is not None and held[2] is None:
        held[2] = product
    elif product is not None:
        factors.add(held[2], product)
    elif held[3] is None:
        held[3] = rows.copy()
    else:
        held[3].add(rows)
        if held[3].array is not None:       # so many that the table was made
            add_parent([held], 0, held[3].array)
            held[3] = None


def gradient(held):
    """The sum of what a tensor from outside was given, None where it is nothing."""
    total, own, _, rows, sparse = held
    if sparse is not None:
        dense = gradient([total, own, None, rows, None])
        return sparse if dense is None else dense + sparse
    if rows is not None and total is None:
        return row_gradients.as_tensor(rows)
    if rows is not None:
        total, own = total if own else total.copy(), True
        rows.add_to(total)
    if total is None:
        return None
    return wrap(total if total.base is None else total.copy())


def summed(step, made, keep):
    """An input that stands in several places of the op gets the sum."""
    grad = wrap(made.grad if step.stack else made.grad[0, ...])
    return engine.backward(step.outs, [grad], keep, False, step.leaves, False)


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
    rows = wrap(call.numbers)
    if not call.batched[0]:
        return [by_name("_index_dim").compute([call.values[0], 0, rows])]
    places = wrap(np.arange(call.size))
    return [by_name("_index").compute([call.values[0], [places, rows]])]
