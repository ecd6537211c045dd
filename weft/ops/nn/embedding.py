# compiled
"""embedding, embedding_bag and one_hot: rows of a table by their numbers."""
import numpy as np

from weft.core.errors import fail
from weft.kernels import fast
from weft.ops.core.inplace import bump, check_writable
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.ops.index.arrays import contiguous
from weft.ops.nn.norm_tools import recording
from weft.tensor.tensor import Tensor, wrap


def _check_indices(weight, indices, name):
    if indices.dtype.kind != "i" or indices.dtype.itemsize < 4:
        fail(RuntimeError, f"Expected tensor for argument #1 'indices' to have one of the following scalar types: "
             f"Long, Int; but got {indices.dtype.name} instead (while checking arguments for {name})",
             "convert it with .long()")
    if weight.ndim != 2:
        fail(RuntimeError, f"'weight' must be 2-D, it has the shape {list(weight.shape)}",
             "give a table of shape (rows, width)")
    if indices.size and (indices.min() < 0 or indices.max() >= weight.shape[0]):
        bad = indices[(indices < 0) | (indices >= weight.shape[0])].flat[0]
        if name == "embedding_bag":
            fail(RuntimeError, f"Expected idx >= 0 && idx < num_embeddings but found idx to be {bad}",
                 f"indices go from 0 to {weight.shape[0] - 1}")
        fail(IndexError, f"{name}: index out of range in self: {bad}, and the table has {weight.shape[0]} rows",
             f"indices go from 0 to {weight.shape[0] - 1}")


# one row for each index

