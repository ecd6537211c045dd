# compiled
"""The gradient of a matrix that is used for one row at a time, kept as its factors.

A tree's or a sentence's program multiplies one row after the other with the same weight. The gradient of each product
is an outer product as large as the weight; writing it and adding it up takes many times longer than all the rest. Here
such a gradient is an ordinary tensor whose values are owed (`Tensor._owed` is `Factors`): the engine puts factors
beside factors, and the sum is made once, in one pass (cpp/outer.cpp).

The sums are those of dense gradients, bit for bit. The backward of a batch (batching/tape.py), where rounding may
differ, also keeps those of several rows, and multiplies all of them at once.
"""
import numpy as np

from weft.autograd.rows import KEEPER as ROWS_KEEPER
from weft.core.modes import ANOMALY, BATCHES, GRAD_OFF, GRADIENTS, TAKE, WATCH
from weft.core.runtime import mode_bits, pure_fields
from weft.core.spec import stand_in
from weft.kernels import fast
from weft.kernels.native import matmul, same_type
from weft.kernels.rows import count, joined, width
from weft.tensor.tensor import Tensor, settle, wrap

LOOKED_AT = WATCH | TAKE | ANOMALY | GRADIENTS      # somebody wants to see the values of every gradient
OFF, BATCH = GRAD_OFF, BATCHES
KEEPER = ROWS_KEEPER
SMALL = 1 << 13         # elements of a matrix that is made in less time than its factors are kept
MOST = 512              # rows that are kept, as long as they come one by one
FORMS = [None] * 61     # a place for each (m, n), maybe another one's
FLOAT, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)      # each is one object
SINGLE = np.empty(0, FLOAT)


class Factors:
    """What a matrix's gradient is until somebody reads it: start + lefts[0]^T rights[0] + lefts[1]^T rights[1] + ...

    rows: arrays of a row of the left side (m,) and one of the right side after it, or None, and then
    lefts: (k, m) each, rights: (k, n) each; start: (m, n) or None; count: of all rows. Nobody writes to any of them.
    """

    readable, with_graph = True, False

    def value(self):
        """The values; they are computed where they aren't there yet."""
        if self.array is None:
            KEEPER.settle(self)
        return self.array

    def clear(self):
        """Let go of the factors, whose product there is."""
        self.rows, self.start = [], None

    def dense(self):
        """The sum as an array of its own."""
        if self.count == 0:
            return self.start.copy()
        if self.rows is not None:           # as they would have been added
            made = fast.outer_sums(self.rows, self.m, self.start)
            return added_up(self.rows, self.m, self.start) if made is None else made
        lefts, rights = self.lefts, self.rights
        left, right = (lefts[0], rights[0]) if len(lefts) == 1 else (np.concatenate(lefts), np.concatenate(rights))
        made = matmul(left, right, True, False)
        if made is None:
            made = np.matmul(left.T, right)
        return made if self.start is None else made + self.start

    def take_apart(self):
        """Have the rows of both sides as matrices."""
        if self.rows is not None:
            self.lefts = [row[None, :self.m] for row in self.rows]
            self.rights = [row[None, self.m:] for row in self.rows]
            self.rows = None


def added_up(rows, m, start):
    """The sum of the outer products of rows, one after the other."""
    with np.errstate(all="ignore"):
        made = np.zeros((m, len(rows[0]) - m), rows[0].dtype) if start is None else start.copy()
        for row in rows:
            made += row[:m, None] * row[m:]
    return made


def of_rows(left, right):
    """left^T @ right of two matrices, or of stacks of them read as long ones, as a tensor whose values are owed; None
    where it doesn't pay.
    """
    bits = mode_bits()
    if bits & OFF == 0 or bits & LOOKED_AT or left._owed is not None or right._owed is not None:
        return None
    return of_arrays(left._form, right._form, bits & BATCH != 0)


def of_columns(left, right):
    """left @ right^T of two matrices of one column each, in the same way."""
    bits = mode_bits()
    if bits & OFF == 0 or bits & LOOKED_AT or left._owed is not None or right._owed is not None:
        return None
    a, b = left._form, right._form
    return of_arrays(a[:, 0], b[:, 0], False) if width(a) == 1 and width(b) == 1 else None


def of_arrays(left, right, batch):
    factors = Factors.__new__(Factors)
    if batch:
        left_shape, right_shape = left.shape, right.shape
        m, n, size = left_shape[-1], right_shape[-1], left.size
        if m * n < SMALL or size > MOST * m or size * n != right.size * m or size == 0:
            return None
        kind = left.dtype
        if kind is not right.dtype or kind is not FLOAT and kind is not DOUBLE:
            return None
        factors.count = size // m
        factors.lefts = [left if len(left_shape) == 2 else left.reshape(-1, m)]
        factors.rights = [right if len(right_shape) == 2 else right.reshape(-1, n)]
    else:
        row = joined(left, right, SMALL)        # a copy: hooks may write to both
        if row is None:
            return None
        m, n = count(left), count(right)
        factors.count, factors.m, factors.rows = 1, m, [row]
    factors.owner = KEEPER
    t = wrap(form_of(m, n, same_type(left, SINGLE)))
    t._owed = factors
    return t


class Form:
    """The stand-in for the matrices of one shape and type."""

    def __init__(self, m, n, single):
        self.m, self.n, self.single = m, n, single
        self.array = stand_in((m, n), FLOAT if single else DOUBLE)


def form_of(m, n, single):
    at = (31 * m + n) % len(FORMS)
    form = FORMS[at]
    if form is None or form.m != m or form.n != n or form.single != single:
        form = FORMS[at] = Form(m, n, single)
    return form.array


def factors_behind(grad):
    """The Factors of a gradient that nobody has read yet, or None."""
    if type(grad._owed) is not Factors:
        return None
    factors = grad._owed
    return factors if factors.array is None and type(grad) is Tensor else None


def bring(grad):
    """Have the values of a gradient made that is kept as factors: somebody else is to see it."""
    if type(grad._owed) is Factors:
        settle(grad)


def added(a, b, own):
    """The sum of two gradients that are kept as factors, None where one isn't; own: nobody else holds the first one, so
    it may become the sum.
    """
    mine, other = factors_behind(a), factors_behind(b)
    if mine is None or other is None or other.start is not None:
        return None
    if not own:
        copy = Factors.__new__(Factors)
        copy.owner, copy.count, copy.start = KEEPER, mine.count, mine.start
        copy.m = mine.m
        if mine.rows is not None:
            copy.rows = mine.rows.copy()
        else:
            copy.lefts, copy.rights = mine.lefts.copy(), mine.rights.copy()
        mine = copy
        a = wrap(a._form)
        a._owed = mine
    add(mine, other)
    return a


def add(mine, other):
    """Add the factors of another gradient."""
    if mine.rows is None or other.rows is None:
        mine.take_apart()
        other.take_apart()
        mine.lefts += other.lefts
        mine.rights += other.rights
        mine.count += other.count
        return
    mine.rows += other.rows
    mine.count += other.count
    if mine.count >= MOST:
        mine.start = mine.dense()
        mine.rows, mine.count = [], 0


pure_fields(Factors, owner=None, array=None, start=None, rows=None, lefts=None, rights=None, count=0, m=0)
