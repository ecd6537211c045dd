"""What is computed twice from the same values is computed once."""
from weft.jit.kinds import CONST, LIST, OP, VALUE, WHOLE, WRITE
from weft.jit.path import arg


def identity(a):
    """What tells an argument from another one."""
    if a.kind == CONST:
        if isinstance(a.value, (int, float, complex)):
            return (CONST, type(a.value), repr(a.value))        # 0.0 and -0.0, 1 and True differ
        return (CONST, id(a.value)) if not isinstance(a.value, (str, type(None))) else (CONST, a.value)
    if a.kind == LIST:
        return (LIST, a.value, *map(identity, a.items))
    return (a.kind, a.index)


def renamed(a, names):
    """An argument in which values have the names of those that stand for them."""
    if a.kind == VALUE and a.index in names:
        return names[a.index]
    if a.kind == LIST:
        return arg(LIST, value=a.value, items=[renamed(item, names) for item in a.items])
    return a


def shared(graph):
    """Of steps with the same op and arguments only the first is kept, if what they give isn't handed out: the program's
    tensors have memory of their own, and are all that others write to.
    """
    kept, known, names, steps = graph.kept(), {}, {}, []
    for step in graph.steps:
        args = [renamed(a, names) for a in step.args] if names else step.args
        if step.kind in (WHOLE, WRITE):
            known = {}              # memory from outside was written: what was read of it is old
        elif step.kind == OP and not step.has_effect():
            key = (id(step.op), step.unusual, *map(identity, args))
            first = known.setdefault(key, step)
            if first is not step and kept.isdisjoint(step.outs) and kept.isdisjoint(first.outs):
                names.update({k: arg(VALUE, of) for k, of in zip(step.outs, first.outs)})
                continue
        steps.append(step if args is step.args else step.having(args))
    return graph.having(steps)
