# compiled, -Og
"""Elements moved about or repeated: flip, roll, rot90, repeat, pad."""
import operator

import numpy as np

from weft.core.errors import fail
from weft.core.layout import contiguous_format, empty_as, empty_ordered, order_of
from weft.core.size import wrap_dim, wrap_dims
from weft.core.spec import like, ordered
from weft.kernels import fast
from weft.kernels.native import strided
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.ops.core.samples import data, given
from weft.ops.create.constants import uninitialised
from weft.ops.index.arrays import contiguous
from weft.ops.shape.join import channels_innermost
from weft.ops.shape.view import EXPAND, RESHAPE, array_of, at, packed
from weft.tensor.tensor import Tensor

# turned around

def backwards(x, dims):
    """The view of an array with some of its dimensions read from the end."""
    shape, strides, start = x.shape, list(x.strides), 0
    if x.size:
        for d in dims:
            start += (shape[d] - 1) * strides[d]
            strides[d] = -strides[d]
    return strided(x, shape, tuple(strides), start)



@op
class _flip:
    """The elements in reverse order along some dimensions."""
    tags, method, node_name = KEEP_HALF, False, "FlipBackward0"

    def forward(x, dims):
        made = empty_as(x, make=uninitialised)
        turned = backwards(x, dims)
        if not x.ndim or not fast.copy_into(made, turned):
            made[...] = turned
        return made

    def shape(x, dims):
        return like(x)

    def grad_x(g, dims):
        return FLIP.compute([g, dims])
    samples = [((2, 3), [0, 1])]


@op
class flip:
    """The elements in reverse order along `dims`."""
    def compose(input, *sizes, dims=None):
        x = array_of(input, "flip")
        if not sizes and dims is None:
            raise TypeError('flip() missing 1 required positional arguments: "dims"')
        return FLIP.compute([input, wrap_dims(packed(sizes, dims), x.ndim)])
    samples = [((2, 3), [0]), ((2, 3), [0, -1]), ((), [])]


@op
class fliplr:
    """The columns in reverse order."""
    def compose(input):
        if array_of(input, "fliplr").ndim < 2:
            fail(RuntimeError, f"fliplr: Input must be >= 2-d, got {input._form.ndim} dimensions", "use flip(0)")
        return FLIP.compute([input, (1,)])
    samples = [((2, 3),)]


@op
class flipud:
    """The rows in reverse order."""
    def compose(input):
        if array_of(input, "flipud").ndim < 1:
            fail(RuntimeError, "flipud: Input must be >= 1-d, got 0 dimensions", "there is nothing to flip")
        return FLIP.compute([input, (0,)])
    samples = [((2, 3),)]


@op
class _roll:
    """The elements moved along some dimensions; those that fall off come in at the other end."""
    tags, method, node_name = KEEP_HALF, False, "RollBackward0"

    def forward(x, shifts, dims):
        order = _kept_order(x)
        inner = x.transpose(order)          # rolled in memory order, so that this is the result's
        moved = tuple([order.index(d) for d in dims])
        found = fast.rolled(inner, shifts, moved)
        if found is None:
            found = np.roll(contiguous(inner), shifts, moved) if x.size else inner.copy()
        return found.transpose([order.index(d) for d in range(x.ndim)])

    def shape(x, shifts, dims):
        return ordered(x.shape, x.dtype, _kept_order(x))

    def grad_x(g, shifts, dims):
        return ROLL.compute([g, tuple([-s for s in shifts]), dims])
    samples = [((2, 3), [1], [1])]


def _kept_order(x):
    """The memory order of a result that keeps channels innermost, and else is contiguous."""
    if x.ndim in (4, 5) and not x.flags.c_contiguous and channels_innermost(x):
        return (0, *range(2, x.ndim), 1)
    return tuple(range(x.ndim))


