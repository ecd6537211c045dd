"""Reading a value in the middle of a graph, without ending the following: `if mask.all():` between two layers.

While outputs with a graph are open, what was matched can't run yet: their backward may still come, and is part of the
plan. But what a program reads there are mostly masks, lengths and counters, which no gradient belongs to. The few ops
behind such a value run at once, as they are; the others wait on, and find its values as those of a stretch that ran.
"""
import numpy as np

from weft.core.modes import MATCH, TAKE, WATCH
from weft.core.runtime import mode_bits, set_mode_bits
from weft.jit.execute import become
from weft.jit.kinds import EXT, OP, RENAME, SLOT, WRITE
from weft.jit.path import numbers_in


def peek(run, tensor, promise):
    """Run what the value of a tensor, or of a promise, needs, and nothing else; False where that can't be."""
    events = run.unrun()
    needed, read = set(), []
    if promise is None:
        if tensor is None:
            return False
        read.append(tensor._form)
    else:
        made_by = {event.first + k: i for i, event in enumerate(events) for k in range(event.n_outs)}
        wanted = [k for k in made_by if run.outs[k] is not None and run.outs[k]._owed is promise]
        needed = cone(events, made_by, wanted) if wanted else None
        if needed is None:
            return False
    if is_written(run, events, needed, read):
        return False
    bits, ran = mode_bits(), set()
    try:
        for i in sorted(needed):
            event = events[i]
            set_mode_bits(event.bits & ~(MATCH | WATCH | TAKE))
            made = event.op.compute(list(run.pending[i]))
            for k, real in enumerate(made if isinstance(made, tuple) else (made,)):
                become(run.outs[event.first + k], real)
            ran.add(i)
    except Exception:       # it will be raised where the op has its turn
        pass
    finally:
        set_mode_bits(bits)
    run.pending = [values for i, values in enumerate(run.pending) if i not in ran]
    run.ahead = {*(run.ahead or ()), *[events[i] for i in ran]}
    return len(ran) == len(needed)


def cone(events, made_by, wanted):
    """The numbers of the events that some outputs need; None if one of them has a graph, writes or draws."""
    waiting, needed = list(wanted), set()
    while waiting:
        i = made_by.get(waiting.pop())
        if i is None or i in needed:            # None: of a stretch that has run before
            continue
        event = events[i]
        if event.kind != OP or event.op.writes or event.op.random >= 0 or any(event.wants):
            return None
        needed.add(i)
        waiting += numbers_in(event.args, SLOT)
    return needed


def is_written(run, events, needed, read):
    """Whether something that waits writes to what the needed events read or give, or to one of these arrays."""
    outputs = {events[i].first + k for i in needed for k in range(events[i].n_outs)}
    read = [*read, *[run.arrays[k] for k in {k for i in needed for k in numbers_in(events[i].args, EXT)}]]
    for event in events:
        if event.kind == RENAME:
            if outputs.intersection(numbers_in(event.args, SLOT)):
                return True
            continue
        written = event.args[:1] if event.kind == WRITE else \
            [event.args[i] for i in event.op.writes] if event.kind == OP else []
        if next(numbers_in(written, SLOT), None) is not None or any(         # it may be a view of anything
                [np.may_share_memory(run.arrays[k], array) for k in numbers_in(written, EXT) for array in read]):
            return True
    return False
