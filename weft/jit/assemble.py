# compiled, -Og
"""A plan's instructions as segments: stretches that are kernel calls only, and what runs by itself between them.

An instruction's kernels are known once it ran (`kernels.try_kernels`), so a plan is put together after its first run.
A segment takes its arguments from *cells*: [the graph's values | tensors from outside | constants | what lives inside
one instruction | the number of one that failed].
"""
import numpy as np

from weft.core.runtime import pure_fields
from weft.jit.kinds import EXT, FUSED, LIST, SLOT, VALUE, WHOLE
from weft.jit.reuse import taken_over, with_places
from weft.jit.segment import KERNEL, MOST, ONE, ONE_INTO, PACKED, STRIDED, TUPLED, TWO, TWO_INTO, VIEWED, Segment
from weft.kernels import fast, native

INTO = {ONE: ONE_INTO, TWO: TWO_INTO}


class Part:
    """A stretch of a plan: one instruction by itself (segment is None), or a segment of several. fills: (cell, the
    path's output) of what the program holds; drops: cells that nobody reads afterwards, and that no segment empties;
    writers: the numbers of instructions that write to the program's tensors.
    """


def part(instructions, segment, filled):
    """A Part; filled: the cells whose values the program gets, which are emptied when it has them."""
    made = Part.__new__(Part)
    made.instructions, made.segment = instructions, segment
    made.fills = [(one.outs[k], slot) for one in instructions for k, slot in one.fills]
    made.drops = [k for one in instructions for k in one.drops if segment is None or k in filled]
    made.writers = [i for i, one in enumerate(instructions) if one.call == WHOLE and segment is not None]
    return made


class Assembly:
    """Puts a plan's parts together. cells: as they are before the first instruction; loads: (cell, Arg) of tensors from
    outside; numbers: (cell, event, argument) of numbers that may be others each time.
    """

    def __init__(self, plan, roads):
        self.cells, self.loads, self.numbers = [None] * plan.n_values, [], []
        self.known, self.roads, self.specs = {}, roads, plan.graph.specs
        self.filled = {one.outs[k] for one in plan.instructions for k, _ in one.fills}
        self.parts, self.segment, self.together = [], None, []
        for one in plan.instructions:
            self.add(one)
        self.close()
        self.cells.append(None)         # which instruction failed

    def cell(self, value=None):
        self.cells.append(value)
        return len(self.cells) - 1

    def constant(self, value):
        key = "constant", id(value)
        if key not in self.known:
            self.known[key] = self.cell(value)
        return self.known[key]

    def add(self, one):
        calls = self.calls_of(one)
        if calls is None:
            self.close()
            self.parts.append(part([one], None, self.filled))
            return
        if self.segment is None:
            self.segment = Segment()
        inside = set()
        for what, which, args, made in calls:
            self.segment.add_call(what, which, args, made)
            inside.update(made)
        drops = (inside - set(one.outs) | set(one.drops)) - self.filled
        self.segment.end_instruction(sorted(drops))
        self.together.append(one)

    def close(self):
        if self.together:
            self.parts.append(part(self.together, self.segment, self.filled))
        self.segment, self.together = None, []

    def calls_of(self, one):
        """[(what, which, cells of its arguments, cells of what it makes)] of an instruction; None if it is none."""
        calls = []
        taken = taken_over(one.step, set(one.drops) - self.filled, self.specs)
        if one.call in self.roads:
            what = self.roads[one.call]
            args = [self.given(one, i, calls) for i in range({ONE: 1, TWO: 2, VIEWED: 1}[what])]
            calls.append((INTO.get(what, what) if taken else what, one.code,
                          [*args, self.constant(one.template)] if what == VIEWED else args, one.outs))
            return calls
        if one.call == FUSED:
            args = [self.given(one, i, calls) for i in range(1, len(one.template))]
            program = self.cell(np.array(with_places(one.step, taken), np.int64))
            kernel = fast.fused if one.step.fold is None else fast.fused_reduce
            calls.append((KERNEL, kernel, [program, *args], one.outs))
        elif one.calls is None or not self.add_kernels(one, calls):
            return None
        return None if any([what == KERNEL and len(args) > MOST for what, _, args, _ in calls]) else calls

    def add_kernels(self, one, calls):
        """Add the calls of the kernels that were found out for an instruction; False if that can't be."""
        local = {}              # the cells of `kernels.run_calls` -> ours
        n = len(one.template)
        result = {cell: one.outs[k] for k, cell in reversed(list(enumerate(one.cells))) if cell >= n}
        for call in one.calls:
            made = [result.get(n + k) for k in range(call.n_made)]
            if call.function is None and not call.places:       # the same each time
                if made[0] is not None:
                    return False
                local[n], n = self.constant(call.template[0]), n + 1
                continue
            made = [self.cell() if m is None else m for m in made]
            args = [self.constant(v) for v in call.template]
            for place, cell in zip(call.places, call.cells):
                if cell not in local:
                    local[cell] = self.given(one, cell, calls)
                args[place] = local[cell]
            calls.append((*self.function(call, args), made))
            local.update({n + k: cell for k, cell in enumerate(made)})
            n += call.n_made
        return len(result) == len(one.outs)     # else it gives one of its arguments back, or one thing twice

    def function(self, call, args):
        """(what, which, arguments) of a call."""
        if call.function is None:
            return STRIDED, 0, args
        if call.function is native.binary:
            return TWO, call.template[0], args[1:]
        if call.function is native.unary:
            return ONE, call.template[0], args[1:]
        return KERNEL, call.function, args

    def given(self, one, i, calls):
        """The cell of argument i of an instruction."""
        for position, a in one.sources:
            if position == i:
                return self.argument(a, calls)
        if i in one.free:
            cell = self.cell()
            self.numbers.append((cell, one.waiting, i))
            return cell
        return self.constant(one.template[i])

    def argument(self, a, calls):
        if a.kind == VALUE:
            return a.index
        if a.kind in (EXT, SLOT):
            key = a.kind, a.index
            if key not in self.known:
                self.known[key] = self.cell()
                self.loads.append((self.known[key], a))
            return self.known[key]
        if a.kind == LIST:
            made = self.cell()
            items = [self.argument(item, calls) for item in a.items]
            calls.append((PACKED if a.value is list else TUPLED, 0, items, [made]))
            return made
        return self.constant(a.value._array if hasattr(a.value, "_array") else a.value)


def assembled(plan, roads):
    """Whether a plan has parts now; roads: what in a segment stands for which of a plan's calls."""
    if Segment is None:
        return False
    made = Assembly(plan, roads)
    plan.cells, plan.loads, plan.numbers, plan.parts = made.cells, made.loads, made.numbers, made.parts
    return True


pure_fields(Part, instructions=None, segment=None, fills=None, drops=None, writers=None)
