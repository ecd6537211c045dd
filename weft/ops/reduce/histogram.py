"""Counting into bins, and finding a value's place among sorted ones."""

import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.spec import Spec
from weft.kernels import fast
from weft.ops.core.body import return_type
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.ops.core.samples import data, ints
from weft.ops.index.arrays import contiguous
from weft.ops.reduce.tools import need_real
from weft.tensor.tensor import Tensor, wrap

FEW_PAIRS = 4096        # so many are compared one by one


def _float_only(x, name):
    if x.dtype.kind != "f":
        fail(NotImplementedError, f'"{name}_cpu" not implemented for \'{dtypes.of_array(x.dtype)}\'',
             "convert it first: x.float()")


def _need_inexact(x, name):
    """What histograms of half precision too are refused for."""
    if x.dtype.kind in "biuc":
        _float_only(x, name)


def _limits(x, low, high):
    """The range of the values when none is given; never of length zero."""
    if low == high and x.size:
        low, high = x.min(), x.max()
    if not (np.isfinite(low) and np.isfinite(high)):
        fail(RuntimeError, f"range of [{low}, {high}] is not finite", "give finite limits, or leave NaN and inf out")
    if low > high:
        fail(RuntimeError, f"max must be larger than min, got [{low}, {high}]")
    return low, high


def _rounded(wide, kind, half):
    return wide.astype(kind).astype(wide.dtype) if half else wide


@op
class histc:
    """How many values fall into each of `bins` equal bins from `min` to `max` (both 0: the values' own range)."""
    tags = NOGRAD | KEEP_HALF

    def forward(x, bins=100, min=0, max=0):
        kind, half = x.dtype, x.dtype.itemsize == 2 and x.dtype.kind not in "biu"
        x = x.astype(np.float32) if half else x
        _float_only(x, "histogram")
        if bins <= 0:
            fail(RuntimeError, f"histc(): bins must be > 0, but got {bins}")
        low, high = _limits(x, min, max)
        if low == high:
            low, high = low - 1, high + 1
        kept = x[(x >= low) & (x <= high)]
        with np.errstate(all="ignore"):
            # the order decides which bin a value on an edge falls into; half types round after each step, as PyTorch
            # does
            at = _rounded(_rounded(kept - low, kind, half) * bins, kind, half) / (high - low)
            at = _rounded(at, kind, half).astype(np.int64)
        return np.bincount(np.minimum(at, bins - 1), minlength=bins).astype(kind)

    def shape(x, bins, min, max):
        _need_inexact(x, "histogram")
        return (bins,), x.dtype
    samples = [((5,), 4)]


# histogram and histogramdd

def _edges(column, bins, limits):
    """The edges of equal bins over the given or the values' own range."""
    low, high = limits if limits is not None else _limits(column, 0, 0) if column.size else (0, 1)
    if not (np.isfinite(low) and np.isfinite(high)):
        fail(RuntimeError, f"histogramdd(): the range [{low}, {high}] is not finite", "give finite limits")
    if low > high:
        fail(RuntimeError, f"histogramdd(): min should not exceed max, but got min {low} max {high}")
    if low == high:
        low, high = low - 0.5, high + 0.5
    kind = column.dtype.type
    return np.linspace(kind(low), kind(high), bins + 1, dtype=column.dtype)


def _places(column, edges):
    """The bin of each value, -1 outside; the last bin has both its edges."""
    at = np.searchsorted(edges, column, side="right") - 1
    at = np.where(column == edges[-1], len(edges) - 2, at)
    return np.where((column >= edges[0]) & (column <= edges[-1]), at, -1)


def _counts(points, all_edges, weight, density):
    """points (N, D), edges a list of D arrays; the histogram has D dimensions."""
    shape = tuple(len(e) - 1 for e in all_edges)
    places = [_places(points[:, d], e) for d, e in enumerate(all_edges)]
    inside = np.ones(len(points), bool)
    for at in places:
        inside &= at >= 0
    flat = np.ravel_multi_index([at[inside] for at in places], shape) if inside.any() else np.zeros(0, np.int64)
    found = np.bincount(flat, None if weight is None else weight[inside], int(np.prod(shape)))
    found = found.reshape(shape).astype(points.dtype)
    if density:
        with np.errstate(all="ignore"):
            found = found / found.sum()
            for d, e in enumerate(all_edges):
                found /= np.diff(e).reshape((-1,) + (1,) * (len(shape) - d - 1))
    return found.astype(points.dtype)


