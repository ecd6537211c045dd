"""How many floating-point operations an op takes, by the sizes of what it is given: a multiplication and an addition
are two.

Only ops whose work grows faster than their data are counted, and `add` and `mul`: the same as in PyTorch's profiler. An
op's body says how: `flops(values, outs)`, of its bound values by name, in which shapes stand for tensors, and of its
outputs' shapes.
"""


class Shape(tuple):
    """The shape of a tensor among an op's values."""

    __slots__ = ()


def flops(op, values, outs):
    """The operations of one call; 0 where they aren't counted. values: with a Shape for each tensor; outs: Shapes."""
    formula = getattr(op, "flops", None)
    if formula is None:
        return 0
    return int(formula(dict(zip(op.names, values)), outs))


# each is also the gradient of the others: told apart in a backward
GRADIENTS = frozenset(("_conv", "_conv_input", "_conv_weight"))
