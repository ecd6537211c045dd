"""From one layout to another, and to dense tensors and back."""
import numpy as np

from weft.core.errors import fail
from weft.ops.sparse.bridge import made_of, recorded, rows_of, same_elements, values_at, values_of, with_values
from weft.ops.sparse.parts import BLOCKS, BY_ROWS, COO, NAMES, Parts, coo, index_of
from weft.ops.sparse.product import order_of, starts_of, sum_stretches
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor, alias, wrap


def parts_of(t):
    """The parts of a sparse tensor, None of a dense one."""
    return t._owed if isinstance(t, Tensor) and isinstance(t._owed, Parts) else None


# COO

def coalesced(s):
    """The same tensor with its elements in order, those of one place summed up."""
    parts = s._owed
    if parts.layout is not COO or parts.coalesced:
        return s
    keys = parts.keys()
    if parts.is_sorted():
        return same_elements(s, Parts(COO, parts.index, parts.values, parts.shape, True))
    order = order_of(keys)
    first = np.flatnonzero(np.diff(keys[order], prepend=-1))       # where a new place begins
    index = index_of(parts.coordinates()[:, order[first]])
    values = sum_stretches(parts.values, np.append(first, keys.size), order)
    return same_elements(s, Parts(COO, (index,), values, parts.shape, True))


def in_graph(s):
    """A sparse tensor whose values may be part of the graph: one that has no place twice."""
    return coalesced(s) if recorded(s) else s


def to_coo(s):
    """The same tensor in layout COO, its batch dimensions sparse too."""
    parts = s._owed
    if parts.layout is COO:
        return s
    values, where = parts.flat_values(values_of(s)), parts.coordinates()
    if parts.is_sorted():
        return made_of(coo(where, values, parts.shape, True), values)
    order = order_of(parts.keys())
    values = values.index_select(0, wrap(order))
    made = coo(where[:, order], values, parts.shape, True)
    made.coalesced = made.is_sorted()
    return coalesced(made_of(made, values))


def to_dense(s):
    """A dense tensor of the same elements, zeros elsewhere."""
    s = in_graph(s)
    parts = s._owed
    values = parts.flat_values(values_of(s))
    lead = len(parts.shape) - parts.dense_dim
    made = values.new_zeros(int(np.prod(parts.shape[:lead])), *parts.shape[lead:])
    if values._form.dtype.kind == "b":
        made = made.index_put((wrap(parts.keys()),), values) if parts.is_sorted() else \
            made.long().index_add(0, wrap(parts.keys()), values.long()).bool()
    else:
        made = made.index_add(0, wrap(parts.keys()), values)
    return made.reshape(parts.shape)


def dense_to_coo(x, sparse_dim):
    """Those elements of a dense tensor that are not 0; of the first `sparse_dim` dimensions."""
    shape = x._form.shape
    array = x._array != 0
    lead = shape[:sparse_dim]
    rows = array.reshape(int(np.prod(lead)), int(np.prod(shape[sparse_dim:])))
    keys = np.flatnonzero(rows) if rows.shape[1] == 1 else np.flatnonzero(rows.any(1))
    where = np.stack(np.unravel_index(keys, lead)) if lead and keys.size else np.zeros((sparse_dim, keys.size), int)
    made = coo(where, wrap(np.zeros((keys.size, *shape[sparse_dim:]), x._form.dtype)), shape, True)
    values = rows_of(x, made).index_select(0, wrap(keys))
    made.values = alias(values)
    return made_of(made, values)


# the compressed layouts

def compressed(s, layout, blocksize=None):
    """A sparse matrix in a compressed layout."""
    s = coalesced(to_coo(s))
    parts = s._owed
    if parts.sparse_dim != 2:
        fail(RuntimeError, f"to_sparse: conversion from Sparse to {NAMES[layout]} takes two sparse dimensions, this "
             f"tensor has {parts.sparse_dim}", "convert each of its matrices")
    where, values = parts.coordinates(), values_of(s)
    lines, others = where if layout in BY_ROWS else where[::-1]
    height = parts.shape[0 if layout in BY_ROWS else 1]
    if layout in BLOCKS:
        return _in_blocks(parts, values, layout, blocksize)
    if layout not in BY_ROWS:
        order = order_of(lines)
        lines, others, values = lines[order], others[order], values.index_select(0, wrap(order))
    index = (index_of(starts_of(lines, height)), index_of(others))
    return made_of(Parts(layout, index, alias(values), parts.shape), values)


def check_blocks(shape, blocksize, layout):
    """Refuse blocks that don't fill a matrix."""
    if blocksize is None or len(blocksize) != 2 or min(blocksize) < 1:
        fail(RuntimeError, f"to_sparse: {layout} needs a blocksize of two positive numbers, got {blocksize}",
             "give blocksize=(rows, columns)")
    if shape[0] % blocksize[0] or shape[1] % blocksize[1]:
        fail(RuntimeError, f"tensor sparse size ({shape[0]}, {shape[1]}) must be divisible by given blocksize "
             f"({blocksize[0]}, {blocksize[1]})")


