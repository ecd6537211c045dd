# compiled
"""Indexing with lists, arrays, masks and integer tensors: split into a view and the indices that gather from it."""
import operator
import warnings

import numpy as np

from weft.autograd.rows import of_rows
from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.modes import NO_OVERRIDE
from weft.core.runtime import mode_bits
from weft.core.size import broadcast_shapes
from weft.kernels import fast
from weft.ops.core.registry import KEEP_HALF, op
from weft.ops.core.samples import bools, data
from weft.ops.index.arrays import (
    LONG,
    add_along,
    add_at,
    contiguous,
    expand_masks,
    index_positions,
    merged,
    numpy_key,
    same_dtype,
    update_flat,
    value_array,
    wrap_negative,
    write_merged,
    zeros,
)
from weft.ops.index.forms import long
from weft.ops.index.view import SELECT, SLICE, convert_slice, out_of_bounds, too_many, view_at
from weft.tensor.override import overridden, override
from weft.tensor.tensor import OPS, Tensor, wrap

FULL = slice(None)


# understanding an index

def locate(x, index):
    """Split an index: (basic index or None, indices or None).

    The basic part gives a view; `indices` has a tensor (int64 or mask) or None for each dimension of that view.
    """
    shape = x._form.shape
    if type(index) is Tensor and index._form.dtype == LONG and index._form.ndim and shape:
        return None, [index]
    if are_numbers(index, len(shape)):
        return None, list(index)
    items = _items(index)
    items = [_simple(item) for item in items]
    specified = sum(_takes(item) for item in items)
    if specified > len(shape):
        too_many(shape, items)
    basic, indices, at, trivial = [], [], 0, True
    for item in items:
        if item is Ellipsis:
            n = len(shape) - specified
            specified += n      # a second ellipsis stands for nothing
            basic.extend([FULL] * n)
            indices.extend([None] * n)
        elif item is None or item is True or item is False:
            basic.append(None)
            indices.append(None if item is None else wrap(np.zeros(1 if item else 0, np.int64)))
            trivial = False
            n = 0
        elif isinstance(item, Tensor):
            n = _takes(item)
            if item._form.dtype.kind == "b":
                explain_mask(item._form.shape, shape, at)
            basic.extend([FULL] * n)
            indices.append(item)
        else:
            n = 1
            basic.append(item)
            if type(item) is slice:
                indices.append(None)
                trivial = trivial and item == FULL
            else:
                trivial = False
                size = shape[at]
                if not -size <= item < size:
                    out_of_bounds(item, at, size)
        at += n
    while indices and indices[-1] is None:
        indices.pop()
    if not indices:
        return (*basic, ...), None
    return None if trivial else (*basic, ...), indices


def are_numbers(index, ndim):
    """Whether an index is x[i, j, ...], all of them int64 tensors with dimensions."""
    if type(index) is not tuple or len(index) > ndim:
        return False
    for item in index:
        if type(item) is not Tensor or item._form.dtype != LONG or not item._form.ndim:
            return False
    return len(index) > 0


def _items(index):
    """The tuple that an index stands for."""
    if type(index) is tuple:
        return index
    if isinstance(index, tuple):
        return tuple(index)
    if isinstance(index, list) and len(index) < 32 and any(
            isinstance(i, (Tensor, list, tuple, slice, np.ndarray, range)) or i is None or i is Ellipsis
            for i in index):
        warnings.warn("Using a non-tuple sequence for multidimensional indexing is deprecated; use x[tuple(seq)] "
                      "instead of x[seq]",
                      UserWarning, stacklevel=4)
        return tuple(index)
    return (index,)


