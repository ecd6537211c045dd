# compiled
"""A tensor cut into pieces along a dimension, each a view."""
import operator

from weft.core.errors import fail
from weft.core.spec import Spec
from weft.kernels.native import pieces, slabs
from weft.kernels.native import shape as shape_of
from weft.ops.core.registry import KEEP_HALF, MULTI_VIEW, op
from weft.ops.shape.slices import take_slice
from weft.ops.shape.view import array_of, at
from weft.tensor.tensor import Tensor

SIZES, MOST_SIZES, LONGEST = {}, 1000, 64       # (length, chunks) -> the same tuple each time: autobatch compares it

@op
class _split:
    """The views of consecutive ranges of a dimension, of the given lengths."""
    tags, method, node_name = MULTI_VIEW, False, "SplitBackward0"

    def forward(x, sizes, dim):
        return pieces(x, tuple(sizes), dim)

    def grad_x(grads, dim):
        return CAT.compute([grads, dim])
    samples = [((5, 2), [2, 3], 0)]


@op
class _unsafe_split:
    """The same pieces, without a watch on writes to them."""
    tags, method, node_name = KEEP_HALF, False, "UnsafeSplitBackward0"

    def forward(x, sizes, dim):
        return pieces(x, tuple(sizes), dim)

    def shape(x, sizes, dim):
        return tuple([Spec(x.shape[:dim] + (n,) + x.shape[dim + 1:], x.dtype, x.strides) for n in sizes])

    def grad_x(grads, dim):
        return CAT.compute([grads, dim])
    samples = [((5, 2), [2, 3], 0)]


def even_sizes(x, split_size, dim, who):
    """The lengths of pieces of `split_size`, the last one maybe shorter."""
    shape = array_of(x, who).shape
    if not shape:
        fail(RuntimeError, f"{who}: {who} expects at least a 1-dimensional tensor", "unsqueeze() it first")
    dim = at(dim, len(shape))
    n = shape[dim]
    split_size = operator.index(split_size)
    if split_size < 0:
        fail(RuntimeError, f"{who}: split expects split_size be non-negative, but got split_size={split_size}",
             "give a positive length")
    if split_size == 0:
        if n:
            fail(RuntimeError, f"{who}: split_size can only be 0 if dimension size is 0, but got dimension size of {n}",
                 "give a positive length")
        return (0,), dim
    whole, rest = divmod(n, split_size)
    return (split_size,) * whole + ((rest,) if rest or not n else ()), dim


def given_sizes(x, sizes, dim):
    """The lengths as the user gave them, checked."""
    shape = array_of(x, "split_with_sizes").shape
    if not shape:
        fail(RuntimeError, "split_with_sizes: split expects at least a 1-dimensional tensor", "unsqueeze() it first")
    dim = at(dim, len(shape))
    sizes = tuple([operator.index(n) for n in sizes])
    if any(n < 0 for n in sizes):
        fail(RuntimeError, f"split_with_sizes: split_with_sizes expects split_sizes have only non-negative entries, "
             f"but got split_sizes={list(sizes)}", "give lengths of 0 or more")
    if sum(sizes) != shape[dim]:
        fail(RuntimeError, f"split_with_sizes: split_with_sizes expects split_sizes to sum exactly to {shape[dim]} "
             f"(input tensor's size at dimension {dim}), but got split_sizes={list(sizes)}", "make the lengths add up")
    return sizes, dim


@op
class split:
    """Pieces of one length (the last may be shorter), or of given lengths."""
    def compose(tensor, split_size_or_sections=None, dim=0, *, split_size=None):
        wanted = split_size if split_size_or_sections is None else split_size_or_sections
        if wanted is None:
            raise TypeError("split() missing a required argument: 'split_size_or_sections'")
        if isinstance(wanted, (tuple, list)):
            sizes, dim = given_sizes(tensor, wanted, dim)
        else:
            sizes, dim = even_sizes(tensor, wanted, dim, "split")
        return parts(tensor, sizes, dim) if sizes else ()
    samples = [((5, 2), 2), ((5, 2), [1, 4], 0)]


