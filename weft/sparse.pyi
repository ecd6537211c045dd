"""torch.sparse's functions."""
# made by tools/stubs.py
from typing import Any, Callable
from typing_extensions import Self
from weft._typing import DType, Ints, Layout, Number
from weft.core.dtype import dtype as dtype
from weft.tensor.tensor import Tensor

def mm(mat1: Tensor, mat2: Tensor, reduce: str | None = None) -> Tensor:
    """The product of two matrices, of which one or both are sparse; `reduce` ("sum", "mean", "amax", "amin") says how a
    row's terms are put together.

    >>> import weft
    >>> weft.sparse.mm(weft.eye(2).to_sparse(), weft.ones(2, 2))
    tensor([[1., 1.],
            [1., 1.]])
    """
def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1.0, alpha: Number = 1.0) -> Tensor:
    """beta * mat + alpha * (mat1 @ mat2), where mat1 is sparse.

    >>> import weft
    >>> weft.sparse.addmm(weft.ones(2, 2), weft.eye(2).to_sparse(), weft.ones(2, 2), alpha=2)
    tensor([[3., 3.],
            [3., 3.]])
    """
def sampled_addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1.0, alpha: Number = 1.0, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2), only in the places that the sparse matrix `input` has.

    >>> import weft
    >>> weft.sparse.sampled_addmm(weft.eye(2).to_sparse_csr(), weft.ones(2, 3), weft.ones(3, 2)).to_dense()
    tensor([[4., 0.],
            [0., 4.]])
    """
def sum(input: Tensor, dim: int | None = None, dtype: DType | None = None) -> Tensor:
    """The sum of a sparse tensor's elements, or along some dimensions; sparse where a sparse dimension is left.

    >>> import weft
    >>> weft.sparse.sum(weft.eye(3).to_sparse(), 0).to_dense()
    tensor([1., 1., 1.])
    """
def softmax(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """softmax along a dimension over the elements that are there.

    >>> import weft
    >>> weft.sparse.softmax(weft.tensor([[0., 2., 2.]]).to_sparse(), 1).to_dense()
    tensor([[0.0000, 0.5000, 0.5000]])
    """
def log_softmax(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """The logarithm of `softmax` along a dimension over the elements that are there.

    >>> import weft
    >>> weft.sparse.log_softmax(weft.tensor([[0., 2., 2.]]).to_sparse(), 1).values()
    tensor([-0.6931, -0.6931])
    """
def spdiags(diagonals: Any, offsets: Tensor, shape: Ints, layout: Layout | None = None) -> Tensor:
    """A sparse matrix of diagonals: row i of `diagonals` (count, columns) is the one `offsets[i]` above the main one.

    >>> import weft
    >>> weft.sparse.spdiags(weft.tensor([[1., 2., 3.]]), weft.tensor([1]), (3, 3)).to_dense()
    tensor([[0., 2., 0.],
            [0., 0., 3.],
            [0., 0., 0.]])
    """
class check_sparse_tensor_invariants:
    def __init__(self, enable: bool = True) -> None: ...
    @staticmethod
    def is_enabled() -> Any: ...
    @staticmethod
    def enable() -> None: ...
    @staticmethod
    def disable() -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc: Any) -> None: ...
    def __call__(self, function: Callable[..., Any]) -> Any: ...

class FloatTensor:
    tensor_dtype: dtype

class DoubleTensor:
    tensor_dtype: dtype

class HalfTensor:
    tensor_dtype: dtype

class BFloat16Tensor:
    tensor_dtype: dtype

class LongTensor:
    tensor_dtype: dtype

class IntTensor:
    tensor_dtype: dtype

class ShortTensor:
    tensor_dtype: dtype

class ByteTensor:
    tensor_dtype: dtype

class CharTensor:
    tensor_dtype: dtype

