"""Losses with a margin: between rankings, triplets, classes and embeddings."""
import numpy as np

from weft.core.errors import fail
from weft.ops.loss import reduced, reduction_code
from weft.ops.reduce_stats import _vector_norm
from weft.ops.registry import FUNCTIONS, op
from weft.tensor.tensor import wrap


@op
class margin_ranking_loss:
    """max(0, -target * (input1 - input2) + margin)."""
    names, method = "nn.functional.margin_ranking_loss", False

    def compose(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
        code = reduction_code(reduction, size_average, reduce)
        if input1.array.ndim != input2.array.ndim or input1.array.ndim != target.array.ndim:
            fail(RuntimeError, f"margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
                 f"{list(input1.array.shape)}, input2: {list(input2.array.shape)}, target: {list(target.array.shape)} ")
        return reduced((-target * (input1 - input2) + margin).clamp(min=0), code)


def _distance(x, y, p, eps):
    """The p-norm of x - y + eps along the last dimension."""
    return _vector_norm(x - y + eps, p, -1, False)


def _triplet(near, far, swapped, margin, code):
    if swapped is not None:
        far = far.minimum(swapped)
    return reduced((near - far + margin).clamp(min=0), code)


@op
class triplet_margin_loss:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), with the p-norm as distance."""
    names, method = "nn.functional.triplet_margin_loss", False

    def compose(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"):
        code = reduction_code(reduction, size_average, reduce)
        if margin <= 0:
            fail(ValueError, f"margin must be greater than 0, got {margin}")
        dims = (anchor.array.ndim, positive.array.ndim, negative.array.ndim)
        if dims[0] != dims[1] or dims[1] != dims[2]:
            fail(RuntimeError, f"triplet_margin_loss: The anchor, positive, and negative tensors are expected to have the same number of "
                 f"dimensions, but got: anchor {dims[0]}D, positive {dims[1]}D, and negative {dims[2]}D inputs")
        swapped = _distance(positive, negative, p, eps) if swap else None
        return _triplet(_distance(anchor, positive, p, eps), _distance(anchor, negative, p, eps), swapped, margin, code)


@op
class triplet_margin_with_distance_loss:
    """triplet_margin_loss with any distance function."""
    names, method = "nn.functional.triplet_margin_with_distance_loss", False

    def compose(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
        if reduction not in ("mean", "sum", "none"):
            fail(ValueError, f"{reduction} is not a valid value for reduction")
        if margin <= 0:
            fail(ValueError, f"margin must be greater than 0, got {margin}")
        dims = (anchor.array.ndim, positive.array.ndim, negative.array.ndim)
        if dims[0] != dims[1] or dims[1] != dims[2]:
            fail(RuntimeError, f"triplet_margin_loss: The anchor, positive, and negative tensors are expected to have the same number of "
                 f"dimensions, but got: anchor {dims[0]}D, positive {dims[1]}D, and negative {dims[2]}D inputs")
        if distance_function is None:
            near, far = _distance(anchor, positive, 2.0, 1e-6), _distance(anchor, negative, 2.0, 1e-6)
            swapped = _distance(positive, negative, 2.0, 1e-6) if swap else None
        else:
            near, far = distance_function(anchor, positive), distance_function(anchor, negative)
            swapped = distance_function(positive, negative) if swap else None
        return _triplet(near, far, swapped, margin, reduction_code(reduction))


@op
class cosine_embedding_loss:
    """1 - cos(input1, input2) where the target is 1, max(0, cos - margin) where it is -1."""
    names, method = "nn.functional.cosine_embedding_loss", False

    def compose(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
        code = reduction_code(reduction, size_average, reduce)
        dim = target.array.ndim
        if dim > 1:
            fail(RuntimeError, f"cosine_embedding_loss: 0D or 1D target tensor expected, multi-target not supported, got {dim}D")
        if input1.array.ndim != dim + 1 or input2.array.ndim != dim + 1:
            fail(RuntimeError, f"cosine_embedding_loss: {dim}D target tensor expects {dim + 1}D input tensors, but found inputs with sizes "
                 f"{list(input1.array.shape)} and {list(input2.array.shape)}.")
        eps = 1e-12
        sizes = ((input1 * input1).sum(dim) + eps) * ((input2 * input2).sum(dim) + eps)
        cos = (input1 * input2).sum(dim) / sizes.sqrt()
        far = (cos - margin).clamp(min=0)
        losses = (1 - cos).masked_fill(target != 1, 0) + far.masked_fill(target != -1, 0)
        return reduced(losses, code)


@op
class multi_margin_loss:
    """The mean over classes of max(0, margin - x[y] + x[i])**p for i != y."""
    names, method = "nn.functional.multi_margin_loss", False

    def compose(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
        code = reduction_code(reduction, size_average, reduce)
        if p != 1 and p != 2:
            fail(ValueError, f"multi_margin_loss: only p == 1 and p == 2 supported, got {p}")
        if weight is not None and weight.array.ndim != 1:
            fail(ValueError, f"multi_margin_loss: weight must be one-dimensional, got shape {list(weight.array.shape)}")
        lone = input.array.ndim < 2
        rows = input.reshape((1, -1)) if lone else input
        n, classes = rows.array.shape
        if lone and target.array.size != 1 or not lone and target.array.shape != (n,):
            fail(RuntimeError, f"multi_margin_loss: inconsistent target size, expected {n} but got {list(target.array.shape)}")
        aims = target.reshape(-1)
        if aims.array.size and (aims.array.min() < 0 or aims.array.max() >= classes):
            fail(RuntimeError, f"multi_margin_loss: target out of range, there are {classes} classes")
        own = aims.unsqueeze(1)
        terms = (margin - rows.gather(1, own) + rows).clamp(min=0)
        if p == 2:
            terms = terms * terms
        if weight is not None:
            terms = terms * weight[aims].unsqueeze(1)
        hit = wrap(np.arange(classes) == own.array)
        losses = terms.masked_fill(hit, 0).sum(1) / classes
        return reduced(losses.reshape(()) if lone and target.array.ndim == 0 else losses, code)


@op
class multilabel_margin_loss:
    """The mean over classes of max(0, 1 - x[y] + x[i]) for every label y and every class i that is none."""
    names, method = "nn.functional.multilabel_margin_loss", False

    def compose(input, target, size_average=None, reduce=None, reduction="mean"):
        code = reduction_code(reduction, size_average, reduce)
        lone = input.array.ndim < 2
        if input.array.shape != target.array.shape and input.array.ndim:
            fail(RuntimeError, f"multilabel_margin_loss: inconsistent target size: {list(target.array.shape)} for input of size: "
                 f"{list(input.array.shape)}")
        rows, aims = input.reshape((1, -1)) if lone else input, target.array.reshape(1, -1) if lone else target.array
        n, classes = rows.array.shape
        valid = np.logical_and.accumulate(aims >= 0, axis=1)        # labels stand before the first -1
        safe = np.where(valid, aims, 0)
        labels = np.zeros((n, classes), bool)
        np.logical_or.at(labels, (np.arange(n)[:, None], safe), valid)
        chosen = rows.gather(1, wrap(safe))                         # (N, labels)
        terms = (1 - chosen.unsqueeze(2) + rows.unsqueeze(1)).clamp(min=0)
        out = ~(valid[:, :, None] & ~labels[:, None, :])
        losses = terms.masked_fill(wrap(out), 0).sum((1, 2)) / max(classes, 1)
        return reduced(losses.reshape(()) if lone else losses, code)


@op
class multilabel_soft_margin_loss:
    """The mean over classes of the binary cross-entropy of logits."""
    names, method = "nn.functional.multilabel_soft_margin_loss", False

    def compose(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
        code = reduction_code(reduction, size_average, reduce)
        log_sigmoid = FUNCTIONS["nn.functional.logsigmoid"]
        losses = -(target * log_sigmoid(input) + (1 - target) * log_sigmoid(-input))
        if weight is not None:
            losses = losses * weight
        return reduced(losses.sum(-1) / input.array.shape[-1], code)
