"""A loop over a recurrent cell becomes the layer that it is.

A Python loop records a cell for each step, and its backward a gradient for each, with the weights' gradients added up
one by one. The layer's kernels (ops/nn/recurrent.py) do the same with one product for the input of all steps and one
for each weight's gradient. Sums are taken in another order then, so the last bits may differ.
"""
import numpy as np

from weft.core.spec import Spec
from weft.jit.graph import Step
from weft.jit.kinds import CONST, LIST, OP, VALUE, WHOLE, WRITE
from weft.jit.passes.share import identity, renamed
from weft.jit.path import arg, numbers_in
from weft.ops.core.registry import OPS_BY_NAME
from weft.ops.nn.recurrent import _recurrent, _recurrent_cell, _recurrent_cell_grad, _recurrent_grad
from weft.ops.nn.recurrent_plain import LSTM
from weft.ops.pointwise.arithmetic import add
from weft.ops.shape.join import stack
from weft.tensor.tensor import wrap

CELL, CELL_GRAD, LAYER, LAYER_GRAD = _recurrent_cell.op, _recurrent_cell_grad.op, _recurrent.op, _recurrent_grad.op
ADD, STACK = add.op, stack.op
SELECT, UNSQUEEZE = OPS_BY_NAME["select"], OPS_BY_NAME["unsqueeze"]
LEAST = 4           # shorter loops are left as they are
KIND, X, H, C, WEIGHTS = 0, 1, 2, 3, slice(4, 8)                    # arguments of a cell
G_H, G_C, G_X, G_NOW, WANT_X = 1, 2, 3, slice(10, 13), 13           # arguments of its gradient; G_X: a cell's own


class Left(Exception):
    """Why a loop is left as it is."""


def layered(graph):
    """Loops over a recurrent cell as one layer each."""
    while True:
        for chain in chains_of(graph):
            try:
                graph = Rewriting(graph, chain).graph()
                break           # the others are looked at in the new graph
            except Left:
                continue
        else:
            return graph


def chains_of(graph):
    """Lists of cells each of which takes the state that the one before made, with the same weights."""
    cells = [s for s in graph.steps if s.op is CELL and s.kind == OP and not s.unusual]
    if len(cells) < LEAST:
        return []
    after, kept = {}, graph.kept()
    for step in cells:
        if step.args[H].kind == VALUE:
            after.setdefault(step.args[H].index, []).append(step)
    follows = {}
    for step in cells:
        nexts = after.get(step.outs[0], [])
        if len(nexts) == 1 and is_next(step, nexts[0]):
            follows[id(step)] = nexts[0]
    later = {id(s) for s in follows.values()}
    found = []
    for step in cells:
        if id(step) not in later:
            chain = [step]
            while id(chain[-1]) in follows:
                chain.append(follows[id(chain[-1])])
            if len(chain) >= LEAST and not any([kept & set(s.outs) for s in chain]):
                found.append(chain)
    return found


def is_next(one, other):
    """Whether a cell goes on where another one ended."""
    same = [identity(a) for a in one.args[WEIGHTS]] == [identity(a) for a in other.args[WEIGHTS]]
    kind = one.args[KIND].value
    return same and kind == other.args[KIND].value and (
        kind != LSTM or other.args[C].kind == VALUE and other.args[C].index == one.outs[1])


