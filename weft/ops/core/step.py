"""A node of the graph that no op makes: one input, one output, and a rule in a few words."""
from weft.autograd.graph import Node, next_seq
from weft.core.modes import GRAD_OFF
from weft.core.runtime import mode_bits
from weft.ops.core.record import edge
from weft.tensor.tensor import needs_grad


class Step(Node):
    """From one tensor to another; a subclass's `back(grad)` is its rule, `held` what that needs."""

    def __init__(self, source, held):
        self.parents, self.outs = (edge(source),), (source._made_nr,)
        self.held = held
        self.seq = next_seq()
        self.n_outputs = 1
        self.place()

    def run(self, grad):
        if self.held is None:
            raise RuntimeError(self.explain_freed())
        return [self.back(grad)]

    def free(self):
        self.held = None


def recorded(t):
    """Whether what is made of this tensor belongs to the graph."""
    return not mode_bits() & GRAD_OFF and needs_grad(t)


def tied(made, node):
    """A tensor that a node made."""
    made._made_by = node
    return made
