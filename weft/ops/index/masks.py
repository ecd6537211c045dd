# compiled, -Og
"""Masks: masked_fill, masked_scatter, masked_select."""
import math

import numpy as np

from weft.core.errors import fail
from weft.core.size import broadcast_shapes
from weft.kernels import fast
from weft.ops.core.registry import KEEP_HALF, op
from weft.ops.index.arrays import contiguous, copied, same_dtype, type_name, value_array
from weft.ops.index.forms import check_value, in_place, need_tensor
from weft.ops.index.view import _get_backward
from weft.tensor.tensor import Tensor, wrap

_C_NAMES = {"Float": "float", "Double": "double", "Long": "long int", "Int": "int", "Byte": "unsigned char"}


def bool_mask(mask, who, text="only supports boolean masks, but got mask with dtype"):
    need_tensor(mask, who, "mask")
    if mask._form.dtype.char != "?":
        name = type_name(mask._form)
        fail(RuntimeError, f"{who} {text} {_C_NAMES.get(name, name)}", "make it a mask with .bool() or a comparison")
    return mask


def spread(x, mask):
    """x at the shape that it and a mask broadcast to."""
    if x._form.shape == mask._form.shape:
        return x
    shape = broadcast_shapes(x._form.shape, mask._form.shape)
    return x if x._form.shape == shape else x.expand(shape)


def check_fits(x, mask, who):
    """In place, a mask must broadcast to the tensor."""
    own = x._form.shape
    if own == mask._form.shape:
        return
    shape = broadcast_shapes(own, mask._form.shape)
    if shape != own:
        fail(RuntimeError, f"{who}: output with shape {list(x._form.shape)} doesn't match the broadcast shape "
             f"{list(shape)}: The expanded size of the tensor must match the existing size",
             "use the form without _, which may grow")


def a_mask():
    return wrap(np.array([[True, False], [False, True], [True, True]]))


# masked_fill

@op
class _masked_fill:
    """x with a number or zero-dim tensor where mask is true."""
    fills = True
    tags, method, node_name = KEEP_HALF, False, "MaskedFillBackward0"
    chain = "where mask =value x"

    def forward(x, mask, value):
        value = value_array(value, x.dtype, "masked_fill_")
        found = fast.masked_fill(x, mask, value)
        if found is not None:
            return found
        made = np.array(x, order="C")       # PyTorch's result is contiguous, whatever x's strides
        np.copyto(made, value, where=mask)
        return made

    def shape(x, mask, value):
        return x.shape, x.dtype

    def write(x, mask, value):
        value = value_array(value, x.dtype, "masked_fill_")
        if fast.masked_fill_into(x, mask, value) is None:
            np.copyto(x, value, where=mask)

    def grad_x(g, mask):
        return _masked_fill.op.compute([g, mask, 0])

    def grad_value(g, mask):
        return g.where(mask, 0).sum()
    samples = [((3, 2), a_mask(), 1.5), ((3, 2), a_mask(), ())]


@op
class masked_fill:
    """The tensor with `value` where `mask` is true."""
    def compose(input, mask, value):
        need_tensor(input, "masked_fill", "input")
        if isinstance(value, Tensor) and value._form.dtype.kind == "c" and input._form.dtype.kind != "c":
            fail(RuntimeError, f"value cannot be converted to type {input.dtype} without overflow: it is complex",
                 "use value.real")
        return _masked_fill.op.compute([spread(input, bool_mask(mask, "masked_fill_")), mask, value])
    samples = [((3, 2), a_mask(), 1.5)]


def _fill_args(x, mask, value):
    check_fits(x, bool_mask(mask, "masked_fill_"), "masked_fill_")
    check_value(value, x._form.dtype, "masked_fill_")
    return mask, value


in_place("masked_fill_", masked_fill, _masked_fill.op, _fill_args)


# masked_select

def full_mask(mask, shape):
    """A mask at a shape, in one piece."""
    return contiguous(mask if mask.shape == shape else np.broadcast_to(mask, shape))


@op
class _masked_select:
    """The elements where mask is true, in one row."""
    reads = "mask"
    tags, method, node_name = KEEP_HALF, False, "MaskedSelectBackward0"

    def forward(x, mask):
        found = fast.masked_select(contiguous(x), full_mask(mask, x.shape))
        return found if found is not None else x[np.broadcast_to(mask, x.shape)].reshape(-1)

    def grad_x(g, mask, x_shape):
        return _masked_place(g, mask, x_shape)
    samples = [((3, 2), a_mask())]


@op
class _masked_place:
    """Zeros of a shape with g, in order, where mask is true."""
    tags, method = KEEP_HALF, False

    def forward(g, mask, shape):
        found = fast.masked_place(None, full_mask(mask, tuple(shape)), contiguous(g))
        if found is not None:
            return found
        made = np.zeros(shape, g.dtype)
        made[np.broadcast_to(mask, shape)] = g
        return made

    def shape(g, mask, shape):
        return shape, g.dtype

    def grad_g(g, mask):
        return _masked_select(g, mask)
    samples = [((4,), a_mask(), [3, 2])]


@op
class masked_select:
    """The elements where `mask` is true, in one row."""
    def compose(input, mask):
        need_tensor(input, "masked_select", "input")
        return _masked_select(spread(input, bool_mask(mask, "masked_select:", "expected BoolTensor for mask, got")),
                              mask)
    samples = [((3, 2), a_mask())]


# masked_scatter

def place(x, mask, source):
    """Put the first elements of source, in order, where mask is true."""
    if fast.masked_place(x, full_mask(mask, x.shape), contiguous(source)):
        return
    mask = np.broadcast_to(mask, x.shape)
    n = int(np.count_nonzero(mask))
    if n > source.size:
        fail(RuntimeError, f"masked_scatter: Number of elements of source < number of ones in mask ({source.size} < "
             f"{n})",
             "give a source with an element for each true one of the mask")
    x[mask] = source.reshape(-1)[:n]


@op
class _masked_scatter:
    """x with source's elements, in order, where mask is true."""
    tags, method, node_name = KEEP_HALF, False, "MaskedScatterBackward0"

    def forward(x, mask, source):
        made = copied(x)
        place(made, mask, source)
        return made

    def shape(x, mask, source):
        return x.shape, x.dtype

    def write(x, mask, source):
        place(x, mask, source.copy() if np.may_share_memory(x, source) else source)

    def grad_x(g, mask):
        return _masked_fill.op.compute([g, mask, 0])

    def grad_source(g, mask, source_shape):
        taken = _masked_select(g, mask)
        return _get_backward(taken, (slice(taken._form.size),), (math.prod(source_shape),)).reshape(source_shape)
    samples = [((3, 2), a_mask(), (5,))]


def _scatter_args(x, mask, source):
    bool_mask(mask, "masked_scatter_")
    need_tensor(source, "masked_scatter_", "source")
    same_dtype(x._form, source._form,
               "masked_scatter: expected self and source to have same dtypes but got {x} and {source}")
    check_fits(x, mask, "masked_scatter_")
    return mask, source


@op
class masked_scatter:
    """The tensor with the elements of `source`, in order, where `mask` is true."""
    def compose(input, mask, source):
        need_tensor(input, "masked_scatter", "input")
        x = spread(input, bool_mask(mask, "masked_scatter_"))
        return _masked_scatter(x, *_scatter_args(x, mask, source))
    samples = [((3, 2), a_mask(), (5,))]


in_place("masked_scatter_", masked_scatter, _masked_scatter.op, _scatter_args)
