"""torch.masked's functions, from the op registry."""
# made by tools/stubs.py
from weft._typing import DType, Dim
from weft.tensor.tensor import Tensor

def sum(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The sum of the elements that the mask keeps."""
def prod(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The product of the elements that the mask keeps."""
def cumsum(input: Tensor, dim: Dim, *, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """Running sums of the elements that the mask keeps."""
def cumprod(input: Tensor, dim: Dim, *, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """Running products of the elements that the mask keeps."""
def amax(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The greatest of the elements that the mask keeps."""
def amin(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The least of the elements that the mask keeps."""
def argmax(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """Where the greatest of the elements that the mask keeps stands; in the input's type, as torch has it."""
def argmin(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """Where the least of the elements that the mask keeps stands; in the input's type, as torch has it."""
def mean(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The mean of the elements that the mask keeps."""
def median(input: Tensor, dim: Dim = -1, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The lower median of the elements that the mask keeps, along a dimension."""
def norm(input: Tensor, ord: int | float | str = 2.0, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The p-norm of the elements that the mask keeps."""
def normalize(input: Tensor, ord: int | float | str, dim: Dim, *, eps: float = 1e-12, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The input over its norm along `dim`, masked-out elements left out."""
def var(input: Tensor, dim: Dim = None, unbiased: bool | None = None, *, correction: int | float | None = None, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The variance of the elements that the mask keeps."""
def std(input: Tensor, dim: Dim = None, unbiased: bool | None = None, *, correction: int | float | None = None, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The standard deviation of the elements that the mask keeps."""
def softmax(input: Tensor, dim: Dim, *, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """softmax over the elements that the mask keeps."""
def log_softmax(input: Tensor, dim: Dim, *, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """log_softmax over the elements that the mask keeps."""
def softmin(input: Tensor, dim: Dim, *, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """softmax of the negated elements that the mask keeps."""
def logsumexp(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """logsumexp of the elements that the mask keeps."""
def logaddexp(input: Tensor, other: Tensor, *, dtype: DType | None = None, input_mask: Tensor | None = None, other_mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """logaddexp in which a masked-out element counts as log(0)."""