@op
class _histogram:
    """The histogram of points, and the edges of its bins."""
    tags, method = NOGRAD, False

    def forward(x, bins, limits, weight, density):
        _float_only(x, "histogram")
        if weight is not None and weight.shape != x.shape[:1]:
            fail(RuntimeError, f"histogramdd(): if weight tensor is provided it should have the same shape as the "
                 f"input tensor excluding its innermost dimension, got {list(weight.shape)}")
        edges = []
        for d, b in enumerate(bins):
            if isinstance(b, np.ndarray):
                if b.ndim != 1:
                    fail(RuntimeError, f"histogramdd(): bins tensor should have one dimension, but got {b.ndim} "
                         f"dimensions in the bins tensor for dimension {d}")
                edges.append(b.copy())
                continue
            if b <= 0:
                fail(RuntimeError, f"histogramdd(): the number of bins must be positive, got {b}")
            edges.append(_edges(x[:, d], int(b), None if limits is None else limits[2 * d:2 * d + 2]))
        return (_counts(x, edges, weight, density), *edges)

    def shape(x, bins, limits, weight, density):
        _need_inexact(x, "histogram")
        edges = [Spec(b.shape, b.dtype) if isinstance(b, Spec) else Spec((int(b) + 1,), x.dtype) for b in bins]
        return (Spec([e.shape[0] - 1 for e in edges], x.dtype), *edges)
    samples = [((5, 2), [3, 4], None, None, False), ((5, 1), [data([0.2, 0.5, 0.7, 1.0], "float64")], None, (5,), True)]


@op
class histogram:
    """The histogram of all values, and the edges of its bins."""

    def compose(input, bins, *, range=None, weight=None, density=False):
        flat = None if weight is None else weight.detach().reshape(-1)
        found = _histogram(input.detach().reshape((-1, 1)), [bins.detach() if isinstance(bins, Tensor) else bins],
                           range, flat, density)
        return return_type("histogram", ("hist", "bin_edges"))(*found)
    samples = [((5,), 4)]


@op
class histogramdd:
    """The histogram of points (the last dimension), and the edges of the bins of each coordinate."""
    method = False

    def compose(input, bins, range=None, weight=None, density=False):
        if input._form.ndim < 2:
            fail(RuntimeError, f"histogramdd(): input tensor should have at least 2 dimensions, got {input._form.ndim}")
        n = input._form.shape[-1]
        bins = [bins] * n if isinstance(bins, int) else list(bins)
        if len(bins) != n:
            fail(RuntimeError, f"histogramdd: The size of bins must be equal to the innermost dimension of the input. "
                 f"Expected {n}, got {len(bins)}")
        flat = None if weight is None else weight.detach().reshape(-1)
        found = _histogram(input.detach().reshape((-1, n)), bins, range, flat, density)
        return return_type("histogramdd", ("hist", "bin_edges"))(found[0], tuple(found[1:]))
    samples = [((5, 2), [3, 4]), ((2, 3, 2), 2)]


@op
class bincount:
    """How often each of 0, 1, 2, ... occurs, or the sum of its weights."""
    tags, reads = NOGRAD, "x"

    def forward(x, weights=None, minlength=0):
        if x.dtype.kind not in "iu":
            fail(NotImplementedError, f'"bincount_cpu" not implemented for \'{dtypes.of_array(x.dtype)}\'',
                 "give integers")
        if type(minlength) is int and (weights is None or weights.dtype.kind == "f"):
            found = fast.bincount(x, weights, minlength)
            if found is not None:
                return found
        if x.ndim != 1 or x.size and x.min() < 0:
            fail(RuntimeError, "bincount(): bincount only supports 1-d non-negative integral inputs.")
        if minlength < 0:
            fail(RuntimeError, f"bincount(): minlength should be >= 0, got {minlength}")
        if weights is None:
            return np.bincount(x, minlength=minlength).astype(np.int64)
        if weights.shape != x.shape:
            fail(RuntimeError, f"bincount(): weights should be 1-d and have the same length as input, got "
                 f"{list(weights.shape)}")
        kind = weights.dtype if weights.dtype == np.float32 else np.float64
        return np.bincount(x, weights, minlength).astype(kind)
    samples = [(ints(6, below=4),), (ints(6, below=4), (6,), 5)]


# places among sorted values

def _side(right, side):
    if side is not None and side not in ("left", "right"):
        fail(RuntimeError, f"searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        fail(RuntimeError, "searchsorted(): side and right can't be set to opposites, got side of left while right was "
             "True")
    return side or ("right" if right else "left")


@op
class _search:
    """The places of values among sorted ones, row by row."""
    tags, method = NOGRAD, False

    def forward(sequence, values, side, sorter):
        _sortable(sequence, values)
        if sorter is not None:
            sequence = np.take_along_axis(sequence, sorter, -1)
        if sequence.dtype == values.dtype:
            found = fast.search(contiguous(sequence), contiguous(values), side == "right")
            if found is not None:
                return found
        if sequence.ndim == 1:
            return np.asarray(np.searchsorted(sequence, values, side=side), order="C")
        if not values.size:
            return np.empty(values.shape, np.int64)
        wanted = values.reshape((-1, values.shape[-1]))
        rows = sequence.reshape((len(wanted), sequence.shape[-1]))
        made = np.empty(wanted.shape, np.int64)
        for i in range(len(wanted)):
            made[i] = np.searchsorted(rows[i], wanted[i], side=side)
        return made.reshape(values.shape)

    def shape(sequence, values, side, sorter):
        _sortable(sequence, values)
        return values.shape, np.int64
    samples = [(data([0.1, 0.4, 0.6], "float64"), (2, 3, 2), "left", None),
               (data([[0.1, 0.6], [0.3, 0.8]], "float64"), (2, 3), "right", None)]