@op
class split_with_sizes:
    """Pieces of the given lengths."""
    def compose(input, split_sizes, dim=0):
        sizes, dim = given_sizes(input, split_sizes, dim)
        return parts(input, sizes, dim) if sizes else ()
    samples = [((5, 2), [1, 4])]


@op
class unsafe_split:
    """split, whose pieces may be written to freely."""
    def compose(tensor, split_size, dim=0):
        sizes, dim = even_sizes(tensor, split_size, dim, "unsafe_split")
        return UNSAFE_SPLIT.compute([tensor, sizes, dim])
    samples = [((5, 2), 2)]


@op
class unsafe_split_with_sizes:
    """split_with_sizes, whose pieces may be written to freely."""
    def compose(input, split_sizes, dim=0):
        sizes, dim = given_sizes(input, split_sizes, dim)
        return UNSAFE_SPLIT.compute([input, sizes, dim]) if sizes else ()
    samples = [((5, 2), [1, 4])]


MOST_PIECES = 2**24     # each is a tensor of a few hundred bytes


def check_pieces(count, who):
    """Refuse to make more tensors than memory has room for, most of them empty."""
    if count > MOST_PIECES:
        fail(RuntimeError, f"{who}: not enough memory for {count} pieces", "ask for as many as there are elements at "
             "the most")


def parts(x, sizes, dim):
    """The pieces of these lengths, as views."""
    op = SPLIT
    return op.compute([x, sizes, dim])


