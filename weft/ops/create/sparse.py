"""The doors to sparse tensors: methods of dense ones that make or ask for them. The house behind them, ops/sparse, is
loaded when a program first needs it.
"""
import importlib

from weft.core.errors import fail
from weft.core.layout import LAYOUTS, strided
from weft.tensor.names import method, public
from weft.tensor.override import overridable


def _house(part):
    return importlib.import_module("weft.ops.sparse." + part)      # rarely needed


def to_sparse(self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None):
    """The elements that are not 0 as a sparse tensor; `sparse_dim`: of how many dimensions each place is stored.

    >>> import weft
    >>> weft.eye(3).to_sparse().indices()
    tensor([[0, 1, 2],
            [0, 1, 2]])
    """
    layout = LAYOUTS["sparse_coo"] if layout is None else layout
    if layout is strided:
        return self
    if layout.name not in ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"):
        fail(RuntimeError, f"to_sparse: {layout} is no sparse layout", "give torch.sparse_coo or torch.sparse_csr")
    return _house("convert").convert(self, layout, blocksize, dense_dim, sparse_dim)


def to_sparse_coo(self):
    """The elements that are not 0, stored by coordinates.

    >>> import weft
    >>> weft.eye(3).to_sparse_coo().layout
    torch.sparse_coo
    """
    return to_sparse(self)


def to_sparse_csr(self, dense_dim=None):
    """The elements that are not 0, stored by rows.

    >>> import weft
    >>> weft.eye(3).to_sparse_csr().crow_indices()
    tensor([0, 1, 2, 3])
    """
    return to_sparse(self, layout=LAYOUTS["sparse_csr"], dense_dim=dense_dim)


def to_sparse_csc(self, dense_dim=None):
    """The elements that are not 0, stored by columns.

    >>> import weft
    >>> weft.eye(3).to_sparse_csc().ccol_indices()
    tensor([0, 1, 2, 3])
    """
    return to_sparse(self, layout=LAYOUTS["sparse_csc"], dense_dim=dense_dim)


def to_sparse_bsr(self, blocksize, dense_dim=None):
    """The blocks that are not all 0, stored by rows of blocks.

    >>> import weft
    >>> weft.eye(4).to_sparse_bsr((2, 2)).values().shape
    torch.Size([2, 2, 2])
    """
    return to_sparse(self, layout=LAYOUTS["sparse_bsr"], blocksize=blocksize, dense_dim=dense_dim)


def to_sparse_bsc(self, blocksize, dense_dim=None):
    """The blocks that are not all 0, stored by columns of blocks.

    >>> import weft
    >>> weft.eye(4).to_sparse_bsc((2, 2)).values().shape
    torch.Size([2, 2, 2])
    """
    return to_sparse(self, layout=LAYOUTS["sparse_bsc"], blocksize=blocksize, dense_dim=dense_dim)


def sparse_mask(self, mask):
    """The elements in the places that a sparse tensor has, as a sparse tensor.

    >>> import weft
    >>> weft.full((2, 2), 5.0).sparse_mask(weft.eye(2).to_sparse()).values()
    tensor([5., 5.])
    """
    return _house("convert").masked_by(self, mask)


