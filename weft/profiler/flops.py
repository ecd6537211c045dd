"""How many floating-point operations an op takes, by the sizes of what it is given: a multiplication and an addition
are two.

Only ops whose work grows faster than their data are counted, and `add` and `mul`: the same as in PyTorch's profiler. An
op's own record says how (a function of its bound values, in which shapes stand for tensors, and of its outputs'
shapes).
"""
from math import prod


class Shape(tuple):
    """The shape of a tensor among an op's values."""

    __slots__ = ()


def flops(op, values, outs):
    """The operations of one call; 0 where they aren't counted. values: with a Shape for each tensor; outs: Shapes."""
    formula = getattr(op, "flops", None) or FORMULAS.get(op.name)
    if formula is None:
        return 0
    return int(formula(dict(zip(op.names, values)), outs))


def _product(v, outs):
    return 2 * prod(outs[0]) * v["x"][-1]


def _product_of(name):
    """A product whose left factor is a parameter of that name."""
    return lambda v, outs: 2 * prod(outs[0]) * v[name][-1]


def _adjoint_times(v, outs):
    return 2 * prod(outs[0]) * v["x"][-2]


def _elements(v, outs):
    return prod(outs[0])


# of the ops whose body has no `flops` yet: to be dropped when all have it
FORMULAS = {
    "mm": _product, "bmm": _product, "_stacked_mm": _product, "_folded_mm": _product, "_matmul_operator": _product,
    "mv": _product, "dot": lambda v, outs: 2 * prod(v["x"]), "_times_adjoint": _product,
    "_folded_times_adjoint": _product, "_adjoint_times": _adjoint_times, "_folded_adjoint_times": lambda v,
    outs: 2 * prod(v["x"]) * outs[0][-1], "addmm": _product_of("mat1"), "baddbmm": _product_of("batch1"),
    "addmv": _product_of("mat"),
    "add": _elements, "mul": _elements,
}
# each is also the gradient of the others: told apart in a backward
GRADIENTS = frozenset(("_conv", "_conv_input", "_conv_weight"))
