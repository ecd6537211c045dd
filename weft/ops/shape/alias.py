"""A tensor as a view of itself: what instances of tensor subclasses are made of."""
from weft.ops.core.registry import VIEW, op
from weft.tensor.tensor import OPS


@op
class _alias:
    """The same tensor as a new view."""
    tags, node_name, method = VIEW, "AliasBackward0", False

    def forward(x):
        return x

    def grad_x(g):
        return g

    samples = [((2, 3),)]


OPS.alias = _alias.op