def _sortable(sequence, values):
    need_real(sequence, "searchsorted")
    need_real(values, "searchsorted")
    if sequence.dtype.kind == values.dtype.kind == "b":
        fail(NotImplementedError, "\"searchsorted_out_cpu\" not implemented for 'Bool'",
             "convert it first: x.int()")


def _value(t, like):
    """A number as a tensor, in the type of the sorted values."""
    return t if isinstance(t, Tensor) else wrap(np.asarray(t, dtype=like._form.dtype if not isinstance(t, float)
                                                           or like._form.dtype.kind == "f" else np.float32))


@op
class searchsorted:
    """Where values would be put into sorted ones to keep them sorted; left of equals, or right."""
    method = False

    def compose(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
        input = _value(input, sorted_sequence)
        ours, theirs = sorted_sequence._form.shape, input._form.shape
        if len(ours) == 0:
            fail(RuntimeError, "searchsorted(): input value can be a scalar only when boundaries tensor dimension is "
                 "1, got 0-D boundaries")
        if len(ours) != 1 and (len(ours) != len(theirs) or ours[:-1] != theirs[:-1]):
            fail(RuntimeError, f"searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions "
                 f"of boundaries tensor and input value tensor must match, but we got boundaries tensor {list(ours)} "
                 f"and input value tensor {list(theirs)}")
        if sorter is not None and sorter._form.dtype != np.int64:
            fail(RuntimeError, f"searchsorted(): sorter must be a tensor of long dtype but got dtype {sorter.dtype}",
                 "sorter.long()")
        if sorter is not None and sorter._form.shape != ours:
            fail(RuntimeError, f"searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
                 f"{list(ours)} and got sorter tensor {list(sorter._form.shape)}")
        if sorter is not None and not sorter._on_meta and bool(((sorter < 0) | (sorter >= ours[-1])).any()):
            fail(RuntimeError, "searchsorted(): sorter index out of range",
                 f"give indices from 0 to {ours[-1] - 1}, as argsort does")
        found = _search(sorted_sequence.detach(), input.detach(), _side(right, side), sorter)
        return found.int() if out_int32 else found
    samples = [(data([0.1, 0.4, 0.6], "float64"), (2, 3)), (data([0.1, 0.4, 0.6], "float64"), (3,), {"right": True}),
               (data([[0.6, 0.1], [0.3, 0.8]], "float64"), (2, 3), {"sorter": data([[1, 0], [0, 1]])})]


@op
class bucketize:
    """The bin of each value among sorted boundaries."""
    method = False

    def compose(input, boundaries, *, out_int32=False, right=False):
        if boundaries._form.ndim != 1:
            fail(RuntimeError, f"bucketize(): boundaries tensor must be 1 dimension, but got "
                 f"dim({boundaries._form.ndim})")
        return searchsorted(boundaries, input, out_int32=out_int32, right=right)
    samples = [((2, 3), data([0.4, 0.6], "float64"))]


@op
class isin:
    """Whether each element is among the test elements."""
    tags, method = NOGRAD, False

    def check(elements, test_elements, assume_unique, invert):
        if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
            fail(TypeError, f"isin(): received an invalid combination of arguments - got ({type(elements).__name__}, "
                 f"{type(test_elements).__name__}), but expected at least one tensor", "make one of them a tensor")
        for t in (elements, test_elements):
            if isinstance(t, Tensor) and t._form.dtype.kind in "bc":
                fail(RuntimeError, f"Unsupported input type encountered for isin(): {t.dtype}", "convert it first")

    def forward(elements, test_elements, *, assume_unique=False, invert=False):
        if 0 < np.size(elements) * np.size(test_elements) <= FEW_PAIRS:       # np.isin sorts
            found = (np.asarray(elements)[..., None] == np.ravel(test_elements)).any(-1)
            return np.asarray(~found if invert else found, order="C")
        return np.isin(elements, test_elements, invert=invert)

    def shape(elements, test_elements, *, assume_unique, invert):
        return elements.shape if isinstance(elements, Spec) else (), np.bool_
    samples = [(ints(2, 3, 2, below=5), ints(4, below=5)), (2, ints(4, below=5)), ((3,), 0.5, {"invert": True})]
