# compiled
"""linear and bilinear: a layer's product with its bias, forward and backward at once."""
import math

import numpy as np

from weft.autograd.factors import of_rows
from weft.core.errors import fail
from weft.core.modes import local
from weft.core.spec import Spec
from weft.kernels import fast
from weft.kernels.blocks import LARGE
from weft.kernels.native import copied as copied_small
from weft.kernels.native import dims, is_complex, is_half
from weft.kernels.native import matmul as native_product
from weft.kernels.native import shape as shape_of
from weft.ops.core.promotion import FLOAT32, cast
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.ops.core.samples import size
from weft.ops.core.unusual import run_half
from weft.ops.index.arrays import contiguous, copied
from weft.ops.linalg.matmul import product
from weft.ops.nn.faces import linear_face
from weft.ops.nn.norm_tools import recording, spread_over
from weft.ops.pointwise.base import quiet
from weft.ops.shape.view import reshaped
from weft.tensor.tensor import Tensor, wrap

# (x, weight, bias) -> x @ weight.T + bias with the bias added as the product is stored
NATIVE = getattr(fast, "linear", None)


@op
class linear:
    """x @ weight.T + bias: x (..., in), weight (out, in), bias (out)."""
    autocast = "lower"
    names, method, inputs, tags = "nn.functional.linear", False, "x weight bias", KEEP_HALF
    node_name, spends = "LinearBackward0", "x"
    steady = True

    def forward(x, weight, bias=None):
        if NATIVE is not None:
            found = NATIVE(x, weight, bias)
            if found is None and x.ndim > 1 and not x.flags.c_contiguous:
                found = NATIVE(copied(x), weight, bias)
            if found is not None:
                return found
        _check(x, weight, bias)
        if is_half(x):
            return run_half(linear.op, [x, weight, bias])
        made = _times_turned(x, weight)
        if bias is None:
            return made
        with np.errstate(all="ignore"):
            return np.add(made, bias, out=made) if made.ndim and bias.ndim <= made.ndim else made + bias

    def shape(x, weight, bias=None):
        _check(x, weight, bias)
        return (*x.shape[:-1], *weight.shape[:-1]), x.dtype

    def flops(values, outs):
        return 2 * math.prod(outs[0]) * values["weight"][-1]

    def grads(g, x, weight, bias_shape, needs):
        return _gradients(g, x, weight, bias_shape, needs)

    def looks(node):
        return linear_face(node)
    samples = [((3, 2), (4, 2), (4,)), ((2, 3, 2), (4, 2), (4,)), ((2,), (4, 2)), ((3, 2), (2,))]


def _gradients(g, x, weight, bias_shape, needs):
    """Those of the gradients for input, weight and bias that are needed, None for others."""
    if recording() or dims(weight._form) == 1 or is_complex(x._form):
        return _plain(g, x, weight, bias_shape, needs)
    kept = of_rows(g, x) if needs[1] else None
    if kept is None:
        if needs[0] and x._form.nbytes >= LARGE and local.run is not None and local.run.spent is x._form:
            return _over_the_input(g, x, weight, bias_shape, needs)
        return spread_over(GRAD.compute([g, x, weight, bias_shape, needs]), needs)
    # the weight's is kept as rows, which means that nobody looks on: without the op's road
    table = weight._form if weight._owed is None else weight._array
    found = _arrays_of_gradients(g._form, x._form, table, bias_shape, needs[0], False, needs[2])
    return (None if found[0] is None else wrap(found[0])), kept, (None if found[2] is None else wrap(found[2]))


def _over_the_input(g, x, weight, bias_shape, needs):
    """The same where nobody needs the input after this: its gradient comes last, into its memory."""
    others = False, needs[1], needs[2]
    found = spread_over(GRAD.compute([g, x, weight, bias_shape, others]), others) if needs[1] or needs[2] \
        else [None, None, None]
    if fast.product_into(_rows(g._array), weight._array, _rows(x._form)):
        found[0] = wrap(x._form)
    else:
        found[0] = GRAD.compute([g, x, weight, bias_shape, (True, False, False)])[0]
    return found


