"""Steps whose values nobody reads are left out."""
from weft.jit.kinds import VALUE
from weft.jit.path import numbers_in


def without_dead(graph):
    """What has an effect, and what the results are made of."""
    needed, steps = graph.kept(), []
    for step in reversed(graph.steps):
        if step.has_effect() or not needed.isdisjoint(step.outs):
            needed.update(numbers_in(step.args, VALUE))
            steps.append(step)
    return graph.having(steps[::-1])
