"""What the distributions share: broadcasting of parameters, probabilities and logits, values computed once."""
from numbers import Number

import weft
from weft.nn.functional import softmax
from weft.tensor.tensor import Tensor

__all__ = ["broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits",
           "tril_matrix_to_vec", "vec_to_tril_matrix", "euler_constant"]

euler_constant = 0.57721566490153286060


def broadcast_all(*values):
    """The values as tensors of one shape; numbers take the dtype of the first tensor, or the default one."""
    for v in values:
        if not isinstance(v, (Tensor, Number)):
            raise ValueError(f"Input arguments must all be instances of Number or Tensor, but one is a "
                             f"{type(v).__name__}: make it one with "
                             "weft.as_tensor()")
    first = next((v for v in values if isinstance(v, Tensor)), None)
    dtype = weft.get_default_dtype() if first is None else first.dtype
    return weft.broadcast_tensors(*(v if isinstance(v, Tensor) else weft.tensor(v, dtype=dtype) for v in values))


def logits_to_probs(logits, is_binary=False):
    """Probabilities: the sigmoid of each, or the softmax over the last dimension."""
    return logits.sigmoid() if is_binary else softmax(logits, dim=-1)


def clamp_probs(probs):
    """Probabilities moved into the open interval (0, 1), by the dtype's eps."""
    eps = weft.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs, is_binary=False):
    """Log-odds of each, or the log-probabilities over the last dimension."""
    inside = clamp_probs(probs)
    return inside.log() - (-inside).log1p() if is_binary else inside.log()


def _standard_normal(shape, dtype, device=None):
    return weft.empty(shape, dtype=dtype).normal_()


def _sum_rightmost(value, dim):
    """The sum over the last `dim` dimensions."""
    return value.reshape(*value.shape[:value.dim() - dim], -1).sum(-1) if dim else value


def vec_to_tril_matrix(vec, diag=0):
    """The matrix whose lower triangle, up to the diagonal `diag`, has a vector's numbers row by row.

    >>> import weft
    >>> weft.distributions.utils.vec_to_tril_matrix(weft.tensor([1.0, 2.0, 3.0]))
    tensor([[1., 0.],
            [2., 3.]])
    """
    count, side = vec.shape[-1], 1 + 2 * diag
    size = (-side + (side ** 2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2   # n with that many numbers below
    if round(size) - size > weft.finfo(vec.dtype).eps:
        raise ValueError(f"The size of last dimension is {count} which cannot be expressed as the lower triangular "
                         "part of a square D x D matrix.")
    size = round(size)
    rows, columns = weft.tril_indices(size, size, offset=diag)
    matrix = vec.new_zeros(vec.shape[:-1] + (size, size))
    matrix[..., rows, columns] = vec
    return matrix


def tril_matrix_to_vec(mat, diag=0):
    """The numbers of a matrix's lower triangle, up to the diagonal `diag`, row by row.

    >>> import weft
    >>> weft.distributions.utils.tril_matrix_to_vec(weft.tensor([[1.0, 0.0], [2.0, 3.0]]))
    tensor([1., 2., 3.])
    """
    size = mat.shape[-1]
    if diag < -size or diag >= size:
        raise ValueError(f"diag ({diag}) provided is outside [{-size}, {size - 1}].")
    rows, columns = weft.tril_indices(size, size, offset=diag)
    return mat[..., rows, columns]


class lazy_property:
    """A property computed when first read, with gradients on, and then kept on the instance."""
    def __init__(self, wrapped):
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__
        self.__name__ = wrapped.__name__

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        with weft.enable_grad():
            value = self.wrapped(instance)
        instance.__dict__[self.__name__] = value
        return value