@op
class embedding:
    """The rows of `weight` that `indices` number. With sparse=True the gradient is a dense one too."""
    tags, method = KEEP_HALF, False

    def forward(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
        found = fast.embedding(weight, indices)
        if found is not None:
            return found
        _check_indices(weight, indices, "embedding")
        found = fast.embedding(contiguous(weight), contiguous(indices))
        return weight[indices] if found is None else found

    def grad_weight(g, indices, weight_shape, padding_idx, scale_grad_by_freq):
        return GRAD.compute([g, indices, weight_shape[0], padding_idx, scale_grad_by_freq])


@op
class _embedding_grad:
    """A table of zeros, and the rows of x added to those that `indices` number; none to row `padding_idx`."""
    method, node_name = False, "EmbeddingBackwardBackward0"

    def forward(x, indices, rows, padding_idx, by_freq):
        width = x.shape[-1]
        made = np.zeros((rows, width), x.dtype)
        if not indices.size or not made.size:
            return made
        scale = _shares(indices, rows).astype(x.dtype) if by_freq else None
        return _add_rows(made, contiguous(x).reshape(-1, width), contiguous(indices).reshape(-1), None, scale,
                         padding_idx)

    def grad_x(g, indices, rows, padding_idx, by_freq):
        made = embedding(g, indices)
        if padding_idx >= 0:
            made = made.masked_fill((indices == padding_idx).unsqueeze(-1), 0)
        return (made * wrap(_shares(indices.array, rows).astype(g.array.dtype).reshape(*indices.array.shape, 1))
                if by_freq else made)


GRAD = _embedding_grad.op


def _shares(indices, rows):
    """1 / how often each index occurs."""
    flat = indices.reshape(-1)
    return 1 / np.bincount(flat, minlength=rows)[flat]


def _add_rows(made, g, indices, source, scale, padding_idx):
    """made[indices[i]] += g[source[i]] * scale[i], for all but the padding."""
    if fast.embedding_backward(g, indices, source, scale, made, padding_idx):
        return made
    rows = g if source is None else g[source]
    if scale is not None:
        rows = rows * scale[:, None]
    if padding_idx >= 0:
        kept = indices != padding_idx
        indices, rows = indices[kept], rows[kept]
    np.add.at(made, indices, rows)
    return made


def _padding(padding_idx, rows, kind=AssertionError, text="Padding_idx must be within num_embeddings"):
    if padding_idx is None:
        return -1
    if not -rows <= padding_idx < rows:
        fail(kind, f"{text}: got {padding_idx} for {rows} rows")
    return padding_idx + rows if padding_idx < 0 else padding_idx


def _renorm(weight, indices, max_norm, norm_type):
    """Scale those rows of the table that are used and too long down to `max_norm`, in place."""
    _check_indices(weight.array, indices, "embedding_renorm_")
    used = np.unique(indices)
    rows = weight.array[used]
    wide = rows.astype(np.float64)
    if norm_type == 2:
        length = np.sqrt(np.add.reduce(wide * wide, axis=1))
    elif np.isinf(norm_type):
        length = np.max(np.abs(wide), axis=1, initial=0)
    else:
        length = np.add.reduce(np.abs(wide) ** norm_type, axis=1) ** (1 / norm_type)
    far = length > max_norm
    if far.any():
        weight.array[used[far]] = (wide[far] * (max_norm / (length[far] + 1e-7))[:, None]).astype(rows.dtype)
    bump(weight)


@op
class _renorm_rows:
    """Scale the rows that `indices` number down to `max_norm`, in place."""
    names, method = "embedding_renorm_", False

    def compose(input, indices, max_norm, norm_type):
        check_writable(input, "embedding_renorm_")
        _renorm(input, indices.array, max_norm, norm_type)
        return input


@op
class _f_embedding:
    """The rows of `weight` that `input` numbers; row `padding_idx` gets no gradient, rows longer than `max_norm` are
    shortened in place.
    """
    names, method = "nn.functional.embedding", False

    def compose(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
        if padding_idx is not None:
            padding_idx = _padding(padding_idx, weight.array.shape[0])
        if max_norm is not None:
            _renorm(weight, input.array, max_norm, norm_type)
        return EMBEDDING.compute([weight, input, -1 if padding_idx is None else padding_idx, scale_grad_by_freq,
                                  sparse])


EMBEDDING = embedding.op


# bags of rows

@op
class _bag_sum:
    """For each bag the sum of its rows, each times its scale, or their mean; starts: (bags + 1)."""
    method, inputs, node_name = False, "weight scale", "EmbeddingBagBackward0"

    def forward(weight, scale, indices, starts, padding_idx, by_freq, mean):
        found = fast.embedding_bag(contiguous(weight), indices, starts, scale if scale is None else contiguous(scale),
                                   padding_idx, mean)
        if found is not None:
            return found
        rows = weight[indices] if scale is None else weight[indices] * scale[:, None]
        kept, bag = indices != padding_idx, bag_of(starts)
        made = np.zeros((len(starts) - 1, weight.shape[1]), weight.dtype)
        np.add.at(made, bag[kept], rows[kept])
        return made / np.maximum(_counts(indices, starts, padding_idx), 1).astype(made.dtype)[:, None] if mean else made

    def grads(g, weight, scale, indices, starts, padding_idx, by_freq, mean, needs):
        bag = wrap(bag_of(starts.array))
        if mean:
            shares = 1 / np.maximum(_counts(indices.array, starts.array, padding_idx), 1)
            scale = wrap(shares[bag.array].astype(weight.array.dtype))
        factor = _with_shares(scale, indices, weight.array, by_freq)
        if recording():
            return _plain_bag_grads(g, weight, factor, indices, bag, padding_idx, needs)
        made = BAG_GRAD.compute([g, factor, indices, bag, weight.array.shape[0], padding_idx]) if needs[0] else None
        picked = (g.index_select(0, bag) * weight.index_select(0, indices)).sum(1) if needs[1] else None
        return made, picked


def bag_of(starts):
    """The bag of each index."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def _counts(indices, starts, padding_idx):
    """How many indices each bag has, without the padding."""
    if padding_idx < 0:
        return np.diff(starts)
    return np.bincount(bag_of(starts)[indices != padding_idx], minlength=len(starts) - 1)


def _with_shares(scale, indices, weight, by_freq):
    if not by_freq:
        return scale
    shares = wrap(_shares(indices.array, weight.shape[0]).astype(weight.dtype))
    return shares if scale is None else scale * shares


def _plain_bag_grads(g, weight, scale, indices, bag, padding_idx, needs):
    rows = g.index_select(0, bag)       # (indices, width)
    if padding_idx >= 0:
        rows = rows.masked_fill((indices == padding_idx).unsqueeze(-1), 0)
    scaled = rows if scale is None else rows * scale.unsqueeze(-1)
    made = weight.new_zeros(weight.array.shape).index_add(0, indices, scaled) if needs[0] else None
    return made, (rows * weight.index_select(0, indices)).sum(1) if needs[1] else None


@op
class _bag_grad:
    """A table of zeros, and the bags' gradients added to the rows that were in them."""
    method, tags, node_name = False, NOGRAD, "EmbeddingBagBackwardBackward0"

    def forward(x, scale, indices, bag, rows, padding_idx):
        made = np.zeros((rows, x.shape[1]), x.dtype)
        if not indices.size or not made.size:
            return made
        return _add_rows(made, contiguous(x), indices, bag, scale if scale is None
                         else contiguous(scale).astype(x.dtype, copy=False), padding_idx)


BAG, BAG_GRAD = _bag_sum.op, _bag_grad.op


@op
class _bag_places:
    """For each bag and column the row of the table that has the greatest value; -1 for an empty bag."""
    method, tags = False, NOGRAD

    def forward(weight, indices, starts, padding_idx):
        made = np.full((len(starts) - 1, weight.shape[1]), -1, np.int64)
        for b in range(len(starts) - 1):
            at = indices[starts[b]:starts[b + 1]]
            at = at[at != padding_idx]
            if len(at):
                made[b] = at[weight[at].argmax(0)]
        return made


def _bag_max(weight, indices, starts, padding_idx):
    """(the greatest value of each column in each bag, the rows that they come from)."""
    places = _bag_places(weight, indices, starts, padding_idx)
    found = weight.gather(0, places.clamp(min=0))
    return found.masked_fill(places < 0, 0), places


MODES = ("sum", "mean", "max")


def _borders(indices, offsets, include_last):
    """Where each bag starts, and the end of the last."""
    n, starts = indices.size, contiguous(offsets)
    if include_last and not len(starts):
        fail(RuntimeError, "include_last_offset: number of offset should be at least 1")
    if len(starts) > (1 if include_last else 0) and starts[0] != 0:
        fail(RuntimeError, "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
             "position 0. However, got "
             f"{starts[0]}")
    if starts.max(initial=0) > n:
        fail(RuntimeError, f"offsets[-1] can not be greater than input's length {n} but got offsets[-1] of "
             f"{starts.max()}")
    starts = starts if include_last else np.append(starts, n)
    return np.maximum.accumulate(starts.astype(np.int64, copy=False))


def _bags(weight, indices, starts, by_freq, mode, scale, padding_idx):
    """(the result, its places in the table if it is of maxima) of bags between `starts`."""
    _check_indices(weight.array, indices, "embedding_bag")
    n, used = indices.size, int(starts[-1])
    at = contiguous(indices).reshape(-1).astype(np.int64, copy=False)[:used]
    if mode == 2:
        return _bag_max(weight, wrap(at), starts, padding_idx)
    if scale is not None:
        scale = scale if used == n else scale[:used]
        if padding_idx >= 0:
            scale = scale.masked_fill(wrap(at == padding_idx), 0)
    return BAG.compute([weight, scale, wrap(at), wrap(starts), padding_idx, by_freq, mode == 1]), None


@op
class embedding_bag:
    """(sums, means or maxima of bags of rows, the bag of each index, the bags' sizes, the rows of the maxima)."""
    method = False

    def compose(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
                include_last_offset=False, padding_idx=None):
        padding_idx = _padding(padding_idx, weight.array.shape[0], RuntimeError,
                               "padding_idx must be within the number of embeddings")
        starts = _borders(indices.array, offsets.array, include_last_offset)
        made, places = _bags(weight, indices.array, starts, scale_grad_by_freq, mode, per_sample_weights, padding_idx)
        sizes = wrap(_counts(indices.array[:starts[-1]], starts, padding_idx))
        return made, wrap(bag_of(starts)), sizes, sizes if places is None else places


@op
class _f_embedding_bag:
    """The sum, mean or maximum of each bag of rows: a row of a 2-D `input`, or a stretch of a 1-D one that starts at an
    offset.
    """
    names, method = "nn.functional.embedding_bag", False

    def compose(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean",
                sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
        _check_bag(input, offsets, mode, scale_grad_by_freq, per_sample_weights)
        shape = input.array.shape
        if len(shape) == 2:
            starts = np.arange(shape[0] + 1) * shape[1]
            per_sample_weights = per_sample_weights if per_sample_weights is None else per_sample_weights.reshape((-1,))
        else:
            starts = _borders(input.array, offsets.array, include_last_offset)
        padding_idx = _padding(padding_idx, weight.array.shape[0], RuntimeError,
                               "padding_idx must be within the number of embeddings")
        if max_norm is not None:
            _renorm(weight, input.array, max_norm, norm_type)
        return _bags(weight, input.array, starts, scale_grad_by_freq, MODES.index(mode), per_sample_weights,
                     padding_idx)[0]


def _check_bag(input, offsets, mode, by_freq, scale):
    shape = input.array.shape
    if len(shape) == 2 and offsets is not None:
        fail(ValueError, "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
             "length sequences. However, "
             f"found offsets of type {type(offsets)}", "leave offsets out")
    if len(shape) == 1 and (not isinstance(offsets, Tensor) or offsets.array.ndim != 1):
        fail(ValueError, "offsets has to be a 1D Tensor but got " + ("None" if offsets is None
                                                                     else f"{list(offsets.shape)}"),
             "give the place at which each bag starts")
    if len(shape) not in (1, 2):
        fail(ValueError, f"input has to be 1D or 2D Tensor, but got Tensor of dimension {len(shape)}")
    if mode not in MODES:
        fail(ValueError, f"mode has to be one of sum, mean or max, got {mode}")
    if mode == "max" and by_freq:
        fail(ValueError, "max mode does not support scaling the gradient by the frequency")
    if scale is not None and mode != "sum":
        fail(NotImplementedError, f"embedding_bag: per_sample_weights was not None. per_sample_weights is only "
             f"supported for mode='sum' (got mode='{mode}').")
    if scale is not None and scale.array.shape != shape:
        fail(ValueError, f"embedding_bag: If per_sample_weights ({list(scale.array.shape)}) is not None, then it must "
             f"have the same shape as the input ({list(shape)})")


# classes as vectors

@op
class _one_hot:
    """1 at each class's place among zeros: (*input.shape, num_classes)."""
    names, method, tags = "nn.functional.one_hot", False, NOGRAD

    def forward(x, num_classes=-1):
        if x.dtype != np.int64:
            fail(RuntimeError, f"one_hot is only applicable to index tensor of type LongTensor, got {x.dtype.name}.",
                 "convert it with .long()")
        if not x.size:
            if num_classes <= 0:
                fail(RuntimeError, "Can not infer total number of classes from empty tensor.", "give num_classes")
            return np.zeros((*x.shape, num_classes), np.int64)
        if x.min() < 0:
            fail(RuntimeError, f"Class values must be non-negative, got {x.min()}.")
        if num_classes == -1:
            num_classes = int(x.max()) + 1
        elif num_classes < 1:
            fail(RuntimeError, "num_classes should be positive")
        elif x.max() >= num_classes:
            fail(RuntimeError, f"Class values must be smaller than num_classes, got {x.max()} for {num_classes} "
                 f"classes.",
                 f"give num_classes={int(x.max()) + 1}")
        made = np.zeros((x.size, num_classes), np.int64)
        made[np.arange(x.size), x.reshape(-1)] = 1
        return made.reshape(*x.shape, num_classes)