@op
class roll:
    """The elements moved by `shifts` along `dims` (all as one sequence without it), around the ends."""
    def compose(input, shifts, dims=()):
        shape = array_of(input, "roll").shape
        shifts = tuple(shifts) if isinstance(shifts, (tuple, list)) else (operator.index(shifts),)
        dims = () if dims is None else tuple(dims) if isinstance(dims, (tuple, list)) else (dims,)
        if not dims and len(shifts) == 1:
            return ROLL.compute([input.reshape(-1), shifts, (0,)]).view(shape)
        if not shifts:
            fail(RuntimeError, "roll: `shifts` required", "say how far to move")
        if len(shifts) != len(dims):
            fail(RuntimeError, f"roll: shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}",
                 "give a shift for each dim")
        if not shape:
            fail(IndexError, f"roll: Dimension specified as {dims[0]} but tensor has no dimensions", "leave dims out")
        if 0 in shape:
            return input.clone()        # whatever the dims are
        return ROLL.compute([input, shifts, tuple([at(d, len(shape)) for d in dims])])
    samples = [((2, 3), 1), ((2, 3), 2, 1), ((2, 3), [1, -1], [0, 1])]


@op
class rot90:
    """Turned by `k` right angles in the plane of two dimensions, from the first towards the second."""
    def compose(input, k=1, dims=(0, 1)):
        ndim = array_of(input, "rot90").ndim
        if len(dims) != 2:
            fail(RuntimeError, f"rot90: expected total rotation dims == 2, but got dims = {len(dims)}",
                 "name two dimensions")
        if ndim < 2:
            fail(RuntimeError, f"rot90: expected total dims >= 2, but got total dims = {ndim}",
                 "unsqueeze() it to a matrix first")
        first, second = wrap_dim(dims[0], ndim), wrap_dim(dims[1], ndim)
        if first == second:
            fail(RuntimeError, f"rot90: expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = "
                 f"{dims[1]}",
                 "name two dimensions")
        k = operator.index(k) % 4
        if k == 1:
            return FLIP.compute([input, (second,)]).transpose(first, second)
        if k == 2:
            return FLIP.compute([input, (first, second)])
        if k == 3:
            return FLIP.compute([input, (first,)]).transpose(first, second)
        return input.clone()
    samples = [((2, 3),), ((2, 3), 2), ((2, 3, 4), -1, [0, 2])]


FLIP, ROLL = _flip.op, _roll.op


# repeated

@op
class _repeat:
    """Copies next to each other; x's shape, `own`, has as many dimensions as there are `repeats`."""
    tags, method, node_name = KEEP_HALF, False, "RepeatBackward0"

    def forward(x, repeats, own):
        found = fast.repeated(x, repeats) if x.shape == tuple(own) else None
        if found is not None:
            return found
        blocks = []
        for n in own:
            blocks += [1, n]
        wide = []
        for r, n in zip(repeats, own):
            wide += [r, n]
        made = np.empty(wide, x.dtype)
        made[...] = x.reshape(blocks)
        return made.reshape([r * n for r, n in zip(repeats, own)])

    def shape(x, repeats, own):
        return [r * n for r, n in zip(repeats, own)], x.dtype

    def grad_x(g, repeats, own):
        wide = []
        for r, n in zip(repeats, own):
            wide += [r, n]
        return g.reshape(wide).sum(tuple(range(0, len(wide), 2))) if own else g
    samples = [((2, 3), [2, 1], [2, 3])]


@op
class repeat:
    """Copies of the tensor next to each other, `repeats` times along each dimension."""
    def compose(input, *sizes, repeats=None):
        own = array_of(input, "repeat").shape
        repeats = packed(sizes, repeats)
        lead = len(repeats) - len(own)
        if lead < 0:
            fail(RuntimeError, f"repeat: Number of dimensions of repeat dims can not be smaller than number of "
                 f"dimensions of tensor: {list(repeats)} for {list(own)}",
                 "give a number for each dimension, or use tile()")
        full = (1,) * lead + own
        if any(r < 0 for r in repeats):
            fail(RuntimeError, f"repeat: Trying to create tensor with negative dimension {min(repeats)}: "
                 f"{[r * n for r, n in zip(repeats, full)]}", "repeat 0 times or more")
        x = RESHAPE.compute([input, full]) if lead else input
        return REPEAT.compute([x, repeats, full])
    samples = [((2, 3), 2, 1), ((3,), 2, 2), ((), 3)]