def chunk_sizes(x, chunks, dim, who):
    """The lengths of at most `chunks` pieces, equal but for the last."""
    shape = shape_of(array_of(x, who))
    if not shape:
        fail(RuntimeError, f"{who}: chunk expects at least a 1-dimensional tensor", "unsqueeze() it first")
    if chunks <= 0:
        fail(RuntimeError, f"{who}: chunk expects `chunks` to be greater than 0, got: {chunks}",
             "ask for one piece or more")
    dim = at(dim, len(shape))
    n = shape[dim]
    if n == 0:
        check_pieces(chunks, who)
        return (0,) * chunks, dim
    sizes = SIZES.get((n, chunks)) if type(chunks) is int else None
    if sizes is None:
        length = -(-n // chunks)
        whole, rest = divmod(n, length)
        sizes = (length,) * whole if not rest else (length,) * whole + (rest,)
        if len(SIZES) >= MOST_SIZES:
            SIZES.clear()
        if len(sizes) <= LONGEST and type(chunks) is int:
            SIZES[n, chunks] = sizes
    return sizes, dim


@op
class chunk:
    """At most `chunks` pieces, equal but for the last."""
    def compose(input, chunks, dim=0):
        sizes, dim = chunk_sizes(input, chunks, dim, "chunk")
        return parts(input, sizes, dim)
    samples = [((5, 2), 2), ((2, 4), 2, -1)]


@op
class unsafe_chunk:
    """chunk, whose pieces may be written to freely."""
    def compose(input, chunks, dim=0):
        sizes, dim = chunk_sizes(input, chunks, dim, "unsafe_chunk")
        return UNSAFE_SPLIT.compute([input, sizes, dim])
    samples = [((5, 2), 2)]


@op
class _unbind:
    """The views at each index of a dimension."""
    tags, method, node_name = MULTI_VIEW, False, "UnbindBackward0"

    def forward(x, dim):
        return slabs(x, dim)

    def grad_x(grads, dim):
        return STACK.compute([grads, dim])
    samples = [((3, 2), 0), ((3, 2), 1)]


@op
class unbind:
    """The views at each index of a dimension."""
    def compose(input, dim=0):
        shape = array_of(input, "unbind").shape
        if not shape:
            fail(IndexError, f"unbind: Dimension specified as {dim} but tensor has no dimensions",
                 "it has no dimension to unbind")
        dim = at(dim, len(shape))
        return UNBIND.compute([input, dim]) if shape[dim] else ()
    samples = [((3, 2),), ((3, 2), -1)]


# pieces that need not be equal

@op
class tensor_split:
    """`sections` pieces that differ by at most one in length, or pieces that end at the given indices."""
    def compose(input, indices_or_sections=None, dim=0, *, indices=None, sections=None,
                tensor_indices_or_sections=None):
        wanted = _first(indices_or_sections, indices, sections, tensor_indices_or_sections, who="tensor_split")
        shape = array_of(input, "tensor_split").shape
        if not shape:
            fail(RuntimeError, "tensor_split: tensor_split expected at least a 1-dimensional tensor, but got a tensor "
                 "with 0 dims",
                 "unsqueeze() it first")
        dim = at(dim, len(shape))
        n = shape[dim]
        if isinstance(wanted, Tensor):
            wanted = _places_of(wanted)
        if isinstance(wanted, float):
            raise TypeError(f"tensor_split(): argument 'indices_or_sections' must be int or tuple of ints, not "
                            f"{type(wanted).__name__}")
        if not isinstance(wanted, (tuple, list)):
            wanted = operator.index(wanted)
            if wanted <= 0:
                fail(RuntimeError, f"tensor_split: number of sections must be larger than 0, got {wanted}",
                     "ask for one or more")
            check_pieces(wanted, "tensor_split")
            small, larger = divmod(n, wanted)
            ends = [small * i + min(i, larger) for i in range(1, wanted)]
        else:
            ends = [operator.index(i) for i in wanted]
        bounds = [0, *ends, n]
        return tuple([take_slice(input, dim, a, b) for a, b in zip(bounds, bounds[1:])])
    samples = [((5, 2), 3), ((5, 2), [1, 4])]


def _places_of(wanted):
    """The number or list of ints in a tensor that says where to split."""
    array = wanted._form
    if array.ndim > 1:
        fail(RuntimeError, f"tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
             f"one-dimensional tensor, but got a tensor with {array.ndim} dims", "flatten() it first")
    if array.dtype != "int64":
        fail(RuntimeError, f"tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
             f"{array.dtype.name.capitalize()}",
             "convert it with .long()")
    return wanted.tolist()


def _first(*values, who):
    for v in values:
        if v is not None:
            return v
    raise TypeError(f"{who}() missing a required argument: 'indices_or_sections'")


def split_dim(x, wanted, least, dim, who):
    """hsplit and its kin: equal sections only, along a fixed dimension."""
    shape = array_of(x, who).shape
    if len(shape) < least:
        fail(RuntimeError, f"{who}: torch.{who} requires a tensor with at least {least} dimension, but got a tensor "
             f"with {len(shape)} dimensions!", "unsqueeze() it first")
    if isinstance(wanted, int) and (wanted <= 0 or shape[dim] % wanted):
        fail(RuntimeError, f"{who}: torch.{who} attempted to split along dimension {dim}, but the size of the "
             f"dimension {shape[dim]} is not divisible by the split_size {wanted}!",
             "use tensor_split(), which takes any number")
    return tensor_split(x, wanted, dim)


@op
class hsplit:
    """Pieces along the columns (of a vector: along itself)."""
    def compose(input, indices_or_sections=None, *, indices=None, sections=None):
        wanted = _first(indices_or_sections, indices, sections, who="hsplit")
        return split_dim(input, wanted, 1, 0 if array_of(input, "hsplit").ndim == 1 else 1, "hsplit")
    samples = [((2, 4), 2)]


@op
class vsplit:
    """Pieces along the rows."""
    def compose(input, indices_or_sections=None, *, indices=None, sections=None):
        return split_dim(input, _first(indices_or_sections, indices, sections, who="vsplit"), 2, 0, "vsplit")
    samples = [((4, 2), 2)]


@op
class dsplit:
    """Pieces along the third dimension."""
    def compose(input, indices_or_sections=None, *, indices=None, sections=None):
        return split_dim(input, _first(indices_or_sections, indices, sections, who="dsplit"), 3, 2, "dsplit")
    samples = [((2, 2, 4), 2)]


SPLIT, UNSAFE_SPLIT, UNBIND = _split.op, _unsafe_split.op, _unbind.op
from weft.ops.shape.join import CAT, STACK  # noqa: E402  (their rules need each other)
