"""How a tensor lies in memory: the names that PyTorch has for it, and arrays of a wanted layout."""
import numpy as np


class layout:
    """`weft.strided`, the one layout that dense tensors have.

    >>> import weft
    >>> weft.ones(2).layout
    torch.strided
    """

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "torch." + self.name

    def __reduce__(self):
        return self.name if type(self).__module__ == "torch" else (_layout_of, (self.name,))    # as PyTorch's there


class memory_format:
    """An order of the dimensions in memory, such as `weft.channels_last`.

    >>> import weft
    >>> x = weft.ones(1, 3, 2, 2)
    >>> x.is_contiguous(memory_format=weft.channels_last)
    False
    >>> x.to(memory_format=weft.channels_last).stride()
    (12, 1, 6, 3)
    """

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "torch." + self.name

    def __reduce__(self):
        return self.name if type(self).__module__ == "torch" else (_format_of, (self.name,))


strided = layout("strided")
LAYOUTS = {n: layout(n) for n in ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "_mkldnn",
                                  "jagged")}
LAYOUTS["strided"] = strided
contiguous_format, preserve_format, channels_last, channels_last_3d = map(
    memory_format, ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d"))
FORMATS = {f.name: f for f in (contiguous_format, preserve_format, channels_last, channels_last_3d)}


def _layout_of(name):
    return LAYOUTS[name]


def _format_of(name):
    return FORMATS[name]


def order_of(shape, strides):
    """The dimensions from the outermost in memory to the innermost; a stride of 0 says nothing about its place."""
    order = list(range(len(shape)))[::-1]       # innermost first while sorting
    for i in range(1, len(order)):
        at = i
        for before in range(i - 1, -1, -1):
            a, b = order[before], order[at]
            if strides[a] == 0 or strides[b] == 0:
                continue
            if strides[a] > strides[b] or strides[a] == strides[b] and shape[a] > shape[b]:
                order[before], order[at] = b, a
                at = before
            elif strides[a] < strides[b]:
                break
    return order[::-1]


def empty_ordered(shape, np_dtype, order, make=np.empty):
    """A dense array whose dimensions lie in memory in the given order, the outermost first."""
    made = make([shape[d] for d in order], np_dtype)
    back = [0] * len(order)
    for place, d in enumerate(order):
        back[d] = place
    return made.transpose(back)


def empty_as(x, np_dtype=None, make=np.empty):
    """A new dense array with the shape and the memory order of `x`."""
    if np_dtype is None:
        np_dtype = x.dtype
    if x.flags.c_contiguous:
        return make(x.shape, np_dtype)
    return empty_ordered(x.shape, np_dtype, order_of(x.shape, x.strides), make)


def empty_format(x, np_dtype, format, make=np.empty):
    """A new array with the shape of `x` in a memory format; None and preserve_format keep the order of `x`."""
    if format is None or format is preserve_format:
        return empty_as(x, np_dtype, make)
    if format is contiguous_format:
        return make(x.shape, np_dtype)
    check_rank(x, format)
    return empty_ordered(x.shape, np_dtype, (0, *range(2, x.ndim), 1), make)


def check_rank(x, format):
    """Refuse a channels-last format for another number of dimensions than it is for."""
    wanted = 4 if format is channels_last else 5
    if x.ndim != wanted:
        raise RuntimeError(f"required rank {wanted} tensor to use {format.name} format, got {x.ndim} dimensions")


def is_channels_last(x, ndim):
    """Whether an array of `ndim` dimensions has its channels innermost."""
    if x.ndim != ndim:
        return False
    expected = x.itemsize
    for d in (1, *range(ndim - 1, 1, -1), 0):
        if x.shape[d] != 1:
            if x.strides[d] != expected:
                return False
            expected *= x.shape[d]
    return True
