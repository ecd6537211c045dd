# compiled
"""Losses of a prediction against a target of its shape: mse, l1, smooth_l1, Huber, binary cross-entropy,
Kullback-Leibler and more.
"""
import math
import warnings

import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.size import broadcast_shapes
from weft.core.spec import Spec, broadcast, common_order
from weft.kernels.fast import pair_loss, reduce_extreme
from weft.ops.core.registry import FUNCTIONS, POINTWISE, op
from weft.ops.core.samples import complexes, floats
from weft.ops.index.arrays import contiguous
from weft.ops.linalg.checks import type_name
from weft.ops.nn.loss import MEAN, NONE, SUM, reduced, reduction_code
from weft.ops.nn.reading import values_of
from weft.ops.pointwise.base import logistic, quiet
from weft.tensor.tensor import Tensor

SQUARED, ABSOLUTE, SMOOTH, HUBER, LOGITS = range(5)     # as in loss_pairs.cpp


def _values(x, y, kind, beta):
    """The losses of arrays, elementwise."""
    if kind == LOGITS:
        return np.maximum(x, 0) - x * y + np.log1p(np.exp(-np.abs(x)))
    off = x - y
    if kind == SQUARED:
        return off * off
    size = np.abs(off)
    if kind == ABSOLUTE:
        return size
    half = x.dtype.type(0.5)
    if kind == SMOOTH:
        return np.where(size < beta, half * off * off / x.dtype.type(beta), size - half * x.dtype.type(beta))
    return np.where(size <= beta, half * off * off, x.dtype.type(beta) * (size - half * x.dtype.type(beta)))


def _slopes(x, y, kind, beta):
    """Their derivatives in x."""
    if kind == LOGITS:
        return logistic(x) - y
    off = x - y
    if kind == SQUARED:
        return off + off
    if kind == ABSOLUTE:
        return np.sign(off)
    if kind == SMOOTH:
        return np.where(np.abs(off) < beta, off / x.dtype.type(beta), np.sign(off))
    return np.where(np.abs(off) <= beta, off, np.sign(off) * x.dtype.type(beta))


def _curve(x, y, kind, beta):
    """Their second derivatives in x, as tensors; a number where they are constant."""
    if kind == SQUARED:
        return 2.0
    if kind == ABSOLUTE:
        return 0.0
    if kind == LOGITS:
        soft = x.sigmoid()
        return soft * (1 - soft)
    size = (x.detach() - y.detach()).abs()
    return (size < beta).to(x.dtype) / beta if kind == SMOOTH else (size <= beta).to(x.dtype)


def _pair_loss(kind, name, node_name):
    """The op of one kind of loss: of pairs, reduced. x and y have one shape and type."""
    def forward(x, y, beta, code):
        (x, y), back = _along_memory(x, y)
        found = pair_loss(kind, x, y, code, beta, None)
        if found is None:
            with np.errstate(all="ignore"):
                found = _reduced_values(_values(x, y, kind, beta), code)
        return found.transpose(back) if code == NONE else found

    def shape(x, y, beta, code):
        return broadcast([x, y], x.dtype) if code == NONE else Spec((), x.dtype)

    def grad_x(g, x, y, beta, code):
        return _pair_slope(g, x, y, kind, beta, code)

    def grad_y(g, x, y, beta, code):
        return -(x * _share(g, x, code)) if kind == LOGITS else -_pair_slope(g, x, y, kind, beta, code)
    return op(type(name, (), dict(__doc__=_pair_loss.__doc__, __module__=__name__, method=False, node_name=node_name,
                                  steady=True, forward=forward, shape=shape, grad_x=grad_x, grad_y=grad_y,
                                  samples=[((3, 4), (3, 4), 1.0, 1), ((5,), (5,), 0.7, 0)])))


def _along_memory(*arrays):
    """Arrays of one shape with the dimensions in the order in which the results lie, contiguous, and the way back."""
    if all([a.flags.c_contiguous for a in arrays]):
        return arrays, tuple(range(arrays[0].ndim))
    order = common_order(arrays[0].shape, arrays)
    return [contiguous(a.transpose(order)) for a in arrays], tuple(np.argsort(order))


def _reduced_values(losses, code):
    if code == NONE:
        return losses
    found = np.add.reduce(losses, axis=None)
    return found if code == SUM else np.divide(found, losses.size, dtype=losses.dtype)


def target_advice(input, target):
    """What to do about a target of another shape."""
    if input._form.size == target._form.size:
        return f"if its values stand in the same order: target.reshape({', '.join(map(str, input._form.shape))})"
    return "give one target for each output of the model"


def _share(g, x, code):
    """Each element's part of the loss's gradient."""
    return g / x._form.size if code == MEAN else g


