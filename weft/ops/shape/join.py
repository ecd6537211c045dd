# compiled
"""Tensors put together: one after the other, or along a new dimension."""
import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.layout import empty_ordered, is_channels_last
from weft.core.spec import Spec, ordered
from weft.kernels import fast
from weft.ops.core.promotion import cast, common_dtype
from weft.ops.core.registry import KEEP_HALF, op
from weft.ops.core.samples import given, size
from weft.ops.index.arrays import contiguous
from weft.ops.shape.view import UNSQUEEZE, VIEW_OP, at
from weft.tensor.tensor import Tensor, wrap


def tensor_list(tensors, who, kind=Tensor):
    """The tensors (or arrays) of a list or tuple; TypeError for anything else."""
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(f"{who}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
                        f"{'Tensor' if isinstance(tensors, np.ndarray) else type(tensors).__name__}")
    for i, x in enumerate(tensors):
        if not isinstance(x, kind):
            raise TypeError(f"{who}(): expected Tensor as element {i} in argument 0, but got {type(x).__name__}")
    return tensors


def one_dtype(arrays):
    """The arrays converted to their common type; the list itself when they have one already."""
    first = arrays[0].dtype
    for a in arrays:
        if a.dtype is not first and a.dtype != first:
            wanted = one_type(arrays)
            return [a if a.dtype == wanted else cast(a, wanted) for a in arrays]
    return arrays


def one_type(arrays):
    """NumPy's type that arrays have in common."""
    wanted = dtypes.of_array(arrays[0].dtype)
    for a in arrays:
        wanted = dtypes.promote_types(wanted, dtypes.of_array(a.dtype))
    return wanted.np


@op
class cat:
    """Tensors one after the other along `dim`; the other lengths must agree."""
    autocast = "widest"
    tags, names, method, node_name = KEEP_HALF, "cat concat concatenate", False, "CatBackward0"

    lists = "tensors"
    out_types = "joined"
    steady = True

    def forward(tensors, dim=0):
        if type(tensors) is np.ndarray or not tensors:
            tensor_list(tensors, "cat")
            fail(ValueError, "cat: torch.cat(): expected a non-empty list of Tensors", "give it one tensor or more")
        try:
            by_channels = tensors[0].ndim > 3 and not tensors[0].flags.c_contiguous
            made = None if by_channels else native_joined(tensors, dim)
            if made is not None:
                return made
            tensors = one_dtype(tensors)
            return _cat_in_order(tensors, dim) if by_channels else joined(tensors, dim)
        except (ValueError, TypeError, AttributeError):
            tensor_list(tensors, "cat", np.ndarray)
            return in_rows(np.concatenate(*_joinable(tensors, dim)))

    def shape(tensors, dim=0):
        arrays, dim = _joinable(tensor_list(tensors, "cat", Spec), dim)
        size, ndim = _joined_shape(arrays, dim), arrays[0].ndim
        if 3 < ndim < 6 and not tensors[0].c_contiguous and all([channels_innermost(a) for a in tensors]):
            return ordered(size, one_type(tensors), (0, *range(2, ndim), 1))
        return size, one_type(tensors)

    def grad_tensors(g, tensors_shape, dim):
        ndim = g._form.ndim
        dim = at(dim, ndim)
        sizes = tuple([shape[dim] if len(shape) == ndim else 0 for shape in tensors_shape])
        pieces = list(SPLIT.compute([g, sizes, dim]))
        for i, shape in enumerate(tensors_shape):
            if len(shape) != ndim:          # an empty vector, which joins anything
                pieces[i] = pieces[i].reshape(shape)
        return pieces
    samples = [([(2, 3), (4, 3)],), ([(2, 3), (2, 1)], -1)]


native_joined = fast.joined
native_stacked = fast.stacked


def joined(arrays, dim):
    """Arrays of one type one after the other."""
    made = native_joined(arrays, dim)
    return in_rows(np.concatenate(arrays, dim)) if made is None else made


def in_rows(made):
    """NumPy takes over a memory order that all its arrays have; PyTorch's result is always contiguous."""
    return contiguous(made)


def _cat_in_order(arrays, dim):
    """Channels-last tensors give a channels-last result."""
    ndim = arrays[0].ndim
    dim = at(dim, ndim)
    if ndim > 5 or not all(channels_innermost(a) for a in arrays):
        return in_rows(np.concatenate(arrays, dim))
    made = empty_ordered(_joined_shape(arrays, dim), arrays[0].dtype, (0, *range(2, ndim), 1))
    return np.concatenate(arrays, dim, out=made)


