# compiled, -O3
"""Running a graph: its steps one after the other on arrays, each as close to its kernel as it can be called.

What a step needs is found out once, when the plan is made: whether its native loop takes it, whether types have to be
brought together, which constants it has. No graph is recorded, no engine runs, nothing is checked twice, and an array
is let go after its last reader, so its memory serves the next step.
"""
import numpy as np
from numpy import ndarray

from weft.core.runtime import pure_fields
from weft.core.spec import stand_in
from weft.jit.assemble import assembled
from weft.jit.graph import lower
from weft.jit.kernels import note_views, run_calls, try_kernels
from weft.jit.kinds import CONST, EXT, FREE, FUSED, LIST, OP, SLOT, VALUE, WHOLE, WRITE
from weft.jit.passes.algebra import simplified
from weft.jit.passes.dead import without_dead
from weft.jit.passes.fold import folded
from weft.jit.passes.fuse import fused
from weft.jit.passes.loops import layered
from weft.jit.passes.memory import within
from weft.jit.passes.norms import opened
from weft.jit.passes.share import shared
from weft.jit.path import arg, numbers_in
from weft.jit.places import placed
from weft.jit.segment import ONE, TWO, VIEWED
from weft.kernels import fast
from weft.kernels.native import binary, unary, view
from weft.ops.core.promotion import alike, promote
from weft.ops.core.registry import STEADY
from weft.ops.create.convert import write_into
from weft.tensor.calls import call_arrays
from weft.tensor.tensor import Tensor, lay_again, settle, wrap

PASSES = (without_dead, simplified, shared, layered, without_dead, opened, fused, folded, without_dead)
LOOP1, LOOP2, VIEW, FORWARD, WORK = 10, 11, 12, 13, 14       # how a step of kind OP is called
ROADS = {LOOP1: ONE, LOOP2: TWO, VIEW: VIEWED}               # and what that is in a segment
FUSED_KERNEL, FOLDED_KERNEL = fast.fused, fast.fused_reduce
TRIES = 3           # runs in which each kernel may take its arguments, before a plan goes without planned memory


class Instruction:
    """One step, ready to run. call: how; template: its arguments, into which `sources` (position, Arg) are put; fills:
    (which of its values, the path's output that has it); drops: values that nobody reads after it; free: positions of
    numbers that may be others each time. calls: the kernels that a steady op's function calls, once they were found out
    (`tried`), and cells: where its values are then; known: both of all instructions of the plan, by their likeness;
    alone: its kernels didn't take their arguments."""


class Plan:
    """The instructions of a stretch of a path. first: (the path's output, Arg) of results that no step makes; stages:
    (a pass, the graph after it). parts, cells, loads, numbers, targets: the instructions as segments, after the first
    run (`assemble.Assembly`). block: the memory of its values, after the second (`places.placed`); noting: it is noted
    what the kernels make, which was tried `tries` times; alone: an instruction ran without its kernels; busy: a run
    that none may run beside."""


def make_plan(events, held, budget=None, passes=PASSES):
    """The Plan of a stretch of events, for a program that holds the outputs `held`. budget: how many bytes its values
    may take at a time; what is cheap is made again then (`passes/memory`).
    """
    return optimised_plan(lower(events, held), budget, passes)


def optimised_plan(graph, budget=None, passes=PASSES):
    """The Plan of a graph after all passes."""
    stages = [("recorded", graph)]
    for one in passes:
        if one is fused and budget is not None:
            graph = within(graph, budget).verify()
            stages.append(("within", graph))
        graph = one(graph).verify()
        stages.append((one.__name__, graph))
    plan = make_plan_of(graph)
    plan.stages = stages
    return plan


def make_plan_of(graph):
    """The Plan that runs a graph as it is."""
    plan = Plan.__new__(Plan)
    plan.graph, plan.n_values, plan.stages = graph, len(graph.specs), [("recorded", graph)]
    plan.parts, plan.is_new, plan.block, plan.busy, plan.noting, plan.tries = None, True, None, False, False, 0
    fills = {}
    plan.first = []
    for slot, a in graph.results:
        if a.kind == VALUE:
            fills.setdefault(a.index, []).append(slot)
        else:
            plan.first.append((slot, a))
    last = {}
    for i, step in enumerate(graph.steps):
        for k in (*numbers_in(step.args, VALUE), *step.outs):
            last[k] = i
    plan.instructions, known = [], {}
    for i, step in enumerate(graph.steps):
        made = instruction(step, graph.specs, known)
        made.fills = [(k, slot) for k, value in enumerate(step.outs) for slot in fills.get(value, ())]
        made.drops = [k for k in {*numbers_in(step.args, VALUE), *step.outs} if last[k] == i]
        plan.instructions.append(made)
    return plan


