"""Chains of elementwise ops become one step: their inputs are read and their results written once (cpp/fused.cpp)."""
import numpy as np

from weft.jit.graph import Step
from weft.jit.kinds import CONST, EXT, FUSED, OP, SLOT, VALUE
from weft.jit.path import arg, numbers_in
from weft.kernels.codes import PRODUCTS

MOST_INPUTS, MOST_STEPS, MOST_TILES, MOST_RESULTS = 16, 48, 12, 12      # what the kernel has room for
FLOATS = ("f4", "f8")


class Loop:
    """An elementwise step: its native loop's code, and the operands that it reads."""

    def __init__(self, step, code, operands, spec):
        self.step, self.code, self.operands = step, code, operands
        self.out, self.key = step.outs[0], (spec.shape, spec.dtype)


def loop_of(step, specs):
    """The Loop of a step that `fused` may run, else None."""
    op = step.op
    if step.kind != OP or len(step.outs) != 1 or step.many or step.unusual:
        return None
    code, given = (op.binary_code, 2) if op.binary_code >= 0 else (op.unary_code, 1)
    if code < 0 or code in PRODUCTS:
        return None
    if any([a.kind != CONST or a.value is not op.defaults[i] for i, a in enumerate(step.args) if i >= given]):
        return None
    spec = specs[step.outs[0]]
    if spec.dtype.str[1:] not in FLOATS or not spec.c_contiguous:
        return None
    operands = [operand(a, specs, spec) for a in step.args[:given]]
    return None if None in operands else Loop(step, code, operands, spec)


def operand(a, specs, out):
    """An argument as a chain may read it: a tensor of the result's type, or a number as an array of it."""
    if a.kind == VALUE:
        return a if specs[a.index].dtype == out.dtype else None
    if a.kind in (EXT, SLOT):
        return a if a.value is not None and a.value.dtype == out.dtype else None
    if a.kind != CONST:
        return None
    if type(a.value) is float or type(a.value) is int and abs(a.value) < 2 ** 53:
        with np.errstate(over="ignore"):
            return arg(CONST, value=np.array(a.value, out.dtype))
    form = getattr(a.value, "_form", None)
    return a if form is not None and form.dtype == out.dtype else None


def name(a):
    """What tells an operand from another one."""
    if a.kind != CONST:
        return a.kind, a.index
    return CONST, a.value.tobytes() if isinstance(a.value, np.ndarray) else id(a.value)


class Group:
    """Loops of one shape that are to run together."""

    def __init__(self, loop):
        self.key, self.loops, self.made, self.reads = loop.key, [], set(), set()
        self.add(loop)

    def add(self, loop):
        self.loops.append(loop)
        self.made.add(loop.out)
        self.reads.update(map(name, loop.operands))

    def has_room(self, loops, reads, made):
        """Whether so many more loops, which read and make this, would still fit."""
        made = self.made | made
        inputs = [r for r in self.reads | reads if not (r[0] == VALUE and r[1] in made)]
        return len(self.loops) + loops <= MOST_STEPS and len(inputs) <= MOST_INPUTS

    def join(self, other):
        self.loops += other.loops
        self.made |= other.made
        self.reads |= other.reads


class Fusion:
    """Walks over the steps; groups stay open until somebody else needs what they make."""

    def __init__(self, graph):
        self.graph, self.open, self.steps = graph, [], []
        self.readers = {}       # value -> how many arguments read it
        for step in graph.steps:
            for k in numbers_in(step.args, VALUE):
                self.readers[k] = self.readers.get(k, 0) + 1
        self.kept = graph.kept()

    def close(self, group):
        self.open.remove(group)
        self.steps += fused_steps(group, self.readers, self.kept)

    def other(self, step):
        """A step that is no loop: what it reads must be there."""
        reads = set(numbers_in(step.args, VALUE))
        for group in list(self.open):
            if step.has_effect() or not reads.isdisjoint(group.made):
                self.close(group)
        self.steps.append(step)

    def loop(self, loop):
        reads = set(numbers_in(loop.step.args, VALUE))
        sources = [g for g in self.open if not reads.isdisjoint(g.made)]
        for group in sources:
            if group.key != loop.key:
                self.close(group)
        names = set(map(name, loop.operands))
        near = [g for g in self.open if g.key == loop.key and (g in sources or not names.isdisjoint(g.reads))]
        first = None
        for group in sorted(near, key=lambda g: g not in sources):      # the ones that it must come after first
            if first is None and group.has_room(1, names, {loop.out}):
                first = group
            elif first is not None and group in sources \
                    and first.has_room(len(group.loops), group.reads, group.made):
                self.open.remove(group)
                first.join(group)
            elif group in sources:
                self.close(group)
        if first is None:
            self.open.append(Group(loop))
        else:
            first.add(loop)


