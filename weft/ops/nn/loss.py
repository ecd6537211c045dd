# compiled
"""Losses over classes: nll_loss and cross_entropy."""
import math

import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.kernels.fast import cross_entropy as fast_cross_entropy
from weft.kernels.fast import cross_entropy_grad as fast_cross_entropy_grad
from weft.kernels.fast import nll_grad as fast_nll_grad
from weft.kernels.fast import nll_loss as fast_nll_loss
from weft.kernels.native import are_classes
from weft.ops.core.registry import NOGRAD, op
from weft.ops.core.samples import fixed, ints, size
from weft.ops.index.arrays import contiguous
from weft.ops.nn.faces import cross_entropy_face
from weft.ops.nn.softmax import _softmax_grad, log_softmax, softmax
from weft.tensor.tensor import Tensor

NONE, MEAN, SUM = 0, 1, 2
REDUCTIONS = {"none": NONE, "mean": MEAN, "sum": SUM}


def reduction_code(reduction, size_average=None, reduce=None):
    """The number of a reduction, also from the two flags of old."""
    if size_average is not None or reduce is not None:
        if reduce is not None and not reduce:
            return NONE
        return MEAN if size_average is None or size_average else SUM
    code = REDUCTIONS.get(reduction, -1) if isinstance(reduction, str) else -1
    if code < 0:
        fail(ValueError, f"{reduction} is not a valid value for reduction", "give 'none', 'mean' or 'sum'")
    return code


def reduced(loss, code):
    """A tensor of losses, as the reduction has it."""
    return loss if code == NONE else loss.mean() if code == MEAN else loss.sum()


def _classes_advice(shape, aims):
    """What to do about a target with dimensions too many."""
    if aims[1:] == (1,):
        return "take its last dimension away: target.squeeze(1)"
    if aims == shape:
        return "give class indices: target.argmax(1) of a one-hot target"
    return "give class indices of shape (N)"


def _check_classes(name, x, target, weight):
    """The shapes and types of logits (N, C, ...), class indices (N, ...) and weights (C)."""
    for what, value in (("input", x), ("target", target)):
        if not isinstance(value, Tensor):
            fail(TypeError, f"{name}(): argument '{what}' must be Tensor, not {type(value).__name__}",
                 "make it one with torch.tensor(...)")
    shape, aims = x._form.shape, target._form.shape
    if not shape:
        fail(ValueError, f"{name}: Expected 1 or more dimensions (got 0)",
             "give input as (C), (N, C) or (N, C, d1, ...)")
    if len(shape) > 1 and (not aims or shape[0] != aims[0]):
        fail(ValueError, f"{name}: Expected input batch_size ({shape[0]}) to match target batch_size "
             f"({aims[0] if aims else 0}).",
             "give one class index for each example")
    if target._form.dtype.kind not in "iu" or target._form.dtype.itemsize not in (1, 8):
        fail(RuntimeError, f"{name}: expected scalar type Long but found {target.dtype}",
             "convert the targets: target.long()")
    if len(shape) <= 2 and len(aims) > 1 or len(shape) == 1 and aims not in ((), (1,)):
        fail(RuntimeError, f"{name}: 0D or 1D target tensor expected, multi-target not supported, got shape "
             f"{list(aims)}", _classes_advice(shape, aims))
    if len(shape) > 2 and aims != (shape[0], *shape[2:]):
        fail(RuntimeError, f"{name}: Expected target size {[shape[0], *shape[2:]]}, got {list(aims)}",
             "give one class index for each place")
    classes = shape[0 if len(shape) == 1 else 1]
    if weight is not None and weight._form.shape != (classes,):
        fail(RuntimeError, f"{name}: weight tensor should be defined either for all {classes} classes or no classes "
             f"but got weight tensor of shape: {list(weight._form.shape)}", "give one weight for each class")
    if weight is not None and weight._form.dtype != x._form.dtype:
        fail(RuntimeError, f"{name}: expected scalar type {x.dtype} but found {weight.dtype} in weight",
             f"convert the weights: weight.to({x.dtype})")


def _indices(target, ignore_index, classes):
    """(int64 indices with ignored ones at 0, which are kept); IndexError for a class that isn't there."""
    kept = target != ignore_index
    safe = np.where(kept, target, 0)
    wrong = (safe < 0) | (safe >= classes)
    if wrong.any():
        fail(IndexError, f"Target {int(target[wrong].reshape(-1)[0])} is out of bounds.",
             f"there are {classes} classes: 0 to {classes - 1}")
    return safe, kept