def instruction(step, specs, known):
    """How a step is run; known: see `Instruction`."""
    made = Instruction.__new__(Instruction)
    made.step, made.op, made.outs, made.many = step, step.op, list(step.outs), step.many
    made.call, made.waiting, made.n_outs, made.code = step.kind, step.waiting, len(step.outs), 0
    made.parts, made.known = [instruction(part, specs, known) for part in step.parts], known
    args = step.args
    if step.kind == OP:
        made.call, made.code = road(step, args, specs)
        if made.call == FORWARD and step.op.promotion is not None:
            args = promoted(step, args, specs)
    made.free = [i for i, a in enumerate(args) if a.kind == FREE]
    made.calls, made.cells = None, None
    made.tried = not may_be_kernels(made, step)
    made.template = [None if is_given(a) else constant(a, made.call != WORK) for a in args]
    head = [] if step.kind != FUSED else [step.program] if step.fold is None else [step.program, *step.fold]
    made.template = head + made.template
    made.sources = [(len(head) + i, a) for i, a in enumerate(args) if is_given(a)]
    return made


def may_be_kernels(made, step):
    """Whether an instruction may come down to kernel calls, or views, that are the same each time."""
    op = step.op
    if op is None or step.kind not in (OP, WHOLE):
        return False
    if made.call != WHOLE and (op.is_view or op.maybe_view):
        return True
    return op in STEADY and not step.unusual and (
        made.call == FORWARD or made.call == WHOLE and op.promotion is None and (op.check is None or not step.checked))


def is_given(a):
    """Whether an argument is another one each time, or holds such."""
    return a.kind in (VALUE, EXT, SLOT) or a.kind == LIST and any([is_given(item) for item in a.items])


def constant(a, as_array):
    if a.kind == LIST:
        made = [constant(item, as_array) for item in a.items]
        return made if a.value is list else tuple(made)
    return a.value._array if as_array and isinstance(a.value, Tensor) else a.value


def road(step, args, specs):
    """(the shortest way to call a step's kernel, the code of its loop)."""
    op = step.op
    rest = [a.kind == CONST and a.value is op.defaults[i] for i, a in enumerate(args)]
    if op.view_code:
        plain = args[0].kind in (VALUE, EXT, SLOT) and not any(map(is_given, args[1:]))
        return (VIEW, op.view_code) if plain else (WORK, 0)
    if op.binary_code >= 0:
        return (LOOP2, op.binary_code) if all(rest[2:]) else (WORK, 0)
    if op.unary_code >= 0:
        return (LOOP1, op.unary_code) if all(rest[1:]) and args[0].kind in (VALUE, EXT, SLOT) else (WORK, 0)
    if step.unusual or op.promotion is not None and alike(op, stand_ins(args, specs)) is None:
        return WORK, 0
    return FORWARD, 0


def stand_ins(args, specs):
    """Tensors without values in the place of the given ones: only their types are asked for."""
    made = []
    for a in args:
        if a.kind == VALUE:
            made.append(wrap(stand_in((), specs[a.index].dtype)))
        elif a.kind in (EXT, SLOT) and a.value is not None:
            made.append(wrap(stand_in((), a.value.dtype)))
        else:
            made.append(a.value if a.kind == CONST else None)
    return made


def promoted(step, args, specs):
    """The arguments with numbers as the arrays that they become beside tensors of one floating type."""
    ready = promote(step.op, stand_ins(args, specs))
    return [a if a.kind != CONST or ready[i] is a.value else arg(CONST, value=ready[i]) for i, a in enumerate(args)]


def value_of(a, run, values):
    """The array that stands for an argument now."""
    if a.kind == VALUE:
        return values[a.index]
    if a.kind == EXT:
        if run.shared is not None and a.index in run.shared:
            t = run.shared[a.index]
        else:
            t = run.ext[a.index]
        return t._form
    if a.kind == SLOT:
        t = run.outs[a.index]
        if t._owed is not None:
            settle(t)
        return t._form
    if a.kind == LIST:
        made = [value_of(item, run, values) for item in a.items]
        return made if a.value is list else tuple(made)
    return a.value._array if isinstance(a.value, Tensor) else a.value


