"""Losses with a margin: hinge, ranking, cosine, triplet and their like, composed of other ops."""
import warnings

import numpy as np

from weft.core.errors import fail
from weft.ops.core.registry import FUNCTIONS, NOGRAD, op
from weft.ops.core.samples import data, fixed, ints
from weft.ops.nn.pool_window import need_tensor
from weft.ops.nn.reading import values_of
from weft.ops.reduce.stats import _vector_norm
from weft.tensor.tensor import wrap

REDUCTIONS = ("none", "mean", "sum")


def reduction_of(reduction, size_average=None, reduce=None):
    """'none', 'mean' or 'sum', from a word, PyTorch's number for it, or the two arguments of old."""
    if size_average is not None or reduce is not None:
        reduction = "none" if reduce is False else "sum" if size_average is False else "mean"
        warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
                      stacklevel=3)
    if type(reduction) is int and 0 <= reduction < 3:
        return REDUCTIONS[reduction]
    if reduction not in REDUCTIONS:
        fail(ValueError, f"{reduction} is not a valid value for reduction", "give 'none', 'mean' or 'sum'")
    return reduction


def reduced(losses, reduction):
    return losses if reduction == "none" else losses.mean() if reduction == "mean" else losses.sum()


def _need_tensors(who, *tensors):
    for t in tensors:
        need_tensor(t, who)


# of two classes

def _hinge_embedding(input, target, margin, reduction):
    _need_tensors("hinge_embedding_loss", input, target)
    if input._form.dtype.kind in "iu":
        margin = int(margin)        # the loss has the input's type
    where = FUNCTIONS["where"]
    losses = where(target != 1, (margin - input).clamp_min(0), 0) + where(target != -1, input, 0)
    return reduced(losses, reduction)


@op
class _hinge_embedding_loss:
    """x where the target is 1, max(0, margin - x) where it is -1."""
    autocast = "float32"
    names, method = "hinge_embedding_loss", False

    def compose(input, target, margin=1.0, reduction=0):
        return _hinge_embedding(input, target, margin, reduction_of(reduction))
    samples = [((2, 3), data([[1, -1, 1], [-1, -1, 1]])), ((3,), data([1, -1, 1]), 0.5, 0)]


