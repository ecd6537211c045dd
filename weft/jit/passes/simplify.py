"""Steps of a backward that change nothing are left out."""
from weft.jit.kinds import REG
from weft.jit.path import numbers_in


def without_copies(body):
    """A leaf keeps the gradient itself where it is laid out like the leaf already and nobody else has it.

    While ops are owed, the engine can't see that, and copies every leaf's gradient.
    """
    uses = [0] * body.n_regs
    for step in body.steps:
        for k in numbers_in(step.args, REG):
            uses[k] += 1
    for k in numbers_in([source for _, source in body.leaves], REG):
        uses[k] += 1
    copies = {}         # number of the copy -> its step
    for step in body.steps:
        source = step.args[0]
        if step.op.name == "_strided_copy" and source.kind == REG and uses[source.index] == uses[step.first] == 1 \
                and body.own[source.index] and body.specs[source.index] == body.specs[step.first]:
            copies[step.first] = step
    body.leaves = [(leaf, copies[source.index].args[0] if source.kind == REG and source.index in copies else source)
                   for leaf, source in body.leaves]
    kept = {source.index for _, source in body.leaves if source.kind == REG}
    body.steps = [s for s in body.steps if s.first not in copies or copies[s.first].args[0].index not in kept]
    return body