def _simple(item):
    """One item as an int, bool, slice, None, Ellipsis, or a tensor (int64 or mask) of at least one dimension."""
    kind = type(item)
    if kind is int or kind is bool or item is None or item is Ellipsis:
        return item
    if kind is slice:
        return convert_slice(item)
    if isinstance(item, Tensor):
        return _simple_tensor(item)
    if isinstance(item, (np.integer, int)):
        return operator.index(item)
    if isinstance(item, np.bool_):
        return bool(item)
    if isinstance(item, np.ndarray):
        return _simple_tensor(wrap(item.astype(np.int64) if item.dtype.kind not in "biu" else item.copy()))
    if isinstance(item, (list, tuple, range)):
        return _simple_tensor(_of_sequence(item))
    if isinstance(item, str):
        raise TypeError(f"new(): invalid data type '{kind.__name__}': an index must be an int, slice, None, ... or a "
                        f"tensor")
    if hasattr(item, "__index__"):
        return operator.index(item)
    fail(IndexError, f"only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
         f"indices (got {kind.__name__})", "convert the index to an int")


def _of_sequence(items):
    array = np.array([i.item() if isinstance(i, Tensor) and i._form.ndim == 0 else
                      i.numpy(force=True) if isinstance(i, Tensor) else i for i in items])
    if array.dtype.kind not in "biu":
        array = array.astype(np.int64)      # an empty list too
    return wrap(array)


def _simple_tensor(item):
    form = item._form
    if form.dtype.char == "B" and form.ndim:
        warnings.warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
                      UserWarning, stacklevel=5)
        return item != 0
    if form.ndim == 0 and form.dtype.kind in "iu" and item._owed is not None and not item._owed.readable:
        return item if form.dtype == LONG else item.to(dtypes.int64)
    if form.ndim == 0 and form.dtype.kind in "biu":
        value = OPS.item(item, "index")     # which one it is decides what is read
        return value if form.dtype.kind != "b" and form.dtype.char != "B" else bool(value)
    if form.dtype == LONG or form.dtype.kind == "b":
        return item
    if form.dtype == np.int32:
        return item.to(dtypes.int64)
    fail(IndexError, f"tensors used as indices must be long, int, byte or bool tensors, got "
         f"{dtypes.of_array(form.dtype)}",
         "convert the index with .long() or .bool()")


def _takes(item):
    """How many dimensions an item of an index uses up."""
    if item is None or item is Ellipsis or item is True or item is False:
        return 0
    if isinstance(item, Tensor) and item._form.dtype.kind == "b":
        return item._form.ndim
    return 1


# refusing an index

def explain_mask(mask, shape, at):
    """Refuse a mask whose sizes are not those of the dimensions from `at` on."""
    for k, n in enumerate(mask):
        if n != shape[at + k]:
            fail(IndexError, f"The shape of the mask {list(mask)} at index {k} does not match the shape of the indexed "
                 f"tensor {list(shape)} at index {at + k}",
                 "a mask must have the sizes of the dimensions that it selects from")


def check_indices(shape, indices):
    """Refuse indices that NumPy can't use; called when it has refused them."""
    full = expand_masks(shape, indices)
    if len(full) > len(shape):
        fail(IndexError, f"too many indices for tensor of dimension {len(shape)} (got {len(full)})",
             f"the tensor's shape is {list(shape)}")
    for d, index in enumerate(full):
        if index is not None and index.size and shape[d] == 0:
            fail(IndexError, "index is out of bounds for dimension with size 0", f"the tensor's shape is {list(shape)}")
        if index is not None:
            wrap_negative(index, shape[d], d)
    shapes = [index.shape for index in full if index is not None]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        fail(IndexError, "shape mismatch: indexing tensors could not be broadcast together with shapes "
             + ", ".join(str(list(s)) for s in shapes), "give indices of one shape")


# reading

def getitem(x, index):
    """x[index] for any index."""
    if (type(index) is tuple and type(index[-1]) is Tensor and index[-1]._form.dtype == LONG
            and index[-1]._form.ndim and len(index) <= x._form.ndim
            and all(type(i) is slice and i == FULL for i in index[:-1])):
        return INDEX_DIM.compute([x, len(index) - 1, index[-1]])     # x[:, ..., index]
    if overridden(index if type(index) is tuple else (index,), None) and not mode_bits() & NO_OVERRIDE:
        return override(Tensor.__getitem__, (x, index), {})
    if are_numbers(index, x._form.ndim):
        return INDEX.compute([x, list(index)])
    basic, indices = locate(x, index)
    if indices is None:
        return view_at(SELECT if any(type(i) is int for i in basic) else SLICE, x, basic)
    if basic is not None:
        x = view_at(SLICE, x, basic)
    return gather_at(x, indices)


