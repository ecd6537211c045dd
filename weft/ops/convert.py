"""Copies and conversions: clone, copy_, to and its short names."""
import numpy as np

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.ops.apply import cast
from weft.ops.registry import INPLACE, KEEP_HALF, op
from weft.tensor.tensor import OPS, Tensor, wrap


@op
class clone:
    """A copy in its own memory, still in the graph."""
    tags = KEEP_HALF

    def forward(x, *, memory_format=None):
        return x.copy(order="K")

    def grad_x(g):
        return g
    samples = [((2, 3),), ((),)]


@op
class _cast:
    """The same values in another type."""
    tags, node_name, method = KEEP_HALF, "ToCopyBackward0", False

    def forward(x, dtype):
        return cast(x, dtype.np)

    def grad_x(g, x):
        return g.to(x.dtype)


@op
class copy:
    """Fill a tensor with another one's values, converted and broadcast."""
    tags = KEEP_HALF

    def forward(x, src, non_blocking=False):
        made = np.empty_like(x)
        np.copyto(made, cast(src, x.dtype) if src.dtype != x.dtype else src, casting="unsafe")
        return made

    def write(x, src, non_blocking=False):
        np.copyto(x, cast(src, x.dtype) if src.dtype != x.dtype else src, casting="unsafe")

    def grad_x(g):
        return g.zeros_like()

    def grad_src(g, src):
        g = g.sum_to_size(src.array.shape)
        return g if g.array.dtype == src.array.dtype else g.to(src.dtype)


def copy_like(t, array):
    """A copy of a tensor's values with an array's strides."""
    made = np.empty_like(array, dtype=t.array.dtype)
    np.copyto(made, t.array)
    return wrap(made)


def copy_strided(t, shape, strides):
    """A copy laid out as given, in the graph where grad mode is on."""
    return t.clone()


OPS.copy_like, OPS.copy_strided = copy_like, copy_strided
