# compiled, -Og
"""Copies of what views show (`*_copy`), and copies of a tensor with a view of them filled (`*_scatter`)."""
from weft.core.errors import fail
from weft.core.layout import contiguous_format
from weft.ops.core.registry import FUNCTIONS, op
from weft.ops.core.samples import complexes
from weft.ops.shape.slices import take_slice
from weft.ops.shape.strided import may_overlap
from weft.tensor.layout import memory_span
from weft.tensor.tensor import OPS, describe

# copies

@op
class alias_copy:
    """A copy."""
    method = False

    def compose(input):
        return input.clone(memory_format=contiguous_format)
    samples = [((2, 3),)]


@op
class as_strided_copy:
    """A copy of a window on the storage."""
    method = False

    def compose(input, size, stride, storage_offset=None):
        return input.as_strided(size, stride, storage_offset).clone(memory_format=contiguous_format)
    samples = [((6,), [2, 2], [2, 1])]


@op
class diagonal_copy:
    """A copy of a diagonal."""
    method = False

    def compose(input, offset=0, dim1=0, dim2=1):
        return input.diagonal(offset, dim1, dim2).clone(memory_format=contiguous_format)
    samples = [((3, 4), 1)]


@op
class expand_copy:
    """An expanded copy."""
    method = False

    def compose(input, size, *, implicit=False):
        return input.expand(size).contiguous()
    samples = [((3, 1), [3, 4])]


@op
class narrow_copy:
    """A copy of a range of a dimension."""
    def compose(input, dim, start, length):
        return input.narrow(dim, start, length).clone(memory_format=contiguous_format)
    samples = [((4, 3), 0, 1, 2)]


@op
class permute_copy:
    """A copy with the dimensions in another order."""
    method = False

    def compose(input, dims):
        return input.permute(dims).contiguous()
    samples = [((2, 3, 4), [2, 0, 1])]


@op
class select_copy:
    """A copy of what lies at one index of a dimension."""
    method = False

    def compose(input, dim, index):
        return input.select(dim, index).clone(memory_format=contiguous_format)
    samples = [((4, 3), 0, 1)]


@op
class slice_copy:
    """A copy of a range of a dimension."""
    method = False

    def compose(input, dim=0, start=None, end=None, step=1):
        return take_slice(input, dim, start, end, step).clone(memory_format=contiguous_format)
    samples = [((4, 3), 0, 1, 3)]


@op
class split_copy:
    """Copies of pieces of one length."""
    method = False
    out_types = "any"

    def compose(input, split_size, dim=0):
        return tuple([piece.clone(memory_format=contiguous_format) for piece in input.split(split_size, dim)])
    samples = [((5, 2), 2)]


@op
class split_with_sizes_copy:
    """Copies of pieces of given lengths."""
    method = False

    def compose(input, split_sizes, dim=0):
        pieces = input.split_with_sizes(split_sizes, dim)
        return tuple([piece.clone(memory_format=contiguous_format) for piece in pieces])
    samples = [((5, 2), [1, 4])]


@op
class squeeze_copy:
    """A copy without dimensions of length 1."""
    method = False

    def compose(input, dim=None):
        return input.squeeze(dim).clone(memory_format=contiguous_format)
    samples = [((2, 1, 3), 1)]


@op
class t_copy:
    """A transposed copy."""
    method = False

    def compose(input):
        return input.t().contiguous() if input._form.ndim > 1 else input.clone()     # t() refuses more than 2
    samples = [((2, 3),)]


@op
class transpose_copy:
    """A copy with two dimensions exchanged."""
    method = False

    def compose(input, dim0, dim1):
        return input.transpose(dim0, dim1).clone(memory_format=contiguous_format)
    samples = [((2, 3, 4), 0, 2)]


@op
class unbind_copy:
    """Copies of what lies at each index of a dimension."""
    method = False

    def compose(input, dim=0):
        return tuple([piece.clone(memory_format=contiguous_format) for piece in input.unbind(dim)])
    samples = [((3, 2),)]


