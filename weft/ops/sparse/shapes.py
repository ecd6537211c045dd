"""Rules of shapes: transposed, a row, a choice of rows, joined."""
import numpy as np

from weft.core.errors import fail
from weft.core.size import wrap_dim
from weft.ops.sparse.bridge import made_of, values_of
from weft.ops.sparse.convert import in_graph, parts_of, to_coo
from weft.ops.sparse.parts import BSC, BSR, COO, CSC, CSR, Parts, coo, index_of
from weft.ops.sparse.product import order_of, starts_of
from weft.ops.sparse.rules import refuse, rule
from weft.ops.sparse.tensor import SparseTensor
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor, alias, wrap

TURNED = {CSR: CSC, CSC: CSR, BSR: BSC, BSC: BSR}


@rule("permute")
def permute(input, *dims):
    """The dimensions in another order: sparse ones among themselves, dense ones too."""
    dims = dims[0] if len(dims) == 1 and isinstance(dims[0], (tuple, list)) else dims
    ndim = input._form.ndim
    dims = [wrap_dim(d, ndim) for d in dims]
    if sorted(dims) != list(range(ndim)):
        fail(RuntimeError, f"permute(sparse_coo): {dims} is no order of {ndim} dimensions")
    if dims == list(range(ndim)):
        return input
    s = in_graph(input)
    parts = s._owed
    shape = [parts.shape[d] for d in dims]
    if parts.layout is not COO:
        return _turned(s, dims, shape)
    many = parts.sparse_dim
    if any(d >= many for d in dims[:many]):
        fail(RuntimeError, "transpose(): can't exchange sparse and dense dimensions", "go by to_dense()")
    values = values_of(s)
    if dims[many:] != list(range(many, ndim)):
        values = values.permute(0, *[d - many + 1 for d in dims[many:]])
    made = coo(parts.coordinates()[dims[:many]], values, shape, parts.coalesced and dims[:many] == list(range(many)))
    return made_of(made, values)


def _turned(s, dims, shape):
    """A compressed matrix becomes one of the other direction."""
    parts = s._owed
    lead = len(parts.batch)
    if dims[:lead] != list(range(lead)) or dims[lead:lead + 2] != [lead + 1, lead] or parts.dense_dim:
        fail(NotImplementedError, f"permute: only the two sparse dimensions of {parts.layout} can be exchanged",
             "convert it with to_sparse()")
    values = values_of(s)
    if parts.block:
        values = values.transpose(lead + 1, lead + 2).contiguous()
    return made_of(Parts(TURNED[parts.layout], parts.index, alias(values), shape), values)


@rule("transpose", "swapaxes", "swapdims")
def transpose(input, dim0, dim1):
    """Two dimensions exchanged."""
    dims = list(range(input._form.ndim))
    a, b = wrap_dim(dim0, len(dims)), wrap_dim(dim1, len(dims))
    dims[a], dims[b] = dims[b], dims[a]
    return permute(input, dims)


@rule("t")
def t(input):
    """A matrix transposed."""
    if input._form.ndim > 2:
        fail(RuntimeError, f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but self is "
             f"{input._form.ndim}-D")
    return input if input._form.ndim < 2 else transpose(input, 0, 1)


def t_(self):
    """A matrix transposed in place."""
    return self.become(t(self), "t_", reshapes=True)


def transpose_(self, dim0, dim1):
    """Two dimensions exchanged in place."""
    return self.become(transpose(self, dim0, dim1), "transpose_", reshapes=True)


@rule("adjoint")
def adjoint(input):
    """The last two dimensions exchanged, conjugated."""
    made = transpose(input, -2, -1)
    return made.conj() if made.is_complex() else made


SparseTensor.t_, SparseTensor.transpose_ = t_, transpose_       # which are no ops
SparseTensor.T = SparseTensor.mT = property(lambda self: t(self))
SparseTensor.H = SparseTensor.mH = property(lambda self: adjoint(self))


# rows and elements

@rule("select")
def select(input, dim, index):
    """One slice, with a dimension less; dense where no sparse dimension is left."""
    s = to_coo(in_graph(input))
    parts = s._owed
    dim = wrap_dim(dim, len(parts.shape))
    size, index = parts.shape[dim], int(index)
    if not -size <= index < size:
        fail(IndexError, f"select(): index {index} out of range for tensor of size {list(parts.shape)} at dimension "
             f"{dim}")
    index = index + size if index < 0 else index
    shape = parts.shape[:dim] + parts.shape[dim + 1:]
    values, many = values_of(s), parts.sparse_dim
    if dim >= many:
        values = values.select(dim - many + 1, index)
        return made_of(coo(parts.coordinates(), values, shape, parts.coalesced), values)
    where = parts.coordinates()
    kept = np.flatnonzero(where[dim] == index)
    values = values.index_select(0, wrap(kept))
    if many == 1:
        return values.sum(0).to(values.dtype)
    made = coo(np.delete(where[:, kept], dim, axis=0), values, shape, parts.coalesced)
    return made_of(made, values)