class Rewriting:
    """One chain and its backward in a graph, to be replaced."""

    def __init__(self, graph, chain):
        self.old, self.chain, self.kind = graph, chain, chain[0].args[KIND].value
        self.specs = list(graph.specs)
        self.at = {id(s): i for i, s in enumerate(graph.steps)}
        self.made_at = {k: i for i, s in enumerate(graph.steps) for k in s.outs}
        self.readers = {}
        for step in graph.steps:
            for k in numbers_in(step.args, VALUE):
                self.readers.setdefault(k, []).append(step)
        self.kept = graph.kept()
        self.names, self.gone = {}, {id(s) for s in chain}
        self.place = chain[0].place, chain[0].waiting
        self.first = self.at[id(chain[0])]
        self.unwritten(self.first, self.at[id(chain[-1])])

    def unwritten(self, begin, end):
        if any([s.kind in (WHOLE, WRITE) for s in self.old.steps[begin:end + 1]]):
            raise Left("something is written to in between")

    def step(self, op, args, specs):
        """A new step, and the Args of what it makes."""
        place, waiting = self.place
        first = len(self.specs)
        self.specs += specs
        made = Step(OP, op, args, list(range(first, len(self.specs))), False, waiting, place, len(specs) > 1)
        return made, [arg(VALUE, k) for k in made.outs]

    def spec(self, a):
        return self.specs[a.index] if a.kind == VALUE else Spec(a.value.shape, a.value.dtype)

    def lifted(self, a, into):
        """A state (B, H) as (1, B, H)."""
        if a.kind == CONST:
            return arg(CONST, value=None if a.value is None else a.value.unsqueeze(0))
        spec = self.spec(a)
        made, out = self.step(UNSQUEEZE, [a, arg(CONST, value=0)], [Spec((1, *spec.shape), spec.dtype)])
        into.append(made)
        return out[0]

    def picked(self, source, values, into):
        """Let each value be one row of a stack."""
        spec = self.spec(source)
        for t, k in enumerate(values):
            made, out = self.step(SELECT, [source, arg(CONST, value=0), arg(CONST, value=t)],
                                  [Spec(spec.shape[1:], spec.dtype)])
            into.append(made)
            self.names[k] = out[0]

    def stacked(self, args, into):
        """(T, ...) of T arguments."""
        spec = self.spec(args[0])
        made, out = self.step(STACK, [arg(LIST, value=list, items=list(args)), arg(CONST, value=0)],
                              [Spec((len(args), *spec.shape), spec.dtype)])
        into.append(made)
        return out[0]

    def inputs(self, into):
        """x (T, B, I): what was taken apart for the loop, else put together for the layer."""
        given = [s.args[X] for s in self.chain]
        if any([a.kind == CONST for a in given]):
            raise Left("an input is a constant")
        into += self.moved_up([a.index for a in given if a.kind == VALUE])
        if given[0].kind == VALUE:
            whole = self.old.steps[self.made_at[given[0].index]]
            if whole.op is OPS_BY_NAME["_unbind"] and whole.args[1].value == 0 \
                    and whole.outs == [a.index for a in given if a.kind == VALUE] and len(given) == len(whole.outs):
                return whole.args[0]
        return self.stacked(given, into)

    def moved_up(self, values):
        """The steps after the first cell that make these values, to stand before it: they read nothing of the loop."""
        found, waiting = {}, list(values)
        while waiting:
            i = self.made_at[waiting.pop()]
            if i < self.first or i in found:
                continue
            step = self.old.steps[i]
            if step.kind != OP or step.has_effect() or id(step) in self.gone:
                raise Left("an input is made in the loop")
            found[i] = step
            waiting += numbers_in(step.args, VALUE)
        self.gone.update([id(step) for step in found.values()])
        return [found[i] for i in sorted(found)]

    def layer(self):
        """The forward's steps, in the place of the first cell."""
        steps, count = [], len(self.chain)
        first = self.chain[0]
        x = self.inputs(steps)
        batch, size = self.spec(arg(VALUE, first.outs[0])).shape
        dtype = self.specs[first.outs[0]].dtype
        weights = [a for a in first.args[WEIGHTS] if not (a.kind == CONST and a.value is None)]
        params = arg(LIST, value=list, items=weights)
        state, rows = Spec((1, batch, size), dtype), count * batch
        width = self.specs[first.outs[2]].shape[-1] if len(self.specs[first.outs[2]].shape) == 2 else 0
        nothing = Spec((0,), dtype)
        lstm = self.kind == LSTM
        h0 = self.lifted(first.args[H], steps)
        c0 = self.lifted(first.args[C], steps) if lstm else arg(CONST, value=None)
        made, outs = self.step(
            LAYER, [arg(CONST, value=self.kind), x, h0, c0, params, arg(CONST, value=None), arg(CONST, value=False)],
            [Spec((count, batch, size), dtype), state, state if lstm else nothing,
             Spec((1, rows, width), dtype) if width else nothing, Spec((1, rows, size), dtype) if lstm else nothing])
        steps.append(made)
        output, _, state_c, gates, cells = outs
        self.picked(output, [s.outs[0] for s in self.chain], steps)
        # gates and cells are the layer's own: what they hold is for its gradient alone
        if any([not self.reads_only(s.outs[k]) for s in self.chain[:-1] for k in (1, 2)]) \
                or not self.reads_only(self.chain[-1].outs[2]):
            raise Left("a cell state in the middle is used")
        if lstm:
            self.picked(state_c, [self.chain[-1].outs[1]], steps)
        self.kept_for_back = x, h0, c0, params, output, gates, cells
        return steps

    def reads_only(self, k):
        """Whether only the loop's own cells and their gradients read a value."""
        return all([s.op is CELL_GRAD or id(s) in self.gone for s in self.readers.get(k, ())])

    # the backward

    def find_grads(self):
        """The gradient of each cell, or None where the loop has no backward."""
        found = []
        for cell in self.chain:
            mine = [s for s in self.readers.get(cell.outs[0], ()) if s.op is CELL_GRAD and s.kind == OP
                    and s.args[G_NOW.start].kind == VALUE and s.args[G_NOW.start].index == cell.outs[0]
                    and all([identity(a) == identity(b) for a, b in zip(s.args[G_X:G_X + 7], cell.args[X:])])]
            if len(mine) > 1:
                raise Left("two gradients of one cell")
            found += mine
        if found and len(found) != len(self.chain):
            raise Left("some cells have no gradient")
        return found

    def links(self, grads):
        """What comes into each step's gradient from outside: a list with None where nothing does."""
        extras = []
        for now, later in zip(grads, grads[1:]):
            came, state = now.args[G_H], later.outs[1]
            if self.kind == LSTM and not (now.args[G_C].kind == VALUE and now.args[G_C].index == later.outs[2]
                                          and len(self.readers[later.outs[2]]) == 1):
                raise Left("the cell state has another reader")
            if came.kind == VALUE and came.index == state and len(self.readers[state]) == 1:
                extras.append(None)
                continue
            extras.append(self.extra(came, state))
        return extras

    def extra(self, came, state):
        """The other half of a sum with the gradient of a state."""
        joined = self.old.steps[self.made_at[came.index]] if came.kind == VALUE else None
        if joined is None or not is_sum(joined) or len(self.readers.get(state, ())) != 1 \
                or len(self.readers[came.index]) != 1 or came.index in self.kept:
            raise Left("the state's gradient goes elsewhere")
        halves = [a for a in joined.args[:2] if not (a.kind == VALUE and a.index == state)]
        if len(halves) != 1:
            raise Left("the state's gradient goes elsewhere")
        self.gone.add(id(joined))
        return halves[0]

    def total(self, parts):
        """The value that is the sum of all parts, each of which only goes into it."""
        waiting, seen = list(parts), set(parts)
        while True:
            readers = {id(s): s for k in waiting for s in self.readers.get(k, ())}
            if len(waiting) == 1:
                return waiting[0]
            ready = [s for s in readers.values() if is_sum(s) and all(
                [a.kind == VALUE and a.index in seen and a.index in waiting for a in s.args[:2]])
                and s.args[0].index != s.args[1].index]
            if not ready or any([len(self.readers.get(k, ())) != 1 or k in self.kept for k in waiting]):
                raise Left("a weight's gradient goes elsewhere")
            joined = ready[0]
            self.gone.add(id(joined))
            waiting = [k for k in waiting if k not in (joined.args[0].index, joined.args[1].index)] + joined.outs
            seen.update(joined.outs)

    def backward(self, grads):
        """(the steps of the layer's gradient, the place of the one that they stand for)."""
        last = max([self.at[id(s)] for s in grads])
        self.unwritten(min([self.at[id(s)] for s in grads]), last)
        extras = self.links(grads)
        self.gone.update([id(s) for s in grads])
        first = 3 if self.kind == LSTM else 2
        sums = [self.total([s.outs[k] for s in grads]) for k in range(first, len(grads[0].outs))]
        inside = {k for s in grads for k in s.outs}
        for k in inside:
            if any([self.at[id(s)] < last and id(s) not in self.gone for s in self.readers.get(k, ())]):
                raise Left("a gradient is read before the loop is through")
        if inside & self.kept - set(grads[0].outs[1:3 if self.kind == LSTM else 2]):
            raise Left("a gradient of one step is handed out")
        steps = []
        d_out = arg(CONST, value=None)
        if any([a is not None for a in extras]):
            if any([a is None for a in extras]):
                raise Left("some states are read outside the loop, others aren't")
            state = self.specs[self.chain[0].outs[0]]
            last_state = arg(CONST, value=wrap(np.zeros(state.shape, state.dtype)))
            d_out = self.stacked([*[self.own(a) for a in extras], last_state], steps)
        x, h0, c0, params, output, gates, cells = self.kept_for_back
        lstm, end = self.kind == LSTM, grads[-1]
        d_h = self.lifted(self.own(end.args[G_H]), steps)
        d_c = self.lifted(self.own(end.args[G_C]), steps) if lstm else arg(CONST, value=None)
        want_x = end.args[WANT_X]
        dtype = self.spec(output).dtype
        nothing = arg(CONST, value=None)
        specs = [self.spec(x) if want_x.value else Spec((0,), dtype), self.spec(h0)]
        specs += [self.spec(h0)] if lstm else []
        specs += [self.spec(a) for a in params.items]
        made, outs = self.step(
            LAYER_GRAD, [arg(CONST, value=self.kind), d_out, d_h, d_c, x, h0, c0, params, arg(CONST, value=None),
                         arg(CONST, value=False), output, gates if self.spec(gates).shape != (0,) else nothing,
                         cells if self.spec(cells).shape != (0,) else nothing, want_x], specs)
        steps.append(made)
        if want_x.value:
            self.picked(outs[0], [s.outs[0] for s in grads], steps)
        self.picked(outs[1], [grads[0].outs[1]], steps)
        if lstm:
            self.picked(outs[2], [grads[0].outs[2]], steps)
        self.names.update(zip(sums, outs[3 if lstm else 2:]))
        return steps, last

    def own(self, a):
        """An argument under its new name."""
        return renamed(a, self.names)

    def graph(self):
        """The graph with the layer in the loop's place."""
        forward = self.layer()
        grads = self.find_grads()
        backward, last = self.backward(grads) if grads else ((), -1)
        steps = []
        for i, step in enumerate(self.old.steps):
            if i == self.first:
                steps += forward
            if i == last:
                steps += backward
            if id(step) not in self.gone:
                steps.append(step)
        results = [(slot, self.own(a)) for slot, a in self.old.results]
        made = type(self.old)([self.renamed_step(s) for s in steps], self.specs, results)
        try:
            return made.verify()
        except AssertionError as error:
            raise Left(f"something else reads its parts: {error}") from None

    def renamed_step(self, step):
        if self.names.keys().isdisjoint(numbers_in(step.args, VALUE)):
            return step
        return step.having([self.own(a) for a in step.args])


def is_sum(step):
    """x + y."""
    return step.op is ADD and step.kind == OP and step.args[2].kind == CONST and step.args[2].value == 1
