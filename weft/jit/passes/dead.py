"""Steps whose values nobody reads are left out."""
from weft.jit.graph import values_in


def without_dead(graph):
    """What has an effect, and what the results are made of."""
    needed, steps = graph.kept(), []
    for step in reversed(graph.steps):
        if step.has_effect() or not needed.isdisjoint(step.outs):
            needed.update(values_in(step.args))
            steps.append(step)
    return graph.having(steps[::-1])
