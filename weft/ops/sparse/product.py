"""The product of a sparse matrix with a dense one, and sums of rows: the one op that sparse tensors bring along."""
import numpy as np

from weft.kernels import fast
from weft.ops.core.apply import conj_of
from weft.ops.core.registry import op
from weft.ops.index.arrays import contiguous
from weft.tensor.tensor import wrap


class Pattern:
    """Where the elements of a matrix stand, row by row: starts (rows + 1), columns (nnz), and how many columns there
    are.
    """

    def __init__(self, starts, columns, width):
        self.starts, self.columns, self.width = starts, columns, width
        self._rows = self._back = None

    def rows(self):
        """The row of each element."""
        if self._rows is None:
            self._rows = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return self._rows

    def back(self):
        """The pattern of the transposed matrix, and the order that its elements had here."""
        if self._back is None:
            order = order_of(self.columns)
            self._back = Pattern(starts_of(self.columns, self.width), self.rows()[order], len(self.starts) - 1), order
        return self._back


def order_of(keys):
    """What sorts numbers >= 0, those that are equal in the order that they have."""
    bits = len(keys).bit_length()
    if len(keys) and int(keys.max()) < 1 << 62 - bits:      # number and place in one: far quicker than a stable argsort
        return np.sort((keys << bits) | np.arange(len(keys))) & ((1 << bits) - 1)
    return np.argsort(keys, kind="stable")


def starts_of(lines, count):
    """Where each of `count` lines begins among elements that are sorted by line: (count + 1)."""
    return np.concatenate([[0], np.cumsum(np.bincount(lines, minlength=count))]).astype(np.int64)


@op
class _sparse_product:
    """A sparse matrix of these `values` (None: all are 1) in the places of `pattern`, times a dense matrix."""
    method, inputs, node_name = False, "dense values", "SparseAddmmBackward0"

    def forward(dense, values, pattern):
        dense = contiguous(dense)
        found = fast.mix_axis(dense, 0, pattern.starts, pattern.columns, None if values is None else contiguous(values))
        if found is not None:
            return found
        made = np.zeros((len(pattern.starts) - 1, dense.shape[1]), dense.dtype)
        used = np.flatnonzero(np.diff(pattern.starts))      # reduceat has no empty sums
        with np.errstate(all="ignore"):
            parts = dense[pattern.columns]                  # (nnz, width)
            if values is not None:
                parts = parts * values[:, None]
            if used.size:
                made[used] = np.add.reduceat(parts, pattern.starts[used], axis=0)
        return made

    def shape(dense, values, pattern):
        return (len(pattern.starts) - 1, dense.shape[1]), dense.dtype

    def grad_dense(g, values, pattern):
        back, order = pattern.back()
        return PRODUCT.compute([g, None if values is None else conj_of(values).index_select(0, wrap(order)), back])

    def grad_values(g, dense, pattern):
        return sampled(g, conj_of(dense), pattern)
    why_no_samples = "tests/test_sparse.py: a pattern is an object of its own"


PRODUCT = _sparse_product.op


def product(pattern, values, dense):
    """A sparse matrix times a dense one (columns, n)."""
    return PRODUCT.compute([dense, values, pattern])


def sum_rows(x, groups, count):
    """(count, *rest): the sums of those rows of x (n, *rest) that have the same number in `groups`."""
    return sum_stretches(x, starts_of(groups, count), order_of(groups))


def sum_stretches(x, starts, order):
    """(len(starts) - 1, *rest): the sums of the rows order[starts[i]:starts[i + 1]] of x (n, *rest)."""
    rest = x._form.shape[1:]
    flat = x.reshape(x._form.shape[0], int(np.prod(rest)))
    if flat._form.dtype.kind == "b":
        flat = flat.long()
    made = product(Pattern(starts, order, x._form.shape[0]), None, flat)
    return made.reshape(len(starts) - 1, *rest).to(x.dtype)


STRETCH = 4096      # elements whose rows stay in the cache


@op
class _sparse_sample:
    """(nnz): those elements of left (rows, n) times right (columns, n) transposed that the pattern names."""
    method, node_name = False, "SampledAddmmBackward0"

    def forward(left, right, pattern):
        rows, columns = pattern.rows(), pattern.columns
        made = np.zeros(len(columns), left.dtype)
        with np.errstate(all="ignore"):
            for start in range(0, len(columns), STRETCH):
                piece = slice(start, start + STRETCH)
                np.einsum("ij,ij->i", left[rows[piece]], right[columns[piece]], out=made[piece])
        return made

    def shape(left, right, pattern):
        return (len(pattern.columns),), left.dtype

    def grad_left(g, right, pattern):
        return PRODUCT.compute([conj_of(right), g, pattern])

    def grad_right(g, left, pattern):
        back, order = pattern.back()
        return PRODUCT.compute([conj_of(left), g.index_select(0, wrap(order)), back])
    why_no_samples = "tests/test_sparse.py: a pattern is an object of its own"


def sampled(left, right, pattern):
    """Those elements of left @ right.T that the pattern names."""
    return _sparse_sample.op.compute([left, right, pattern])
