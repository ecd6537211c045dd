# compiled
"""What reductions share: dimensions, types, and the way back from a reduced shape."""
import numpy as np

from weft.autograd.faces import Face, kept
from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.size import wrap_dim, wrap_dims
from weft.kernels.native import spread as spread_view
from weft.ops.core.promotion import cast
from weft.ops.core.registry import VIEW, op

F4, F8, I8 = np.dtype("f4"), np.dtype("f8"), np.dtype("i8")
# what PyTorch's messages call the integer types
TYPE_NAMES = {"int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool"}
BLOCK = 128     # rows that are added one after the other before the partial sums are added


def axes_of(dim, ndim):
    """NumPy's `axis` for torch's `dim`: None and () are all dimensions."""
    if dim is None or isinstance(dim, (tuple, list)) and not dim:
        return None
    dims = wrap_dims(dim, ndim)
    return dims if ndim else None


def count_along(shape, dim):
    """How many elements are reduced to one."""
    n = 1
    for d in (range(len(shape)) if dim is None or isinstance(dim, (tuple, list)) and not dim
              else wrap_dims(dim, len(shape))):
        if len(shape):
            n *= shape[d]
    return n


def reduction_face(title, node):
    """A reduction's node by PyTorch's names: number 0 of all elements, 1 along dimensions."""
    saved = kept(node)
    if not saved:
        return Face(title + "Backward0")
    values = {key: saved[own] for key, own in (("self", "x"), ("result", "out")) if own in saved}
    if "x_shape" in saved:
        values["self_sym_sizes"] = tuple(saved["x_shape"])
    dim = saved["dim"]
    if dim is None:
        return Face(title + "Backward0", saved=values)
    dims = dim if title == "Prod" else (dim,) if isinstance(dim, int) else tuple(dim)
    return Face(title + "Backward1", saved={"dim": dims, "keepdim": saved["keepdim"], **values})


def spread(g, shape, dim, keepdim):
    """A reduced gradient, viewed at the shape before the reduction."""
    if dim is not None and not (isinstance(dim, (tuple, list)) and not dim):
        dim = wrap_dims(dim, len(shape))
        if len(dim) >= len(shape):      # a zero-dim tensor has one dimension to name and none to reduce
            dim = None
    else:
        dim = None
    return _spread(g, shape, dim, keepdim)


@op
class _spread:
    """The view of a reduced tensor at the shape before the reduction over `dims` (None: all), which are repeated."""
    tags, method, node_name = VIEW, False, "ExpandBackward0"

    def forward(x, shape, dims, keepdim):
        return spread_view(x, shape, dims, keepdim)

    def grad_x(g, dims, keepdim):
        return g.sum(dims, keepdim)
    samples = [((2,), (2, 3), (1,), False), ((2, 1), (2, 3), (1,), True), ((), (2, 3), None, False)]


def restore(t, shape, dim, keepdim):
    """A reduced tensor with its dimensions of length 1 back in place."""
    if len(shape) and not keepdim:
        for d in sorted(wrap_dims(None if isinstance(dim, (tuple, list)) and not dim else dim, len(shape))):
            t = t.unsqueeze(d)
    return t


def working(dtype):
    """The NumPy type to compute a result of `dtype` in: half types are summed in float32."""
    found = dtypes.of_type(dtype)
    return F4 if found.is_half else found.np


def finished(array, dtype):
    """A result computed in `working(dtype)`, in the type that was asked for."""
    if dtype is None:
        return array
    target = dtypes.of_type(dtype).np
    return array if array.dtype == target else cast(np.asarray(array), target)


def need_float(x, name):
    """Integers have no `name`."""
    if x.dtype.kind in "biu":
        fail(RuntimeError, f"{name}(): could not infer output dtype. Input dtype must be either a floating point or "
             f"complex dtype. Got: {TYPE_NAMES.get(x.dtype.name, x.dtype.name)}",
             f"convert it first: x.float().{name}(...)")


def need_one(x, axis, name):
    """A dimension of length zero has no greatest element, no median and no index."""
    if x.ndim and x.shape[axis] == 0:
        fail(IndexError, f"{name}(): Expected reduction dim {axis} to have non-zero size, got shape {list(x.shape)}.",
             "reduce over a dimension that holds something")


def need_real(x, name, kind=NotImplementedError):
    """Complex numbers have no order."""
    if x.dtype.kind == "c":
        fail(kind, f"{name}(): '{name}' not implemented for complex input, got {dtypes.of_array(x.dtype)}",
             "take abs(), real or imag first")


def total(x, axes, keepdim):
    """np.sum for floats, exact for many rows too: NumPy adds contiguous elements pairwise, others one by one."""
    if x.dtype != F4 or x.size < 65536 or axes is None and (x.flags.c_contiguous or x.flags.f_contiguous):
        with np.errstate(all="ignore"):     # inf - inf
            return in_one_piece(np.add.reduce(x, axis=axes, keepdims=keepdim))
    if axes is None:
        axes = tuple(range(x.ndim))
    axes = axes if isinstance(axes, tuple) else (axes,)
    with np.errstate(all="ignore"):
        for axis in sorted(axes, reverse=True):
            x = _total_along(x, axis)
    return in_one_piece(x if keepdim else x.squeeze(axes))


def _total_along(x, axis):
    n = x.shape[axis]
    if n <= 4 * BLOCK or x.strides[axis] == x.itemsize:
        return np.add.reduce(x, axis=axis, keepdims=True)
    rows = np.moveaxis(x, axis, 0)
    whole = n - n % BLOCK
    parts = np.add.reduce(rows[:whole].reshape((-1, BLOCK, *rows.shape[1:])), axis=1)
    found = _total_along(parts, 0)[0] + np.add.reduce(rows[whole:], axis=0)
    return np.expand_dims(found, axis)


def in_one_piece(found):
    """A reduction's result in C order, as PyTorch lays it out; NumPy keeps the input's."""
    return np.asarray(found, order="C")


def lone(dim, ndim, name):
    """The one dimension an op takes, counted from the front."""
    if isinstance(dim, (tuple, list)):
        fail(TypeError, f"{name}(): argument 'dim' must be int, not {type(dim).__name__}",
             f"give one dimension, got {dim}")
    return wrap_dim(dim, ndim)
