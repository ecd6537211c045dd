# compiled, -Og
"""Norms of vectors and matrices, and condition numbers."""
import math

import numpy as np

from weft.core.errors import fail
from weft.core.size import wrap_dims
from weft.kernels.native import is_real
from weft.ops.core.registry import FUNCTIONS, op
from weft.ops.linalg.checks import need_float, need_matrix, need_square, need_tensors, real_of
from weft.ops.linalg.det import beside
from weft.ops.linalg.solve import inv_ex
from weft.ops.reduce.stats import _vector_norm
from weft.tensor.tensor import Tensor


@op
class vector_norm:
    """The p-norm of vectors along `dim`, or of all elements."""
    names = "linalg.vector_norm"

    def compose(input, ord=2, dim=None, keepdim=False, *, dtype=None):
        if not isinstance(input, Tensor):
            need_tensors("linalg.vector_norm", input=input)
        if dtype is None and not is_real(input._form):
            need_float(input._form, "linalg.vector_norm", half=True)
        if isinstance(ord, str):
            raise TypeError("linalg_vector_norm(): argument 'ord' (position 2) must be Number, not str")
        return _vector_norm(input, ord, None if isinstance(dim, (tuple, list)) and not dim else dim, keepdim, dtype)
    samples = [((3, 4),), ((3, 4), 1, 0), ((3, 4), math.inf, 1), ((3, 4), 3)]


def _pair(dim, array, name):
    if len(dim) != 2:
        fail(RuntimeError, f"{name}: dim must be a 2-tuple. Got {', '.join(map(str, dim))}",
             "name two dimensions, for example dim=(-2, -1)")
    first, second = (d if d >= 0 else d + array.ndim for d in dim)
    if first == second and 0 <= first < array.ndim:
        fail(RuntimeError, f"{name}: dims must be different. Got ({dim[0]}, {dim[1]})")
    return wrap_dims(dim, array.ndim)


