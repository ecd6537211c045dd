"""Integers bit by bit, and their common divisors."""
import numpy as np

from weft.ops.core.registry import COMPARE, op
from weft.ops.core.samples import bools, ints
from weft.ops.pointwise.base import quiet, refuse

BITS = "compare first, (x > 0) & (y > 0), or convert the tensors to an integer type or bool"


@op
class bitwise_not:
    """Every bit turned; for bool, the opposite."""
    tags, native, chain = COMPARE, "bitwise_not", "opposite x"
    out_types = "exact"

    def forward(x):
        refuse("bitwise_not_cpu", x, "fc", BITS)
        return np.invert(x)
    samples = [(ints(3, 2, below=8),), (bools(3, 2),)]


@op
class bitwise_and:
    """The bits that are set in both."""
    tags, native, chain = COMPARE, "bitwise_and", "both x y"

    def forward(x, y):
        refuse("bitwise_and_cpu", x, "fc", BITS)
        return quiet(np.bitwise_and, x, y)
    samples = [(ints(3, 2, below=8), ints(3, 2, below=8)), (bools(3, 1), bools(2))]


@op
class bitwise_or:
    """The bits that are set in either."""
    tags, native, chain = COMPARE, "bitwise_or", "either x y"

    def forward(x, y):
        refuse("bitwise_or_cpu", x, "fc", BITS)
        return quiet(np.bitwise_or, x, y)
    samples = [(ints(3, 2, below=8), ints(3, 2, below=8)), (bools(3, 1), bools(2))]


@op
class bitwise_xor:
    """The bits that are set in one of the two."""
    tags, native = COMPARE, "bitwise_xor"

    def forward(x, y):
        refuse("bitwise_xor_cpu", x, "fc", BITS)
        return quiet(np.bitwise_xor, x, y)
    samples = [(ints(3, 2, below=8), ints(3, 2, below=8)), (bools(3, 1), bools(2))]


@op
class bitwise_left_shift:
    """The bits moved up by y places; by more than there are, or by fewer than none, gives 0."""
    tags = COMPARE

    def forward(x, y):
        refuse("lshift_cpu", x, "bfc", "convert the tensor to an integer type first, for example with .long()")
        return quiet(_moved_up, x, y)
    samples = [(ints(3, 2, below=8), ints(3, 2, below=4)), (ints(3, 1, below=8), ints(2, below=70, start=-2))]


@op
class bitwise_right_shift:
    """The bits moved down by y places, the sign filling up; outside the type's width only the sign is left."""
    tags = COMPARE

    def forward(x, y):
        refuse("rshift_cpu", x, "bfc", "convert the tensor to an integer type first, for example with .long()")
        return quiet(_moved_down, x, y)
    samples = [(ints(3, 2, below=8), ints(3, 2, below=4)), (ints(3, 1, below=8), ints(2, below=70, start=-2))]


def _moved_up(x, y):
    outside = _outside(x, y)
    return np.where(outside, x.dtype.type(0), np.left_shift(x, np.where(outside, y.dtype.type(0), y)))


def _moved_down(x, y):
    outside = _outside(x, y)
    moved = np.right_shift(x, np.where(outside, y.dtype.type(0), y))
    none = x.dtype.type(0)
    return np.where(outside, np.where(x < 0, none - x.dtype.type(1), none) if x.dtype.kind == "i" else none, moved)


def _outside(x, y):
    """Where a shift has no meaning in C."""
    return (y < 0) | (y >= x.dtype.itemsize * 8)


@op
class gcd:
    """The greatest common divisor."""
    tensors = "x y"
    tags = COMPARE

    def forward(x, y):
        refuse("gcd_cpu", x, "bfc", "convert the tensors to an integer type first")
        return quiet(np.gcd, x, y)
    samples = [(ints(3, 2, below=20), ints(3, 2, below=20)), (ints(3, 1, below=20), ints(2, below=20))]


@op
class lcm:
    """The least common multiple."""
    tensors = "x y"
    tags = COMPARE

    def forward(x, y):
        refuse("lcm_cpu", x, "bfc", "convert the tensors to an integer type first")
        return quiet(np.lcm, x, y)
    samples = [(ints(3, 2, below=20), ints(3, 2, below=20)), (ints(3, 1, below=20), ints(2, below=20))]
