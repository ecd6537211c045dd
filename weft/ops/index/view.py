# compiled, -O3
"""Basic indexing: the views that ints, slices, None and Ellipsis give, by the shortest road there is."""
import operator

import numpy as np

from weft.autograd.rows import of_row
from weft.core.errors import fail
from weft.core.modes import GRAD_OFF, SLOW
from weft.core.runtime import mode_bits
from weft.kernels.native import basic, strided
from weft.ops.core.record import record_short
from weft.ops.core.registry import KEEP_HALF, VIEW, op
from weft.tensor.tensor import needs_grad, wrap_view

SLOW_BITS = SLOW    # the same for Python, which can't see a C integer


# the ops; they differ in their nodes' names only, which say what the last step of the index was

def _view(x, index):
    return with_axes(x, x[index], index) if None in index else x[index]


def with_axes(x, made, index):
    """NumPy gives a new axis the stride 0; PyTorch that of the dimension after it, as it was before the index."""
    shape, strides, steps = x.shape, x.strides, list(made.strides)
    used = sum([i is not None and i is not Ellipsis for i in index])
    dim = out = 0
    for item in index:
        if item is None:
            steps[out] = shape[dim] * strides[dim] if dim < len(shape) else x.itemsize
            out += 1
        elif item is Ellipsis:
            dim, out = dim + len(shape) - used, out + len(shape) - used
        else:
            dim += 1
            if type(item) is slice:
                out += 1
    return strided(made, made.shape, tuple(steps), 0)


def _view_back(g, index, x_shape):
    return BACKWARD.compute([g, index, x_shape])


@op
class _get_item:
    """The view at an int along one dimension (and any slices)."""
    tags, method, node_name = VIEW, False, "SelectBackward0"
    forward = _view

    def grad_x(g, index, x_shape):
        if len(index) == 2 and index[1] is Ellipsis and type(index[0]) is int:
            made = of_row(x_shape, index[0], g)
            if made is not None:
                return made
        return _view_back(g, index, x_shape)
    samples = [((3, 2), (1, ...))]


@op
class _get_range:
    """The view of a range along one dimension or more."""
    tags, method, node_name = VIEW, False, "SliceBackward0"
    forward, grad_x = _view, _view_back
    samples = [((3, 2), (slice(1, 3), ...))]


@op
class _get_new_axis:
    """The view with dimensions of length 1 put in by None."""
    tags, method, node_name = VIEW, False, "UnsqueezeBackward0"
    forward, grad_x = _view, _view_back
    samples = [((3, 2), (None, ...))]


@op
class _get_whole:
    """The view of the whole: x[...]."""
    tags, method, node_name = VIEW, False, "AliasBackward0"

    def forward(x, index):
        return x[index]

    def grad_x(g):
        return g
    samples = [((3, 2), (...,))]


@op
class _get_backward:
    """Zeros of a shape with g at an index: the gradient of a view."""
    tags, method, node_name = KEEP_HALF, False, "SliceBackwardBackward0"

    def forward(g, index, shape):
        made = np.zeros(shape, g.dtype)
        made[index] = g
        return made

    def shape(g, index, shape):
        return shape, g.dtype

    def grad_g(g, index):
        return SLICE.compute([g, index])
    samples = [((2,), (1, ...), [3, 2])]


SELECT, SLICE, NEW_AXIS, ALIAS, BACKWARD = (_get_item.op, _get_range.op, _get_new_axis.op, _get_whole.op,
                                            _get_backward.op)


# the road

def view_at(op, x, index):
    """The view x[index], made by one of the ops above, with as few steps as can be."""
    bits = mode_bits()
    array = None if bits & SLOW or x._on_meta or x._owed is not None else basic(x._form, index)
    if array is None:
        return view_of_any(op, x, index)
    values = [x, index]
    if bits & GRAD_OFF:
        return wrap_view(array, x, op, values, 0, 1)
    out = wrap_view(array, x, op, values, 0, 0)
    if needs_grad(x):
        record_short(op, 1, x, index, out)
    return out


def view_of_any(op, x, index):
    """The same by the general road, which takes every tensor, and slices of whatever can be an index."""
    for item in index:
        if type(item) is slice:
            index = tuple([convert_slice(item) if type(item) is slice else item for item in index])
            break
    try:
        return op.compute([x, index])
    except IndexError:
        explain(x._form.shape, index)
        raise


def convert_slice(item):
    """A slice of ints and None with a positive step."""
    step = None if item.step is None else operator.index(item.step)
    if step is not None and step <= 0:
        fail(ValueError, "step must be greater than zero" if step else "slice step cannot be zero",
             "use flip() to turn a dimension around")
    try:
        start = None if item.start is None else operator.index(item.start)
        stop = None if item.stop is None else operator.index(item.stop)
    except TypeError:
        raise TypeError("slice indices must be integers or None or have an __index__ method") from None
    return slice(start, stop, step)


# refusing an index

def explain(shape, index):
    """Say in PyTorch's words what is wrong with a basic index that NumPy refused."""
    items = [i for i in index if i is not Ellipsis and i is not None]
    if len(items) > len(shape):
        too_many(shape, items)
    dots = next((i for i, item in enumerate(index) if item is Ellipsis), len(index))
    front = sum(i is not None for i in index[:dots])
    for k, item in enumerate(items):
        at = k if k < front else len(shape) - len(items) + k
        if not isinstance(item, slice) and not -shape[at] <= item < shape[at]:
            out_of_bounds(item, at, shape[at])


def too_many(shape, items):
    if not shape and len(items) == 1 and type(items[0]) is int:
        fail(IndexError, "invalid index of a 0-dim tensor. Use `tensor.item()` in Python to convert a 0-dim tensor to "
             "a number",
             "call item() on it")
    if not shape and len(items) == 1 and type(items[0]) is slice:
        fail(IndexError, "slice() cannot be applied to a 0-dim tensor.", "give it a dimension first: x[None]")
    fail(IndexError, f"too many indices for tensor of dimension {len(shape)}", f"the tensor's shape is {list(shape)}")


def out_of_bounds(i, dim, size):
    fail(IndexError, f"index {i} is out of bounds for dimension {dim} with size {size}",
         f"indices along that dimension go from {-size} to {size - 1}" if size else "that dimension is empty")
