# compiled, -Og
"""Choosing by a condition, finding what is not zero, and filling with one value."""
import warnings

import numpy as np

from weft.core.errors import fail
from weft.core.layout import empty_as
from weft.core.size import broadcast_shapes
from weft.core.spec import like
from weft.kernels import fast
from weft.kernels.native import number
from weft.ops.core.promotion import DEFAULT
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.ops.index.arrays import contiguous, type_name, value_array
from weft.ops.index.forms import need_tensor, zeros_of
from weft.ops.pointwise.base import empty_for
from weft.tensor.names import method
from weft.tensor.tensor import Tensor, wrap


def a_condition():
    return wrap(np.array([[True], [False], [True]]))


# where

def _chosen(condition, x, y):
    found = fast.where(condition, x, y)
    if found is None:
        chosen = np.where(condition, x, y)
        found = empty_for(chosen.dtype, condition, np.asarray(x), np.asarray(y))        # in the order that PyTorch has
        found[...] = chosen
    return found


@op
class _where:
    """x where the condition is true, else y."""
    tags = frozenset(("pointwise", "keep_half", DEFAULT))
    promotes, method, node_name = "x y", False, "WhereBackward0"
    chain, forward = "where condition x y", _chosen

    def grad_x(g, condition):
        return _where.op.compute([condition, g, 0])

    def grad_y(g, condition):
        return _where.op.compute([condition, 0, g])
    samples = [(a_condition(), (3, 2), (2,)), (a_condition(), (3, 2), 1.5)]


@op
class _where_same:
    """The same for tensors of one type, which need no promotion."""
    tags, method, node_name = frozenset(("pointwise", "keep_half")), False, "WhereBackward0"
    chain, forward = "where condition x y", _chosen

    def grad_x(g, condition):
        return _where.op.compute([condition, g, 0])

    def grad_y(g, condition):
        return _where.op.compute([condition, 0, g])
    samples = [(a_condition(), (3, 2), (2,))]


def checked_condition(condition):
    need_tensor(condition, "where", "condition")
    kind = condition._form.dtype.char
    if kind == "?":
        return condition
    if kind == "B":
        warnings.warn("where received a uint8 condition tensor. This behavior is deprecated and will be removed in a "
                      "future version of PyTorch. Use a boolean condition instead.", UserWarning, stacklevel=5)
        return condition != 0
    fail(RuntimeError, f"where expected condition to be a boolean tensor, but got a tensor with dtype "
         f"{type_name(condition._form)}",
         "compare with something, or use .bool()")


@op
class where:
    """`input` where `condition` is true, else `other`; with the condition alone, the indices of what is true."""
    method = False

    def compose(condition, input=None, other=None):
        if input is None or other is None:
            if input is other:
                return nonzero(condition, as_tuple=True)
            raise TypeError("where() received an invalid combination of arguments: give a condition alone, or with "
                            "both input and other")
        condition = checked_condition(condition)
        shapes_fit(condition, input, other)
        if isinstance(input, Tensor) and isinstance(other, Tensor) and input._form.dtype == other._form.dtype:
            return _where_same.op.compute([condition, input, other])
        return _where.op.compute([condition, input, other])
    samples = [(a_condition(), (3, 2), (2,))]


def shapes_fit(*operands):
    """The error of shapes that don't broadcast, before NumPy words it."""
    shapes = [t._form.shape for t in operands if isinstance(t, Tensor)]
    if shapes.count(shapes[0]) != len(shapes):
        broadcast_shapes(*shapes)


def _where_method(self, condition, other):
    """This tensor where `condition` is true, else `other`.

    >>> import weft
    >>> x = weft.tensor([1.0, -2.0])
    >>> x.where(x > 0, 0.0)
    tensor([1., 0.])
    """
    return where(condition, self, other)


method(_where_method, "where")


# nonzero

def places_of_nonzero(x):
    """(n, ndim) indices, in PyTorch's order in memory: dimension by dimension."""
    if x.dtype.kind == "V":
        x = x.astype(np.float32)
    made = fast.nonzero(contiguous(x)) if x.ndim else None
    if made is not None:
        return made.T
    found = np.nonzero(x.reshape(1) if x.ndim == 0 else x)
    return np.stack(found).T if x.ndim else np.zeros((len(found[0]), 0), np.int64)


@op
class _nonzero:
    """The indices of what is not zero, one row for each."""
    reads = "x"
    tags, method = NOGRAD | KEEP_HALF, False

    def forward(x):
        return places_of_nonzero(x)
    samples = [((3, 2),)]


@op
class nonzero:
    """The indices of what is not zero: one row for each, or with as_tuple one tensor for each dimension."""
    def compose(input, *, as_tuple=False):
        need_tensor(input, "nonzero", "input")
        if not as_tuple:
            return _nonzero(input)
        return _nonzero(input if input._form.ndim else input.unsqueeze(0)).unbind(1)
    samples = [((3, 2),)]


@op
class nonzero_static:
    """The indices of the first `size` elements that are not zero; rows that are missing hold `fill_value`."""
    def compose(input, *, size, fill_value=-1):
        need_tensor(input, "nonzero_static", "input")
        if size < 0:
            fail(RuntimeError, f"nonzero_static: 'size' must be an non-negative integer, got {size}",
                 "give the number of rows wanted")
        return _nonzero_static(input, size, fill_value)
    samples = [((3, 2), {"size": 4}), ((3, 2), {"size": 8, "fill_value": 0})]


@op
class _nonzero_static:
    """nonzero of a number of rows that is known beforehand."""
    tags, method = NOGRAD | KEEP_HALF, False

    def forward(x, size, fill_value):
        found = places_of_nonzero(x)[:size]
        made = np.full((size, x.ndim), fill_value, np.int64)
        made[:len(found)] = found
        return made

    def shape(x, size, fill_value):
        return (size, x.ndim), np.int64
    samples = [((3, 2), 4, -1), ((3,), 2, 7)]


@op
class argwhere:
    """The indices of what is not zero, one row for each."""
    def compose(input):
        need_tensor(input, "argwhere", "input")
        return _nonzero(input)
    samples = [((3, 2),)]


# fill

def fill_array(x, value):
    """x[...] = a zero-dim array of its type."""
    if not (fast.fill_with(x, value) or fast.copy_into(x, value)):
        x[...] = value


@op
class fill:
    """The tensor with every element replaced by `value`, a number or zero-dim tensor."""
    fills = True
    tags, method = KEEP_HALF, False     # only fill_ is one

    def forward(x, value):
        made = empty_as(x)
        fill_array(made, value_array(value, x.dtype, "fill_"))
        return made

    def shape(x, value):
        return like(x)

    def write(x, value):
        fill_array(x, value_array(value, x.dtype, "fill_"))

    def grad_x(g):
        return zeros_of(g)

    def grad_value(g):
        return g.sum()
    samples = [((3, 2), 1.5), ((3, 2), ())]


@op
class zero:
    """The tensor with every element replaced by 0."""
    fills = True
    tags, method = KEEP_HALF, False

    def forward(x):
        return empty_as(x, make=np.zeros)

    def shape(x):
        return like(x)

    def write(x):
        nothing = number(0, x.dtype)
        fill_array(x, np.zeros((), x.dtype) if nothing is None else nothing)

    def grad_x(g):
        return zeros_of(g)
    samples = [((3, 2),)]