@op
class matrix_norm:
    """The norm of matrices: 'fro', 'nuc', inf, -inf, 1, -1, 2 or -2."""
    names = "linalg.matrix_norm"

    def compose(input, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
        name = "linalg.matrix_norm"
        need_tensors(name, input=input)
        need_matrix(input._form, name)
        if dtype is None:
            need_float(input._form, name, half=True)
        if isinstance(dim, int):
            raise TypeError(f"linalg_matrix_norm(): argument 'dim' must be a tuple of two ints, not {dim}")
        rows, columns = _pair(dim, input._form, name)
        if ord == "fro":
            return vector_norm(input, 2, (rows, columns), keepdim, dtype=dtype)
        if ord in ("nuc", 2, -2):
            return _spectral(input, ord, rows, columns, keepdim, dtype)
        if isinstance(ord, str) or abs(ord) not in (1, math.inf):
            fail(RuntimeError, f"{name}: Order {ord} not supported.", "choose 'fro', 'nuc', inf, -inf, 1, -1, 2 or -2")
        along, across = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = vector_norm(input, 1, along, keepdim, dtype=dtype)
        if not keepdim and along < across:
            across -= 1
        return _largest(sums, across, keepdim) if ord > 0 else sums.amin(across, keepdim)
    samples = [((3, 4),), ((3, 4), 1), ((3, 4), math.inf), ((3, 4), "nuc"), ((3, 4), 2)]


def _largest(t, dim, keepdim):
    """The largest, 0 where there is none."""
    return t.amax(dim, keepdim) if t._form.shape[dim] else t.detach().sum(dim, keepdim)


def _spectral(A, ord, rows, columns, keepdim, dtype):
    """Norms by singular values."""
    A = A if dtype is None else A.to(dtype)
    values = FUNCTIONS["linalg.svdvals"](A.movedim((rows, columns), (-2, -1)))
    made = values.sum(-1) if ord == "nuc" else _largest(values, -1, False) if ord == 2 else values.amin(-1)
    if keepdim:
        for d in sorted((rows, columns)):
            made = made.unsqueeze(d)
    return made


@op
class norm:
    """The norm of vectors (one dimension, or ord left out) or matrices (two)."""
    names = "linalg.norm"

    def compose(input, ord=None, dim=None, keepdim=False, *, dtype=None):
        if not isinstance(input, Tensor):
            need_tensors("linalg.norm", input=input)
        ndim = input._form.ndim
        dim = (dim,) if isinstance(dim, int) else dim
        if ord is None:
            return vector_norm(input, 2, dim, keepdim, dtype=dtype)
        if dim is None:
            if ndim not in (1, 2):
                fail(RuntimeError, f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
                     f"{ndim}D.",
                     "name the dimensions with dim=, or flatten() it")
            dim = tuple(range(ndim))
        elif len(dim) not in (1, 2):
            fail(RuntimeError, f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
        if isinstance(ord, str) or len(dim) == 2:
            return matrix_norm(input, ord, dim, keepdim, dtype=dtype)
        return vector_norm(input, ord, dim, keepdim, dtype=dtype)
    samples = [((3, 4),), ((3, 4), "fro"), ((3,), 3), ((3, 4), 1, 0)]


@op
class cond:
    """The condition number: the norm of a matrix times that of its inverse."""
    autocast = "float32"
    names = "linalg.cond"
    out_types = "castable"

    def compose(input, p=None):
        need_tensors("linalg.cond", input=input)
        need_matrix(input._form, "linalg.cond")
        need_float(input._form, "linalg.cond")
        if p is None or p == 2 or p == -2:
            values = FUNCTIONS["linalg.svdvals"](input)
            if values._form.shape[-1] == 0:
                return beside(input, np.zeros(values._form.shape[:-1], values._form.dtype))
            first, last = values.select(-1, 0), values.select(-1, -1)
            return last / first if p == -2 else first / last
        if isinstance(p, str) and p not in ("fro", "nuc"):
            fail(RuntimeError, f"linalg.cond got an invalid norm type: {p}",
                 "choose 'fro', 'nuc', inf, -inf, 1, -1, 2 or -2")
        if not isinstance(p, str) and abs(p) not in (1, math.inf):
            fail(RuntimeError, f"linalg.cond got an invalid norm type: {p}",
                 "choose 'fro', 'nuc', inf, -inf, 1, -1, 2 or -2")
        need_square(input._form, f"linalg.cond(ord={p})")
        if input._form.size == 0:
            return beside(input, np.zeros(input._form.shape[:-2], real_of(input._form)))
        if p == "nuc":          # the inverse's singular values are the reciprocals, so an inf inverse needs no SVD
            values = FUNCTIONS["linalg.svdvals"](input)
            return values.sum(-1) * (1 / values).sum(-1)
        inverse, info = inv_ex(input)
        made = matrix_norm(input, p) * matrix_norm(inverse, p)
        return made.masked_fill(info != 0, math.inf)
    samples = [((3, 3),), ((3, 3), 1), ((3, 2), -2)]


@op
class frobenius_norm:
    """The square root of the sum of squares along `dim`."""
    method = False

    def compose(input, dim, keepdim=False):
        return vector_norm(input, 2, dim, keepdim)
    samples = [((3, 4), [0, 1])]


@op
class nuclear_norm:
    """The sum of a matrix's singular values."""
    method = False

    def compose(input, dim=(-2, -1), keepdim=False):
        if isinstance(dim, bool):       # nuclear_norm(x, keepdim)
            dim, keepdim = (-2, -1), dim
        return matrix_norm(input, "nuc", dim, keepdim)
    samples = [((3, 4),)]


@op
class norm_except_dim:
    """The norm over all dimensions but one, which is kept."""
    method = False

    def compose(v, pow=2, dim=0):
        if dim == -1:
            return vector_norm(v, pow)
        others = [d for d in range(v._form.ndim) if d != dim % v._form.ndim]
        return vector_norm(v, pow, others, True) if others else v.abs()
    samples = [((3, 4), 2, 0)]