@op
class unfold_copy:
    """A copy of all windows of a dimension."""
    method = False

    def compose(input, dimension, size, step):
        return input.unfold(dimension, size, step).contiguous()
    samples = [((5,), 0, 3, 1)]


@op
class unsqueeze_copy:
    """A copy with a dimension of length 1 put in."""
    method = False

    def compose(input, dim):
        return input.unsqueeze(dim).clone(memory_format=contiguous_format)
    samples = [((2, 3), 1)]


@op
class view_copy:
    """A copy with another shape, or with its bytes read as another type."""
    method = False

    def compose(input, size=None, *, dtype=None):
        return input.view(size if dtype is None else dtype).clone()
    samples = [((2, 3), [3, 2])]


@op
class view_as_real_copy:
    """A copy of complex numbers as pairs."""
    method = False

    def compose(input):
        return FUNCTIONS["view_as_real"](input).clone(memory_format=contiguous_format)
    samples = [(complexes(2, 3),)]


@op
class view_as_complex_copy:
    """A copy of pairs as complex numbers."""
    method = False

    def compose(input):
        return FUNCTIONS["view_as_complex"](input).clone(memory_format=contiguous_format)
    samples = [((3, 2),)]


# copies with a part replaced

def filled(x, part_of, src, args):
    """A copy of x in which the view `part_of(copy, *args)` holds the values of `src`."""
    made = copy_as_it_lies(x)
    part = part_of(made, *args)
    if part._form.shape != src._form.shape:
        fail(RuntimeError, f"expected src to have a size equal to the slice of self. src size = "
             f"{list(src._form.shape)}, slice size = {list(part._form.shape)}",
             "expand() or reshape src to the size of the slice")
    part.copy_(src)
    return made


def copy_as_it_lies(x):
    """A copy with the same strides, gaps and all; an expanded tensor is written out."""
    strides = describe(x).strides
    if may_overlap(x._form.shape, strides):
        return x.clone(memory_format=contiguous_format)
    return OPS.copy_strided(x, x._form.shape, strides)


def _select(x, dim, index):
    return x.select(dim, index)


def _diagonal(x, offset, dim1, dim2):
    return x.diagonal(offset, dim1, dim2)


def _as_strided(x, size, stride, storage_offset):
    return x.as_strided(size, stride, storage_offset)


def _filled_window(x, src, size, stride, storage_offset):
    """As `filled`, for a tensor that is itself a window on its storage: all of that is copied, gaps and all."""
    flat = x.as_strided((memory_span(x) // x._form.itemsize,), (1,), 0).clone()
    start = x.storage_offset()
    filled_flat = filled(flat, _as_strided, src, (size, stride, start if storage_offset is None else storage_offset))
    return filled_flat.as_strided(x._form.shape, x.stride(), start)


@op
class select_scatter:
    """A copy with `src` at one index of a dimension."""
    def compose(input, src, dim, index):
        return filled(input, _select, src, (dim, index))
    samples = [((4, 3), (3,), 0, 1)]


@op
class slice_scatter:
    """A copy with `src` in a range of a dimension."""
    def compose(input, src, dim=0, start=None, end=None, step=1):
        return filled(input, take_slice, src, (dim, start, end, step))
    samples = [((4, 3), (2, 3), 0, 1, 3), ((4,), (2,), 0, 0, None, 2)]


@op
class diagonal_scatter:
    """A copy with `src` on a diagonal."""
    def compose(input, src, offset=0, dim1=0, dim2=1):
        return filled(input, _diagonal, src, (offset, dim1, dim2))
    samples = [((3, 4), (3,)), ((3, 4), (2,), -1)]


@op
class as_strided_scatter:
    """A copy with `src` in a window on its memory."""
    def compose(input, src, size, stride, storage_offset=None):
        if not describe(input).c_contiguous or memory_span(input) != input._form.nbytes:
            return _filled_window(input, src, size, stride, storage_offset)
        return filled(input, _as_strided, src, (size, stride, storage_offset))
    samples = [((6,), (2, 2), [2, 2], [2, 1])]
