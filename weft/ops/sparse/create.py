"""Sparse tensors from indices and values: `sparse_coo_tensor` and its kin, their checks, and the old constructors."""
import numpy as np

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.ops.create.data import as_tensor
from weft.ops.sparse import invariants
from weft.ops.sparse.bridge import made_of
from weft.ops.sparse.parts import BSC, BSR, COMPRESSED, COO, CSC, CSR, Parts, sparse
from weft.ops.sparse.tensor import empty, leaf_or_graph
from weft.tensor.tensor import Tensor, alias


def _is_size(value):
    """Whether an argument that may be indices is a size: numbers only."""
    return isinstance(value, (tuple, list)) and all(isinstance(n, (int, np.integer)) for n in value)


def _values(values, dtype):
    """Values as a tensor, in the graph where they are."""
    made = values if isinstance(values, Tensor) else as_tensor(values)
    return made if dtype is None or made.dtype is dtype else made.to(dtype)


def _indices(indices):
    """Indices as a tensor, in the memory of what was given where that is one."""
    return indices.detach() if isinstance(indices, Tensor) else as_tensor(indices)


def _check_device(device):
    if device is not None and devices.device(device).type != "cpu":
        fail(RuntimeError, f"sparse tensors on {device} are not supported", "leave device out, or give device='cpu'")