@op
class tile:
    """repeat, where `dims` may be shorter than the shape."""
    def compose(input, *sizes, dims=None):
        dims = packed(sizes, dims)
        return repeat(input, (1,) * (array_of(input, "tile").ndim - len(dims)) + dims)
    samples = [((2, 3), [2]), ((3,), [2, 2])]


REPEAT = _repeat.op


@op
class repeat_interleave:
    """Each element repeated in place: the same number of times, or each its own."""
    def compose(input=None, repeats=None, dim=None, *, output_size=None):
        if repeats is None or input is None:
            return _repeated_places(_counts(input if repeats is None else repeats), output_size)
        if dim is None:
            input, dim = input.reshape(-1), 0
        shape = array_of(input, "repeat_interleave").shape
        if not shape:
            fail(IndexError, "repeat_interleave: Dimension specified, but the tensor has no dimensions",
                 "leave dim out")
        dim = at(dim, len(shape))
        if not isinstance(repeats, Tensor):
            return _interleave(input, operator.index(repeats), dim, shape)
        if repeats._form.ndim > 1:
            fail(RuntimeError, f"repeat_interleave: repeats must be 0-dim or 1-dim tensor, got "
                 f"{list(repeats._form.shape)}", "flatten it")
        if repeats._form.size == 1:
            return _interleave(input, int(repeats.item()), dim, shape)
        if repeats._form.size != shape[dim]:
            fail(RuntimeError, f"repeat_interleave: repeats must have the same size as input along dim, but got "
                 f"repeats.size(0) = {repeats._form.size} and input.size({dim}) = {shape[dim]}",
                 "give one number for each element")
        return input.index_select(dim, _repeated_places(_counts(repeats), output_size))
    samples = [((2, 3), 2), ((2, 3), 2, 1), ((2, 3), data([2, 0, 1]), 1)]


def _interleave(x, times, dim, shape):
    if times < 0:
        fail(RuntimeError, f"repeat_interleave: Repeats must be non-negative, got {times}", "repeat 0 times or more")
    if times == 1:
        return x.clone(memory_format=contiguous_format)     # never the tensor itself
    wide = shape[:dim + 1] + (times,) + shape[dim + 1:]
    spread = EXPAND.compute([x.unsqueeze(dim + 1), wide])
    if shape[dim] == 1:
        spread = spread.clone()     # else reshape would share memory
    return spread.reshape(shape[:dim] + (shape[dim] * times,) + shape[dim + 1:])


def _counts(repeats):
    """How often each is repeated: a vector of integers."""
    if repeats._form.ndim != 1:
        fail(RuntimeError, f"repeat_interleave: repeat_interleave only accept 1D vector as repeat, got "
             f"{repeats._form.ndim} dimensions",
             "flatten it")
    if repeats._form.dtype.kind not in "iu":
        fail(NotImplementedError, f'"repeat_interleave_cpu" not implemented for {repeats.dtype}',
             "make it integers: .long()")
    return repeats


@op
class _repeated_places:
    """0 repeats[0] times, 1 repeats[1] times, ..."""
    tags, method = NOGRAD, False
    reads = "repeats"

    def forward(repeats, output_size=None):
        if (repeats < 0).any():
            fail(RuntimeError, f"repeat_interleave: repeats can not be negative, got {repeats.min()}",
                 "repeat 0 times or more")
        made = np.repeat(np.arange(repeats.size, dtype=np.int32 if repeats.dtype == np.int32 else np.int64), repeats)
        if output_size is not None and output_size != made.size:
            fail(RuntimeError, f"repeat_interleave: allocated size does not match required size: {output_size} and "
                 f"{made.size}",
                 "leave output_size out")
        return made

    def shape(repeats, output_size=None):
        if output_size is None:
            fail(NotImplementedError, "repeat_interleave: the shape of its result depends on values, which a tensor on "
                 "the meta device doesn't have", "give output_size=")
        return (output_size,), np.int32 if repeats.dtype == np.int32 else np.int64
    samples = [(data([2, 0, 1]),)]


