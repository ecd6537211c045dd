# compiled, -O2
"""layer_norm and rms_norm: each row of the last dimensions normalised by its own statistics."""
import math

import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.spec import Spec
from weft.kernels import fast
from weft.kernels.native import is_half
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.ops.index.arrays import contiguous
from weft.ops.nn.norm_tools import (
    fused_grads,
    gradients,
    half_forward,
    half_grads,
    need_floating,
    need_same_type,
    normalized,
    plain_grads,
    recording,
    spread_over,
    stats_type,
)


def _check(name, x, shape, weight, bias):
    """Refuse what PyTorch refuses; called with Tensors."""
    if type(shape) is int:
        raise TypeError(f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not int\n  fix: "
                        f"give ({shape},)")
    shape, size = tuple(shape), x._form.shape
    n = len(shape)
    if n == 0:
        fail(RuntimeError, "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
             "element, but got normalized_shape = []", "name the last dimensions' sizes")
    if weight is not None and weight._form.shape != shape:
        _refuse_parameter("weight", weight, shape)
    if bias is not None and bias._form.shape != shape:
        _refuse_parameter("bias", bias, shape)
    if size[-n:] != shape:
        fail(RuntimeError, f"Given normalized_shape={list(shape)}, expected input with shape [*, "
             f"{', '.join(map(str, shape))}], but got input of size{list(size)}",
             f"make normalized_shape {list(size[-n:])}, or give it an input that ends with {list(shape)}")
    need_floating(x._form, "LayerNormKernelImpl" if name == "layer_norm" else name)
    if (weight is not None and weight._form.dtype != x._form.dtype or bias is not None
        and bias._form.dtype != x._form.dtype):
        need_same_type(x, weight, bias)


def _refuse_parameter(which, value, shape):
    fail(RuntimeError, f"Expected {which} to be of same shape as normalized_shape, but got {which} of shape "
         f"{list(value._form.shape)} and normalized_shape = {list(shape)}")


def _rows(x, lead):
    """x as a matrix: one row for each thing to be normalised."""
    rows = math.prod(x.shape[:lead])
    return x.reshape(rows, math.prod(x.shape[lead:]))


@op
class native_layer_norm:
    """(x normalised over its last dimensions, times weight plus bias; the means; 1 / the standard deviations)."""
    method, outputs, nondiff, inputs, node_name = (False, "result mean rstd", "mean rstd", "x weight bias",
                                                   "NativeLayerNormBackward0")
    tags = KEEP_HALF

    def check(x, normalized_shape, weight, bias, eps):
        _check("layer_norm", x, normalized_shape, weight, bias)
    steady = True

    def forward(x, normalized_shape, weight, bias, eps):
        if is_half(x):
            return half_forward(LAYER_NORM.forward, x, normalized_shape, weight, bias, eps)
        x, lead = contiguous(x), x.ndim - len(normalized_shape)
        found = fast.layer_norm(x, lead, weight, bias, eps)
        if found is not None:
            return found
        rows, stats = _rows(x, lead), x.shape[:lead] + (1,) * (x.ndim - lead)
        with np.errstate(all="ignore"):
            made, mean, rstd = normalized(rows, 1, eps) if x.size else (rows, np.zeros(stats), np.full(stats, math.nan))
            made = _affine(made.reshape(x.shape), weight, bias)
        return made, mean.astype(x.dtype).reshape(stats), rstd.astype(x.dtype).reshape(stats)

    def shape(x, normalized_shape, weight, bias, eps):
        stats = _stats(x, normalized_shape)
        return (x.shape, x.dtype), stats, stats

    def grads(g, x, normalized_shape, weight, mean, rstd, eps, needs):
        lead = x._form.ndim - len(normalized_shape)
        if recording():
            return _plain(g, x, weight, eps, lead, needs, True)
        return spread_over(ROWS_GRAD.compute([g, x, mean, rstd, weight, lead, needs]), needs)
    samples = [((2, 3, 4), [4], (4,), (4,), 1e-5), ((2, 3, 4), [3, 4], (3, 4), None, 1e-5)]


def _stats(x, normalized_shape):
    """The Spec of the statistics: the normalised dimensions are kept with length 1."""
    lead = x.ndim - len(normalized_shape)
    return x.shape[:lead] + (1,) * (x.ndim - lead), stats_type(x)


def _affine(x, weight, bias):
    if weight is not None:
        x = x * weight
    return x if bias is None else x + bias


def _plain(g, x, weight, eps, lead, needs, centred):
    """The gradients in Tensor ops."""
    n = x._form.ndim
    grad_x, grad_weight, grad_bias = plain_grads(g, x, weight, eps, tuple(range(lead, n)), tuple(range(lead)), needs,
                                                 centred) \
        if lead else plain_grads(g.unsqueeze(0), x.unsqueeze(0), weight, eps, tuple(range(1, n + 1)), (0,), needs,
                                 centred)
    shape = x._form.shape[lead:]
    return (grad_x if lead or grad_x is None else grad_x.squeeze(0), None if grad_weight is None
            else grad_weight.view(shape), None if grad_bias is None else grad_bias.view(shape))


