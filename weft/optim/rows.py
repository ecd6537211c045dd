"""Sparse gradients: the few rows of a parameter that they name."""
import numpy as np

from weft.tensor.tensor import Tensor, wrap


def is_sparse(grad):
    """Whether a gradient is a sparse tensor."""
    return type(grad) is not Tensor and grad.layout.name != "strided"


def rows_of(grad):
    """(numbers of rows, their gradients) of a sparse gradient; each row once, counted through its sparse dimensions."""
    grad = (grad if grad.is_sparse else grad.to_sparse()).coalesce()
    return wrap(grad._owed.keys()), grad._values()


def table_of(t, grad):
    """A parameter or its state as a table, of which `rows_of(grad)` numbers the rows; in the same memory."""
    many = grad.sparse_dim()
    return t if many == 1 else t.view(int(np.prod(t.shape[:many])), *t.shape[many:])