def sspaddmm(input, mat1, mat2, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * (mat1 @ mat2) as a sparse tensor, which has the elements of `input` and then the rows of
    the product for which mat1 stores something, not coalesced; input and mat1 are sparse (COO), mat2 is dense.

    >>> import weft
    >>> s = weft.sspaddmm(weft.eye(2).to_sparse(), weft.eye(2).to_sparse(), weft.ones(2, 2))
    >>> s._nnz(), s.to_dense()
    (6, tensor([[2., 1.],
            [1., 2.]]))
    """
    made = _house("functions").sspaddmm(input, mat1, mat2, beta, alpha)
    return made if out is None else out.copy_(made)


public(sspaddmm, method=True)

for _function in (to_sparse, to_sparse_coo, to_sparse_csr, to_sparse_csc, to_sparse_bsr, to_sparse_bsc, sparse_mask):
    method(overridable(_function), _function.__name__)


# what only sparse tensors have

def _only_sparse(name, kind, example):
    def asked(self):
        kind_of_error = NotImplementedError if name[0] == "_" else RuntimeError
        fail(kind_of_error, f"{name} expected sparse {kind} tensor layout but got Strided",
             "convert the tensor first, with to_sparse() or to_sparse_csr()")
    asked.__name__ = asked.__qualname__ = name
    asked.__doc__ = example
    method(asked, name)


for _name, _kind, _said, _made, _shown in (
        ("coalesce", "coordinate", "The same tensor with its elements in order, those of one place summed up",
         "to_sparse().coalesce().is_coalesced()", "True"),
        ("is_coalesced", "coordinate", "Whether elements are in order, and no place has two",
         "to_sparse().is_coalesced()", "True"),
        ("indices", "coordinate", "Where the elements stand: (sparse_dim, nnz)", "to_sparse().indices().shape",
         "torch.Size([2, 2])"),
        ("_indices", "coordinate", "`indices`, also of a tensor that is not coalesced", "to_sparse()._indices().shape",
         "torch.Size([2, 2])"),
        ("values", "coordinate", "The stored elements: (nnz, ...)", "to_sparse().values()", "tensor([1., 1.])"),
        ("_values", "coordinate", "`values` outside the graph, also of a tensor that is not coalesced",
         "to_sparse()._values()", "tensor([1., 1.])"),
        ("_nnz", "coordinate", "How many elements are stored", "to_sparse()._nnz()", "2"),
        ("crow_indices", "row compressed", "Where each row begins: (rows + 1)", "to_sparse_csr().crow_indices()",
         "tensor([0, 1, 2])"),
        ("col_indices", "row compressed", "The column of each element", "to_sparse_csr().col_indices()",
         "tensor([0, 1])"),
        ("ccol_indices", "column compressed", "Where each column begins: (columns + 1)",
         "to_sparse_csc().ccol_indices()", "tensor([0, 1, 2])"),
        ("row_indices", "column compressed", "The row of each element", "to_sparse_csc().row_indices()",
         "tensor([0, 1])")):
    _only_sparse(_name, _kind, f"{_said}; only sparse tensors have it.\n\n>>> import weft\n"
                               f">>> weft.eye(2).{_made}\n{_shown}")


def sparse_resize_(self, size, sparse_dim, dense_dim):
    """Give a sparse tensor another size, in place.

    >>> import weft
    >>> weft.eye(2).to_sparse().sparse_resize_((3, 3), 2, 0).shape
    torch.Size([3, 3])
    """
    fail(RuntimeError, "sparse_resize_ expected a sparse tensor, but got one of layout torch.strided",
         "use resize_, or convert it with to_sparse()")


def sparse_resize_and_clear_(self, size, sparse_dim, dense_dim):
    """Give a sparse tensor another size and no elements, in place.

    >>> import weft
    >>> weft.eye(2).to_sparse().sparse_resize_and_clear_((3, 3), 2, 0)._nnz()
    0
    """
    sparse_resize_(self, size, sparse_dim, dense_dim)


method(sparse_resize_)
method(sparse_resize_and_clear_)


def sparse_zeros(shape, dtype, layout, requires_grad):
    """A sparse tensor without elements, for constructors that are told a layout."""
    house = _house("tensor")
    if layout.name == "sparse_coo":
        made = house.empty(tuple(shape), len(shape), dtype)
    elif layout.name in ("sparse_csr", "sparse_csc") and len(shape) == 2:
        made = house.empty(tuple(shape), 2, dtype).to_sparse(layout=layout)
    else:
        fail(RuntimeError, f"a tensor of size {list(shape)} without elements can't be made of layout {layout}",
             "make it of torch.sparse_coo, or a matrix of torch.sparse_csr")
    return made.requires_grad_() if requires_grad else made


def check_strided(layout, who):
    """Refuse to fill a sparse tensor with a number."""
    if layout is not strided:
        fail(NotImplementedError, f"{who}: a sparse tensor can't be filled with one number",
             "make a dense one, and call to_sparse() on it")