def sparse_coo_tensor(indices=None, values=None, size=None, *, dtype=None, layout=None, device=None, pin_memory=False,
                      requires_grad=False, check_invariants=None, is_coalesced=None):
    """A sparse tensor of values (nnz, *dense dims) at the places indices (sparse dims, nnz); values of one place count
    together.

    >>> import weft
    >>> weft.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
    _check_device(device)
    if values is None and size is None and _is_size(indices):
        indices, size = None, indices
    if indices is None:
        if size is None:
            raise TypeError("sparse_coo_tensor() missing indices and values, or a size")
        made = empty(tuple(size), len(size), dtypes.default.dtype if dtype is None else dtype)
        return leaf_or_graph(made, requires_grad)
    index, values = _indices(indices), _values(values, dtype)
    if index._form.dtype.kind not in "iu" or index._form.dtype.itemsize < 8:
        index = index.to(dtypes.int64)
    if index._form.ndim == 1:
        index = index.unsqueeze(1) if index._form.size and values._form.ndim == 0 else index.unsqueeze(0) \
            if not index._form.size else index.unsqueeze(1)
    if values._form.ndim == 0:
        values = values.unsqueeze(0)
    size = invariants.guessed_size(index, values) if size is None else tuple(int(n) for n in size)
    invariants.check_coo(index, values, size)
    made = Parts(COO, (alias(index),), alias(values), size, bool(is_coalesced))
    if invariants.wanted(check_invariants) and is_coalesced and not made.is_sorted():
        fail(RuntimeError, "cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor",
             "leave is_coalesced out, or call coalesce()")
    return leaf_or_graph(made_of(made, values), requires_grad)


def of_file(layout, index, values, size, coalesced, bad):
    """(a sparse tensor, a function that looks whether its indices are right once they are there): for files, which may
    say anything; `bad(text)` makes the error.
    """
    made = Parts(layout, tuple(alias(i) for i in index), alias(values), size, coalesced)

    def check():
        try:
            if layout is COO:
                invariants.check_coo(*index, values, size)
            else:
                invariants.check_compressed(*index, values, size, layout, False)
        except RuntimeError as error:
            raise bad("a sparse tensor's indices and values don't fit: " + str(error).split("\n")[0]) from None
        made.coalesced = made.coalesced and made.is_sorted()
    return sparse(made), check


def row_tensor(rows, values, shape):
    """A sparse tensor of whole rows (n, *rest) of a table, by their numbers (n); not coalesced."""
    return made_of(Parts(COO, (alias(rows.unsqueeze(0)),), alias(values), shape, False), values)


def sparse_compressed_tensor(compressed_indices, plain_indices, values, size=None, *, dtype=None, layout=None,
                             device=None, pin_memory=False, requires_grad=False, check_invariants=None):
    """A sparse tensor in a compressed layout: where each row (or column) begins, and the column (or row) of each value.

    >>> import weft
    >>> weft.sparse_compressed_tensor([0, 1, 2], [1, 0], [3.0, 4.0], (2, 2), layout=weft.sparse_csr).to_dense()
    tensor([[0., 3.],
            [4., 0.]])
    """
    if layout not in COMPRESSED:
        fail(RuntimeError, f"expected sparse compressed tensor layout but got {layout}",
             "give layout=torch.sparse_csr, sparse_csc, sparse_bsr or sparse_bsc")
    _check_device(device)
    index, values = (_indices(compressed_indices), _indices(plain_indices)), _values(values, dtype)
    if size is None:
        size = invariants.guessed_compressed_size(*index, values, layout)
    size = tuple(int(n) for n in size)
    invariants.check_compressed(*index, values, size, layout, invariants.wanted(check_invariants))
    made = Parts(layout, tuple(alias(i) for i in index), alias(values), size)
    return leaf_or_graph(made_of(made, values), requires_grad)


def sparse_csr_tensor(crow_indices, col_indices, values, size=None, *, dtype=None, layout=None, device=None,
                      pin_memory=False, requires_grad=False, check_invariants=None):
    """A sparse matrix by rows: row i has the values crow_indices[i]:crow_indices[i + 1], in the columns col_indices.

    >>> import weft
    >>> weft.sparse_csr_tensor([0, 1, 2], [1, 0], [3.0, 4.0], (2, 2)).to_dense()
    tensor([[0., 3.],
            [4., 0.]])
    """
    return sparse_compressed_tensor(crow_indices, col_indices, values, size, dtype=dtype, layout=CSR, device=device,
                                    requires_grad=requires_grad, check_invariants=check_invariants)


def sparse_csc_tensor(ccol_indices, row_indices, values, size=None, *, dtype=None, layout=None, device=None,
                      pin_memory=False, requires_grad=False, check_invariants=None):
    """A sparse matrix by columns: column i has the values ccol_indices[i]:ccol_indices[i + 1], in the rows row_indices.

    >>> import weft
    >>> weft.sparse_csc_tensor([0, 1, 2], [1, 0], [3.0, 4.0], (2, 2)).to_dense()
    tensor([[0., 4.],
            [3., 0.]])
    """
    return sparse_compressed_tensor(ccol_indices, row_indices, values, size, dtype=dtype, layout=CSC, device=device,
                                    requires_grad=requires_grad, check_invariants=check_invariants)


def sparse_bsr_tensor(crow_indices, col_indices, values, size=None, *, dtype=None, layout=None, device=None,
                      pin_memory=False, requires_grad=False, check_invariants=None):
    """A sparse matrix of blocks, values (blocks, rows, columns), by rows of blocks.

    >>> import weft
    >>> weft.sparse_bsr_tensor([0, 1], [1], weft.ones(1, 2, 2), (2, 4)).to_dense()
    tensor([[0., 0., 1., 1.],
            [0., 0., 1., 1.]])
    """
    return sparse_compressed_tensor(crow_indices, col_indices, values, size, dtype=dtype, layout=BSR, device=device,
                                    requires_grad=requires_grad, check_invariants=check_invariants)


def sparse_bsc_tensor(ccol_indices, row_indices, values, size=None, *, dtype=None, layout=None, device=None,
                      pin_memory=False, requires_grad=False, check_invariants=None):
    """A sparse matrix of blocks, values (blocks, rows, columns), by columns of blocks.

    >>> import weft
    >>> weft.sparse_bsc_tensor([0, 0, 1], [0], weft.ones(1, 2, 2), (2, 4)).to_dense()
    tensor([[0., 0., 1., 1.],
            [0., 0., 1., 1.]])
    """
    return sparse_compressed_tensor(ccol_indices, row_indices, values, size, dtype=dtype, layout=BSC, device=device,
                                    requires_grad=requires_grad, check_invariants=check_invariants)