def run_plan(plan, run, waiting):
    """Run a plan; `waiting`: the program's own arguments of each event. Gives (the instruction that failed, its error),
    or None.
    """
    if plan.parts is not None and not plan.busy:        # else another thread is at it
        return run_parts(plan, run, waiting)
    failed = run_singly(plan, run, waiting)
    if failed is None and plan.is_new:          # its kernels are known now
        plan.is_new = False
        assembled(plan, ROADS)
    return failed


def run_parts(plan, run, waiting):
    """Run the parts of a plan."""
    cells = list(plan.cells)
    now = part = None
    whole = False
    plan.busy, plan.alone = plan.noting or plan.block is not None, False
    try:
        if plan.block is not None:
            plan.block.enter()
        for slot, a in plan.first:
            fill(run, slot, value_of(a, run, cells))
        for k, a in plan.loads:
            cells[k] = value_of(a, run, cells)
        for k, event, i in plan.numbers:
            cells[k] = waiting[event][i]
        for k, event in plan.targets:
            t = waiting[event][0]
            cells[k] = t._form
        for one in plan.parts:
            part = one
            if part.segment is None:
                now = part.instructions[0]
                run_one(now, run, cells, waiting)
            else:
                now = None
                run_segment(plan, part, run, cells, waiting)
            for k, slot in part.fills:
                fill(run, slot, cells[k])
            for k in part.drops:
                cells[k] = None
        whole = True
    except Exception as error:
        if now is None and part is not None:
            now = part.instructions[cells[-1]]
            for k, slot in part.fills:
                if cells[k] is not None:
                    fill(run, slot, cells[k])
        return now, error
    finally:
        if plan.busy:
            has_run(plan, whole)
    return None


def has_run(plan, whole):
    """After a run with planned memory, or one in which it was noted what is made; whole: to its end."""
    plan.busy = False
    if plan.block is not None and whole:
        plan.block.leave()
        return
    if plan.block is not None:          # an error's traceback may hold arrays
        plan.block.give_up()
    elif whole and not plan.alone:
        plan.noting = False
        plan.block = placed(plan)
        return
    plan.tries += 1
    assembled(plan, ROADS)
    if plan.tries >= TRIES:
        plan.noting = False
        for part in plan.parts:
            if part.segment is not None:
                part.segment.notes = None


def run_segment(plan, part, run, cells, waiting):
    """Run a segment; an instruction that a kernel doesn't take this time runs by itself."""
    i = part.segment.run(cells, 0)
    alone = []
    while i >= 0:
        cells[-1] = i
        now = part.instructions[i]
        run_one(now, run, cells, waiting)
        if plan.busy:
            ran_alone(plan, now, cells)
        part.segment.drop(cells, i)
        alone.append(i)
        i = part.segment.run(cells, i + 1)
    for i in part.writers:
        if i not in alone:
            now = part.instructions[i]
            now.op.count_writes(waiting[now.waiting])


def ran_alone(plan, now, cells):
    """What an instruction made that a kernel didn't take is not where it was planned; the program gets memory of its
    own, whatever it may look at.
    """
    plan.alone = now.alone = True
    if plan.block is None:
        return
    plan.block.loose = True
    for k in now.outs:
        if k in plan.filled and plan.block.holds(cells[k]):
            cells[k] = cells[k].copy()


def run_singly(plan, run, waiting):
    """Run the instructions one by one."""
    values = [None] * plan.n_values
    now = None
    try:
        for slot, a in plan.first:
            fill(run, slot, value_of(a, run, values))
        for one in plan.instructions:
            now = one
            run_one(now, run, values, waiting)
            for k, slot in now.fills:
                fill(run, slot, values[now.outs[k]])
            for k in now.drops:
                values[k] = None
    except Exception as error:
        return now, error
    return None