def _joined_shape(arrays, dim):
    shape = list(arrays[0].shape)
    shape[dim] = sum([a.shape[dim] for a in arrays])
    return shape


def channels_innermost(a):
    """Whether the strides put the channels innermost, with gaps or without."""
    if is_channels_last(a, a.ndim):
        return True
    least = 0
    for d in (1, *range(a.ndim - 1, 1, -1), 0):
        if not a.shape[d] or a.strides[d] < least or d == 0 and least == a.strides[1]:
            return False
        least = a.strides[d] * max(a.shape[d], 1)
    return a.strides[1] != 0


def _joinable(arrays, dim):
    """What NumPy refused: without the vectors of length 0, which join anything, or an error that says what is wrong."""
    arrays = [a for a in arrays if a.shape != (0,)] or arrays[:1]
    first = arrays[0].shape
    if first == (0,):
        return arrays, 0        # whatever `dim` says
    for i, a in enumerate(arrays):
        if not a.ndim:
            fail(RuntimeError, f"cat: zero-dimensional tensor (at position {i}) cannot be concatenated",
                 "use stack(), or unsqueeze it first")
    dim = at(dim, len(first))
    for i, a in enumerate(arrays):
        if a.ndim != len(first):
            fail(RuntimeError, f"cat: Tensors must have same number of dimensions: got {len(first)} and {a.ndim}",
                 "unsqueeze() the smaller ones")
        for d in range(a.ndim):
            if d != dim and a.shape[d] != first[d]:
                fail(RuntimeError, f"cat: Sizes of tensors must match except in dimension {dim}. Expected size "
                     f"{first[d]} but got size {a.shape[d]} for tensor number {i} in the list: the shapes are "
                     f"{list(first)} and {list(a.shape)}.", _join_advice(first, a.shape))
    return arrays, dim


def _join_advice(first, other):
    """Another dimension to join along, if there is one that fits."""
    fits = [d for d in range(len(first)) if first[:d] + first[d + 1:] == other[:d] + other[d + 1:]]
    return f"join along dim={fits[0]}, where they fit" if fits else "bring them to one size in all other dimensions"


@op
class stack:
    """Tensors of one shape along a new dimension."""
    autocast = "widest"
    tags, method = KEEP_HALF, False

    lists = "tensors"
    out_types = "joined"

    def forward(tensors, dim=0):
        if type(tensors) is np.ndarray or not tensors:
            _listed(tensors, "stack")
        made = native_stacked(tensors, dim) if type(dim) is int else None
        if made is not None:
            return made
        try:
            first = tensors[0].shape
            dim = at(dim, len(first) + 1)
            for a in tensors:
                if a.shape != first:
                    _explain_stack(tensors)
            tensors = one_dtype(tensors)
        except AttributeError:
            tensor_list(tensors, "stack", np.ndarray)
            raise
        if dim == len(first):
            return joined([a.reshape(first + (1,)) for a in tensors], dim)
        # joined along the dimension before which the new one comes, then split there: (..., n * d, ...) -> (..., n, d,
        # ...)
        return joined(tensors, dim).reshape(first[:dim] + (len(tensors),) + first[dim:])

    def shape(tensors, dim=0):
        first = tensors[0].shape
        dim = at(dim, len(first) + 1)
        if any([s.shape != first for s in tensors]):
            _explain_stack(tensors, Spec)
        return first[:dim] + (len(tensors),) + first[dim:], one_type(tensors)

    def grad_tensors(g, dim):
        return list(UNBIND.compute([g, at(dim, g._form.ndim)]))
    samples = [([(2, 3), (2, 3)],), ([(2,), (2,)], -1), ([(), ()],)]


def _explain_stack(arrays, kind=np.ndarray):
    first = arrays[0].shape
    for i, a in enumerate(tensor_list(arrays, "stack", kind)):
        if a.shape != first:
            fail(RuntimeError, f"stack: stack expects each tensor to be equal size, but got {list(first)} at entry 0 "
                 f"and {list(a.shape)} at entry {i}", "pad or reshape them to one shape, or use cat()")


# at least so many dimensions

def _each(tensors, grow):
    """One tensor gives one; several, or a list, give a tuple."""
    if len(tensors) == 1 and not isinstance(tensors[0], (tuple, list)):
        return grow(tensors[0])
    if len(tensors) == 1:
        tensors = tensors[0]
    return tuple([grow(x) for x in tensors])


def _grow1(x):
    return VIEW_OP.compute([x, (1,)]) if not x._form.ndim else x


