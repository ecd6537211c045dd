"""Chains of elementwise ops become one step: their inputs are read and their results written once (cpp/fused.cpp)."""
import numpy as np

from weft.jit.graph import Step
from weft.jit.kinds import CONST, EXT, FUSED, OP, SLOT, VALUE
from weft.jit.path import arg, numbers_in
from weft.kernels.codes import CHAINED, LETTERS, PRODUCTS
from weft.ops.core.registry import CHAINS

MOST_INPUTS, MOST_STEPS, MOST_TILES, MOST_RESULTS = 16, 48, 12, 12      # what the kernel has room for
OPERANDS = 4                    # of a step in its program
FLOATS = ("f4", "f8")
BOOL = np.dtype(bool)


class Loop:
    """An elementwise step: the code of its function in a chain, and the operands that it reads. key: its shape, and the
    floating type of the chain (None where it reads and gives bools only). Of half types functions run on float32, and
    what they give is rounded.
    """

    def __init__(self, step, code, operands, key):
        self.step, self.code, self.operands, self.key = step, code, operands, key
        self.out = step.outs[0]


def loop_of(step, specs):
    """The Loop of a step that `fused` may run, else None."""
    if step.factors is not None:
        spec = specs[step.outs[0]]
        return Loop(step, CHAINED["affine"], [step.args[0], *step.factors], (tuple(spec.shape), spec.dtype))
    if step.kind != OP or len(step.outs) != 1 or step.many:
        return None
    found = function_of(step.op)
    spec = specs[step.outs[0]]
    if found is None or not spec.c_contiguous:
        return None
    code, places, numbers, any_rest = found
    if not any_rest and any([not is_default(a, step.op.defaults[i]) for i, a in enumerate(step.args)
                             if i not in places]):
        return None
    letters, given = LETTERS[code], [step.args[i] for i in places]
    types = [type_of(a, specs) for a, letter in zip(given, letters) if letter == "x"]
    dtype = spec.dtype if letters[-1] == "x" else next((t for t in types if t is not None), None)
    if (dtype is None) != ("x" not in letters) or dtype is not None and not may_be_of(code, dtype) \
            or letters[-1] == "b" and spec.dtype != BOOL:
        return None
    operands = [(plain_number if number else operand)(a, specs, dtype if letter == "x" else BOOL)
                for a, letter, number in zip(given, letters, numbers)]
    return None if None in operands else Loop(step, code, operands, (tuple(spec.shape), dtype))


def is_half_type(dtype):
    """float16 or bfloat16."""
    return dtype.itemsize == 2 and dtype.kind in "fV"


def may_be_of(code, dtype):
    """Whether a chain with a function may be of a type."""
    return dtype.str[1:] in FLOATS or is_half_type(dtype) and code != CHAINED["affine"]


def function_of(op):
    """(the code of an op's function in a chain, the parameters that it reads, which of them must be numbers, whether
    the others may be anything), or None.
    """
    if op in CHAINS:
        return CHAINS[op]
    code, given = (op.binary_code, 2) if op.binary_code >= 0 else (op.unary_code, 1)
    return None if code < 0 or code in PRODUCTS else (code, range(given), (False,) * given, False)


def is_default(a, default):
    return a.kind == CONST and (a.value is default or type(a.value) is type(default) is float and a.value == default)


def type_of(a, specs):
    """The type of an argument that is a tensor, else None."""
    if a.kind == VALUE:
        return specs[a.index].dtype
    if a.kind in (EXT, SLOT):
        return None if a.value is None else a.value.dtype
    return getattr(getattr(a.value, "_form", None), "dtype", None) if a.kind == CONST else None


def operand(a, specs, dtype):
    """An argument as a chain may read it: a tensor of its type, or a number as an array of it."""
    if type_of(a, specs) == dtype:
        return a
    whole = type(a.value) is int and abs(a.value) < 2 ** 53
    if a.kind == CONST and dtype != BOOL and (type(a.value) is float or whole):
        with np.errstate(over="ignore"):
            return arg(CONST, value=np.array(a.value, np.float32 if is_half_type(dtype) else dtype))
    return None


def plain_number(a, specs, dtype):
    """The same for what must be a number: no NaN, and none that the type can't hold."""
    found = operand(a, specs, dtype) if a.kind == CONST and type(a.value) in (int, float) else None
    return None if found is None or a.value != a.value or np.isinf(found.value) != np.isinf(a.value) else found


def name(a):
    """What tells an operand from another one."""
    if a.kind != CONST:
        return a.kind, a.index
    return CONST, a.value.tobytes() if isinstance(a.value, np.ndarray) else id(a.value)


class Group:
    """Loops of one shape that are to run together."""

    def __init__(self, loop):
        self.shape, self.dtype = loop.key
        self.loops, self.made, self.reads = [], set(), set()
        self.add(loop)

    def fits(self, shape, dtype):
        return self.shape == shape and (dtype is None or dtype == self.dtype)

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
            if not group.fits(*loop.key):
                self.close(group)
        names = set(map(name, loop.operands))
        near = [g for g in self.open if g.fits(*loop.key) and (g in sources or not names.isdisjoint(g.reads))]
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
        if first is not None:
            first.add(loop)
        elif loop.key[1] is None:       # bools only: no chain of their own
            self.steps.append(loop.step)
        else:
            self.open.append(Group(loop))


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
    step = chained(group.loops, results)
    return plain if step is None else [step]


def chained(loops, results):
    """The step that runs loops as one chain, for the values `results` that others read; None if it has no room."""
    made, inputs, numbers = {loop.out for loop in loops}, {}, []
    for loop in loops:
        for a in loop.operands:
            if not (a.kind == VALUE and a.index in made):
                inputs.setdefault(name(a), a)
    places = assign(loops, results, {key: i for i, key in enumerate(inputs)})
    if places is None or len(inputs) > MOST_INPUTS or not 0 < len(results) <= MOST_RESULTS or not inputs:
        return None
    where, tiles = places
    for loop in loops:
        at = [where[loop.out, name(a)] for a in loop.operands]
        numbers += [loop.code, *at, *[-1] * (OPERANDS - len(at)), where[loop.out]]
    shape, last = loops[0].key[0], loops[-1].step
    step = Step(FUSED, None, list(inputs.values()), results, False, last.waiting, last.place, True)
    step.program = np.array([len(inputs), len(loops), tiles, len(results), len(shape), *shape, *numbers], np.int64)
    step.parts = [loop.step for loop in loops]
    return step


def assign(loops, results, inputs):
    """Where each loop finds its operands and puts its value, in the kernel's numbers: inputs, tiles, results. A tile is
    free again after its last reader. None where there are too few."""
    last = {k: i for i, loop in enumerate(loops) for k in numbers_in(loop.operands, VALUE)}
    tile, free, tiles, found = {}, [], 0, []
    for i, loop in enumerate(loops):
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
    for loop, at in zip(loops, found):
        where[loop.out] = (base["result"] + results.index(loop.out) if loop.out in results
                           else base["tile"] + tile[loop.out])
        where.update({(loop.out, name(a)): base[kind] + k for a, (kind, k) in zip(loop.operands, at)})
    return where, tiles
