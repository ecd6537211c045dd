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
    formula = FORMULAS.get(op.name)
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


def _linear_grad(v, outs):
    # x is the gradient (..., out); one product for the input, one for the weight
    return 2 * prod(v["x"]) * v["input"][-1] * (bool(v["needs"][0]) + bool(v["needs"][1]))


def _conv(v, outs):
    return 2 * prod(outs[0]) * prod(v["weight"][1:])        # weight (out, in / groups, ...)


def _conv_input(v, outs):
    return 2 * prod(v["x"]) * prod(v["weight"][1:])         # weight (in, out / groups, ...): each input meets all of it


def _conv_weight(v, outs):
    return 2 * prod(v["x"]) * prod(outs[0][1:])


def _attention(v, outs):
    *batch, length, size = v["q"]                           # scores q @ k.mT, then scores @ v
    return 2 * prod(batch) * length * v["k"][-2] * (size + v["v"][-1])


def _attention_grad(v, outs):
    *batch, length, size = v["q"]                           # the scores again, and two products for each of the two
    return 2 * prod(batch) * length * v["k"][-2] * (3 * size + 2 * v["v"][-1])


def _recurrent(v, outs):
    steps = prod(v["x"][:-1])                               # time times batch
    return 2 * steps * sum(prod(p) for p in v["params"] if isinstance(p, Shape) and len(p) == 2)


def _recurrent_grad(v, outs):
    inputs = [p for p in v["params"] if isinstance(p, Shape) and len(p) == 2 and p[1] == v["x"][-1]]
    return 2 * _recurrent(v, outs) - (0 if v["want_x"] else 2 * prod(v["x"][:-1]) * (prod(inputs[0]) if inputs else 0))


def _recurrent_cell(v, outs):
    return 2 * prod(v["x"][:-1]) * (prod(v["w_ih"]) + prod(v["w_hh"]))


def _recurrent_cell_grad(v, outs):
    return 2 * _recurrent_cell(v, outs) - (0 if v["want_x"] else 2 * prod(v["x"][:-1]) * prod(v["w_ih"]))


def _elements(v, outs):
    return prod(outs[0])


FORMULAS = {
    "mm": _product, "bmm": _product, "_stacked_mm": _product, "_folded_mm": _product, "_matmul_operator": _product,
    "mv": _product, "dot": lambda v, outs: 2 * prod(v["x"]), "_times_adjoint": _product,
    "_folded_times_adjoint": _product, "_adjoint_times": _adjoint_times, "_folded_adjoint_times": lambda v,
    outs: 2 * prod(v["x"]) * outs[0][-1], "addmm": _product_of("mat1"), "baddbmm": _product_of("batch1"),
    "addmv": _product_of("mat"), "linear": lambda v, outs: 2 * prod(outs[0]) * v["weight"][-1],
    "_linear_grad": _linear_grad, "_conv": _conv, "_conv_input": _conv_input, "_conv_weight": _conv_weight,
    "_attention": _attention, "_attention_grad": _attention_grad,
    "_recurrent": _recurrent, "_recurrent_grad": _recurrent_grad,
    "_recurrent_cell": _recurrent_cell, "_recurrent_cell_grad": _recurrent_cell_grad,
    "add": _elements, "mul": _elements,
}
# each is also the gradient of the others: told apart in a backward
GRADIENTS = frozenset(("_conv", "_conv_input", "_conv_weight"))