def _grow2(x):
    x = _grow1(x)
    return UNSQUEEZE.compute([x, 0]) if x._form.ndim == 1 else x


def _grow3(x):
    x = _grow2(x)
    return UNSQUEEZE.compute([x, 2]) if x._form.ndim == 2 else x


@op
class atleast_1d:
    """Numbers become vectors."""
    method = False

    def compose(*tensors):
        return _each(tensors, _grow1)
    samples = [((),), ((2, 3),)]


@op
class atleast_2d:
    """Vectors become one-row matrices."""
    method = False

    def compose(*tensors):
        return _each(tensors, _grow2)
    samples = [((),), ((3,),), ((2, 3),)]


@op
class atleast_3d:
    """Vectors become (1, n, 1), matrices (m, n, 1)."""
    method = False

    def compose(*tensors):
        return _each(tensors, _grow3)
    samples = [((),), ((3,),), ((2, 3),)]


def _listed(tensors, who):
    tensors = tensor_list(tensors, who)
    if not tensors:
        fail(RuntimeError, f"{who}: {who} expects a non-empty TensorList", "give it one tensor or more")
    return tensors


@op
class hstack:
    """Tensors side by side: along the columns, vectors one after the other."""
    method = False
    out_types = "joined"

    def compose(tensors):
        grown = [_grow1(x) for x in _listed(tensors, "hstack")]
        return cat(grown, 0 if grown[0]._form.ndim == 1 else 1)
    samples = [([(2, 3), (2, 1)],), ([(2,), (3,)],)]


@op
class vstack:
    """Tensors on top of each other: along the rows, vectors as rows."""
    names, method = "vstack row_stack", False
    out_types = "joined"

    def compose(tensors):
        return cat([_grow2(x) for x in _listed(tensors, "vstack")], 0)
    samples = [([(2, 3), (1, 3)],), ([(2,), (2,)],)]


@op
class dstack:
    """Tensors behind each other: along the third dimension."""
    method = False
    out_types = "joined"

    def compose(tensors):
        return cat([_grow3(x) for x in _listed(tensors, "dstack")], 2)
    samples = [([(2, 3), (2, 3)],)]


@op
class column_stack:
    """Vectors and matrices side by side as columns."""
    method = False
    out_types = "joined"

    def compose(tensors):
        return hstack([x.reshape(-1, 1) if x._form.ndim < 2 else x for x in _listed(tensors, "column_stack")])
    samples = [([(2,), (2, 3)],)]


# blocks

@op
class _block_diag:
    """Matrices along the diagonal of a larger one; `places` are (row, rows, column, columns) of each."""
    tags, method, node_name = KEEP_HALF, False, "BlockDiagBackward0"

    lists = "tensors"

    def forward(tensors, places, size):
        tensors = one_dtype(tensors)
        made = np.zeros(size, tensors[0].dtype)
        for a, (row, rows, column, columns) in zip(tensors, places):
            made[row:row + rows, column:column + columns] = a
        return made

    def shape(tensors, places, size):
        return size, one_type(tensors)

    def grad_tensors(g, places):
        return [g.narrow(0, row, rows).narrow(1, column, columns) for row, rows, column, columns in places]
    samples = [([(2, 3), (1, 2)], given(((0, 2, 0, 3), (2, 1, 3, 2))), size(3, 5))]


@op
class block_diag:
    """Matrices along the diagonal of a larger one, zeros elsewhere."""
    method = False

    def compose(*tensors):
        if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
            tensors = tensors[0]
        if not tensors:
            return wrap(np.zeros((1, 0), dtypes.default.dtype.np))
        row = column = 0
        places, blocks = [], []
        kind = common_dtype(tuple(tensor_list(tensors, "block_diag")))     # one without dimensions widens no other
        for i, x in enumerate(tensors):
            if x._form.ndim > 2:
                fail(RuntimeError, f"block_diag: torch.block_diag: Input tensors must have 2 or fewer dimensions. "
                     f"Input {i} has {x._form.ndim} dimensions", "give it one matrix for each block")
            x = _grow2(x)
            rows, columns = x._form.shape
            places.append((row, rows, column, columns))
            blocks.append(x if x.dtype is kind else x.to(kind))
            row, column = row + rows, column + columns
        return BLOCK_DIAG.compute([blocks, tuple(places), (row, column)])
    samples = [((2, 3), (1, 2)), ((3,), ())]


CAT, STACK, BLOCK_DIAG = cat.op, stack.op, _block_diag.op
from weft.ops.shape.split import SPLIT, UNBIND  # noqa: E402  (their rules need each other)