def _check(x, weight, bias):
    """Say in the user's terms why the shapes or types don't fit."""
    if weight.ndim > 2 or weight.ndim == 0 or x.ndim == 0:
        fail(RuntimeError, f"linear: the weight must be a matrix (out, in), got an input {list(x.shape)} and a weight "
             f"{list(weight.shape)}; "
             "t() expects a tensor with <= 2 dimensions", "reshape them")
    if x.shape[-1] != weight.shape[-1]:
        takes, has = weight.shape[-1], x.shape[-1]
        out = weight.shape[0] if weight.ndim == 2 else 1
        shape = f", its shape is {list(x.shape)}" if x.ndim > 2 else ""
        fix = f"make the layer Linear({has}, {out}), or give it {takes} features"
        if x.ndim > 2 and math.prod(x.shape[1:]) == takes:
            fix = "flatten each sample first: input.flatten(1)"
        fail(RuntimeError, f"linear: the input has {has} features, the weight takes {takes}{shape}", fix)
    for other in (weight, bias):
        if other is not None and other.dtype != x.dtype:
            fail(RuntimeError, f"linear: expected m1 and m2 to have the same dtype, but got: {x.dtype.name} != "
                 f"{other.dtype.name}", types_advice(x.dtype, other.dtype))
    if bias is not None:
        shape = (*x.shape[:-1], *weight.shape[:-1])
        if weight.ndim == 1 and bias.ndim:
            fail(RuntimeError, f"linear: a weight of one dimension takes a bias of none, got {list(bias.shape)}")
        try:
            fits = np.broadcast_shapes(bias.shape, shape) == shape
        except ValueError:
            fits = False
        if not fits:
            fail(RuntimeError, f"linear: the bias has {bias.shape[-1] if bias.ndim else 1} elements, the weight gives "
                 f"{weight.shape[0]}: the expanded size of the tensor must match the existing size ({list(bias.shape)} "
                 f"for {list(shape)})",
                 f"give a bias of {weight.shape[0]}")


def types_advice(given, own):
    """What to do about an input that isn't of the weights' type: most often it is the one to convert."""
    if own == np.float32:
        return "convert the input: input.float()" + (", or the layer: layer.double()" if given == np.float64 else "")
    return f"convert the input: input.to(torch.{own.name}), or the layer: layer.float()"


def _rows(x):
    """All rows of a stack as one long matrix."""
    return x if x.ndim == 2 else reshaped(x, (math.prod(x.shape[:-1]), x.shape[-1]))


def _times_turned(x, weight):
    """x @ weight.T."""
    if weight.ndim == 1:
        return np.asarray(product(x, weight)) if x.ndim > 1 else np.asarray(np.dot(x, weight))
    rows = _rows(x)
    made = native_product(rows, weight, False, True)
    if made is None:
        made = product(rows, weight.swapaxes(0, 1))
    return made if x.ndim == 2 else made.reshape(*x.shape[:-1], weight.shape[0])


@op
class _linear_grad:
    """Those of the gradients for input, weight and bias that are needed, at once; x is that of the output."""
    method, tags, node_name = False, NOGRAD | KEEP_HALF, "LinearBackwardBackward0"
    steady = True

    def forward(x, input, weight, bias_shape, needs):
        found = _arrays_of_gradients(x, input, weight, bias_shape, needs[0], needs[1], needs[2])
        return [made for made in found if made is not None]

    def shape(x, input, weight, bias_shape, needs):
        shapes = input.shape, weight.shape, bias_shape
        return [Spec(shape, x.dtype) for shape, needed in zip(shapes, needs) if needed]

    def flops(values, outs):
        # x is the gradient (..., out); one product for the input, one for the weight
        products = bool(values["needs"][0]) + bool(values["needs"][1])
        return 2 * math.prod(values["x"]) * values["input"][-1] * products
    samples = [((3, 4), (3, 2), (4, 2), size(4), [True, True, True]),
               ((2, 3, 4), (2, 3, 2), (4, 2), size(3, 1), [True, False, True])]


GRAD = _linear_grad.op