def fused(graph):
    """Elementwise steps that follow each other become one."""
    walk = Fusion(graph)
    for step in graph.steps:
        loop = loop_of(step, graph.specs)
        if loop is None:
            walk.other(step)
        else:
            walk.loop(loop)
    for group in list(walk.open):
        walk.close(group)
    return graph.having(walk.steps)


def fused_steps(group, readers, kept):
    """The one step of a group, or its steps as they were where there is nothing to gain."""
    plain = [loop.step for loop in group.loops]
    if len(plain) == 1:
        return plain
    inside = {}                 # value -> how many of the group's operands read it
    for loop in group.loops:
        for k in numbers_in(loop.operands, VALUE):
            inside[k] = inside.get(k, 0) + 1
    results = [loop.out for loop in group.loops
               if loop.out in kept or readers.get(loop.out, 0) > inside.get(loop.out, 0)]
    inputs, numbers = {}, []
    for loop in group.loops:
        for a in loop.operands:
            if not (a.kind == VALUE and a.index in group.made):
                inputs.setdefault(name(a), a)
    places = assign(group, results, {key: i for i, key in enumerate(inputs)})
    if places is None or len(inputs) > MOST_INPUTS or not 0 < len(results) <= MOST_RESULTS or not inputs:
        return plain
    where, tiles = places
    for loop in group.loops:
        at = [where[loop.out, name(a)] for a in loop.operands]
        numbers += [loop.code, at[0], at[1] if len(at) > 1 else -1, where[loop.out]]
    shape = group.key[0]
    last = plain[-1]
    step = Step(FUSED, None, list(inputs.values()), results, False, last.waiting, last.place, True)
    step.program = np.array([len(inputs), len(plain), tiles, len(results), len(shape), *shape, *numbers], np.int64)
    step.parts = plain
    return [step]


def assign(group, results, inputs):
    """Where each loop finds its operands and puts its value, in the kernel's numbers: inputs, tiles, results. A tile is
    free again after its last reader. None where there are too few."""
    last = {k: i for i, loop in enumerate(group.loops) for k in numbers_in(loop.operands, VALUE)}
    tile, free, tiles, found = {}, [], 0, []
    for i, loop in enumerate(group.loops):
        reads = {k for k in numbers_in(loop.operands, VALUE) if k in tile}
        if loop.out not in results:
            if not free:
                free.append(tiles)
                tiles += 1
            tile[loop.out] = free.pop()
        found.append([("input", inputs[name(a)]) if name(a) in inputs else
                      ("result", results.index(a.index)) if a.index in results else ("tile", tile[a.index])
                      for a in loop.operands])
        free += [tile[k] for k in reads if last[k] == i]
        if loop.out in tile and loop.out not in last:
            free.append(tile[loop.out])
    if tiles > MOST_TILES:
        return None
    base = {"input": 0, "tile": len(inputs), "result": len(inputs) + tiles}
    where = {}
    for loop, at in zip(group.loops, found):
        where[loop.out] = (base["result"] + results.index(loop.out) if loop.out in results
                           else base["tile"] + tile[loop.out])
        where.update({(loop.out, name(a)): base[kind] + k for a, (kind, k) in zip(loop.operands, at)})
    return where, tiles