def gather_at(x, indices):
    """x[indices], where indices are int64 tensors, masks or None."""
    last = indices[-1]
    if all([i is None for i in indices[:-1]]):
        return (INDEX_DIM if last._form.dtype == LONG else INDEX_MASK).compute([x, len(indices) - 1, last])
    return INDEX.compute([x, without_masks(indices)])


def without_masks(indices):
    """The indices with each mask as the places where it is true, one index for each of its dimensions."""
    found = []
    for index in indices:
        if index is not None and index._form.dtype.kind == "b":
            found.extend(index.nonzero().unbind(1) if index._form.ndim else [index])
        else:
            found.append(index)
    return found


@op
class _index_dim:
    """x[:, ..., index]: the elements at an integer index of any shape along one dimension."""
    tags, method, node_name = KEEP_HALF, False, "IndexBackward0"

    def forward(x, dim, index):
        found = fast.take_dim(x, dim, index)
        if found is not None:
            return found
        try:
            return x.take(index, dim)
        except IndexError:
            check_indices(x.shape, [None] * dim + [index])
            raise

    def shape(x, dim, index):
        return (*x.shape[:dim], *index.shape, *x.shape[dim + 1:]), x.dtype

    def grad_x(g, dim, index, x_shape):
        made = of_rows(x_shape, index._array, g) if dim == 0 else None
        return _index_dim_backward(g, dim, index, x_shape) if made is None else made
    samples = [((3, 2), 0, long([0, 2, 0]))]


@op
class _index_dim_backward:
    """Zeros of a shape, with g added at an index along one dimension."""
    method = False

    def forward(g, dim, index, shape):
        made = zeros(shape, g.dtype)
        if g.size:
            add_along(made, dim, index, g)
        return made

    def shape(g, dim, index, shape):
        return shape, g.dtype

    def grad_g(g, dim, index):
        return _index_dim(g, dim, index)
    samples = [((3, 2), 0, long([0, 2, 0]), [3, 2])]


@op
class _index:
    """x[indices] with several index arrays; None takes a whole dimension."""
    tags, method, node_name = KEEP_HALF, False, "IndexBackward0"

    def forward(x, indices):
        return taken_at(x, indices)

    def shape(x, indices):
        return _indexed_shape(x.shape, indices), x.dtype

    def grad_x(g, indices, x_shape):
        return _index_backward(g, indices, x_shape)
    samples = [((3, 2), [long([0, 2, 0]), long([0, 1, 1])]), ((3, 2, 2), [long([0, 2, 0]), None, long([[0], [1]])]),
               ((2, 3, 2), [None, long([[0], [2]]), long([0, 1])])]


def _indexed_shape(shape, indices):
    """The shape of x[indices] for integer indices: theirs stands where the first of them does, or in front where they
    are not adjacent.
    """
    chosen = [d for d, index in enumerate(indices) if index is not None]
    block = tuple(broadcast_shapes(*[indices[d].shape for d in chosen]))
    free = [d for d in range(len(shape)) if d not in chosen]
    lead = chosen[0] if chosen[-1] - chosen[0] + 1 == len(chosen) else 0
    return (*[shape[d] for d in free[:lead]], *block, *[shape[d] for d in free[lead:]])


def taken_at(x, indices):
    """An array's elements at integer indices or masks, in one piece."""
    where = merged(x.shape, indices) if x.flags.c_contiguous else None
    found = None if where is None else fast.take_dim(x.reshape(where[2]), where[0], where[1])
    if found is not None:
        return found
    try:
        return contiguous(x[numpy_key(indices)])
    except IndexError:
        check_indices(x.shape, indices)
        raise


@op
class _index_mask:
    """x[:, ..., mask]: the elements where a mask of some dimensions, from `dim` on, is true."""
    tags, method, node_name = KEEP_HALF, False, "IndexBackward0"
    reads = "mask"

    def forward(x, dim, mask):
        if x.flags.c_contiguous and mask.shape == x.shape:
            found = fast.masked_select(x, contiguous(mask))
            if found is not None:
                return found
        return taken_at(x, [None] * dim + [mask])

    def grad_x(g, dim, mask, x_shape):
        return _index_mask_backward(g, dim, mask, x_shape)
    samples = [((3, 2), 0, bools(3, 2)), ((3, 2), 1, bools(2)), ((3, 2, 2), 0, bools(3))]