def run_one(now, run, values, waiting):
    call = now.call
    made = None
    if call == WHOLE:
        if now.calls is not None or not now.tried:
            ready = arguments(now, run, values, waiting)
            first = not now.tried
            made = try_kernels(now, ready) if first else run_calls(now.calls, ready, now.cells)
            if first or made is not None:
                now.op.count_writes(waiting[now.waiting])
                keep(now, made, values)
                return
        made = now.op.compute(all_there(now.step.args, waiting[now.waiting], values))
        if now.n_outs == 0:
            return
        if not now.many:
            t = made
            values[now.outs[0]] = t._form
        else:
            for k in range(now.n_outs):
                t = made[k]
                values[now.outs[k]] = t._form
        return
    if call == WRITE and now.op is not None:
        call_arrays(now.op.write, arguments(now, run, values, None), now.op.n_positional, now.op.kw_names)
        return
    if call == WRITE:
        t = waiting[now.waiting][0]
        write_into(t._form, value_of(now.step.args[1], run, values))
        return
    ready = arguments(now, run, values, None)
    if call == FORWARD and not now.tried:
        made = try_kernels(now, ready)
    elif call == FORWARD:
        if now.calls is not None:
            made = run_calls(now.calls, list(ready), now.cells)
            if made is not None:
                keep(now, made, values)
                return
        made = call_arrays(now.op.forward, ready, now.op.n_positional, now.op.kw_names)
    elif call == LOOP1:
        made = unary(now.code, ready[0])
    elif call == LOOP2:
        made = binary(now.code, ready[0], ready[1])
    elif call == VIEW:
        made = view(now.code, ready[0], ready)
    elif call == FUSED:
        made = FUSED_KERNEL(*ready) if now.step.fold is None else FOLDED_KERNEL(*ready)
        if made is None:
            for part in now.parts:
                run_one(part, run, values, waiting)
            return
    if made is None and not now.tried and now.op in STEADY and not now.step.unusual:
        made = try_kernels(now, ready)
    if made is None:
        made = now.op.work([wrap_arrays(v) for v in ready], now.step.unusual)
    if not now.tried:
        note_views(now, ready, made)
    keep(now, made, values)


def all_there(args, given, values):
    """The program's own arguments of an op; a replay has no tensors for what is made on the way, and one that is
    written to later stands for that already.
    """
    made = list(given)
    for i, a in enumerate(args):
        if a.kind == VALUE and (made[i] is None or made[i]._owed is not None):
            made[i] = wrap(values[a.index])
            if given[i] is not None:        # which counts the writes
                made[i]._memory_record = given[i]._memory_record
        elif a.kind == LIST:
            made[i] = a.value(all_there(a.items, made[i], values))
    return made


def arguments(now, run, values, waiting):
    """What an instruction is called with, this time."""
    ready = list(now.template)
    for i, a in now.sources:
        ready[i] = value_of(a, run, values)
    for i in now.free:
        ready[i] = waiting[now.waiting][i]
    return ready


def keep(now, made, values):
    """The values that an instruction made."""
    if now.n_outs == 0:
        return
    if not isinstance(made, (tuple, list)):
        values[now.outs[0]] = made if type(made) is ndarray else np.asarray(made)
        return
    for k in range(now.n_outs):
        array = made[k]
        values[now.outs[k]] = array if type(array) is ndarray else np.asarray(array)


def wrap_arrays(value):
    """Tensors around the arrays of an argument, for what wants to see their types."""
    if isinstance(value, ndarray):
        return wrap(value)
    if type(value) is list:
        return [wrap_arrays(v) for v in value]
    if type(value) is tuple and any([isinstance(v, ndarray) for v in value]):
        return tuple([wrap_arrays(v) for v in value])
    return value


def fill(run, slot, array):
    """The value of one output, for those who hold it."""
    t = run.outs[slot]
    if t is None:           # of a replay
        run.outs[slot] = wrap(array)
        return
    run.uses[slot] = 0
    owed = t._owed
    owed.array = array
    t._form = array
    t._owed = None
    lay_again(t, t)


pure_fields(Instruction, step=None, op=None, call=0, code=0, template=None, sources=None, outs=None, n_outs=0,
            many=False, fills=None, drops=None, waiting=-1, parts=None, free=None, calls=None, cells=None, tried=True,
            alone=False, known=None)
pure_fields(Plan, graph=None, instructions=None, n_values=0, first=None, stages=None, parts=None, cells=None,
            loads=None, numbers=None, targets=None, is_new=True, block=None, filled=None, programs=None, tries=0,
            busy=False, noting=False, alone=False)
