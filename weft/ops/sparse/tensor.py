"""The class of sparse tensors: what they answer about themselves, copies, and how ops come to their rules."""
import numpy as np

from weft.core.errors import fail
from weft.core.modes import GRAD_OFF
from weft.core.runtime import mode_bits
from weft.ops.core.composed import Composed
from weft.ops.sparse.bridge import made_of, recorded, values_of, with_values
from weft.ops.sparse.convert import coalesced, convert, in_graph, masked_by, to_dense
from weft.ops.sparse.parts import BSC, BSR, BY_ROWS, COMPRESSED, COO, CSC, CSR, KIND, NAMES, Parts, coo, sparse
from weft.ops.sparse.printing import text_of
from weft.ops.sparse.rules import answer, refuse
from weft.tensor.pickling import attributes_of, set_attributes
from weft.tensor.tensor import alias, mark_leaf, wrap


class SparseTensor(Composed):
    """A tensor of which only some elements are stored; `weft.sparse_coo_tensor` and others make it.

    >>> import weft
    >>> weft.eye(3).to_sparse().values()
    tensor([1., 1., 1.])
    """

    _answer = staticmethod(answer)
    no_data = RuntimeError, "a sparse tensor's data must be sparse too", "give it value.to_sparse()"

    def __init__(self, *args, **kwargs):
        fail(TypeError, "a sparse tensor is not made by its class", "use weft.sparse_coo_tensor")

    # what it is

    @property
    def layout(self):
        """How it is stored."""
        return self._owed.layout

    @property
    def is_sparse(self):
        """Whether it is stored by coordinates."""
        return self._owed.layout is COO

    @property
    def is_sparse_csr(self):
        """Whether it is stored by rows."""
        return self._owed.layout is CSR

    def sparse_dim(self):
        """How many dimensions are stored sparsely."""
        return self._owed.sparse_dim

    def dense_dim(self):
        """How many dimensions each stored element has."""
        return self._owed.dense_dim

    def is_coalesced(self):
        """Whether elements are in order, and no place has two."""
        self._expect((COO,), "is_coalesced", "coordinate")
        return self._owed.coalesced

    def _nnz(self):
        return self._owed.nnz

    def _expect(self, kinds, who, what):
        if self._owed.layout not in kinds:
            fail(RuntimeError, f"{who} expected sparse {what} tensor layout but got {NAMES[self._owed.layout]}",
                 "convert it first, with to_sparse(layout=...)")

    # its parts

    def indices(self):
        """Where the elements stand: (sparse_dim, nnz)."""
        self._expect((COO,), "indices", "coordinate")
        self._need_coalesced("indices")
        return alias(self._owed.index[0])

    def values(self):
        """The elements: (nnz, *dense dims)."""
        self._need_coalesced("values")
        return values_of(self)

    def _need_coalesced(self, what):
        if not self._owed.coalesced:
            fail(RuntimeError, f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first",
                 f"x.coalesce().{what}(), or x._{what}() for them as they are")

    def _indices(self):
        self._plain_coo("_indices")
        return alias(self._owed.index[0])

    def _values(self):
        self._plain_coo("_values")
        return alias(self._owed.values)

    def _plain_coo(self, who):
        if self._owed.layout is not COO:
            fail(NotImplementedError, f"{who}: only tensors of layout torch.sparse_coo have it, this one is "
                 f"{self._owed.layout}", f"use {who[1:]}()" if who == "_values" else "use crow_indices() or alike")

    def crow_indices(self):
        """Where each row begins: (rows + 1)."""
        self._expect(BY_ROWS, "crow_indices", "row compressed")
        return alias(self._owed.index[0])

    def col_indices(self):
        """The column of each element."""
        self._expect(BY_ROWS, "col_indices", "row compressed")
        return alias(self._owed.index[1])

    def ccol_indices(self):
        """Where each column begins: (columns + 1)."""
        self._expect((CSC, BSC), "ccol_indices", "column compressed")
        return alias(self._owed.index[0])

    def row_indices(self):
        """The row of each element."""
        self._expect((CSC, BSC), "row_indices", "column compressed")
        return alias(self._owed.index[1])

    def coalesce(self):
        """The same tensor with its elements in order, those of one place summed up."""
        self._expect((COO,), "coalesce", "coordinate")
        return coalesced(self)

    def _coalesced_(self, coalesced):
        """Say, unchecked, whether it is coalesced."""
        self._owed.coalesced = bool(coalesced)
        return self

    # conversions

    def to_dense(self, dtype=None, *, masked_grad=None):
        """A dense tensor of the same elements, zeros elsewhere."""
        made = to_dense(self)
        return made if dtype is None else made.to(dtype)

    def to_sparse(self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None):
        """The same tensor in another sparse layout."""
        if sparse_dim is not None and sparse_dim != self.sparse_dim():
            fail(RuntimeError, "to_sparse: conversion from Sparse to Sparse with sparse_dim argument "
                 "!=self.sparse_dim() is not supported", "go by to_dense()")
        return convert(self, COO if layout is None else layout, blocksize, dense_dim)

    def sparse_mask(self, mask):
        """Its elements in the places that another sparse tensor has."""
        return masked_by(self, mask)

    def _through(self, name, args, kwargs):
        """A conversion of the type: that of the values."""
        args = [a.dtype if isinstance(a, SparseTensor) else a for a in args]
        source = in_graph(self)
        values = values_of(source)
        made = getattr(values, name)(*args, **kwargs)
        if isinstance(made, str):
            return made.replace("torch.", "torch.sparse.")
        return self if made is values else with_values(source._owed, made)

    # copies

    def clone(self, *, memory_format=None):
        """A copy with its own values and places."""
        source = in_graph(self)
        parts, values = source._owed, values_of(source).clone()
        index = tuple(i.clone() for i in parts.index)
        return made_of(Parts(parts.layout, index, alias(values), parts.shape, parts.coalesced), values)

    def detach(self):
        """The same parts outside the graph."""
        made = self._owed.owner.detach(self)
        if getattr(self, "_is_buffer", False):
            made._is_buffer, made.persistent = True, getattr(self, "persistent", True)
        return made

    def __reduce_ex__(self, protocol):
        parts = self._owed
        return (rebuild, (parts.layout, parts.index, parts.values, parts.shape, parts.coalesced,
                          bool(self.requires_grad), attributes_of(self) or None))

    # Python's protocols and the ways out

    def __repr__(self):
        text = text_of(self)
        return "Parameter containing:\n" + text if getattr(self, "_is_param", False) else text

    def __contains__(self, value):
        refuse("__contains__")

    def __reversed__(self):
        refuse("__reversed__")

    def numpy(self, *, force=False):
        """Not for sparse tensors: an array is dense."""
        fail(TypeError, f"can't convert {NAMES[self._owed.layout]} layout tensor to numpy. Use Tensor.to_dense() "
             f"first.")

    def tolist(self):
        """Not for sparse tensors: a list is dense."""
        fail(RuntimeError, "tolist: a sparse tensor has no list of its elements", "x.to_dense().tolist()")

    def item(self):
        """The one element as a Python number."""
        if self._form.size != 1:
            fail(RuntimeError, f"a Tensor with {self._form.size} elements cannot be converted to Scalar")
        return self.to_dense().item()

    def __bool__(self):
        if self._form.size != 1:
            fail(RuntimeError, "Boolean value of Tensor with more than one value is ambiguous")
        return bool(self.item())

    def stride(self, dim=None):
        """Zeros: there is no array to step through."""
        return (0,) * self._form.ndim if dim is None else 0

    def is_contiguous(self, memory_format=None):
        """False: there is no array to be so."""
        return False

    def data_ptr(self):
        """Not for sparse tensors: they have no memory of their own."""
        fail(RuntimeError, "Cannot access data pointer of Tensor that doesn't have storage", "take that of x.values()")

    def untyped_storage(self):
        """Not for sparse tensors: they have no memory of their own."""
        fail(NotImplementedError, "Cannot access storage of a sparse tensor", "take that of x.values()")

    storage = untyped_storage

    # in place

    def sparse_resize_(self, size, sparse_dim, dense_dim):
        """Give it another size; elements stay, which must be inside it."""
        return self._resized(size, sparse_dim, dense_dim, True)

    def sparse_resize_and_clear_(self, size, sparse_dim, dense_dim):
        """Give it another size, without elements."""
        return self._resized(size, sparse_dim, dense_dim, False)

    def _resized(self, size, sparse_dim, dense_dim, keep):
        self._expect((COO,), "sparse_resize_", "coordinate")
        self._writable("sparse_resize_")
        if len(size) != sparse_dim + dense_dim:
            fail(RuntimeError, f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, "
                 f"sparse_dim = {sparse_dim}, dense_dim = {dense_dim}")
        parts, size = self._owed, tuple(size)
        if not keep or not parts.nnz:
            self._take(empty(size, sparse_dim, parts.values.dtype))
            return self
        if (sparse_dim, dense_dim) != (parts.sparse_dim, parts.dense_dim):
            fail(RuntimeError, f"changing the number of sparse or dense dimensions (from {parts.sparse_dim} and "
                 f"{parts.dense_dim} to {sparse_dim} and {dense_dim}) on a non-empty sparse tensor is not supported.",
                 "make a new one")
        if any(n < m for n, m in zip(size, parts.shape)) or size[sparse_dim:] != parts.shape[sparse_dim:]:
            fail(RuntimeError, "shrinking the size of sparse dimensions, or changing that of dense ones, on a "
                 "non-empty sparse tensor is not supported.", "make a new one")
        self._take(sparse(Parts(COO, parts.index, parts.values, size, parts.coalesced)))
        return self

    def _writable(self, who):
        if mode_bits() & GRAD_OFF:
            return
        if self._wants_grad:
            fail(RuntimeError, f"{who}: a leaf Variable that requires grad is being used in an in-place operation.",
                 "write under no_grad(), or use the form without _ and keep its result")

    def become(self, made, who, reshapes=False):
        """Take over a result, in place: parts and history."""
        self._writable(who)
        if made._form.shape != self._form.shape and not reshapes:
            fail(RuntimeError, f"{who}: output with shape {list(self._form.shape)} doesn't match the broadcast shape "
                 f"{list(made._form.shape)}", "use the form without _")
        if made.dtype is not self.dtype:
            made = made.to(self.dtype)
        self._take(made)
        self._own_memory_record().mark()
        if not mode_bits() & GRAD_OFF:
            self._made_by, self._made_nr = made._made_by, made._made_nr
        return self