@op
class _rows_norm_grad:
    """Those of the gradients for x, weight and bias that are needed, at once; x is that of the output. Without a mean
    it is rms_norm's.
    """
    method, tags, node_name = False, NOGRAD | KEEP_HALF, "NativeLayerNormBackwardBackward0"
    steady = True

    def forward(x, input, mean, rstd, weight, lead, needs):
        if is_half(input):
            return half_grads(ROWS_GRAD.forward, input, weight, needs, x, input, mean, rstd, weight, lead, needs)
        x, input = contiguous(x), contiguous(input)
        found = fast.layer_norm_backward(x, input, lead, mean, rstd, weight, *needs)
        if found is None:
            found = _rows_grad(x, input, mean, rstd, weight, lead, needs)
        shape = input.shape[lead:]
        return (found if len(shape) == 1 else [made if needs[0] and i == 0 else made.reshape(shape)
                                               for i, made in enumerate(found)])

    def shape(x, input, mean, rstd, weight, lead, needs):
        return gradients(Spec(input.shape, input.dtype), input.shape[lead:], weight, needs)
    samples = [((2, 3, 4), (2, 3, 4), (2, 3, 1), (2, 3, 1), (4,), 2, [True, True, True]),
               ((2, 3, 4), (2, 3, 4), None, (2, 1, 1), (3, 4), 1, [True, True, False])]


ROWS_GRAD = _rows_norm_grad.op


def _rows_grad(g, x, mean, rstd, weight, lead, needs):
    """The NumPy reference."""
    with np.errstate(all="ignore"):
        made = fused_grads(_rows(g, lead), _rows(x, lead), None if mean is None else mean.reshape(-1, 1),
                           rstd.reshape(-1, 1), None if weight is None else weight.reshape(-1), 1, 0, needs)
    if needs[0]:
        made[0] = made[0].reshape(x.shape)
    return made


@op
class layer_norm:
    """x normalised over its last dimensions `normalized_shape`, times weight plus bias."""
    names, method = "layer_norm nn.functional.layer_norm", False

    def compose(input, normalized_shape, weight=None, bias=None, eps=1e-5, cudnn_enable=True):
        return LAYER_NORM.compute([input, normalized_shape, weight, bias, eps])[0]
    samples = [((2, 3, 4), [4]), ((2, 3, 4), [3, 4], (3, 4), (3, 4))]


@op
class _rms_norm:
    """(x over the root of the mean of its squares along the last dimensions, times weight; 1 / these roots)."""
    method, outputs, nondiff, inputs, node_name = False, "result rstd", "rstd", "x weight", "FusedRmsNormBackward0"
    tags = KEEP_HALF

    def check(x, normalized_shape, weight, eps):
        _check("rms_norm", x, normalized_shape, weight, None)
    steady = True

    def forward(x, normalized_shape, weight, eps):
        if is_half(x):
            return half_forward(RMS_NORM.forward, x, normalized_shape, weight, eps)
        x, lead = contiguous(x), x.ndim - len(normalized_shape)
        found = fast.rms_norm(x, lead, weight, None, eps)
        if found is not None:
            return found
        rows, stats = _rows(x, lead), x.shape[:lead] + (1,) * (x.ndim - lead)
        with np.errstate(all="ignore"):
            made, _, rstd = normalized(rows, 1, eps, False) if x.size else (rows, None, np.full(stats, math.nan))
            return _affine(made.reshape(x.shape), weight, None), rstd.astype(x.dtype).reshape(stats)

    def shape(x, normalized_shape, weight, eps):
        return (x.shape, x.dtype), _stats(x, normalized_shape)

    def grads(g, x, normalized_shape, weight, rstd, eps, needs):
        lead = x._form.ndim - len(normalized_shape)
        needs = (*needs, False)
        if recording():
            return _plain(g, x, weight, eps, lead, needs, False)[:2]
        return spread_over(ROWS_GRAD.compute([g, x, None, rstd, weight, lead, needs]), needs)[:2]
    samples = [((2, 3, 4), [4], (4,), 1e-5), ((2, 3, 4), [3, 4], None, 1e-5)]


@op
class rms_norm:
    """x over the root of the mean of its squares along the last dimensions `normalized_shape`, times weight."""
    names, method = "rms_norm nn.functional.rms_norm", False

    def compose(input, normalized_shape, weight=None, eps=None):
        if eps is None:
            eps = dtypes.finfo(input.dtype).eps if input.dtype.is_floating_point else 0.0
            eps = 2.0 ** -23 if input._form.dtype.itemsize == 2 else eps        # half types are computed in float32
        return RMS_NORM.compute([input, normalized_shape, weight, eps])[0]
    samples = [((2, 3, 4), [4]), ((2, 3, 4), [3, 4], (3, 4))]


LAYER_NORM, RMS_NORM = native_layer_norm.op, _rms_norm.op