@op
class _pair_slope:
    """The gradient of such a loss in x, given that of the loss."""
    method, inputs, node_name = False, "grad_loss x y", "PairLossBackwardBackward0"
    steady = True

    def forward(grad_loss, x, y, kind, beta, code):
        if code == NONE:
            (x, y, grad_loss), back = _along_memory(x, y, grad_loss)
        else:
            (x, y), back = _along_memory(x, y)
        found = pair_loss(kind, x, y, code, beta, contiguous(grad_loss))
        if found is None:
            with np.errstate(all="ignore"):
                found = _slopes(x, y, kind, beta) * (np.divide(grad_loss, x.size, dtype=x.dtype) if code == MEAN
                                                     else grad_loss)
        return found.transpose(back)

    def shape(grad_loss, x, y, kind, beta, code):
        return broadcast([x, y, grad_loss] if code == NONE else [x, y], x.dtype)

    def grads(g, grad_loss, x, y, kind, beta, code):
        each = g * _pair_slope(grad_loss.ones_like(), x, y, kind, beta, code)
        weighted = g * _share(grad_loss, x, code)
        grad_x = weighted * _curve(x, y, kind, beta)
        return each if code == NONE else each.sum(), grad_x, -weighted if kind == LOGITS else -grad_x
    samples = [((), (3, 4), (3, 4), SQUARED, 0.0, MEAN), ((2, 3, 2), (2, 3, 2), (2, 3, 2), HUBER, 1.0, NONE),
               ((), (3,), (3,), LOGITS, 0.0, SUM)]


PAIRS = [_pair_loss(kind, *names) for kind, names in enumerate([
    ("_mse_loss", "MseLossBackward0"), ("_l1_loss", "L1LossBackward0"), ("_smooth_l1_loss", "SmoothL1LossBackward0"),
    ("_huber_loss", "HuberLossBackward0"),
    ("_binary_cross_entropy_with_logits", "BinaryCrossEntropyWithLogitsBackward0")])]


def _alike(name, input, target, warn=True):
    """Two tensors of one shape and type; a target that has to be broadcast is mostly a mistake."""
    for what, value in (("input", input), ("target", target)):
        if not isinstance(value, Tensor):
            fail(TypeError, f"{name}(): argument '{what}' must be Tensor, not {type(value).__name__}",
                 "make it one with torch.tensor(...)")
    if input._form.shape != target._form.shape:
        if warn:
            warnings.warn(f"Using a target size (torch.Size({list(target._form.shape)})) that is different to the "
                          f"input size (torch.Size({list(input._form.shape)})). This will likely lead to incorrect "
                          f"results due to broadcasting. Please ensure they have the same size.", stacklevel=3)
        shape = broadcast_shapes(input._form.shape, target._form.shape)
        input, target = input.expand(shape), target.expand(shape)
    if input.dtype is not target.dtype:
        kind = dtypes.promote_types(input.dtype, target.dtype)
        input, target = input.to(kind), target.to(kind)
    return input, target


def _paired(name, input, target, kind, beta, code):
    input, target = _alike(name, input, target)
    if input._form.dtype.kind not in "fV":
        fail(NotImplementedError, f"{name}: not implemented for {input.dtype}", "convert both first: input.float()")
    return PAIRS[kind](input, target, beta, code)


def _weighted(losses, weight, input, code, by_weight):
    """Losses times weights of the input's shape; the mean is over the weights' sum where `by_weight`."""
    if weight._form.shape != input._form.shape:
        fail(ValueError, f"Weights and input must have the same size. Got {list(weight._form.shape)} and "
             f"{list(input._form.shape)}")
    losses = losses * weight
    if code == MEAN and by_weight:
        return losses.sum() / weight.sum()
    return reduced(losses, code)