def _chosen(x, safe):
    """x at each example's class: (N, C, ...) and (N, ...)."""
    if x.ndim == 1:
        return x[safe]
    return np.take_along_axis(x, np.expand_dims(safe, 1), 1).reshape(safe.shape)


def _weights(safe, kept, weight, dtype):
    """Each example's weight, zero for ignored ones."""
    return np.where(kept, weight[safe] if weight is not None else dtype.type(1), dtype.type(0))


def _pooled(losses, weights, code):
    """(the loss, the examples' whole weight)."""
    total = np.add.reduce(weights, axis=None)
    if code == NONE:
        return losses, total
    found = np.add.reduce(losses, axis=None)
    return np.divide(found, total, dtype=losses.dtype) if code == MEAN else found, total


@op
class _nll_loss:
    """-x at each example's class, weighted and reduced; and the examples' whole weight."""
    method, outputs, nondiff, node_name = False, "loss total", "total", "NllLossBackward0"
    steady = True

    def forward(x, target, weight, ignore_index, code):
        found = fast_nll_loss(contiguous(x), contiguous(target), weight, ignore_index, 0.0, code)
        if found is not None:
            return found
        with np.errstate(all="ignore"):
            safe, kept = _indices(target, ignore_index, x.shape[0 if x.ndim == 1 else 1])
            if x.size == 0 and not target.size:
                chosen = np.zeros(target.shape, x.dtype)
            else:
                chosen = _chosen(x, safe)
            weights = _weights(safe, kept, weight, x.dtype)
            losses, total = _pooled(np.where(kept, -chosen * weights, x.dtype.type(0)), weights, code)
        return contiguous(np.asarray(losses)), total

    def shape(x, target, weight, ignore_index, code):
        return (target.shape if code == NONE else (), x.dtype), ((), x.dtype)

    def grad_x(g_loss, target, weight, total, x_shape, ignore_index, code):
        # the total of the weights has no gradient
        return _nll_grad(g_loss, target, weight, total.detach(), x_shape, ignore_index, code)
    samples = [((3, 4), ints(3, below=4), fixed(4), 2, MEAN), ((2, 3, 4), ints(2, 4, below=3), None, -100, NONE)]


NLL = _nll_loss.op


@op
class _nll_grad:
    """Zeros with -x (the loss's gradient) times the weight at each example's class."""
    method, node_name = False, "NllLossBackwardBackward0"
    steady = True

    def forward(x, target, weight, total, shape, ignore_index, code):
        found = fast_nll_grad(tuple(shape), contiguous(target), weight, ignore_index, code, contiguous(x), total)
        if found is not None:
            return found
        safe, kept = _indices(target, ignore_index, shape[0 if len(shape) == 1 else 1])
        with np.errstate(all="ignore"):
            scale = x / total if code == MEAN else x
            values = np.where(kept, -scale * _weights(safe, kept, weight, x.dtype), x.dtype.type(0))
        made = np.zeros(shape, x.dtype)
        if len(shape) == 1:
            made[safe] = values
        elif made.size:
            np.put_along_axis(made, np.expand_dims(safe, 1), np.expand_dims(values, 1), 1)
        return made

    def shape(x, target, weight, total, shape, ignore_index, code):
        return shape, x.dtype

    def grad_x(g, target, weight, total, ignore_index, code):
        return _nll_of(g, target, weight, total, ignore_index, code)
    samples = [((), ints(3, below=4), fixed(4), fixed(), size(3, 4), -100, MEAN),
               ((2, 4), ints(2, 4, below=3), None, fixed(), size(2, 3, 4), -100, NONE)]


def _nll_of(g, target, weight, total, ignore_index, code):
    """The adjoint of `_nll_grad`: the same weighted sum, over the total of the first pass."""
    found = _nll_loss(g, target, weight, ignore_index, NONE if code == NONE else SUM)[0]
    return found / total if code == MEAN else found