@rule("index_select")
def index_select(input, dim, index, *, out=None):
    """Slices by their numbers, which may come several times."""
    s = to_coo(in_graph(input))
    parts = s._owed
    dim = wrap_dim(dim, len(parts.shape))
    numbers = index._array.reshape(-1).astype(np.int64)
    size = parts.shape[dim]
    if numbers.size and (numbers.min() < -size or numbers.max() >= size):
        fail(IndexError, f"index_select(): index out of range for dimension {dim} of size {size}")
    numbers = np.where(numbers < 0, numbers + size, numbers)
    shape = (*parts.shape[:dim], numbers.size, *parts.shape[dim + 1:])
    values, many = values_of(s), parts.sparse_dim
    if dim >= many:
        values = values.index_select(dim - many + 1, wrap(numbers))
        return made_of(coo(parts.coordinates(), values, shape, parts.coalesced), values)
    where = parts.coordinates()
    order = order_of(where[dim])
    starts = starts_of(where[dim], size)
    count = starts[numbers + 1] - starts[numbers]
    target = np.repeat(np.arange(numbers.size), count)      # the new number of each element that is taken
    taken = order[np.arange(target.size) - np.repeat(np.cumsum(count) - count, count)
                  + np.repeat(starts[numbers], count)]
    moved = where[:, taken].copy()
    moved[dim] = target
    if parts.coalesced and dim:         # back in order
        again = np.lexsort(moved[::-1])
        moved, taken = moved[:, again], taken[again]
    values = values.index_select(0, wrap(taken))
    return made_of(coo(moved, values, shape, parts.coalesced), values)


def _sliced(s, dim, piece):
    """Every so many slices of a dimension."""
    start, stop, step = piece.indices(s._form.shape[dim])
    if step < 1:
        fail(ValueError, "step must be greater than zero")
    return index_select(s, dim, index_of(np.arange(start, stop, step)))


@rule("narrow")
def narrow(input, dim, start, length):
    """A stretch of slices."""
    return _sliced(input, wrap_dim(dim, input._form.ndim), slice(int(start), int(start) + int(length)))


@rule("__getitem__")
def getitem(input, index):
    """Rows, elements and stretches: numbers, slices, ..., None and one-dimensional tensors of numbers or flags."""
    if parts_of(input) is None:
        refuse("an index that is a sparse tensor")
    items = list(index) if isinstance(index, tuple) else [index]
    if any(i is Ellipsis for i in items):
        at = next(k for k, i in enumerate(items) if i is Ellipsis)
        used = sum(1 for i in items if i is not None and i is not Ellipsis)
        items[at:at + 1] = [slice(None)] * (input._form.ndim - used)
    made, dim = input, 0
    for item in items:
        if item is None:
            made, dim = unsqueeze(made, dim), dim + 1
            continue
        if dim >= made._form.ndim:
            fail(IndexError, f"too many indices for tensor of dimension {input._form.ndim}")
        if parts_of(made) is None:
            made = made[(slice(None),) * dim + (item,)]
        elif isinstance(item, slice):
            made = made if item == slice(None) else _sliced(made, dim, item)
        elif isinstance(item, (list, np.ndarray)) or isinstance(item, Tensor) and item._form.ndim:
            made = index_select(made, dim, _numbers(item))
        else:
            made, dim = select(made, dim, item), dim - 1
        dim += 1
    return made


def _numbers(item):
    """An index of numbers or flags as numbers."""
    array = item._array if isinstance(item, Tensor) else np.asarray(item)
    if array.ndim != 1:
        fail(NotImplementedError, f"a sparse tensor takes indices of one dimension, got {array.ndim}", "use to_dense()")
    return index_of(np.flatnonzero(array) if array.dtype.kind == "b" else array)


@rule("__setitem__")
def setitem(input, index, value):
    """Not for sparse tensors."""
    fail(TypeError, "Cannot assign to a sparse tensor", "change its values, or make a new one")


# joined

@rule("unsqueeze")
def unsqueeze(input, dim):
    """A new dimension of length 1."""
    s = to_coo(in_graph(input))
    parts = s._owed
    dim = wrap_dim(dim, len(parts.shape) + 1)
    shape, many, values = (*parts.shape[:dim], 1, *parts.shape[dim:]), parts.sparse_dim, values_of(s)
    if dim > many:
        values = values.unsqueeze(dim - many + 1)
        return made_of(coo(parts.coordinates(), values, shape, parts.coalesced), values)
    return made_of(coo(np.insert(parts.coordinates(), dim, 0, axis=0), values, shape, parts.coalesced), values)


@rule("cat", "concat", "concatenate")
def cat(tensors, dim=0, *, out=None):
    """Sparse tensors one after the other."""
    if any(parts_of(x) is None for x in tensors):
        fail(RuntimeError, "cat: sparse and dense tensors can't be joined", "convert them first")
    if any(x._owed.layout is not COO for x in tensors):
        fail(NotImplementedError, "cat: only tensors of layout torch.sparse_coo can be joined",
             "convert them with to_sparse()")
    tensors = [in_graph(x) for x in tensors]
    first = tensors[0]._owed
    dim = wrap_dim(dim, len(first.shape))
    for x in tensors[1:]:
        other = x._owed
        if (other.sparse_dim, len(other.shape)) != (first.sparse_dim, len(first.shape)) or any(
                n != m for d, (n, m) in enumerate(zip(first.shape, other.shape)) if d != dim):
            fail(RuntimeError, f"Sizes of tensors must match except in dimension {dim}: {list(first.shape)} and "
                 f"{list(other.shape)}")
    many = first.sparse_dim
    sizes = [x._owed.shape[dim] for x in tensors]
    shape = (*first.shape[:dim], sum(sizes), *first.shape[dim + 1:])
    if dim >= many:
        fail(NotImplementedError, "cat: along a dense dimension is not supported", "join their to_dense()")
    values = FUNCTIONS["cat"]([values_of(x) for x in tensors])
    where = [x._owed.coordinates().copy() for x in tensors]
    for w, begin in zip(where, np.cumsum([0, *sizes[:-1]])):
        w[dim] += begin
    in_order = dim == 0 and all(x._owed.coalesced for x in tensors)
    return made_of(coo(np.concatenate(where, axis=1), values, shape, in_order), values)


@rule("stack")
def stack(tensors, dim=0, *, out=None):
    """Sparse tensors of one size along a new dimension."""
    return cat([unsqueeze(x, dim) for x in tensors], dim)
