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
            order = np.argsort(self.columns, kind="stable")
            self._back = Pattern(starts_of(self.columns, self.width), self.rows()[order], len(self.starts) - 1), order
        return self._back


def starts_of(lines, count):
    """Where each of `count` lines begins among elements that are sorted by line: (count + 1)."""
    return np.concatenate([[0], np.cumsum(np.bincount(lines, minlength=count))]).astype(np.int64)


@op
class _sparse_product:
    """A sparse matrix of these `values` (None: all are 1) in the places of `pattern`, times a dense matrix."""
    method, inputs, node_name = False, "dense values", "SparseAddmmBackward0"

    def forward(dense, values, pattern):
        dense = contiguous(dense)
        found = fast.embedding_bag(dense, pattern.columns, pattern.starts,
                                   None if values is None else contiguous(values), -1, False)
        if found is not None:
            return found
        parts = dense[pattern.columns]                      # (nnz, width)
        if values is not None:
            parts = parts * values[:, None]
        made = np.zeros((len(pattern.starts) - 1, dense.shape[1]), dense.dtype)
        used = np.flatnonzero(np.diff(pattern.starts))      # reduceat has no empty sums
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
    order = np.argsort(groups, kind="stable")
    return sum_stretches(x, starts_of(groups, count), order)


def sum_stretches(x, starts, order):
    """(len(starts) - 1, *rest): the sums of the rows order[starts[i]:starts[i + 1]] of x (n, *rest)."""
    rest = x._form.shape[1:]
    flat = x.reshape(x._form.shape[0], int(np.prod(rest)))
    if flat._form.dtype.kind == "b":
        flat = flat.long()
    made = product(Pattern(starts, order, x._form.shape[0]), None, flat)
    return made.reshape(len(starts) - 1, *rest).to(x.dtype)


def sampled(left, right, pattern):
    """(nnz): those elements of left (rows, n) times right (columns, n) transposed that the pattern names."""
    return (left.index_select(0, wrap(pattern.rows())) * right.index_select(0, wrap(pattern.columns))).sum(1)
