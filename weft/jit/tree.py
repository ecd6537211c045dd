"""The tree of a function's paths: its ends, the branch that was used longest ago, its plans and what they hold."""
from weft.core.units import bytes_text
from weft.jit import path
from weft.jit.kinds import CONST, LIST
from weft.tensor.tensor import Tensor


def events_in(roots):
    """All events of trees, each before those that follow it."""
    found, waiting = [], list(roots)
    while waiting:
        event = waiting.pop()
        found.append(event)
        waiting += reversed(event.children)
    return found


def following(event):
    """The events that may come next, marks of an end left out."""
    return [child for child in event.children if child.reason is None]


def ends(roots):
    """The last event of each path."""
    return [event for event in events_in(roots) if event.before is not None and event.reason is None
            and not following(event)]


def count(roots):
    """(the structures of the paths, how many more paths there are with the same ops)."""
    found = ends(roots)
    structures = {path.structure(event) for event in found}
    return structures, len(found) - len(structures)


def stalest(roots):
    """(an event, the branch after it that was used longest ago, in which call that was); None where nothing forks."""
    latest, best = {}, None
    for event in reversed(events_in(roots)):
        after = following(event)
        latest[event] = max([event.used, *[latest[child] for child in after]])
        if len(after) > 1:
            branch = min(after, key=latest.__getitem__)
            if best is None or latest[branch] <= best[2]:
                best = event, branch, latest[branch]
    return best


def plans_in(roots, replays):
    """All plans, those of backwards through graphs that left the function, too."""
    found = [replay.plan for replay in replays or ()]
    for event in events_in(roots):
        found += (event.plans or {}).values()
        for rehearsal in (event.leaving or {}).values():
            if not isinstance(rehearsal, str):
                found += [plan for plan, _ in rehearsal.bodies.values() if plan is not None]
    return found


def constant_bytes(plans):
    """The memory of the constants that plans hold."""
    arrays, waiting = {}, [a for plan in plans for step in plan.graph.steps for a in step.args]
    while waiting:
        a = waiting.pop()
        if a.kind == LIST:
            waiting += a.items
        elif a.kind == CONST and isinstance(a.value, Tensor):
            array = a.value._form
            while getattr(array.base, "nbytes", None) is not None:
                array = array.base
            arrays[id(array)] = array.nbytes
    return sum(arrays.values())


def plans_text(roots, replays):
    """`2 plans of 31 steps (1.50 KB of constants, 20.0 KB for small values while one runs)`, or nothing."""
    plans = plans_in(roots, replays)
    if not plans:
        return ""
    steps, held = sum([len(plan.graph.steps) for plan in plans]), constant_bytes(plans)
    block = max([plan.block.size for plan in plans if plan.block is not None], default=0)
    memory = ", ".join([*[f"{bytes_text(held)} of constants"] * (held > 0),
                        *[f"{bytes_text(block)} for small values while one runs"] * (block > 0)])
    return (f"{len(plans)} plan{'s' * (len(plans) != 1)} of {steps} step{'s' * (steps != 1)}"
            + (f" ({memory})" if memory else ""))