def _arrays_of_gradients(g, x, weight, bias_shape, for_x, for_weight, for_bias):
    """(x's, the weight's, the bias's), None for those that aren't needed."""
    grad = turned = bias = None
    rows = g if dims(g) == 2 else _rows(g)
    if for_x:
        grad = native_product(rows, weight)
        if grad is None:
            grad = product(rows, weight)
        if dims(x) != 2:
            grad = grad.reshape(x.shape)
    if for_weight:
        inputs = _rows(x)
        turned = native_product(rows, inputs, True, False)
        if turned is None:
            turned = product(rows.swapaxes(0, 1), inputs)
    if for_bias:
        if len(bias_shape) == 1 and dims(rows) == 2 and shape_of(rows) == (1, bias_shape[0]):
            bias = copied_small(rows, bias_shape)
        if bias is None:
            bias = contiguous(_bias_grad(g, rows, bias_shape))
    return grad, turned, bias


def _bias_grad(g, rows, shape):
    if is_half(g):
        return cast(_bias_grad(cast(g, FLOAT32), cast(rows, FLOAT32), shape), g.dtype)
    if len(shape) == 1 and shape[0] == rows.shape[1]:
        found = fast.reduce_sum(rows, 0, False)
        return quiet(np.add.reduce, rows) if found is None else found       # over the first dimension
    lead = g.ndim - len(shape)
    axes = tuple(i for i in range(g.ndim) if i < lead or shape[i - lead] == 1 and g.shape[i] != 1)
    return quiet(lambda g: np.add.reduce(g, axis=axes), g).reshape(shape)


def _plain(g, x, weight, bias_shape, needs):
    """The gradients in Tensor ops."""
    grad_bias = g.sum_to_size(bias_shape) if needs[2] else None
    if weight._form.ndim == 1:
        g = g.unsqueeze(-1)
        weight = weight.unsqueeze(0)
        grad_x, grad_weight, _ = _plain(g, x, weight, None, (needs[0], needs[1], False))
        return grad_x, grad_weight if grad_weight is None else grad_weight.squeeze(0), grad_bias
    grad_x = g @ weight.conj() if needs[0] else None
    grad_weight = None
    if needs[1]:
        n = math.prod(x._form.shape[:-1])
        grad_weight = g.reshape((n, weight._form.shape[0])).transpose(0,
                                                                      1) @ x.reshape((n, weight._form.shape[1])).conj()
    return grad_x, grad_weight, grad_bias


@op
class bilinear:
    """x1 @ weight[o] @ x2 for each o, plus bias: x1 (..., in1), x2 (..., in2), weight (out, in1, in2), bias (out)."""
    names, method, autocast = "bilinear nn.functional.bilinear", False, "same"

    def compose(input1, input2, weight, bias=None):
        first, second, table = input1._form.shape, input2._form.shape, weight._form.shape
        _check_bilinear(first, second, table, bias)
        lead, (out, rows, columns) = first[:-1], table
        n = math.prod(lead)
        half = input1.reshape((n, rows)) @ weight.transpose(0, 1).reshape((rows, out * columns))
        made = (half.view((n, out, columns)) @ input2.reshape((n, columns, 1))).view((*lead, out))
        return made if bias is None else made + bias
    samples = [((2, 3), (2, 4), (5, 3, 4), (5,))]


def _check_bilinear(first, second, table, bias):
    if len(first) != len(second):
        fail(RuntimeError, f"bilinear(): input dimensions do not match: got {len(first)} and {len(second)}")
    if first[:-1] != second[:-1]:
        fail(RuntimeError, f"bilinear(): input batch dimensions do not match: got {list(first)} and {list(second)}")
    if len(table) != 3:
        fail(RuntimeError, f"bilinear(): the weight must be (out, in1, in2), got {list(table)}")
    for which, shape, at in (("input1", first, 1), ("input2", second, 2)):
        if shape[-1] != table[at]:
            fail(RuntimeError, f"bilinear(): {which} size does not match weight size: got {shape[-1]} but expected "
                 f"{table[at]}")
    if isinstance(bias, Tensor) and bias._form.shape[-1:] != table[:1]:
        fail(RuntimeError, f"bilinear(): bias size does not match weight size: got {bias._form.shape[-1]} but expected "
             f"{table[0]}")
