# compiled, -Og
"""Choosing one element (or some) along a dimension by index, and the way back: what max, sort, topk, median share."""
import numpy as np

from weft.core.size import wrap_dim
from weft.kernels import fast
from weft.ops.core.registry import op
from weft.ops.core.samples import data, ints
from weft.ops.index.arrays import contiguous


def placed(g, indices, shape, dim, keepdim):
    """The gradient of a choice along `dim`: `g` at the chosen places of zeros of this shape."""
    if not shape:
        return g
    dim = wrap_dim(dim, len(shape))
    if not keepdim:
        g, indices = g.unsqueeze(dim), indices.unsqueeze(dim)
    return _place(g, indices, dim, shape[dim])


def take(x, indices, axis):
    """np.take_along_axis, for zero-dim arrays too."""
    if not x.ndim:
        return x.copy()
    found = fast.gather(x, axis % x.ndim, indices)
    return contiguous(np.take_along_axis(x, indices, axis)) if found is None else found


def _grown(shape, axis, n):
    """A shape with n along an axis."""
    return (*shape[:axis], n, *shape[axis + 1:])


def _zeros(x, axis, n):
    """Zeros of x's shape, with n along an axis."""
    shape = _grown(x.shape, axis, n)
    made = fast.filled(shape, np.zeros((), x.dtype))
    return np.zeros(shape, x.dtype) if made is None else made


@op
class _pick:
    """The elements of `x` at `indices` along `dim`; the other dimensions agree."""
    method, node_name = False, "GatherBackward0"

    def forward(x, indices, dim):
        return take(x, indices, dim)

    def shape(x, indices, dim):
        return indices.shape if x.shape else (), x.dtype

    def grad_x(g, x_shape, indices, dim):
        return _place(g, indices, dim, x_shape[dim]) if x_shape else g
    samples = [((3, 2), ints(1, 2, below=3), 0), ((), ints(below=1), 0)]


@op
class _place:
    """Zeros with `x` added in at `indices` along `dim`, of length `n` there."""
    method, node_name = False, "ScatterAddBackward0"

    def forward(x, indices, dim, n):
        axis = dim % x.ndim
        made = _zeros(x, axis, n)
        if fast.scatter(made, axis, indices, x, 1, True, True):
            return made
        if x.shape[axis] == 1:
            np.put_along_axis(made, indices, x, axis)
        else:
            places = list(np.ogrid[tuple(map(slice, x.shape))])
            places[axis] = indices
            np.add.at(made, tuple(places), x)
        return made

    def shape(x, indices, dim, n):
        return _grown(x.shape, dim % x.ndim, n), x.dtype

    def grad_x(g, indices, dim):
        return _pick(g, indices, dim)
    samples = [((1, 2), ints(1, 2, below=3), 0, 3), ((2, 2), ints(2, 2, below=3), 1, 3)]


@op
class _place_once:
    """Like `_place` where no index stands twice: written, not added."""
    method, node_name = False, "ScatterBackward0"

    def forward(x, indices, dim, n):
        axis = dim % x.ndim
        made = _zeros(x, axis, n)
        if not fast.scatter(made, axis, indices, x, 0, True, True):
            np.put_along_axis(made, indices, x, axis)
        return made

    def shape(x, indices, dim, n):
        return _grown(x.shape, dim % x.ndim, n), x.dtype

    def grad_x(g, indices, dim):
        return _pick(g, indices, dim)
    samples = [((2, 2), data([[0, 2], [1, 0]]), 1, 3)]


def placed_many(g, indices, shape, dim):
    """The gradient of a choice of several different places along `dim`."""
    if not shape:
        return g.reshape(())
    return _place_once(g, indices, dim, shape[dim])
