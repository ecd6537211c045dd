# compiled, -O3
"""Running what was matched, in order, on arrays: no graph is recorded, no engine runs, nothing is checked twice."""
import numpy as np
from numpy import ndarray

from weft.autograd.graph import Node, Plan, next_seq
from weft.core.modes import GRAD_OFF
from weft.core.runtime import mode_bits, set_mode_bits
from weft.jit.kinds import BACKWARD, EXT, LIST, REG, SLOT, WRITE
from weft.jit.match import GHOST_NODE
from weft.kernels.native import only_here
from weft.ops.core.apply import view_kind
from weft.ops.create.convert import write_into
from weft.tensor.tensor import Tensor, lay_again, settle, tie, wrap

GHOST = GHOST_NODE
USED_UP = Plan((0,), 1, ())         # of a node whose saved values are gone


def execute(run):
    """Run the events of a run that are pending; whoever holds their outputs has values then."""
    events = run.unrun()
    waiting, run.pending = run.pending, []
    run.done = run.at
    bits = set_mode_bits(mode_bits() | GRAD_OFF)
    try:
        for i in range(len(events)):
            event = events[i]
            if event.kind == BACKWARD:
                run_body(run, event)
            elif event.kind == WRITE:
                write(waiting[i][0], waiting[i][1])
            else:
                run_event(run, event, waiting[i])
    except Exception as error:
        explain(error, event)
        raise
    finally:
        set_mode_bits(bits)
    for i in range(len(events)):        # the last first: an argument is let go before it is looked at itself
        event = events[len(events) - 1 - i]
        hand_over(run, event, waiting.pop())


def explain(error, event):
    """Name the line that an op was written in: it runs later than it was called."""
    from weft.core.errors import where  # only needed for the error
    line = where(event.place)
    if line and error.args and isinstance(error.args[0], str) and line not in error.args[0]:
        error.args = (f"{error.args[0]}\n  in the captured step, called in {line}", *error.args[1:])


def write(target, source):
    """The second half of an op in place."""
    write_into(target._form, source._array)


def run_event(run, event, values):
    op = event.op
    if event.whole:
        made = op.compute(values)
        if event.n_outs == 0:
            return None
        made = [t._form for t in made] if event.many else made._form
    else:
        settle_all(values)
        made = op.work(values, event.unusual)
    if not event.many:
        fill(run, event.first, made)
    else:
        for k in range(event.n_outs):
            fill(run, event.first + k, made[k])


def settle_all(values):
    """Aliases (`x.detach()`) of what has run by now have its values."""
    for v in values:
        if isinstance(v, Tensor):
            t = v
            if t._owed is not None:
                settle(t)
        elif isinstance(v, (list, tuple)):
            settle_all(list(v))


def fill(run, slot, array):
    """The value of one output, for those who hold it."""
    if type(array) is not ndarray:      # NumPy gives its own numbers for zero dimensions
        array = np.asarray(array)
    t = run.outs[slot]
    run.uses[slot] = 0
    owed = t._owed
    owed.array = array
    t._form = array
    t._owed = None
    lay_again(t, t)


def run_body(run, event):
    """A backward: its steps, and the leaves' gradients."""
    body = event.body
    regs = [None] * body.n_regs
    for step in body.steps:
        values = [value_of(run, regs, arg) for arg in step.args]
        made = step.op.work(values, step.unusual)
        if step.n_outs == 1 and not isinstance(made, (tuple, list)):
            regs[step.first] = wrap(np.asarray(made))
        else:
            for k in range(step.n_outs):
                regs[step.first + k] = wrap(np.asarray(made[k]))
    for k in range(event.n_outs):
        source = body.leaves[k][1]
        fill(run, event.first + k, value_of(run, regs, source)._form)


def value_of(run, regs, arg):
    """What stands for an argument now."""
    if arg.kind == REG:
        return regs[arg.index]
    if arg.kind == SLOT:
        return run.outs[arg.index]
    if arg.kind == EXT:
        shared = run.shared.get(arg.index) if run.shared else None
        return run.ext[arg.index] if shared is None else shared
    if arg.kind == LIST:
        made = [value_of(run, regs, a) for a in arg.items]
        return made if arg.value is list else tuple(made)
    return arg.value


def hand_over(run, event, values):
    """What the program still holds becomes an ordinary tensor: with a graph that was used up, or as a view."""
    for k in range(event.n_outs):
        t = run.outs[event.first + k]
        if only_here(t):
            run.outs[event.first + k] = None
            continue
        if t._made_by is GHOST:
            node = Node.__new__(Node)
            node.op = event.op
            node.code, node.lasti, node.module = event.place.code, event.place.lasti, event.place.module
            node.parents, node.plan, node.seq, node.n_outputs = (), USED_UP, next_seq(), event.n_outs
            t._made_by = node
        if event.views[k]:
            tie(t, values[0], event.op, values, k, view_kind(event.op, event.bits))