def _conversion(name):
    def method(self, *args, **kwargs):
        return self._through(name, args, kwargs)
    method.__name__, method.__qualname__ = name, "SparseTensor." + name
    method.__doc__ = f"`{name}` of the values, in the same places."
    return method


for _name in ("to type type_as cpu cuda float double half bfloat16 int long short char byte bool cfloat cdouble "
              "pin_memory").split():
    setattr(SparseTensor, _name, _conversion(_name))


def _layout_method(name, layout):
    def method(self, *args, **kwargs):
        blocksize = kwargs.pop("blocksize", args[0] if args and layout in (BSR, BSC) else None)
        return convert(self, layout, blocksize, kwargs.pop("dense_dim", None))
    method.__name__, method.__qualname__ = name, "SparseTensor." + name
    method.__doc__ = f"The same tensor in layout {layout}."
    return method


for _layout in (COO, *COMPRESSED):
    setattr(SparseTensor, "to_" + _layout.name, _layout_method("to_" + _layout.name, _layout))
KIND.append(SparseTensor)


def empty(shape, sparse_dim, dtype):
    """A tensor of layout COO that has no elements."""
    return sparse(coo(np.zeros((sparse_dim, 0), np.int64), wrap(np.zeros((0, *shape[sparse_dim:]), dtype.np)), shape,
                      True))


def rebuild(layout, index, values, shape, coalesced, requires_grad, state):
    """A sparse tensor from what pickle kept."""
    made = sparse(Parts(layout, tuple(index), values, shape, coalesced))
    if requires_grad:
        mark_leaf(made)
    set_attributes(made, state or {})
    return made


def leaf_or_graph(made, requires_grad):
    """A new tensor, as one that wants gradients where that was asked."""
    if requires_grad and not recorded(made):
        mark_leaf(made)
    return made