@op
class hinge_embedding_loss:
    """x where the target is 1, max(0, margin - x) where it is -1."""
    names, autocast = "nn.functional.hinge_embedding_loss", "float32"

    def compose(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
        return _hinge_embedding(input, target, margin, reduction_of(reduction, size_average, reduce))
    samples = [((2, 3), data([[1, -1, 1], [-1, -1, 1]])), ((3,), data([1, -1, 1]), 0.5, None, None, "none")]


@op
class soft_margin_loss:
    """log(1 + exp(-y x)) for targets y of 1 and -1."""
    autocast = "float32"
    names = "nn.functional.soft_margin_loss"

    def compose(input, target, size_average=None, reduce=None, reduction="mean"):
        reduction = reduction_of(reduction, size_average, reduce)
        _need_tensors("soft_margin_loss", input, target)
        if not input.is_floating_point():
            fail(RuntimeError, f"soft_margin_loss(): result type Float can't be cast to the desired output type "
                 f"{input.dtype}", "give floats")
        losses = (-target * input).exp().log1p()
        if losses._form.shape != input._form.shape:
            fail(RuntimeError, f"soft_margin_loss(): output with shape {list(input._form.shape)} doesn't match the "
                 f"broadcast shape {list(losses._form.shape)}", "give a target of the input's shape")
        return reduced(losses, reduction)
    samples = [((3, 4), (3, 4))]


def _margin_ranking(input1, input2, target, margin, reduction):
    _need_tensors("margin_ranking_loss", input1, input2, target)
    return reduced((-target * (input1 - input2) + margin).clamp_min(0), reduction)


@op
class _margin_ranking_loss:
    """max(0, margin - y (x1 - x2)) for targets y of 1 and -1."""
    autocast = "float32"
    names, method = "margin_ranking_loss", False

    def compose(input1, input2, target, margin=0.0, reduction=0):
        return _margin_ranking(input1, input2, target, margin, reduction_of(reduction))
    samples = [((3, 4), (3, 4), (3, 4), 2.0), ((3,), (3,), (3,), 2.0, 2)]


@op
class margin_ranking_loss:
    """max(0, margin - y (x1 - x2)) for targets y of 1 and -1."""
    names, autocast = "nn.functional.margin_ranking_loss", "float32"

    def compose(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
        reduction = reduction_of(reduction, size_average, reduce)
        _need_tensors("margin_ranking_loss", input1, input2, target)
        if not input1._form.ndim == input2._form.ndim == target._form.ndim:
            fail(RuntimeError, f"margin_ranking_loss(): All input tensors should have same dimension but got sizes: "
                 f"input1: {list(input1._form.shape)}, input2: {list(input2._form.shape)}, target: "
                 f"{list(target._form.shape)}")
        return _margin_ranking(input1, input2, target, margin, reduction)
    samples = [((3, 4), (3, 4), (3, 4), 2.0)]


# of vectors

def _cosine_embedding(input1, input2, target, margin, reduction):
    _need_tensors("cosine_embedding_loss", input1, input2, target)
    n, sizes = target._form.ndim, (input1._form.ndim, input2._form.ndim)
    if n > 1:
        fail(RuntimeError, "cosine_embedding_loss(): 0D or 1D target tensor expected, multi-target not supported",
             "give one target for each pair")
    if sizes != (n + 1, n + 1):
        fail(RuntimeError, f"cosine_embedding_loss(): {n}D target tensor expects {n + 1}D input tensors, but found "
             f"inputs with sizes {list(input1._form.shape)} and {list(input2._form.shape)}.",
             "give (N, D), (N, D) and (N), or (D), (D) and ()")
    where = FUNCTIONS["where"]
    least = 1e-12
    lengths = ((input1 * input1).sum(-1) + least) * ((input2 * input2).sum(-1) + least)
    cosine = (input1 * input2).sum(-1) / lengths.sqrt()
    losses = where(target == 1, 1 - cosine, 0) + where(target == -1, (cosine - margin).clamp_min(0), 0)
    return reduced(losses, reduction)


@op
class _cosine_embedding_loss:
    """1 - cos(x1, x2) where the target is 1, max(0, cos - margin) where it is -1."""
    autocast = "float32"
    names, method = "cosine_embedding_loss", False

    def compose(input1, input2, target, margin=0.0, reduction=0):
        return _cosine_embedding(input1, input2, target, margin, reduction_of(reduction))
    samples = [((3, 4), (3, 4), data([1, -1, 1]), -0.5), ((4,), (4,), data(1), 0.0, 0)]


@op
class cosine_embedding_loss:
    """1 - cos(x1, x2) where the target is 1, max(0, cos - margin) where it is -1."""
    names, autocast = "nn.functional.cosine_embedding_loss", "float32"

    def compose(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
        return _cosine_embedding(input1, input2, target, margin, reduction_of(reduction, size_average, reduce))
    samples = [((3, 4), (3, 4), data([1, -1, 1]), -0.5), ((4,), (4,), data(1))]


def _same_dims(anchor, positive, negative, who):
    _need_tensors(who, anchor, positive, negative)
    a, p, n = anchor._form.ndim, positive._form.ndim, negative._form.ndim
    if not a == p == n:
        fail(RuntimeError, f"{who}(): The anchor, positive, and negative tensors are expected to have the same number "
             f"of dimensions, but got: anchor {a}D, positive {p}D, and negative {n}D inputs")


def _triplet(anchor, positive, negative, distance, margin, swap, reduction):
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = FUNCTIONS["minimum"](far, distance(positive, negative))
    return reduced((margin + near - far).clamp_min(0), reduction)


def _distance(p, eps):
    """The norm of the difference, moved by `eps` so that it has a gradient where it is zero."""
    def measured(x, y):
        return _vector_norm(x - y + eps, p, -1)
    return measured


@op
class _triplet_margin_loss:
    """max(0, margin + distance to the positive - distance to the negative)."""
    autocast = "float32"
    names, method = "triplet_margin_loss", False

    def compose(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction=0):
        _same_dims(anchor, positive, negative, "triplet_margin_loss")
        return _triplet(anchor, positive, negative, _distance(p, eps), margin, swap, reduction_of(reduction))
    samples = [((3, 4), (3, 4), (3, 4), 2.0), ((3, 4), (3, 4), (3, 4), 2.0, 3.0, 1e-6, True, 0)]


@op
class triplet_margin_loss:
    """max(0, margin + distance to the positive - distance to the negative)."""
    names, autocast = "nn.functional.triplet_margin_loss", "float32"

    def compose(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None,
                reduction="mean"):
        reduction = reduction_of(reduction, size_average, reduce)
        _need_margin(margin)
        _same_dims(anchor, positive, negative, "triplet_margin_loss")
        return _triplet(anchor, positive, negative, _distance(p, eps), margin, swap, reduction)
    samples = [((3, 4), (3, 4), (3, 4), 2.0), ((4,), (4,), (4,), 2.0, 1.0, 1e-6, True)]


def _need_margin(margin):
    if margin <= 0:
        fail(ValueError, f"margin must be greater than 0, got {margin}")


@op
class triplet_margin_with_distance_loss:
    """triplet_margin_loss with any distance."""
    names = "nn.functional.triplet_margin_with_distance_loss"

    def compose(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
        reduction = reduction_of(reduction)
        _need_margin(margin)
        _same_dims(anchor, positive, negative, "triplet_margin_with_distance_loss")
        return _triplet(anchor, positive, negative, distance_function or _distance(2.0, 1e-6), margin, swap, reduction)
    samples = [((3, 4), (3, 4), (3, 4))]


# of many classes

@op
class multilabel_soft_margin_loss:
    """The mean over the classes of log(1 + exp(-x)) where the target is 1, log(1 + exp(x)) where it is 0."""
    names = "nn.functional.multilabel_soft_margin_loss"

    def compose(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
        reduction = reduction_of(reduction, size_average, reduce)
        _need_tensors("multilabel_soft_margin_loss", input, target)
        log_sigmoid = FUNCTIONS["nn.functional.logsigmoid"]
        losses = -(target * log_sigmoid(input) + (1 - target) * log_sigmoid(-input))
        if weight is not None:
            losses = losses * weight
        return reduced(losses.sum(-1) / input._form.shape[-1], reduction)
    samples = [((3, 4), (3, 4)), ((4,), (4,))]


def _rows_of(input, target, who):
    """The scores as (N, C), and whether they were a single sample; the target must be long."""
    _need_tensors(who, input, target)
    shape = input._form.shape
    if len(shape) > 2 or shape[-1:] == (0,):
        fail(RuntimeError, f"{who}(): Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
             f"{list(shape)}",
             "give (N, C) or (C)")
    if target._form.dtype != np.int64:
        fail(RuntimeError, f"{who}(): expected scalar type Long but found {target.dtype}", "give target.long()")
    if input._form.dtype.char not in "fd":
        fail(NotImplementedError, f"\"{who}\" not implemented for '{input.dtype}'", "give float32 or float64")
    return input.reshape(-1, shape[-1] if shape else 1) if len(shape) != 2 else input, len(shape) < 2


@op
class multi_margin_loss:
    """The mean over the wrong classes i of max(0, margin - x[y] + x[i])**p."""
    autocast = "float32"
    names = "nn.functional.multi_margin_loss"

    def compose(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
        reduction = reduction_of(reduction, size_average, reduce)
        if p not in (1, 2):
            fail(ValueError, "multi_margin_loss(): only p == 1 and p == 2 supported")
        if weight is not None and weight._form.ndim != 1:
            fail(ValueError, "multi_margin_loss(): weight must be one-dimensional")
        rows, single = _rows_of(input, target, "multi_margin_loss")
        n, classes = rows._form.shape
        if target._form.size != n or target._form.ndim > 1:
            fail(RuntimeError, f"multi_margin_loss(): target tensor should be 1-D with size equal to the number of "
                 f"input samples. Expected target size [{n}], but got {list(target._form.shape)}. Input has shape "
                 f"{list(input._form.shape)}.")
        if weight is not None and weight._form.size != classes:
            fail(RuntimeError, f"multi_margin_loss(): inconsistent weight size, expected {classes} but got "
                 f"{list(weight._form.shape)}")
        at = _classes_of(target, classes).reshape(-1, 1)
        over = (margin - rows.gather(1, at) + rows).relu()
        over = over * over if p == 2 else over
        if weight is not None:
            over = over * weight[at]
        losses = over.masked_fill(wrap(np.arange(classes)) == at, 0).sum(1) / classes
        return reduced(losses.reshape(target._form.shape) if single else losses, reduction)
    samples = [((3, 4), ints(3, below=4)), ((3, 4), ints(3, below=4), 2, 0.7, fixed(4), None, None, "none"),
               ((4,), ints(below=4), 1, 0.7)]


@op
class _classes_of:
    """The targets themselves, all of which are classes."""
    method, tags = False, NOGRAD

    def forward(x, classes):
        if x.size and not 0 <= x.min() <= x.max() < classes:
            fail(RuntimeError, f"multi_margin_loss(): target out of range: classes go from 0 to {classes - 1}")
        return x.copy()

    def shape(x, classes):
        return x.shape, x.dtype
    samples = [(ints(2, 3, below=4), 4)]


@op
class multilabel_margin_loss:
    """The mean over the wrong classes i and right classes j of max(0, 1 - x[j] + x[i]); the targets of a row end at the
    first -1.
    """
    autocast = "float32"
    names = "nn.functional.multilabel_margin_loss"

    def compose(input, target, size_average=None, reduce=None, reduction="mean"):
        reduction = reduction_of(reduction, size_average, reduce)
        rows, single = _rows_of(input, target, "multilabel_margin_loss")
        if target._form.shape != input._form.shape:
            fail(RuntimeError, f"multilabel_margin_loss(): inconsistent target size: {list(target._form.shape)} for "
                 f"input of size: {list(input._form.shape)}")
        classes = rows._form.shape[1]
        labels = values_of(target, "multilabel_margin_loss").reshape(rows._form.shape)
        if labels.size and not -1 <= labels.min() <= labels.max() < classes:
            fail(RuntimeError, f"multilabel_margin_loss(): target is out of range: classes go from 0 to {classes - 1}, "
                 f"-1 ends a row")
        counted = np.logical_and.accumulate(labels >= 0, axis=1)            # (N, C): the labels before the first -1
        most = int(counted.sum(1).max(initial=0))
        counted, labels = counted[:, :most], np.where(counted, labels, 0)[:, :most]
        right = np.zeros(rows._form.shape, bool)
        right[np.nonzero(counted)[0], labels[counted]] = True
        over = (1 - rows.gather(1, wrap(labels)).unsqueeze(2) + rows.unsqueeze(1)).relu()       # (N, right ones, C)
        over = over.masked_fill(wrap(~counted[:, :, None] | right[:, None, :]), 0)
        losses = over.sum((1, 2)) / classes
        return reduced(losses.squeeze(0) if single else losses, reduction)
    samples = [((2, 3), data([[1, 0, -1], [2, -1, 0]])), ((3,), data([1, -1, 0]), None, None, "sum")]
