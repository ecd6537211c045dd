"""Distinct elements."""
import numpy as np

from weft.core.errors import fail
from weft.core.size import wrap_dim
from weft.kernels import fast
from weft.ops.core.registry import op
from weft.ops.core.samples import ints
from weft.ops.index.arrays import contiguous
from weft.ops.reduce.tools import need_real


def _check(x, dim):
    """The axis; what can't be told apart or has nothing along `dim` is refused."""
    need_real(x, "unique")
    if dim is None:
        return None
    axis = wrap_dim(dim, x.ndim)
    if x.ndim == 0:
        fail(IndexError, f"unique(): Dimension specified as {dim} but tensor has no dimensions")
    if x.size == 0 and x.shape[axis] != 0:
        fail(RuntimeError, f"unique(): There are 0 sized dimensions, and they aren't selected, so unique cannot be "
             f"applied: dim={dim} of {list(x.shape)}")
    return axis


def _distinct(x, axis):
    if axis is None:
        return np.unique(x, return_inverse=True, return_counts=True, equal_nan=False)
    values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True, axis=axis, equal_nan=False)
    return values, inverse.reshape(-1), counts


NOTHING = np.empty(0, np.int64)     # an output that nobody asked for


@op
class _unique:
    """The distinct elements in order, each element's place among them, and their counts (these two if wanted)."""
    method, node_name, reads = False, "Unique2Backward0", "x"

    def forward(x, dim, want_inverse, want_counts):
        axis = _check(x, dim)
        found = fast.unique(contiguous(x), bool(want_inverse), bool(want_counts)) if axis is None else None
        if found is not None:
            return tuple([NOTHING if array is None else array for array in found])
        values, inverse, counts = _distinct(x, axis)
        return values, inverse.reshape(x.shape) if dim is None else inverse, counts

    def grad_x(g):
        raise NotImplementedError("the derivative for '_unique2' is not implemented.")
    samples = [(ints(2, 4, below=4), None, True, True), (ints(4, 2, below=2), 0, False, False)]


@op
class _unique_runs:
    """The first element of each run of equals, each element's run, and the runs' lengths."""
    method, node_name, reads = False, "UniqueConsecutiveBackward0", "x"

    def forward(x, dim):
        axis = _check(x, dim)
        rows = x.reshape(-1) if axis is None else np.moveaxis(x, axis, 0)
        n = len(rows)
        fresh = np.ones(n, bool)
        if n > 1:
            changed = rows[1:] != rows[:-1]
            fresh[1:] = changed if rows.ndim == 1 else changed.reshape((n - 1, -1)).any(1)
        starts = np.flatnonzero(fresh)
        values = rows[fresh] if axis is None else np.moveaxis(rows[fresh], 0, axis)
        inverse = np.cumsum(fresh) - 1
        return values, inverse.reshape(x.shape) if dim is None else inverse, np.diff(np.append(starts, n))

    def grad_x(g):
        raise NotImplementedError("the derivative for 'unique_consecutive' is not implemented.")
    samples = [(ints(2, 4, below=2), None), (ints(4, 2, below=2), 0)]


def _chosen(found, return_inverse, return_counts):
    values, inverse, counts = found
    if return_inverse and return_counts:
        return values, inverse, counts
    if return_inverse:
        return values, inverse
    return (values, counts) if return_counts else values


@op
class unique:
    """The distinct elements, or slices along `dim`, in order."""

    def compose(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
        return _chosen(_unique(input, dim, return_inverse, return_counts), return_inverse, return_counts)
    samples = [(ints(2, 4, below=4),), (ints(4, 2, below=2), True, True, True, 0)]


@op
class unique_consecutive:
    """The elements, or slices along `dim`, without immediate repetitions."""

    def compose(input, return_inverse=False, return_counts=False, dim=None):
        return _chosen(_unique_runs(input, dim), return_inverse, return_counts)
    samples = [(ints(2, 4, below=2),), (ints(4, 2, below=2), True, True, 0)]