@op
class _index_mask_backward:
    """Zeros of a shape, with g where a mask of some dimensions is true."""
    method = False

    def forward(g, dim, mask, shape):
        shape = tuple(shape)
        made = fast.masked_place(None, contiguous(mask), contiguous(g)) if mask.shape == shape else None
        if made is None:
            made = zeros(shape, g.dtype)
            indices = [None] * dim + [mask]
            if g.size and not write_merged(made, indices, g, True):
                made[numpy_key(indices)] = g        # a mask names no place twice
        return made

    def shape(g, dim, mask, shape):
        return shape, g.dtype

    def grad_g(g, dim, mask):
        return _index_mask(g, dim, mask)
    samples = [((2,), 0, data([True, False, True]), [3]), ((3, 1), 1, data([True, False]), [3, 2])]


@op
class _index_backward:
    """Zeros of a shape, with g added at indices."""
    method = False

    def forward(g, indices, shape):
        shape = tuple(shape)
        made = zeros(shape, g.dtype)
        if g.size and not write_merged(made, indices, g, True):
            add_at(made.reshape(-1), index_positions(shape, indices), g)
        return made

    def shape(g, indices, shape):
        return shape, g.dtype

    def grad_g(g, indices):
        return _index(g, indices)
    samples = [((3,), [long([0, 2, 0]), long([0, 1, 1])], [3, 2])]


INDEX_DIM, INDEX, INDEX_MASK = _index_dim.op, _index.op, _index_mask.op


# writing

def as_value(x, indices, value):
    """What is to be written, in x's type: numbers are converted, a mask takes a zero-dim tensor of any type."""
    if not isinstance(value, Tensor):
        return wrap(value_array(value, x.dtype, "x[index] = value"))
    if value._form.dtype != x.dtype:
        if one_mask(value._form, indices):
            return value.to(dtypes.of_array(x.dtype))
        same_dtype(x, value._form, "Index put requires the source and destination dtypes match, got {x} for the "
                   "destination and {source} "
                                   "for the source.")
    return value


def one_mask(value, indices):
    """Whether a single number goes to the places of a single mask, which takes it in any type."""
    if value.size != 1:
        return False
    masks = [i for i in indices if i is not None]
    return len(masks) == 1 and masks[0]._form.dtype.kind == "b"


def assign(x, indices, value):
    """x[indices] = value, keeping the graph right."""
    value = as_value(x._form, indices, value)
    lead = 0
    while lead < value._form.ndim and value._form.shape[lead] == 1:
        lead += 1
    if lead:
        value = view_at(SLICE, value, (0,) * lead + (...,))
    x.index_put_(indices, value)


def write(x, indices, value):
    """x[indices] = value in an array x."""
    source = as_value(x, indices, value)._array
    if source.ndim > 1 and source.shape[0] == 1:        # leading dimensions of length 1 say nothing
        lead = 0
        while lead < source.ndim and source.shape[lead] == 1:
            lead += 1
        source = source.reshape(source.shape[lead:])
    put_at(x, [None if i is None else i._array for i in indices], source, False)


def put_at(x, indices, values, accumulate):
    """Fill array x at indices, or add to it there."""
    if np.may_share_memory(x, values):
        values = values.copy()
    if values.ndim <= x.ndim + 8 and write_merged(x, indices, values, bool(accumulate)):
        return
    try:
        if accumulate:
            places = index_positions(x.shape, indices)
            update_flat(x, add_at, places, np.broadcast_to(values, places.shape))
        else:
            x[numpy_key(indices)] = values
    except (ValueError, IndexError, TypeError):
        check_indices(x.shape, indices)
        result = x[numpy_key(indices)].shape
        fail(RuntimeError, f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to "
             f"indexing result of shape {list(result)}", "give one value for each place, or one that broadcasts")
