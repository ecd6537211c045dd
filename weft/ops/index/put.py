# compiled, -Og
"""Writing at indices: index_put, put, and their gradients."""
import warnings

import numpy as np

from weft.core.errors import fail
from weft.core.spec import like
from weft.kernels import fast
from weft.ops.core.registry import KEEP_HALF, op
from weft.ops.index.advanced import check_indices, explain_mask, gather_at, one_mask, put_at
from weft.ops.index.arrays import (
    INDEX_FIX,
    LONG,
    add_at,
    assign_at,
    copied_in_order,
    plain_values,
    same_dtype,
    type_name,
    update_flat,
    wrap_negative,
)
from weft.ops.index.forms import in_place, long, need_tensor
from weft.ops.index.gather import long_tensor, take_flat
from weft.tensor.tensor import wrap


@op
class _index_put:
    """x with the values at indices replaced, or added to."""
    fills = True
    tags, method, node_name = KEEP_HALF, False, "IndexPutBackward0"

    def forward(x, indices, values, accumulate):
        made = copied_in_order(x)
        put_at(made, indices, values, accumulate)
        return made

    def shape(x, indices, values, accumulate):
        return like(x)

    def write(x, indices, values, accumulate):
        put_at(x, indices, values, accumulate)

    def grad_x(g, indices, accumulate):
        return g if accumulate else _index_put(g, indices, wrap(np.zeros((), g._form.dtype)), False)

    def grad_values(g, indices, values_shape):
        return _shrink(gather_at(g, indices), values_shape)
    samples = [((3, 2), [long([0, 2])], (2,), False), ((3, 2), [long([0, 0])], (2, 2), True)]


def _shrink(g, shape):
    """Undo the broadcasting of a value, which may also have had leading dimensions of length 1 too many."""
    g = g.sum_to_size(shape[len(shape) - g._form.ndim:] if len(shape) > g._form.ndim else shape)
    return g if g._form.shape == shape else g.reshape(shape)


def _prepare_put(x, indices, values, accumulate=False):
    if not isinstance(indices, (tuple, list)):
        raise TypeError(f"index_put_(): argument 'indices' must be tuple of Tensors, not {type(indices).__name__}")
    need_tensor(values, "index_put_", "values")
    found = [None if i is None else _checked_index(i) for i in indices]
    if values._form.dtype != x._form.dtype and not accumulate and one_mask(values._form, found):
        values = values.to(x.dtype)
    same_dtype(x._form, values._form,
               "Index put requires the source and destination dtypes match, got {x} for the destination and "
                                      "{source} for the source.")
    while found and found[-1] is None:
        found.pop()
    if not found:
        fail(RuntimeError, "index_put_(): at least one of the indices must be a tensor",
             "use copy_() to fill the whole tensor")
    check = [None if i is None else i._form for i in found]
    at = 0
    for index in check:
        if index is not None and index.dtype.kind == "b":
            if at + index.ndim <= x._form.ndim:
                explain_mask(index.shape, x._form.shape, at)
            at += index.ndim
        else:
            at += 1
    if at > x._form.ndim:
        check_indices(x._form.shape, [None if i is None else i._array for i in found])
    return found, values, bool(accumulate)


def _checked_index(index):
    need_tensor(index, "index_put_", "indices")
    if index._form.dtype == LONG or index._form.dtype.kind == "b":
        return index
    if index._form.dtype.char == "B":
        warnings.warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
                      UserWarning, stacklevel=5)
        return index != 0
    return long_tensor(index, "index_put_", kind=IndexError,
                       what="tensors used as indices must be long, int, byte or bool tensors")


@op
class index_put:
    """The tensor with `values` at `indices` (a tuple of integer or bool tensors), or added there with accumulate."""
    def compose(input, indices, values, accumulate=False):
        return _index_put(input, *_prepare_put(input, indices, values, accumulate))
    samples = [((3, 2), [long([0, 2])], (2,))]


in_place("index_put_", index_put, _index_put.op, _prepare_put)


# put: the tensor as one row

def put_flat(x, index, source, accumulate):
    if (source.size == index.size and x.flags.c_contiguous and fast.write_dim(x.reshape(-1), 0, index,
                                                                              plain_values(source), accumulate)):
        return
    places = wrap_negative(index, x.size, 0, IndexError,
                           f"out of range: tried to access an index on a tensor of {x.size} elements: ")
    update_flat(x, add_at if accumulate else assign_at, places, source)


@op
class _put:
    """x with source at places counted as if x were one row."""
    tags, method, node_name = KEEP_HALF, False, "PutBackward0"

    def forward(x, index, source, accumulate):
        made = copied_in_order(x)
        put_flat(made, index, source, accumulate)
        return made

    def shape(x, index, source, accumulate):
        return like(x)

    def write(x, index, source, accumulate):
        put_flat(x, index, source.copy() if np.may_share_memory(x, source) else source, accumulate)

    def grad_x(g, index, accumulate):
        return g if accumulate else _put(g, index, wrap(np.zeros(index._form.shape, g._form.dtype)), False)

    def grad_source(g, index):
        return take_flat(g, index)
    samples = [((3, 2), long([0, 4]), (2,), False), ((3, 2), long([1, 1]), (2,), True)]


def _prepare_flat(x, index, source, accumulate=False):
    need_tensor(index, "put_", "index")
    need_tensor(source, "put_", "source")
    same_dtype(x._form, source._form,
               "put_(): self and source expected to have the same dtype, but got self.dtype = {x} and "
                                      "source.dtype = {source}")
    if index._form.dtype != LONG:
        fail(RuntimeError, f"put_(): Expected a long tensor for index, but got {type_name(index._form)}", INDEX_FIX)
    if index._form.size != source._form.size:
        fail(IndexError, f"put_(): Expected source and index to have the same number of elements, but got "
             f"source.numel() = {source._form.size}, index.numel() = {index._form.size}",
             "give one value for each index")
    return (index, source if source._form.shape == index._form.shape else source.reshape(index._form.shape),
            bool(accumulate))


@op
class put:
    """The tensor with the values of `source` at `index`, which counts its elements as one row."""
    def compose(input, index, source, accumulate=False):
        return _put(input, *_prepare_flat(input, index, source, accumulate))
    samples = [((3, 2), long([0, 4]), (2,))]


in_place("put_", put, _put.op, _prepare_flat)
