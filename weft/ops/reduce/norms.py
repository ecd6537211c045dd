# compiled, -Og
"""norm, renorm and distances."""
import math

import numpy as np

from weft.core.errors import fail
from weft.core.size import broadcast_shapes, wrap_dim
from weft.kernels.fast import reduce_norm
from weft.ops.core.registry import FUNCTIONS, INPLACE, op
from weft.ops.pointwise.base import quiet
from weft.ops.reduce.stats import _vector_norm
from weft.ops.reduce.tools import in_one_piece


@op
class norm:
    """The norm of a tensor taken as a vector (p a number), or of matrices ('fro', 'nuc')."""

    def compose(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
        if p == "nuc":
            return _nuclear(input if dtype is None else input.to(dtype), dim, keepdim)
        if isinstance(p, str) and p != "fro":
            fail(RuntimeError, f"norm(): only valid string values are 'fro' and 'nuc', found: {p}")
        return _vector_norm(input, 2.0 if p is None or p == "fro" else p, dim, keepdim, dtype)
    samples = [((3, 4),), ((3, 4), 1), ((3, 4), 3, 0), ((3, 4), math.inf, 1)]


def _nuclear(input, dim, keepdim):
    """The sum of the singular values of the matrices in two dimensions."""
    dims = (0, 1) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if len(dims) != 2 or dim is None and input._form.ndim != 2:
        fail(RuntimeError, f"norm(): the nuclear norm takes matrices, got dim={dim} and shape "
             f"{list(input._form.shape)}",
             "give the two dimensions of the matrices as dim=")
    first, second = (wrap_dim(d, input._form.ndim) for d in dims)
    found = FUNCTIONS["linalg.svdvals"](input.movedim((first, second), (-2, -1))).sum(-1)
    if keepdim:
        for d in sorted((first, second)):
            found = found.unsqueeze(d)
    return found


@op
class renorm:
    """Each slice along `dim` scaled down to a p-norm of at most `maxnorm`."""
    tags = INPLACE

    def compose(input, p, dim, maxnorm):
        if input._form.ndim < 2:
            fail(RuntimeError, f"renorm(): input needs at least 2 dimensions, got {input._form.ndim} dimensions")
        if not p > 0:
            fail(RuntimeError, f"renorm(): non-positive norm not supported, got p={p}")
        if maxnorm < 0:
            fail(RuntimeError, f"renorm(): expected maxnorm to be >= 0 but got {maxnorm}")
        kept = wrap_dim(dim, input._form.ndim)
        sizes = _vector_norm(input, p, tuple(d for d in range(input._form.ndim) if d != kept), True)
        small = (sizes > maxnorm).logical_not()         # a slice whose norm is NaN stays
        # the small number keeps the result from exceeding maxnorm by rounding
        return input * (maxnorm / (sizes + 1e-7)).masked_fill(small, 1).to(input.dtype)
    samples = [((3, 4), 2, 0, 0.5)]


@op
class dist:
    """The p-norm of x - y."""

    def compose(input, other, p=2):
        return _vector_norm(input - other, p)
    samples = [((3, 4), (3, 4)), ((3, 4), (4,), 3)]


def distance(off, p):
    """The p-norms of differences along the last dimension; for p = 0 how many there are, NaN where one is unknown."""
    return _vector_norm(off, p, -1) if p else off.abs().ceil().clamp(max=1).sum(-1)


@op
class cdist:
    """The p-norm distance between each row of x1 and each row of x2, batched."""
    autocast = "float32"
    method = False

    def compose(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
        _check_rows(x1, x2, p, compute_mode)
        batch = broadcast_shapes(x1._form.shape[:-2], x2._form.shape[:-2])
        if x1._form.shape[:-2] != batch:
            x1 = x1.expand((*batch, *x1._form.shape[-2:]))
        if x2._form.shape[:-2] != batch:
            x2 = x2.expand((*batch, *x2._form.shape[-2:]))
        if p != 2:
            if x1._form.shape[-1] == 0:
                return x1.new_zeros((*batch, x1._form.shape[-2], x2._form.shape[-2]))
            return distance(x1.unsqueeze(-2) - x2.unsqueeze(-3), p)      # (..., P, R)
        many = x1._form.shape[-2] > 25 or x2._form.shape[-2] > 25
        product = compute_mode == "use_mm_for_euclid_dist" or many and compute_mode != "donot_use_mm_for_euclid_dist"
        return _euclid(x1, x2, product)
    samples = [((3, 4), (5, 4)), ((2, 3, 4), (2, 5, 4), 1.0)]


def _check_rows(x1, x2, p, compute_mode):
    first, second = list(x1._form.shape), list(x2._form.shape)
    for which, shape in (("X1", first), ("X2", second)):
        if not (x1 if which == "X1" else x2).dtype.is_floating_point:
            fail(RuntimeError, f"cdist(): only supports floating-point dtypes, {which} got: "
                 f"{(x1 if which == 'X1' else x2).dtype}")
        if len(shape) < 2:
            fail(RuntimeError, f"cdist(): only supports at least 2D tensors, {which} got: {len(shape)}D",
                 "give matrices whose rows are the points")
    if first[-1] != second[-1]:
        fail(RuntimeError, f"cdist(): X1 and X2 must have the same number of columns. X1: {first[-1]} X2: {second[-1]}")
    if p < 0:
        fail(RuntimeError, f"cdist(): only supports non-negative p values, got {p}")
    if compute_mode not in ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist",
                            "donot_use_mm_for_euclid_dist", None):
        fail(ValueError, f"cdist(): {compute_mode} is not a valid value for compute_mode")


@op
class _euclid:
    """Euclidean distances between rows, through a matrix product when there are many."""
    method, inputs, node_name = False, "x y", "EuclideanDistBackward0"

    def forward(x, y, product):
        with np.errstate(all="ignore"):
            if not product or x.shape[-1] == 0:
                off = quiet(np.subtract, x[..., :, None, :], y[..., None, :, :])
                found = reduce_norm(off, off.ndim - 1, False, 2.0)
                if found is not None:
                    return found
                return np.sqrt(in_one_piece(np.add.reduce(off * off, axis=-1)))
            squares = in_one_piece(np.matmul(x, np.swapaxes(y, -1, -2)))
            squares *= -2
            squares += np.add.reduce(x * x, axis=-1, keepdims=True)
            squares += np.add.reduce(y * y, axis=-1)[..., None, :]
            return np.sqrt(np.maximum(squares, 0, out=squares), out=squares)

    def shape(x, y, product):
        return (*x.shape[:-1], y.shape[-2]), x.dtype

    def grads(g, x, y, out):
        weight = (g / out).masked_fill(out == 0, 0)         # (..., P, R)
        grad_x = x * weight.sum(-1, True) - weight @ y
        return grad_x, y * weight.sum(-2).unsqueeze(-1) - weight.transpose(-1, -2) @ x
    samples = [((2, 3, 4), (2, 5, 4), False), ((2, 3, 4), (2, 5, 4), True)]
