"""Functions of torch that stand in PyTorch's compiled list only: older forms of what torch.nn.functional has, with
numbers for the reduction (0 none, 1 mean, 2 sum), and a few that programs borrow from inside.
"""
import weft
from weft.core.errors import fail
from weft.ops.nn.loss_margin import reduction_of

F = weft.nn.functional


def kl_div(input, target, reduction=1, *, log_target=False):
    """target * (log(target) - input), as nn.functional.kl_div has it."""
    return F.kl_div(input, target, reduction=reduction_of(reduction), log_target=log_target)


def poisson_nll_loss(input, target, log_input, full, eps, reduction):
    """nn.functional.poisson_nll_loss with all its arguments."""
    return F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=reduction_of(reduction))


def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=1):
    """nn.functional.binary_cross_entropy_with_logits in the order that aten has."""
    return F.binary_cross_entropy_with_logits(input, target, weight, reduction=reduction_of(reduction),
                                              pos_weight=pos_weight)


def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False, generator=None):
    """rrelu in place."""
    return F.rrelu_(input, lower, upper, training)


def conv_tbc(input, weight, bias, pad=0):
    """A convolution over time: input (T, B, C_in), weight (K, C_in, C_out), result (T', B, C_out)."""
    if input.dim() != 3 or weight.dim() != 3 or bias.dim() != 1:
        fail(RuntimeError, f"conv_tbc: Input must have 3 dims: time, batch, in_channel; weight 3 and bias 1; got "
             f"{input.dim()}, {weight.dim()} and {bias.dim()}")
    made = F.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return made.permute(2, 0, 1).contiguous()


# segments

START = {"sum": 0, "mean": 0, "prod": 1, "max": float("-inf"), "min": float("inf")}


def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    """Sum, mean, product, maximum or minimum of segments that follow each other along `axis`, whose lengths (...,
    segments) or offsets (..., segments + 1) are given for each place in the dimensions before it.

    >>> import weft
    >>> weft.segment_reduce(weft.tensor([1., 2., 3.]), "sum", lengths=weft.tensor([1, 0, 2]))
    tensor([1., 0., 5.])
    """
    if reduce not in START:
        fail(RuntimeError, f"unsupported reduction given! {reduce}", "give 'sum', 'mean', 'prod', 'max' or 'min'")
    if data.numel() == 0 and data.dim() == 0 or not 0 <= (axis + data.dim() if axis < 0 else axis) < data.dim():
        fail(RuntimeError, f"segment_reduce(): axis {axis} is out of range for {data.dim()} dimensions")
    axis = axis + data.dim() if axis < 0 else axis
    lengths = _lengths(data, lengths, offsets, indices, axis, unsafe)
    rows, segments = lengths.shape[:-1].numel(), lengths.shape[-1]
    names = weft.arange(rows * segments).repeat_interleave(lengths.reshape(-1))
    if rows * data.shape[axis] != names.numel():
        fail(RuntimeError, "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(axis)")
    flat = data.flatten(0, axis)                            # (all elements along the axes, *rest)
    start = START[reduce] if initial is None else initial
    out = flat.new_full((rows * segments, *flat.shape[1:]), start)
    if flat.numel():
        index = names.reshape(-1, *[1] * (flat.dim() - 1)).expand_as(flat)
        how = {"max": "amax", "min": "amin", "mean": "sum"}.get(reduce, reduce)
        out = out.scatter_reduce(0, index, flat, how, include_self=True)
    if reduce == "mean":
        counts = lengths.reshape(-1, *[1] * (flat.dim() - 1))
        out = out / (counts if initial is None else counts.clamp_min(1))
    return out.reshape(*data.shape[:axis], segments, *data.shape[axis + 1:])


def _lengths(data, lengths, offsets, indices, axis, unsafe):
    """The segments' lengths (..., segments), checked against the dimensions before the axis."""
    if indices is not None:
        fail(RuntimeError, "segment_reduce(): indices based reduction is not supported yet.", "give lengths or offsets")
    if (lengths is None) == (offsets is None):
        fail(RuntimeError, "segment_reduce(): Either lengths or offsets must be defined.", "give one of them")
    given = lengths if offsets is None else offsets
    if given.dim() != axis + 1 or given.shape[:-1] != data.shape[:axis]:
        fail(RuntimeError, f"segment_reduce(): lengths or offsets of shape {tuple(given.shape)} don't go with data of "
             f"{tuple(data.shape)} along axis {axis}", "give (*data.shape[:axis], segments)")
    lengths = given if offsets is None else offsets.diff()
    if not unsafe and (lengths < 0).any():
        fail(RuntimeError, "segment_reduce(): lengths contains negative value!")
    return lengths.detach().long()


# what programs borrow from inside

def _softmax(input, dim, half_to_float=False):
    """softmax along a dimension."""
    return input.softmax(dim, weft.float32 if half_to_float else None)


def _log_softmax(input, dim, half_to_float=False):
    """log_softmax along a dimension."""
    return input.log_softmax(dim, weft.float32 if half_to_float else None)


def _weight_norm(v, g, dim=0):
    """The weight of direction v and length g, the norm taken over all dimensions but one."""
    return v * (g / weft.norm_except_dim(v, 2, dim))


def _unique2(input, sorted=True, return_inverse=False, return_counts=False):
    """(values, inverse, counts); those that aren't asked for are empty."""
    made = weft.unique(input, sorted, return_inverse, return_counts)
    values, *rest = made if isinstance(made, tuple) else (made,)
    empty = weft.empty(0, dtype=weft.int64)
    inverse = rest.pop(0) if return_inverse else empty
    return values, inverse, rest.pop(0) if return_counts else empty


def _int_mm(input, mat2):
    """The product of two int8 matrices, summed in int32."""
    if input.dtype != weft.int8 or mat2.dtype != weft.int8:
        fail(RuntimeError, f"Expected self dtype to be of type int8 but got {input.dtype} and {mat2.dtype}")
    return input.int() @ mat2.int()


def _cast(dtype):
    def cast(input, non_blocking=False):
        return input.to(dtype)
    cast.__doc__ = f"The tensor in {dtype}."
    return cast


_cast_Byte, _cast_Char, _cast_Short, _cast_Int, _cast_Long, _cast_Half, _cast_Float, _cast_Double = map(
    _cast, (weft.uint8, weft.int8, weft.int16, weft.int32, weft.int64, weft.float16, weft.float32, weft.float64))


def while_loop(cond_fn, body_fn, carried_inputs):
    """body_fn again and again while cond_fn is true of what it gave last."""
    carried = tuple(carried_inputs)
    while cond_fn(*carried):
        made = body_fn(*carried)
        if not isinstance(made, (tuple, list)) or len(made) != len(carried):
            raise RuntimeError(f"body_fn should return the same number of elements as carried_inputs: {len(carried)}, "
                               f"but got {made!r}")
        carried = tuple(made)
    return carried
