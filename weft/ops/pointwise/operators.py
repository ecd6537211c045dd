# compiled, -Og
"""Python's operators: which op stands behind each, and what they do with operands that are no numbers."""
import numpy as np

from weft.core.errors import fail
from weft.ops.core.registry import COMPARE, FUNCTIONS, NOGRAD, POINTWISE, op
from weft.ops.core.samples import bools, fixed, ints
from weft.ops.pointwise import arithmetic as arithmetic
from weft.ops.pointwise import bits as bits
from weft.ops.pointwise import compare as compare
from weft.tensor.names import method
from weft.tensor.tensor import OPS, Tensor


def _comparable(other):
    return isinstance(other, (Tensor, int, float, complex, np.number, np.bool_))


@op
class _eq:
    """x == y; Python decides where y is neither tensor nor number."""
    tags, native, method = COMPARE - {"inplace"}, "eq", False

    def compose(input, other):
        return compare.eq(input, other) if _comparable(other) else NotImplemented
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class _ne:
    """x != y; Python decides where y is neither tensor nor number."""
    tags, native, method = COMPARE - {"inplace"}, "ne", False

    def compose(input, other):
        return compare.ne(input, other) if _comparable(other) else NotImplemented
    samples = [((3, 2), (3, 2)), ((3, 1), (2,))]


@op
class _rdiv:
    """other / input."""
    tags, method = POINTWISE - {"inplace"}, False

    def compose(input, other):
        return arithmetic.div(other, input)
    samples = [((3, 2), 2.5), ((3, 1), (2,))]


@op
class _rfloordiv:
    """other // input."""
    tags, method = POINTWISE - {"inplace"}, False

    def compose(input, other):
        return arithmetic.floor_divide(other, input)
    samples = [(fixed(3, 2), 2.5), (ints(3, 2, below=5, start=1), 7)]


@op
class _rmod:
    """other % input."""
    tags, method = POINTWISE - {"inplace"}, False

    def compose(input, other):
        return arithmetic.remainder(other, input)
    samples = [((3, 2), 2.5), ((3, 1), (2,))]


@op
class _rpow:
    """other ** input."""
    tags, method = POINTWISE - {"inplace"}, False

    def compose(input, other):
        return arithmetic.pow_(other, input)
    samples = [((3, 2), 2.5), ((3, 1), (2,))]


@op
class _invert:
    """~input, for bools and integers."""
    tags, native, method = NOGRAD, "bitwise_not", False

    def compose(input):
        if input._form.dtype.kind not in "biu":
            fail(TypeError, f"~ (operator.invert) is only implemented on integer and Boolean-type tensors, got "
                 f"{input.dtype}",
                 "compare first: ~(x > 0)")
        return bits.bitwise_not(input)
    samples = [(ints(3, 2, below=8),), (bools(3, 2),)]


def _rlshift(x, other):
    return bits.bitwise_left_shift(other, x) if _comparable(other) else NotImplemented


def _rrshift(x, other):
    return bits.bitwise_right_shift(other, x) if _comparable(other) else NotImplemented


def _fill():
    for slot, function in (
            ("add", arithmetic.add), ("sub", arithmetic.sub), ("rsub", arithmetic.rsub), ("mul", arithmetic.mul),
            ("div", arithmetic.div), ("neg", arithmetic.neg), ("abs", arithmetic.abs_), ("pow", arithmetic.pow_),
            ("floordiv", arithmetic.floor_divide), ("mod", arithmetic.remainder), ("rdiv", _rdiv), ("rpow", _rpow),
            ("rfloordiv", _rfloordiv), ("rmod", _rmod), ("eq", _eq), ("ne", _ne), ("lt", compare.lt),
            ("le", compare.le), ("gt", compare.gt), ("ge", compare.ge), ("bit_and", bits.bitwise_and),
            ("bit_or", bits.bitwise_or), ("bit_xor", bits.bitwise_xor), ("invert", _invert),
            ("lshift", bits.bitwise_left_shift), ("rshift", bits.bitwise_right_shift)):
        setattr(OPS, slot, function.op)
    for slot, name in (("iadd", "add_"), ("isub", "sub_"), ("imul", "mul_"), ("idiv", "div_"), ("ipow", "pow_"),
                       ("ifloordiv", "floor_divide_"), ("imod", "remainder_"), ("iand", "bitwise_and_"),
                       ("ior", "bitwise_or_"), ("ixor", "bitwise_xor_"), ("ilshift", "bitwise_left_shift_"),
                       ("irshift", "bitwise_right_shift_")):
        setattr(OPS, slot, FUNCTIONS[name])
    OPS.rlshift, OPS.rrshift = _rlshift, _rrshift
    for name, function in (("__div__", arithmetic.div), ("__rdiv__", _rdiv), ("__idiv__", FUNCTIONS["div_"])):
        method(function, name)


_fill()
