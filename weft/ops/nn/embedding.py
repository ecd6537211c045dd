# compiled
"""embedding, embedding_bag and one_hot: rows of a table by their numbers."""
import numpy as np

from weft.autograd import rows as row_gradients
from weft.core.errors import fail
from weft.kernels import fast
from weft.ops.core.inplace import check_writable
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.ops.core.samples import data, fixed, ints
from weft.ops.index.arrays import LONG, contiguous
from weft.ops.nn.norm_tools import recording
from weft.ops.nn.reading import values_of
from weft.tensor.tensor import Tensor, wrap


def _check_kind(indices, name):
    if indices.dtype.kind != "i" or indices.dtype.itemsize < 4:
        fail(RuntimeError, f"Expected tensor for argument #1 'indices' to have one of the following scalar types: "
             f"Long, Int; but got {indices.dtype.name} instead (while checking arguments for {name})",
             "convert it with .long()")


def _check_table(weight, indices, name):
    """Refuse types and shapes (of arrays or Specs) that make no table and no row numbers."""
    _check_kind(indices, name)
    if weight.ndim != 2:
        fail(RuntimeError, f"'weight' must be 2-D, it has the shape {list(weight.shape)}",
             "give a table of shape (rows, width)")


def _check_indices(weight, indices, name):
    _check_table(weight, indices, name)
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
    """The rows of `weight` that `indices` number. With sparse=True the gradient is a sparse tensor of those rows."""
    tags, method = KEEP_HALF, False
    steady = True

    def forward(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
        found = fast.embedding(weight, indices)
        if found is not None:
            return found
        _check_indices(weight, indices, "embedding")
        found = fast.embedding(contiguous(weight), contiguous(indices))
        return weight[indices] if found is None else found

    def shape(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
        _check_table(weight, indices, "embedding")
        return (*indices.shape, weight.shape[1]), weight.dtype

    def grad_weight(g, indices, weight_shape, padding_idx, scale_grad_by_freq, sparse):
        if sparse:
            return sparse_rows(g, indices, weight_shape, padding_idx, scale_grad_by_freq)
        if not scale_grad_by_freq and row_gradients.pays(weight_shape, indices._form.size, g._form.dtype):
            part = g._array.reshape(-1, weight_shape[1]).copy()
            return row_gradients.of_lookup(weight_shape, indices._array.reshape(-1), part, padding_idx)
        return GRAD.compute([g, indices, weight_shape[0], padding_idx, scale_grad_by_freq])
    samples = [((5, 3), ints(2, 4, below=5)), ((5, 3), ints(4, below=5, dtype="int32"))]


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

    def shape(x, indices, rows, padding_idx, by_freq):
        return (rows, x.shape[-1]), x.dtype

    def grad_x(g, indices, rows, padding_idx, by_freq):
        made = embedding(g, indices)
        if padding_idx >= 0:
            made = made.masked_fill((indices == padding_idx).unsqueeze(-1), 0)
        return made * _index_shares(indices, rows).to(g.dtype).unsqueeze(-1) if by_freq else made
    samples = [((2, 4, 3), ints(2, 4, below=5), 5, 1, False), ((4, 3), ints(4, below=5), 5, -1, True)]


GRAD = _embedding_grad.op


def sparse_rows(g, indices, shape, padding_idx, by_freq):
    """The gradient of a table as a sparse tensor of the rows that were used; row `padding_idx` is left out."""
    if by_freq:
        fail(RuntimeError, "embedding_backward: scale_grad_by_freq not supported with sparse gradients",
             "leave one of sparse=True and scale_grad_by_freq=True out")
    from weft.ops.sparse.create import row_tensor  # loaded when a program first needs it
    indices = indices.reshape(-1).long()
    g = g.reshape(indices.numel(), shape[1])
    if padding_idx >= 0:
        kept = (indices != padding_idx).nonzero().squeeze(1)
        indices, g = indices.index_select(0, kept), g.index_select(0, kept)
    return row_tensor(indices, g, shape)


def _shares(indices, rows):
    """1 / how often each index occurs: (indices)."""
    flat = indices.reshape(-1)
    return 1 / np.bincount(flat, minlength=rows)[flat]


@op
class _index_shares:
    """1 / how often each index occurs, in float64."""
    method, tags = False, NOGRAD

    def forward(x, rows):
        return _shares(x, rows).reshape(x.shape)

    def shape(x, rows):
        return x.shape, np.float64
    samples = [(ints(2, 4, below=5), 5)]


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
        fail(kind, f"{text}: got {padding_idx} for {rows} rows", f"rows go from 0 to {rows - 1}")
    return padding_idx + rows if padding_idx < 0 else padding_idx


@op
class _shorten_rows:
    """Scale those rows of the table that are used and too long down to `max_norm`, in place."""
    method, tags, writes = False, NOGRAD | KEEP_HALF, "weight"

    def forward(weight, indices, max_norm, norm_type):
        _check_indices(weight, indices, "embedding_renorm_")
        used = np.unique(indices)
        rows = weight[used]
        wide = rows.astype(np.float64)
        length = _lengths(wide, norm_type)
        far = length > max_norm
        if far.any():
            weight[used[far]] = (wide[far] * (max_norm / (length[far] + 1e-7))[:, None]).astype(rows.dtype)

    def shape(weight, indices, max_norm, norm_type):
        _check_table(weight, indices, "embedding_renorm_")
        return ()
    samples = [(fixed(5, 3), ints(4, below=5), 0.5, 2.0), (fixed(5, 3), ints(2, 2, below=5), 0.5, 1.0)]


def _lengths(rows, norm_type):
    """The norm of each row."""
    if norm_type == 2:
        return np.sqrt(np.add.reduce(rows * rows, axis=1))
    if np.isinf(norm_type):
        return np.max(np.abs(rows), axis=1, initial=0)
    return np.add.reduce(np.abs(rows) ** norm_type, axis=1) ** (1 / norm_type)


@op
class _renorm_rows:
    """Scale the rows that `indices` number down to `max_norm`, in place."""
    names, method = "embedding_renorm_", False

    def compose(input, indices, max_norm, norm_type):
        check_writable(input, "embedding_renorm_")
        _shorten_rows(input, indices, max_norm, norm_type)
        return input
    why_no_samples = "it writes to its first argument and gives it back; _shorten_rows, which does it, has samples"


@op
class _f_embedding:
    """The rows of `weight` that `input` numbers; row `padding_idx` gets no gradient, rows longer than `max_norm` are
    shortened in place.
    """
    names, method = "nn.functional.embedding", False

    def compose(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
        if padding_idx is not None:
            padding_idx = _padding(padding_idx, weight._form.shape[0])
        if max_norm is not None:
            _shorten_rows(weight, input, max_norm, norm_type)
        return EMBEDDING.compute([weight, input, -1 if padding_idx is None else padding_idx, scale_grad_by_freq,
                                  sparse])
    samples = [(ints(2, 4, below=5), (5, 3)), (ints(4, below=4), (5, 3), 4)]


EMBEDDING = embedding.op


# bags of rows

@op
class _bag_sum:
    """For each bag the sum of its rows, each times its scale, or their mean; starts: (bags + 1)."""
    method, node_name = False, "EmbeddingBagBackward0"

    def forward(weight, scale, indices, starts, padding_idx, by_freq, mean):
        _check_indices(weight, indices, "embedding_bag")
        found = fast.embedding_bag(contiguous(weight), indices, starts, scale if scale is None else contiguous(scale),
                                   padding_idx, mean)
        if found is not None:
            return found
        rows = weight[indices] if scale is None else weight[indices] * scale[:, None]
        kept, bag = indices != padding_idx, bag_of(starts)
        made = np.zeros((len(starts) - 1, weight.shape[1]), weight.dtype)
        np.add.at(made, bag[kept], rows[kept])
        return made / np.maximum(_counts(indices, starts, padding_idx), 1).astype(made.dtype)[:, None] if mean else made

    def shape(weight, scale, indices, starts, padding_idx, by_freq, mean):
        _check_table(weight, indices, "embedding_bag")
        return (starts.shape[0] - 1, weight.shape[1]), weight.dtype

    # the table's values are saved only where the scales want gradients: others may write to it before the backward
    def grad_weight(g, weight_shape, scale, indices, starts, padding_idx, by_freq, mean):
        bag = _bag_numbers(starts, indices._form.size)
        if mean:
            shares = 1 / _bag_sizes(indices, starts, padding_idx).clamp(min=1).double()
            scale = shares.index_select(0, bag).to(g.dtype)
        factor = _with_shares(scale, indices, weight_shape[0], g.dtype, by_freq)
        if not recording():
            return _bag_table(g, factor, indices, bag, weight_shape, padding_idx)
        rows = _rows_of_bags(g, indices, bag, padding_idx)
        scaled = rows if factor is None else rows * factor.unsqueeze(-1)
        return g.new_zeros(weight_shape).index_add(0, indices, scaled)

    def grad_scale(g, weight, indices, starts, padding_idx):
        rows = _rows_of_bags(g, indices, _bag_numbers(starts, indices._form.size), padding_idx)
        return (rows * weight.index_select(0, indices)).sum(1)
    samples = [((5, 3), (4,), ints(4, below=5), data([0, 1, 1, 4]), -1, False, False),
               ((5, 3), None, ints(4, below=5), data([0, 2, 4]), 1, False, True)]


def _bag_table(g, factor, indices, bag, shape, padding_idx):
    """The gradient of the table, given the bags' and each index's factor."""
    if row_gradients.pays(shape, indices._form.size, g._form.dtype):
        part = g._array[bag._array]
        if factor is not None:
            part *= factor._array.astype(part.dtype, copy=False)[:, None]
        return row_gradients.of_lookup(shape, indices._array, part, padding_idx)
    return BAG_GRAD.compute([g, factor, indices, bag, shape[0], padding_idx])


def bag_of(starts):
    """The bag of each index."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def _counts(indices, starts, padding_idx):
    """How many indices each bag has, without the padding."""
    if padding_idx < 0:
        return np.diff(starts)
    return np.bincount(bag_of(starts)[indices != padding_idx], minlength=len(starts) - 1)


@op
class _bag_numbers:
    """The bag of each of `count` indices, which is where the last of the bags that start at `x` ends."""
    method, tags = False, NOGRAD

    def forward(x, count):
        return bag_of(x)

    def shape(x, count):
        return (count,), np.int64
    samples = [(data([0, 1, 1, 4]), 4)]


@op
class _bag_sizes:
    """How many indices each bag has, without the padding."""
    method, tags = False, NOGRAD

    def forward(x, starts, padding_idx):
        return _counts(x, starts, padding_idx)

    def shape(x, starts, padding_idx):
        return (starts.shape[0] - 1,), np.int64
    samples = [(ints(4, below=3), data([0, 1, 1, 4]), -1), (ints(4, below=3), data([0, 1, 1, 4]), 1)]


def _with_shares(scale, indices, count, dtype, by_freq):
    if not by_freq:
        return scale
    shares = _index_shares(indices, count).to(dtype)
    return shares if scale is None else scale * shares


def _rows_of_bags(g, indices, bag, padding_idx):
    """For each index its bag's gradient, zero for the padding: (indices, width)."""
    rows = g.index_select(0, bag)
    return rows.masked_fill((indices == padding_idx).unsqueeze(-1), 0) if padding_idx >= 0 else rows


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

    def shape(x, scale, indices, bag, rows, padding_idx):
        return (rows, x.shape[1]), x.dtype
    samples = [((3, 2), (4,), ints(4, below=5), data([0, 1, 1, 2]), 5, -1),
               ((3, 2), None, ints(4, below=5), data([0, 1, 1, 2]), 5, 1)]


BAG, BAG_GRAD = _bag_sum.op, _bag_grad.op


@op
class _bag_places:
    """For each bag and column the row of the table that has the greatest value; -1 for an empty bag."""
    method, tags = False, NOGRAD

    def forward(weight, indices, starts, padding_idx):
        _check_indices(weight, indices, "embedding_bag")
        made = np.full((len(starts) - 1, weight.shape[1]), -1, np.int64)
        for b in range(len(starts) - 1):
            at = indices[starts[b]:starts[b + 1]]
            at = at[at != padding_idx]
            if len(at):
                made[b] = at[weight[at].argmax(0)]
        return made

    def shape(weight, indices, starts, padding_idx):
        _check_table(weight, indices, "embedding_bag")
        return (starts.shape[0] - 1, weight.shape[1]), np.int64
    samples = [((5, 3), ints(4, below=5), data([0, 1, 1, 4]), -1)]


def _bag_max(weight, indices, starts, padding_idx):
    """(the greatest value of each column in each bag, the rows that they come from)."""
    places = _bag_places(weight, indices, starts, padding_idx)
    found = weight.gather(0, places.clamp(min=0))
    return found.masked_fill(places < 0, 0), places


MODES = ("sum", "mean", "max")


@op
class _bag_borders:
    """Where each bag of `count` indices starts, and the end of the last: (bags + 1)."""
    method, tags = False, NOGRAD

    def forward(x, count, include_last, cut=True):
        starts = contiguous(x)
        if len(starts) > (1 if include_last else 0) and starts[0] != 0:
            fail(RuntimeError, "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
                 "position 0. However, got "
                 f"{starts[0]}")
        if starts.max(initial=0) > count:
            fail(RuntimeError, f"offsets[-1] can not be greater than input's length {count} but got offsets[-1] of "
                 f"{starts.max()}")
        starts = np.maximum.accumulate((starts if include_last else np.append(starts, count)).astype(np.int64))
        if len(starts) > 1 and not cut:
            starts[-1] = count
        return starts

    def shape(x, count, include_last, cut=True):
        return (x.shape[0] + (0 if include_last else 1),), np.int64
    samples = [(data([0, 1, 1]), 4, False), (data([0, 1, 1]), 4, True), (data([0, 1, 1]), 4, True, False)]


def _borders(indices, offsets, include_last, weight, mode, padding_idx):
    """Where each bag starts, and the end of the last. A last offset that is an end cuts off the indices after it in
    sums and means of single and half precision without padding; all else has them in the last bag, as PyTorch's
    kernels do.
    """
    if include_last and not offsets._form.size:
        fail(RuntimeError, "include_last_offset: number of offset should be at least 1")
    cut = not include_last or mode != "max" and padding_idx < 0 and weight._form.dtype.itemsize < 8
    return _bag_borders(offsets, indices._form.size, include_last, cut)


def _used(indices, scale, starts, include_last):
    """(the indices and scales that are in a bag): what comes after the last offset, where that is an end, is not."""
    _check_kind(indices._form, "embedding_bag")
    at = indices.reshape((-1,)).long()
    used = int(values_of(starts, "embedding_bag")[-1]) if include_last else at._form.size
    return (at, scale) if used == at._form.size else (at[:used], scale if scale is None else scale[:used])


def _bags(weight, at, starts, by_freq, mode, scale, padding_idx, sparse=False):
    """(the result, its places in the table if it is of maxima) of bags between `starts`."""
    if sparse and mode == 2:
        fail(ValueError, "max mode does not support sparse weights", "leave sparse=True out")
    if sparse and recording():
        return _sparse_bags(weight, at, starts, by_freq, mode, scale, padding_idx), None
    if mode == 2:
        return _bag_max(weight, at, starts, padding_idx)
    if scale is not None and padding_idx >= 0:
        scale = scale.masked_fill(at == padding_idx, 0)
    return BAG.compute([weight, scale, at, starts, padding_idx, by_freq, mode == 1]), None


def _sparse_bags(weight, at, starts, by_freq, mode, scale, padding_idx):
    """Bags of rows whose gradient is a sparse tensor."""
    from weft.ops.sparse.product import sum_stretches  # loaded when a program first needs it
    rows = EMBEDDING.compute([weight, at, padding_idx, by_freq, True])
    if padding_idx >= 0:
        rows = rows.masked_fill((at == padding_idx).unsqueeze(1), 0)
    if scale is not None:
        rows = rows * scale.unsqueeze(1)
    made = sum_stretches(rows, values_of(starts, "embedding_bag"), np.arange(at._form.size))
    if mode == 1:
        made = made / _bag_sizes(at, starts, padding_idx).clamp(min=1).to(made.dtype).unsqueeze(1)
    return made


@op
class embedding_bag:
    """(sums, means or maxima of bags of rows, the bag of each index, the bags' sizes, the rows of the maxima)."""
    method = False

    def compose(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
                include_last_offset=False, padding_idx=None):
        padding_idx = _padding(padding_idx, weight._form.shape[0], RuntimeError,
                               "padding_idx must be within the number of embeddings")
        starts = _borders(indices, offsets, include_last_offset, weight, MODES[mode], padding_idx)
        at, scale = _used(indices, per_sample_weights, starts, include_last_offset)
        made, places = _bags(weight, at, starts, scale_grad_by_freq, mode, scale, padding_idx, sparse)
        sizes = _bag_sizes(at, starts, padding_idx)
        return made, _bag_numbers(starts, at._form.size), sizes, sizes if places is None else places
    samples = [((5, 3), ints(4, below=5), data([0, 1, 1])),
               ((5, 3), ints(4, below=5), data([0, 1, 3]), False, 0, False, (4,), True),
               ((5, 3), ints(4, below=5), data([0, 1, 1]), False, 2)]


@op
class _f_embedding_bag:
    """The sum, mean or maximum of each bag of rows: a row of a 2-D `input`, or a stretch of a 1-D one that starts at an
    offset.
    """
    names, method = "nn.functional.embedding_bag", False

    def compose(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean",
                sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
        _check_bag(input, weight, offsets, mode, scale_grad_by_freq, per_sample_weights)
        padding_idx = _padding(padding_idx, weight._form.shape[0], RuntimeError,
                               "padding_idx must be within the number of embeddings")
        shape = input._form.shape
        if len(shape) == 2:
            starts, include_last_offset = wrap(np.arange(shape[0] + 1) * shape[1]), False
            per_sample_weights = per_sample_weights if per_sample_weights is None else per_sample_weights.reshape((-1,))
        else:
            starts = _borders(input, offsets, include_last_offset, weight, mode, padding_idx)
        if max_norm is not None:
            _shorten_rows(weight, input, max_norm, norm_type)
        at, scale = _used(input, per_sample_weights, starts, include_last_offset)
        return _bags(weight, at, starts, scale_grad_by_freq, MODES.index(mode), scale, padding_idx, sparse)[0]
    samples = [(ints(2, 3, below=5), (5, 3)), (ints(4, below=5), (5, 3), data([0, 1, 1]), None, 2, False, "sum"),
               (ints(2, 3, below=5), (5, 3), None, None, 2, False, "sum", False, (2, 3), False, 1),
               (ints(2, 3, below=5), (5, 3), None, None, 2, False, "max")]


def _check_bag(input, weight, offsets, mode, by_freq, scale):
    shape = input._form.shape
    if len(shape) == 2 and offsets is not None:
        fail(ValueError, "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
             "length sequences. However, "
             f"found offsets of type {type(offsets)}", "leave offsets out")
    if len(shape) == 1 and (not isinstance(offsets, Tensor) or offsets._form.ndim != 1):
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
    if scale is not None and scale._form.shape != shape:
        fail(ValueError, f"embedding_bag: If per_sample_weights ({list(scale._form.shape)}) is not None, then it must "
             f"have the same shape as the input ({list(shape)})")
    if scale is not None and scale.dtype is not weight.dtype:
        fail(RuntimeError, f"embedding_bag: expected per_sample_weights to have the same type as weight, "
             f"{weight.dtype}, but got {scale.dtype}", f"per_sample_weights.to({weight.dtype})")


# classes as vectors

@op
class _one_hot:
    """1 at each class's place among zeros: (*x.shape, classes)."""
    method, tags = False, NOGRAD

    def forward(x, classes):
        found = fast.one_hot(x, classes)
        if found is not None:
            return found
        if x.size and x.min() < 0:
            fail(RuntimeError, f"Class values must be non-negative, got {x.min()}.")
        if x.size and x.max() >= classes:
            fail(RuntimeError, f"Class values must be smaller than num_classes, got {x.max()} for {classes} classes.",
                 f"give num_classes={int(x.max()) + 1}")
        made = np.zeros((x.size, classes), np.int64)
        made[np.arange(x.size), x.reshape(-1)] = 1
        return made.reshape(*x.shape, classes)

    def shape(x, classes):
        return (*x.shape, classes), np.int64
    samples = [(ints(2, 3, below=4), 4)]


@op
class one_hot:
    """1 at each class's place among zeros: (*tensor.shape, num_classes); without a number, as many as there are."""
    names, method = "nn.functional.one_hot", False

    def compose(tensor, num_classes=-1):
        if tensor._form.dtype != LONG:
            fail(RuntimeError, f"one_hot is only applicable to index tensor of type LongTensor, got "
                 f"{tensor._form.dtype.name}.",
                 "convert it with .long()")
        if not tensor._form.size and num_classes <= 0:
            fail(RuntimeError, "Can not infer total number of classes from empty tensor.", "give num_classes")
        if num_classes == -1:
            num_classes = max(int(values_of(tensor, "one_hot").max()), 0) + 1
        if num_classes < 1:
            fail(RuntimeError, "num_classes should be positive")
        return _one_hot(tensor, num_classes)
    samples = [(ints(2, 3, below=4), 4), (ints(3, below=4),)]
