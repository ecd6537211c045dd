"""torch.masked's functions, from the op registry."""
# made by tools/stubs.py
from weft._typing import DType, Dim
from weft.tensor.tensor import Tensor

def sum(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The sum of the elements that the mask keeps.

    Shape: (1, 3) -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.sum(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([3.])
    """
def prod(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The product of the elements that the mask keeps.

    Shape: (1, 3) -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.prod(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([2.])
    """
def cumsum(input: Tensor, dim: Dim, *, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """Running sums of the elements that the mask keeps.

    Shape: (1, 3) -> (1, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.cumsum(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([[1., 3., 3.]])
    """
def cumprod(input: Tensor, dim: Dim, *, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """Running products of the elements that the mask keeps.

    Shape: (1, 3) -> (1, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.cumprod(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([[1., 2., 2.]])
    """
def amax(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The greatest of the elements that the mask keeps.

    Shape: (1, 3) -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.amax(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([2.])
    """
def amin(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The least of the elements that the mask keeps.

    Shape: (1, 3) -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.amin(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([1.])
    """
def argmax(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """Where the greatest of the elements that the mask keeps stands; in the input's type, as torch has it.

    Shape: (1, 3) -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.argmax(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([1.])
    """
def argmin(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """Where the least of the elements that the mask keeps stands; in the input's type, as torch has it.

    Shape: (1, 3) -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.argmin(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([0.])
    """
def mean(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The mean of the elements that the mask keeps.

    Shape: (1, 3) -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.mean(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([1.5000])
    """
def median(input: Tensor, dim: Dim = -1, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The lower median of the elements that the mask keeps, along a dimension.

    Shape: (1, 3) -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.median(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([1.])
    """
def norm(input: Tensor, ord: int | float | str = 2.0, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The p-norm of the elements that the mask keeps.

    Shape: (2, 3) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.masked.norm(x, 2.0, 1, mask=weft.tensor([[True, False, True], [False, True, True]]))
    tensor([0.6177, 1.1910])
    """
def normalize(input: Tensor, ord: int | float | str, dim: Dim, *, eps: float = 1e-12, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The input over its norm along `dim`, masked-out elements left out.

    Shape: (2, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.masked.normalize(x, 2.0, 1, mask=weft.tensor([[True, False, True], [False, True, True]]))
    tensor([[0.4856, 0.0000, 0.8742],
            [0.0000, 0.6549, 0.7557]])
    """
def var(input: Tensor, dim: Dim = None, unbiased: bool | None = None, *, correction: int | float | None = None, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The variance of the elements that the mask keeps.

    Shape: (1, 3) -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.var(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([0.5000])
    """
def std(input: Tensor, dim: Dim = None, unbiased: bool | None = None, *, correction: int | float | None = None, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The standard deviation of the elements that the mask keeps.

    Shape: (1, 3) -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.std(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([0.7071])
    """
def softmax(input: Tensor, dim: Dim, *, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """softmax over the elements that the mask keeps.

    Shape: (1, 3) -> (1, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.softmax(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([[0.2689, 0.7311, 0.0000]])
    """
def log_softmax(input: Tensor, dim: Dim, *, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """log_softmax over the elements that the mask keeps.

    Shape: (1, 3) -> (1, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.log_softmax(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([[-1.3133, -0.3133,    -inf]])
    """
def softmin(input: Tensor, dim: Dim, *, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """softmax of the negated elements that the mask keeps.

    Shape: (1, 3) -> (1, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.softmin(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([[0.7311, 0.2689, 0.0000]])
    """
def logsumexp(input: Tensor, dim: Dim = None, *, keepdim: bool = False, dtype: DType | None = None, mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """logsumexp of the elements that the mask keeps.

    Shape: (1, 3) -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.masked.logsumexp(x, dim=1, mask=weft.tensor([[True, True, False]]))
    tensor([2.3133])
    """
def logaddexp(input: Tensor, other: Tensor, *, dtype: DType | None = None, input_mask: Tensor | None = None, other_mask: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """logaddexp in which a masked-out element counts as log(0).

    Shape: (2, 3), (2, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7, 0.61], [0.53, 0.44, 0.36]])
    >>> weft.masked.logaddexp(x, y, input_mask=weft.tensor([[True, False, True], [False, True, True]]))
    tensor([[1.2617, 0.7000, 1.2688],
            [0.5300, 1.3175, 1.3592]])
    """
