# compiled, -O3
"""Running what was matched: the plan for this stretch of the path is looked up, or made, and run."""
from weft.autograd.graph import Node, next_seq
from weft.autograd.graph import Plan as Saved
from weft.core.modes import GRAD_OFF
from weft.core.runtime import mode_bits, set_mode_bits
from weft.jit.match import GHOST_NODE
from weft.jit.plan import make_plan, run_plan
from weft.kernels.native import only_here, references
from weft.ops.core.apply import view_kind
from weft.ops.create.convert import write_into
from weft.tensor.tensor import Tensor, tie

GHOST = GHOST_NODE
USED_UP = Saved((0,), 1, ())        # of a node whose saved values are gone
PLANS = 8                           # for how many sets of tensors that the program holds a stretch has plans


def execute(run, node=None):
    """Run the events of a run that are pending; whoever holds their outputs has values then. node: that of the graph
    which leaves the function.
    """
    events = run.unrun()
    waiting, run.pending = run.pending, []
    since, run.done = run.done, run.at
    if run.ahead:
        since = since, frozenset(run.ahead)
    run.ahead = None
    plan = plan_for(run, since, events, held_outputs(run, events) if node is None else node.rehearsal.held_then)
    bits = set_mode_bits(mode_bits() | GRAD_OFF)
    try:
        failed = run_plan(plan, run, waiting)
    finally:
        set_mode_bits(bits)
    if failed is not None:
        raise explained(failed[1], failed[0])
    if node is not None:
        node.take_over(run)
    viewed = []
    for i in range(len(events)):        # the last first: an argument is let go before it is looked at itself
        event = events[len(events) - 1 - i]
        values = waiting.pop()
        if hand_over(run, event):
            viewed.append((event, values))
    for event, values in reversed(viewed):
        tie_views(run, event, values)
    if node is not None:
        node.share(run)


def held_outputs(run, events):
    """The outputs of a stretch that the program holds."""
    held = []
    for event in events:
        for k in range(event.first, event.first + event.n_outs):
            t = run.outs[k]
            if t is None:           # written to since: it stands for another output now
                continue
            owed = t._owed
            if references(t) > 2 + run.uses[k] or references(owed) > 2:
                held.append(k)
    return held


def plan_for(run, since, events, held):
    """The plan of a stretch, by which of its outputs somebody holds."""
    key = (since, tuple(held))
    at = run.at
    if at.plans is None:
        at.plans = {}
    plan = at.plans.get(key)
    if plan is None:
        if len(at.plans) >= PLANS:      # whatever it holds: all are filled
            key = (since, None)
            plan = at.plans.get(key)
            held = range(events[0].first, events[-1].first + events[-1].n_outs)
        if plan is None:
            run.session.capture.n_planned += 1
            plan = at.plans[key] = make_plan(events, held, run.session.capture.memory_budget)
    return plan


def explained(error, instruction):
    """The error, with the line that an op was written in: it runs later than it was called."""
    from weft.core.errors import where  # only needed for the error
    line = where(instruction.step.place) if instruction is not None else None
    if line and error.args and isinstance(error.args[0], str) and line not in error.args[0]:
        error.args = (f"{error.args[0]}\n  in the captured step, called in {line}", *error.args[1:])
    return error


def write(target, source):
    """The second half of an op in place."""
    write_into(target._form, source._array)


def write_directly(op, values):
    """An op in place that fills the memory of its first argument itself."""
    arrays = [v._array if isinstance(v, Tensor) else [e._array if isinstance(e, Tensor) else e for e in v]
              if isinstance(v, (list, tuple)) else v for v in values]
    op.write(*arrays[:op.n_positional], **dict(zip(op.kw_names, arrays[op.n_positional:])))


def become(promised, real):
    """Fill a tensor that was given out as a promise."""
    if promised._owed is not None:
        promised._owed.array = real._form
    promised._form, promised._owed = real._form, None
    promised._made_by, promised._made_nr = real._made_by, real._made_nr
    memory = promised._memory_record
    if memory is not None and real._memory_record is not None and real._made_by is not None and real._made_by.saved:
        for v in real._made_by.saved:       # aliases that were given out count their writes in the promised one's
            if isinstance(v, Tensor) and v._memory_record is real._memory_record:
                v._memory_record = real._memory_record = memory
    promised._view_of, promised._seldom, promised._inference = real._view_of, real._seldom, real._inference
    if real._memory_record is not None or promised._memory_record is None:
        promised._memory_record = real._memory_record


def hand_over(run, event):
    """What the program still holds becomes an ordinary tensor: with a graph that was used up. Gives whether it is a
    view of something.
    """
    views = False
    for k in range(event.n_outs):
        t = run.outs[event.first + k]
        if t is None or only_here(t):
            run.outs[event.first + k] = None
            continue
        if t._made_by is GHOST:
            node = Node.__new__(Node)
            source = event if event.op is not None else event.before
            node.op = source.op
            node.code, node.lasti, node.module = event.place.code, event.place.lasti, event.place.module
            node.parents = (None,) * source.n_args
            node.plan, node.seq, node.n_outputs = USED_UP, next_seq(), event.n_outs
            t._made_by = node
        views = views or event.views[k]
    return views


def tie_views(run, event, values):
    """What the program holds of an event becomes a view; what it is a view of was tied before, if it is one itself."""
    for k in range(event.n_outs):
        t = run.outs[event.first + k]
        if t is not None and event.views[k]:
            source = values[0]
            if t._memory_record is not None and source._memory_record is None:      # a `detach()` of it has it, too
                source._memory_record = t._memory_record
            tie(t, source, event.op, values, k, view_kind(event.op, event.bits))