@op
class mse_loss:
    """The mean (or sum) of the squared differences."""
    names, method = "nn.functional.mse_loss", False

    def autocast(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
        return "float32" if weight is None else None

    def compose(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
        code = reduction_code(reduction, size_average, reduce)
        if weight is not None:
            return _weighted(_paired("mse_loss", input, target, SQUARED, 0.0, NONE), weight, input, code, True)
        return _paired("mse_loss", input, target, SQUARED, 0.0, code)
    samples = [((3, 4), (3, 4)), ((3, 4), (3, 4), None, None, "none"), ((3, 4), (3, 4), None, None, "mean", (3, 4))]


@op
class l1_loss:
    """The mean (or sum) of the absolute differences."""
    autocast = "float32"
    names, method = "nn.functional.l1_loss", False

    def compose(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
        code = reduction_code(reduction, size_average, reduce)
        if input.dtype.is_complex or target.dtype.is_complex:
            input, target = _alike("l1_loss", input, target)
            losses = (input - target).abs()
            return reduced(losses, code) if weight is None else _weighted(losses, weight, input, code, True)
        if weight is not None:
            return _weighted(_paired("l1_loss", input, target, ABSOLUTE, 0.0, NONE), weight, input, code, True)
        return _paired("l1_loss", input, target, ABSOLUTE, 0.0, code)
    samples = [((3, 4), (3, 4)), ((3,), (3,), None, None, "sum"), (complexes(3), complexes(3))]


@op
class smooth_l1_loss:
    """Squared below `beta` (and divided by it), straight above."""
    autocast = "float32"
    names, method = "nn.functional.smooth_l1_loss", False

    def compose(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
        if beta < 0:
            fail(RuntimeError, f"smooth_l1_loss does not support negative values for beta, got {beta}")
        code = reduction_code(reduction, size_average, reduce)
        return _paired("smooth_l1_loss", input, target, SMOOTH if beta else ABSOLUTE, float(beta), code)
    samples = [((3, 4), (3, 4)), ((3, 4), (3, 4), None, None, "none", 0.1)]


@op
class huber_loss:
    """Squared up to `delta`, straight above."""
    autocast = "float32"
    names, method = "nn.functional.huber_loss", False

    def compose(input, target, reduction="mean", delta=1.0, weight=None):
        if not isinstance(delta, (int, float, Tensor)):
            raise TypeError(f"huber_loss(): argument 'delta' must be float, not {type(delta).__name__}")
        if not delta > 0:
            fail(RuntimeError, f"huber_loss does not support non-positive values for delta, got {delta}")
        code = reduction_code(reduction)
        if weight is not None:
            return _weighted(_paired("huber_loss", input, target, HUBER, float(delta), NONE), weight, input, code,
                             False)
        made = _paired("huber_loss", input, target, HUBER, float(delta), code)
        if made.dtype is input.dtype:
            return made
        if not dtypes.can_cast(made.dtype, input.dtype):
            fail(RuntimeError, f"huber_loss: result type {made.dtype} can't be cast to {input.dtype}, the input's",
                 "convert both first: input.float()")
        return made.to(input.dtype)
    samples = [((3, 4), (3, 4)), ((3, 4), (3, 4), "sum", 0.1), ((3, 4), (3, 4), "mean", 1.0, (3, 4))]


@op
class binary_cross_entropy_with_logits:
    """The binary cross-entropy of logits, without overflow."""
    autocast = "float32"
    names, method = "nn.functional.binary_cross_entropy_with_logits", False

    def compose(input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
        code = reduction_code(reduction, size_average, reduce)
        if target._form.shape != input._form.shape:
            fail(ValueError, f"Target size (torch.Size({list(target._form.shape)})) must be the same as input size "
                 f"(torch.Size({list(input._form.shape)}))", target_advice(input, target))
        if target._form.dtype.kind in "iub":
            fail(RuntimeError, f"binary_cross_entropy_with_logits: result type {type_name(input._form)} can't be cast "
                 f"to the desired output type {type_name(target._form)}: the target's", "target.float()")
        if pos_weight is None:
            losses = _paired("binary_cross_entropy_with_logits", input, target, LOGITS, 0.0, code if weight is None
                             else NONE)
            return losses if weight is None else reduced(losses * weight.to(losses.dtype), code)
        factor = (pos_weight - 1) * target + 1
        losses = (1 - target) * input - factor * FUNCTIONS["nn.functional.logsigmoid"](input)
        return reduced(losses if weight is None else losses * weight.to(losses.dtype), code)
    samples = [((3, 4), (3, 4)), ((3, 4), (3, 4), (4,), None, None, "none"),
               ((3, 4), (3, 4), None, None, None, "mean", (4,))]


def _are_shares(x):
    """Whether all elements lie between 0 and 1; a NaN doesn't."""
    if not x.size:
        return True
    low, high = reduce_extreme(x, None, False, False), reduce_extreme(x, None, False, True)
    if low is None or high is None:
        return bool(((x >= 0) & (x <= 1)).all())
    return bool(low >= 0) and bool(high <= 1)


@op
class _bce:
    """-(y log x + (1 - y) log(1 - x)), each logarithm at least -100."""
    tags, method, node_name = POINTWISE - {"inplace"}, False, "BinaryCrossEntropyBackward0"

    def forward(x, y):
        if not _are_shares(x):
            fail(RuntimeError, "binary_cross_entropy: all elements of input should be between 0 and 1",
                 "give probabilities, or use binary_cross_entropy_with_logits")
        own = quiet(np.maximum, quiet(np.log, x), -100.0)
        other = quiet(np.maximum, quiet(np.log1p, quiet(np.negative, x)), -100.0)
        return quiet(np.subtract, quiet(np.multiply, quiet(np.subtract, y, 1.0), other), quiet(np.multiply, y, own))

    def grad_x(g, x, y):
        return g * (x - y) / ((1 - x) * x).clamp(min=1e-12)

    def grad_y(g, x):
        return g * ((1 - x).log() - x.log())
    samples = [((3, 4), (3, 4))]


@op
class binary_cross_entropy:
    """The binary cross-entropy of probabilities."""
    autocast = "float32"
    names, method = "nn.functional.binary_cross_entropy", False

    def compose(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
        code = reduction_code(reduction, size_average, reduce)
        if target._form.shape != input._form.shape:
            fail(ValueError, f"Using a target size (torch.Size({list(target._form.shape)})) that is different to the "
                 f"input size (torch.Size({list(input._form.shape)})) is deprecated. Please ensure they have the same "
                 f"size.", target_advice(input, target))
        if target._form.dtype != input._form.dtype:
            fail(RuntimeError, f"binary_cross_entropy: Found dtype {type_name(target._form)} but expected "
                 f"{type_name(input._form)}: the target must have the type of the input", "target.to(input.dtype)")
        losses = _bce(input, target)
        return reduced(losses if weight is None else losses * weight.to(losses.dtype), code)
    samples = [((3, 4), (3, 4)), ((3, 4), (3, 4), (3, 4), None, None, "sum")]


@op
class kl_div:
    """The Kullback-Leibler divergence of log-probabilities `input` from probabilities (or log-probabilities) `target`.
    """
    autocast = "float32"
    names, method = "nn.functional.kl_div", False

    def compose(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
        batch = reduction == "batchmean" and size_average is None and reduce is None
        if reduction == "mean" and size_average is None and reduce is None:
            warnings.warn("reduction: 'mean' divides the total loss by both the batch size and the support size. "
                          "'batchmean' divides only by the batch size, and aligns with the KL div math definition. "
                          "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
                          stacklevel=2)
        code = SUM if batch else reduction_code(reduction, size_average, reduce)
        losses = target.exp() * (target - input) if log_target else FUNCTIONS["xlogy"](target, target) - target * input
        found = reduced(losses, code)
        return found / input._form.shape[0] if batch and input._form.ndim else found
    samples = [((3, 4), (3, 4), None, None, "batchmean"), ((3, 4), (3, 4), None, None, "sum", True)]


@op
class poisson_nll_loss:
    """The negative log-likelihood of Poisson counts."""
    autocast = "float32"
    names, method = "nn.functional.poisson_nll_loss", False

    def compose(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"):
        code = reduction_code(reduction, size_average, reduce)
        losses = input.exp() - target * input if log_input else input - target * (input + eps).log()
        if full:        # Stirling's approximation of log(target!)
            stirling = target * target.log() - target + (target * (2 * math.pi)).log() * 0.5
            losses = losses + stirling.masked_fill(target <= 1, 0)
        return reduced(losses, code)
    samples = [((3, 4), (3, 4)), ((3, 4), floats(3, 4, low=1.5, high=3.0), False, True)]


@op
class gaussian_nll_loss:
    """The negative log-likelihood of a normal distribution with these means and variances."""
    names, method = "nn.functional.gaussian_nll_loss", False

    def compose(input, target, var, full=False, eps=1e-6, reduction="mean"):
        if not isinstance(var, Tensor):
            if var < 0:
                fail(ValueError, f"gaussian_nll_loss: var has negative entry/entries, got {var}")
            var = input.ones_like() * var
        elif not var._on_meta and (values_of(var, "gaussian_nll_loss") < 0).any():
            fail(ValueError, "gaussian_nll_loss: var has negative entry/entries")
        shape, own = input._form.shape, var._form.shape
        if own != shape:
            if shape[:-1] == own:
                var = var.unsqueeze(-1)
            # one dimension of 1 may be repeated
            elif len(own) != len(shape) or sum([b for a, b in zip(shape, own) if a != b]) != 1:
                fail(ValueError, f"gaussian_nll_loss: var is of incorrect size: {list(own)} for an input of "
                     f"{list(shape)}",
                     "give one variance for each element, or for each row")
        if reduction not in ("none", "mean", "sum"):
            fail(ValueError, f"{reduction} is not valid")
        fixed = var.detach()
        # bounded below, with the gradient of the variance as it was given
        var = var + (eps - fixed).masked_fill(fixed >= eps, 0)
        off = input - target
        losses = (var.log() + off * off / var) * 0.5
        if full:
            losses = losses + 0.5 * math.log(2 * math.pi)
        return reduced(losses, reduction_code(reduction))
    samples = [((3, 4), (3, 4), (3, 4)), ((3, 4), (3, 4), (3,), True), ((3, 4), (3, 4), 0.5, False, 1e-6, "none")]
