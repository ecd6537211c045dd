"""A reduction of what a chain makes, and nobody else reads, becomes the chain's end: what is summed never goes through
memory (cpp/fused_reduce.cpp). The reduction is the op's own, over the very pieces, so bits don't change. Where others
read it, too, there is nothing to gain: it is written anyway, and lies in a cache when it is summed.
"""
from weft.jit.kinds import CONST, LIST, OP, VALUE
from weft.jit.passes.fuse import chained, loop_of
from weft.jit.path import numbers_in
from weft.ops.core.registry import FOLDS

WHAT = {"sum": 0, "mean": 1, "greatest": 2, "least": 3}         # as in cpp/fused_reduce.cpp


def folded(graph):
    """Reductions become the ends of the chains, or of the single elementwise steps, that make what they read."""
    makers = {k: i for i, step in enumerate(graph.steps) for k in step.outs}
    readers = {}                # value -> how many arguments read it
    for step in graph.steps:
        for k in numbers_in(step.args, VALUE):
            readers[k] = readers.get(k, 0) + 1
    kept, steps = graph.kept(), list(graph.steps)
    for i, step in enumerate(graph.steps):
        fold = fold_of(step, graph.specs)
        if fold is None:
            continue
        k = step.args[0].index
        if k in kept or readers[k] > 1:
            continue
        made = joined(steps[makers[k]], step, fold, graph.specs)
        if made is not None:
            steps[makers[k]], steps[i] = made, None
            makers[step.outs[0]] = makers[k]
    return graph.having([step for step in steps if step is not None])


def fold_of(step, specs):
    """(the number of a step's reduction, dim, keepdim) where it may be the end of a chain, else None."""
    if step.kind != OP or step.op not in FOLDS or len(step.outs) != 1 or step.many or step.args[0].kind != VALUE:
        return None
    rest = step.args[1:]
    if any([a.kind != CONST and (a.kind != LIST or any([item.kind != CONST for item in a.items])) for a in rest]):
        return None
    found = FOLDS[step.op](tuple(specs[step.args[0].index].shape), *map(plain, rest))
    if found is None:
        return None
    what, dim, keepdim = found
    return WHAT[what], tuple(dim) if isinstance(dim, list) else dim, bool(keepdim)


def plain(a):
    """The value of an argument that is the same each time."""
    return a.value if a.kind == CONST else tuple([item.value for item in a.items])


def joined(maker, step, fold, specs):
    """The step that makes what `maker` makes, and what `step` makes of one of its values; None where that can't be."""
    loops = [loop_of(part, specs) for part in maker.parts or (maker,)]
    k = step.args[0].index
    last = next((loop for loop in loops if loop is not None and loop.out == k), None)
    if maker.fold is not None or None in loops or last is None or specs[k].dtype != last.key[1]:
        return None
    others = [value for value in maker.outs if value != k]
    made = chained(loops, [*others, k])
    if made is None:
        return None
    made.outs = [*others, step.outs[0]]
    made.fold, made.parts = fold, [*made.parts, step]
    return made