def _in_blocks(parts, values, layout, blocksize):
    """Blocks of a matrix in order, each filled with those elements that are there."""
    check_blocks(parts.shape, blocksize, layout)
    height, width = blocksize
    rows, columns = parts.coordinates()
    lines, others = (rows // height, columns // width) if layout in BY_ROWS else (columns // width, rows // height)
    count = parts.shape[0] // height if layout in BY_ROWS else parts.shape[1] // width
    span = (parts.shape[1] // width if layout in BY_ROWS else parts.shape[0] // height) or 1
    keys, block = np.unique(lines * span + others, return_inverse=True)
    at = (block.reshape(-1) * height + rows % height) * width + columns % width
    rest = values._form.shape[1:]
    filled = values.new_zeros(keys.size * height * width, *rest).index_add(0, wrap(at), values)
    filled = filled.reshape(keys.size, height, width, *rest)
    index = (index_of(starts_of(keys // span, count)), index_of(keys % span))
    return made_of(Parts(layout, index, alias(filled), parts.shape), filled)


def _batches(x, layout, blocksize, dense_dim):
    """A dense tensor of matrices in a compressed layout: all of them have as many elements."""
    lead = x._form.shape[:x.dim() - 2 - dense_dim]
    flat = x.reshape(int(np.prod(lead)), *x._form.shape[len(lead):])
    made = [compressed(dense_to_coo(flat[i], 2), layout, blocksize) for i in range(flat._form.shape[0])]
    if len({m._owed.nnz for m in made}) != 1:
        fail(RuntimeError, "Expect the same number of specified elements per batch.",
             "convert the matrices one by one, or use to_sparse()")
    index = tuple(wrap(np.stack([m._owed.index[k]._array for m in made]).reshape(*lead, -1)) for k in (0, 1))
    values = FUNCTIONS["stack"]([values_of(m) for m in made]).reshape(*lead, *made[0]._owed.values._form.shape)
    return made_of(Parts(layout, index, alias(values), x._form.shape), values)


# what users call

def convert(x, layout, blocksize=None, dense_dim=None, sparse_dim=None):
    """A tensor, dense or sparse, in a sparse layout."""
    parts = parts_of(x)
    if parts is None:
        return _of_dense(x, layout, blocksize, dense_dim, sparse_dim)
    if parts.layout is layout and (blocksize is None or tuple(blocksize) == tuple(parts.block)):
        return x
    if layout is COO:
        return to_coo(x)
    if parts.batch:
        fail(NotImplementedError, f"to_sparse: a batch of matrices from {parts.layout} to {layout} is not supported",
             "convert its to_dense()")
    return compressed(x, layout, blocksize)


def _of_dense(x, layout, blocksize, dense_dim, sparse_dim):
    ndim = x.dim()
    if layout is COO:
        if dense_dim is not None:
            sparse_dim = ndim - dense_dim
        sparse_dim = ndim if sparse_dim is None else sparse_dim
        if not (0 < sparse_dim <= ndim or sparse_dim == ndim == 0):
            fail(RuntimeError, f"sparse_dim argument must be in >=1 and <= {ndim}, got {sparse_dim}",
                 "leave it out to store every element by itself")
        return dense_to_coo(x, sparse_dim)
    dense_dim = dense_dim or 0
    if ndim - dense_dim < 2:
        fail(RuntimeError, f"to_sparse: {layout} needs two dimensions besides the dense ones, got a tensor of {ndim} "
             f"and dense_dim={dense_dim}", "use to_sparse(), which takes any number")
    if layout in BLOCKS:
        lead = ndim - 2 - dense_dim
        check_blocks(x._form.shape[lead:], blocksize, layout)
    if ndim - dense_dim > 2:
        return _batches(x, layout, blocksize, dense_dim)
    return compressed(dense_to_coo(x, 2), layout, blocksize)


def masked_by(x, mask):
    """The elements of x in the places that a sparse tensor has."""
    parts = parts_of(mask)
    if parts is None:
        fail(NotImplementedError, "sparse_mask(): the mask must be a sparse tensor", "use x * mask with a dense one")
    if tuple(x._form.shape) != parts.shape:
        fail(RuntimeError, f"sparse_mask(): operands have incompatible sizes; self has size {list(x._form.shape)} but "
             f"mask has size {list(parts.shape)}")
    like = Parts(parts.layout, parts.index, wrap(np.zeros(parts.values._form.shape, x._form.dtype)), parts.shape,
                 parts.coalesced)
    return with_values(like, values_at(x, like))