# padded

@op
class _constant_pad:
    """The array with a margin of `value`, or cut, at each side; `pads` are (before, after) of each dimension."""
    tags, method, node_name = KEEP_HALF, False, "ConstantPadNdBackward0"

    steady = True

    def forward(x, pads, value):
        if x.flags.c_contiguous and type(value) in (int, float):
            made = fast.padded(x, [before for before, _ in pads], [after for _, after in pads], value)
            if made is not None:
                return made
        shape = [n + before + after for n, (before, after) in zip(x.shape, pads)]
        made = empty_ordered(shape, x.dtype, _pad_order(x, pads), np.zeros)
        if value:
            made[...] = value
        inside = tuple([slice(max(before, 0), n - max(after, 0)) for n, (before, after) in zip(shape, pads)])
        kept = tuple([slice(max(-before, 0), n - max(-after, 0)) for n, (before, after) in zip(x.shape, pads)])
        made[inside] = x[kept]
        return made

    def shape(x, pads, value):
        shape = [n + before + after for n, (before, after) in zip(x.shape, pads)]
        return ordered(shape, x.dtype, _pad_order(x, pads))

    def grad_x(g, pads):
        return CONSTANT_PAD.compute([g, tuple([(-before, -after) for before, after in pads]), 0])
    samples = [((2, 3), given(((1, 0), (2, 1))), 1.5), ((3, 4), given(((-1, 0), (0, -2))), 0),
               ((2, 3, 2, 2), given(((0, 0), (0, 0), (1, -1), (0, 2))), 0)]


def _pad_order(x, pads):
    """What is only cut keeps its own memory order; else channels that are innermost stay so."""
    if all([before <= 0 and after <= 0 for before, after in pads]):
        return order_of(x.shape, x.strides)
    return _kept_order(x)


@op
class constant_pad_nd:
    """A margin of `value` around the last dimensions: pad = (last before, last after, second to last before, ...)."""
    method = False

    def compose(input, pad, value=0):
        shape = array_of(input, "constant_pad_nd").shape
        if len(pad) % 2:
            fail(RuntimeError, f"constant_pad_nd: Length of pad must be even but instead it equals {len(pad)}",
                 "give pairs: (before, after)")
        if len(pad) > 2 * len(shape):
            fail(RuntimeError, f"constant_pad_nd: Length of pad should be no more than twice the number of dimensions "
                 f"of the input. Pad length is {len(pad)} while the input has {len(shape)} dimensions.",
                 "give fewer pairs")
        pairs = [(operator.index(pad[i]), operator.index(pad[i + 1])) for i in range(0, len(pad), 2)]
        pads = ((0, 0),) * (len(shape) - len(pairs)) + tuple(reversed(pairs))
        for d, (n, (before, after)) in enumerate(zip(shape, pads)):
            if n + before + after < 0 or n + min(before, 0) + min(after, 0) < 0:
                fail(RuntimeError, f"constant_pad_nd: The input size {n}, plus negative padding {before} and {after}, "
                     f"resulted in a negative output size at dimension {d}; narrow(): length must be non-negative.",
                     "cut less")
        return CONSTANT_PAD.compute([input, pads, _number_for(value, input)])
    samples = [((2, 3), [1, 2]), ((2, 3), [1, -1, 0, 2], 1.5)]


def _number_for(value, x):
    """The padding as the array's type takes it."""
    if isinstance(value, Tensor):
        value = value.item()
    return int(value) if x._form.dtype.kind in "iu" else value


CONSTANT_PAD = _constant_pad.op
