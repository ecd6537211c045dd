"""What an op is in a chain (see chain.py): an elementwise loop on rows, or a cut of rows into pieces.

A *row* is all that one example has of a tensor, in order. Inside a chain a tensor is as wide as it has elements,
whatever its shape.
"""
from math import prod

import numpy as np

from weft.kernels.codes import BINARY, PRODUCTS, UNARY
from weft.tensor.tensor import Tensor

NARROWEST = 16          # rows of fewer elements cost more one by one than as a stack
NAMES = {code: name for name, code in (*UNARY.items(), *BINARY.items())}
BY_OUTPUT = ("sigmoid", "tanh", "relu")                             # name_backward(g, what came out)
BY_INPUT = ("gelu", "silu", "mish", "hardswish", "hardsigmoid", "logsigmoid")       # name_backward(g, what went in)


class Loop:
    """One elementwise op. operands: for each the number of its slot, or an array with its number."""

    def __init__(self, name, operands, shape, np_dtype):
        self.name, self.operands, self.shapes, self.dtype = name, operands, (shape,), np_dtype


class Cut:
    """Pieces of a row: offsets has where each of them starts."""

    def __init__(self, shapes, np_dtype):
        self.operands, self.shapes, self.dtype = [0], tuple(shapes), np_dtype
        self.offsets = [sum([prod(s) for s in shapes[:k]]) for k in range(len(shapes))]


def link_of(op, values, outputs):
    """The Loop or the Cut that an op is on what it was given, None where it is neither."""
    if not outputs or outputs[0]._form.dtype.str not in ("<f4", "<f8"):
        return None
    if op.name == "_split":
        return cut_of(values, outputs)
    code, given = (op.binary_code, 2) if op.binary_code >= 0 else (op.unary_code, 1)
    if code < 0 or code in PRODUCTS or op.forward is None or op.general is not None or derivative(NAMES[code]) is None \
            or len(outputs) != 1 or any([v is not op.defaults[i] for i, v in enumerate(values) if i >= given]):
        return None
    form, operands, slot = outputs[0]._form, [], 0
    if form.size < NARROWEST:
        return None
    for v in values[:given]:
        if isinstance(v, Tensor):
            if v._form.dtype != form.dtype or v._form.size != form.size:
                return None
            operands.append(slot)
            slot += 1
        elif type(v) is float or type(v) is int and abs(v) < 2 ** 24:
            with np.errstate(over="ignore"):
                operands.append(np.array(v, form.dtype))
        else:
            return None
    return Loop(NAMES[code], operands, form.shape, form.dtype)


def is_sum(op, values, outputs):
    """Whether an op adds two tensors of one shape and type."""
    return (op.name == "add" and isinstance(values[0], Tensor) and isinstance(values[1], Tensor)
            and values[2] is op.defaults[2] and outputs[0]._form.dtype.str in ("<f4", "<f8")
            and all([(t._form.shape, t._form.dtype) == (outputs[0]._form.shape, outputs[0]._form.dtype)
                     for t in values[:2]]))


def cut_of(values, outputs):
    """A split of the last dimension, where no other one is longer than 1."""
    form, dim = values[0]._form, values[2]
    if dim % form.ndim != form.ndim - 1 or form.shape[-1] != form.size or form.size < NARROWEST:
        return None
    shapes = [t._form.shape for t in outputs]
    return Cut(shapes, form.dtype) if all([prod(s) >= NARROWEST for s in shapes]) else None


def derivative(name):
    """A function (g, operands, output) -> the gradient of each operand, as expressions (name, ...) of them; None where
    there is none.
    """
    if name in BY_OUTPUT:
        return lambda g, given, out: [(name + "_backward", g, out)]
    if name in BY_INPUT:
        return lambda g, given, out: [(name + "_backward", g, given[0])]
    return DERIVATIVES.get(name)


DERIVATIVES = {
    "add": lambda g, given, out: [g, g],
    "sub": lambda g, given, out: [g, ("neg", g)],
    "mul": lambda g, given, out: [("mul", g, given[1]), ("mul", g, given[0])],
    "div": lambda g, given, out: [("div", g, given[1]), ("div", ("neg", ("mul", g, out)), given[1])],
    "neg": lambda g, given, out: [("neg", g)],
    "exp": lambda g, given, out: [("mul", g, out)],
    "square": lambda g, given, out: [("mul", g, ("add", given[0], given[0]))],
}