@op
class nll_loss:
    """The negative log-likelihood of class indices under log-probabilities (N, C, ...)."""
    autocast = "float32"
    names, method = "nn.functional.nll_loss", False

    def compose(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
        code = reduction_code(reduction, size_average, reduce)
        if weight is None and is_usual(input, target):
            return NLL.compute([input, target, None, ignore_index, code])[0]
        _check_classes("nll_loss", input, target, weight)
        return _nll_loss(input, _long(target), weight, ignore_index, code)[0]
    samples = [((3, 4), ints(3, below=4)), ((3, 4), ints(3, below=4), fixed(4), None, 1),
               ((2, 3, 2, 2), ints(2, 2, 2, below=3), None, None, -100, None, "none"),
               ((4,), ints(below=4), None, None, -100, None, "sum")]


def is_usual(input, target):
    """Whether these are logits (N, C) and classes (N,) of the types that need no closer look."""
    return isinstance(input, Tensor) and isinstance(target, Tensor) and are_classes(input._form, target._form)


def _long(target):
    return target if target._form.dtype.itemsize == 8 else target.to(dtypes.int64)


def _log_parts(x, axis):
    """(the greatest logit, the log of the sum of e**(x - it)), with the axis kept."""
    top = np.maximum.reduce(x, axis=axis, keepdims=True)
    return top, np.log(np.add.reduce(np.exp(x - top), axis=axis, keepdims=True))


@op
class _cross_entropy:
    """The cross-entropy of logits and class indices; what the backward needs (tops and logs of each example); the whole
    weight.
    """
    method, outputs, nondiff, node_name = False, "loss stats total", "stats total", "CrossEntropyBackward0"
    steady = True

    def forward(x, target, weight, ignore_index, smoothing, code):
        found = fast_cross_entropy(contiguous(x), contiguous(target), weight, ignore_index, smoothing, code)
        if found is not None:
            return found
        axis = 0 if x.ndim == 1 else 1
        safe, kept = _indices(target, ignore_index, x.shape[axis])
        with np.errstate(all="ignore"):
            top, logs = _log_parts(contiguous(x), axis) if x.size else (np.zeros(target.shape, x.dtype),) * 2
            stats = np.stack([top.reshape(-1), logs.reshape(-1)])
            if not x.size:
                return _pooled(np.zeros(target.shape, x.dtype), np.zeros(target.shape, x.dtype),
                               code)[0], stats, np.zeros((), x.dtype)
            probabilities = (x - top) - logs
            weights = _weights(safe, kept, weight, x.dtype)
            losses = -_chosen(probabilities, safe) * weights
            if smoothing:
                spread = (probabilities if weight is None
                          else probabilities * weight.reshape([-1] + [1] * (x.ndim - 1 - axis)))
                losses = losses * (1 - smoothing) - np.add.reduce(spread, axis=axis) * (smoothing / x.shape[axis])
            loss, total = _pooled(np.where(kept, losses, x.dtype.type(0)), weights, code)
        return contiguous(np.asarray(loss)), stats, total

    def shape(x, target, weight, ignore_index, smoothing, code):
        return ((target.shape if code == NONE else (), x.dtype), ((2, math.prod(target.shape)), x.dtype),
                ((), x.dtype))

    def grad_x(g_loss, x, target, weight, ignore_index, smoothing, code, stats, total):
        return _cross_entropy_grad(g_loss, x, target, weight, ignore_index, smoothing, code, stats, total)

    def looks(node):
        return cross_entropy_face(node)
    samples = [((3, 4), ints(3, below=4), fixed(4), 2, 0.1, MEAN),
               ((2, 3, 4), ints(2, 4, below=3), None, -100, 0.0, NONE)]


ENTROPY = _cross_entropy.op


@op
class _cross_entropy_grad:
    """The gradient of `_cross_entropy` in the logits, given that of the loss."""
    method, inputs, node_name = False, "grad_loss x", "CrossEntropyBackwardBackward0"
    steady = True

    def forward(grad_loss, x, target, weight, ignore_index, smoothing, code, stats, total):
        found = fast_cross_entropy_grad(contiguous(x), contiguous(target), weight, ignore_index, smoothing, code,
                                        contiguous(grad_loss), stats, total)
        if found is not None:
            return found
        if not x.size:
            return np.zeros(x.shape, x.dtype)
        axis = 0 if x.ndim == 1 else 1
        classes = x.shape[axis]
        safe, kept = _indices(target, ignore_index, classes)
        shape = [1 if d == axis else n for d, n in enumerate(x.shape)]
        with np.errstate(all="ignore"):
            scale = np.broadcast_to(grad_loss / total if code == MEAN else grad_loss, target.shape)
            plain = np.where(kept, scale * _weights(safe, kept, weight, x.dtype) * x.dtype.type(1 - smoothing),
                             0).astype(x.dtype)
            soft = np.where(kept, scale * x.dtype.type(smoothing / classes), 0).astype(x.dtype)
            all_weights = np.ones(classes, x.dtype) if weight is None else weight
            made = np.exp((x - stats[0].reshape(shape)) - stats[1].reshape(shape))
            made *= (plain + soft * all_weights.sum()).reshape(shape)
            made -= soft.reshape(shape) * all_weights.reshape([-1] + [1] * (x.ndim - 1 - axis))
            hit = np.arange(classes).reshape([-1] + [1] * (x.ndim - 1 - axis)) == safe.reshape(shape)
            return contiguous(np.where(kept.reshape(shape), made - hit * plain.reshape(shape), x.dtype.type(0)))

    def shape(grad_loss, x, target, weight, ignore_index, smoothing, code, stats, total):
        return x.shape, x.dtype

    def grads(g, grad_loss, x, target, weight, ignore_index, smoothing, code, stats, total):
        axis = 0 if x._form.ndim == 1 else 1
        share = _label_shares(x, target, weight, ignore_index, smoothing)
        per_example = (grad_loss / total if code == MEAN else grad_loss) * share
        grad_x = _softmax_grad(g * per_example.unsqueeze(axis), softmax(x, axis), axis)
        one = grad_loss.ones_like()
        each = g * _cross_entropy_grad(one, x, target, weight, ignore_index, smoothing, code, stats, total)
        return each.sum(axis) if code == NONE else each.sum(), grad_x
    why_no_samples = "its stats and total are what _cross_entropy made of the same logits, whose samples go through it"


@op
class _label_shares:
    """How much of softmax is in each example's gradient: its weight, or of smoothed labels the mean of weights too."""
    method, tags = False, NOGRAD

    def forward(x, target, weight, ignore_index, smoothing):
        classes = x.shape[0 if x.ndim == 1 else 1]
        safe, kept = _indices(target, ignore_index, classes)
        found = _weights(safe, kept, weight, x.dtype)
        if smoothing:
            mean = 1.0 if weight is None else weight.sum() / classes
            found = np.where(kept, found * (1 - smoothing) + smoothing * mean, 0)
        return contiguous(np.asarray(found, x.dtype))

    def shape(x, target, weight, ignore_index, smoothing):
        return target.shape, x.dtype
    samples = [((3, 4), ints(3, below=4), (4,), 1, 0.1), ((2, 3, 2), ints(2, 2, below=3), None, -100, 0.0)]


@op
class cross_entropy:
    """The cross-entropy of logits (N, C, ...) against class indices (N, ...) or probabilities (N, C, ...)."""
    autocast = "float32"
    names, method = "nn.functional.cross_entropy", False

    def compose(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                label_smoothing=0.0):
        code = reduction_code(reduction, size_average, reduce)
        if not 0.0 <= label_smoothing <= 1.0:
            fail(RuntimeError, f"cross_entropy: label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
        if weight is None and is_usual(input, target):
            return ENTROPY.compute([input, target, None, ignore_index, float(label_smoothing), code])[0]
        if (isinstance(input, Tensor) and isinstance(target, Tensor) and input._form.shape == target._form.shape
            and input._form.ndim):
            return _with_probabilities(input, target, weight, ignore_index, label_smoothing, code)
        _check_classes("cross_entropy", input, target, weight)
        if input._form.dtype.kind not in "fV":
            fail(NotImplementedError, f"cross_entropy: not implemented for {input.dtype}",
                 "convert the logits first: input.float()")
        return _cross_entropy(input, _long(target), weight, ignore_index, float(label_smoothing), code)[0]
    samples = [((3, 4), ints(3, below=4)), ((3, 4), ints(3, below=4), fixed(4), None, 1, None, "mean", 0.1),
               ((2, 3, 2, 2), ints(2, 2, 2, below=3), None, None, -100, None, "none"),
               ((4,), ints(below=4), None, None, -100, None, "sum"), ((3, 4), (3, 4), fixed(4))]


def _with_probabilities(input, target, weight, ignore_index, smoothing, code):
    if target._form.dtype.kind not in "fV":
        fail(RuntimeError, f"cross_entropy: Expected floating point type for target with class probabilities, got "
             f"{target.dtype}",
             "give class indices: target.argmax(1) of a one-hot target; or probabilities: target.float()")
    if ignore_index >= 0:
        fail(RuntimeError, "cross_entropy: ignore_index is not supported for floating point target",
             "leave ignore_index out")
    axis = 0 if input._form.ndim == 1 else 1
    classes = input._form.shape[axis]
    if weight is not None and weight._form.shape != (classes,):
        fail(RuntimeError, f"cross_entropy: weight tensor should be defined either for all {classes} classes or no "
             f"classes but got weight tensor of shape: {list(weight._form.shape)}", "give one weight for each class")
    logs = log_softmax(input, axis)
    if smoothing > 0:
        target = target * (1 - smoothing) + smoothing / classes
    terms = logs * target
    if weight is not None:
        terms = terms * weight.view([-1] + [1] * (input._form.ndim - 1 - axis))
    if code == NONE:
        return -terms.sum(axis)
    if code == SUM:
        return -terms.sum()
    return -terms.sum() / (input._form.size / classes if classes else 0)
