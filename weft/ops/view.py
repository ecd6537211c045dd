"""Views: the same memory, seen with another shape."""
import numpy as np

from weft.core.size import infer_size, wrap_dim
from weft.kernels.native import transpose as swap
from weft.ops.registry import VIEW, op


@op
class transpose:
    """The view with two dimensions exchanged."""
    tags = VIEW
    names = "transpose swapaxes swapdims"
    aliases = {"axis0": "dim0", "axis1": "dim1"}

    def forward(x, dim0, dim1):
        return swap(x, wrap_dim(dim0, x.ndim), wrap_dim(dim1, x.ndim))

    def grad_x(g, dim0, dim1):
        return g.transpose(dim0, dim1)
    samples = [((2, 3, 4), 0, -1)]


@op
class unsqueeze:
    """The view with a dimension of length 1 put in at `dim`."""
    tags = VIEW

    def forward(x, dim):
        return np.expand_dims(x, wrap_dim(dim, x.ndim + 1))

    def grad_x(g, dim, x):
        return g.squeeze(dim if dim >= 0 else dim + x.array.ndim + 1)
    samples = [((2, 3), 1), ((), 0)]


@op
class expand:
    """The view with dimensions of length 1 repeated, without copying."""
    tags = VIEW
    pack = "size"

    def forward(x, size, *, implicit=False):
        shape = _expanded(x.shape, size)
        strides = (0,) * (len(shape) - x.ndim) + tuple(
            0 if n == 1 and m != 1 else s for n, m, s in zip(x.shape, shape[len(shape) - x.ndim:], x.strides))
        return np.lib.stride_tricks.as_strided(x, shape, strides)

    def grad_x(g, x):
        return g.sum_to_size(x.array.shape)
    samples = [((3, 1), (3, 4)), ((3,), (2, 3))]


def _expanded(shape, size):
    lead = len(size) - len(shape)
    if lead < 0:
        raise RuntimeError(f"expand: the number of sizes provided ({len(size)}) must be greater or equal to the number of "
                           f"dimensions in the tensor ({len(shape)})")
    full = []
    for i, n in enumerate(size):
        own = shape[i - lead] if i >= lead else 1
        if n == -1 and i >= lead:
            n = own
        if n < 0 or own != n and own != 1:
            raise RuntimeError(f"expand: the expanded size of the tensor ({n}) must match the existing size ({own}) at "
                               f"non-singleton dimension {i}. Target sizes: {list(size)}. Tensor sizes: {list(shape)}")
        full.append(int(n))
    return tuple(full)
