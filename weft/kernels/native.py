"""The twin of native.pyx in plain Python: it takes no case, so the NumPy references run."""
import sys

import numpy as np

from weft.kernels.codes import BINARY, UNARY, VIEWS  # noqa: F401


def watch(who):
    """There is nothing to be told of: no kernel runs."""


def call(function, args):
    """`function(*args)`."""
    return function(*args)


def binary(code, a, b):
    return None


def unary(code, a):
    return None


def binary_into(code, a, b):
    return False


def unary_into(code, a):
    return False


def copied(a, shape):
    return None


def let_go(array):
    """Nothing is kept."""


def matmul(a, b, a_turned=False, b_turned=False):
    return None


def transpose(a, i, j):
    """The view of an array with two dimensions exchanged."""
    return a.swapaxes(i, j) if a.ndim else a


def scalar(a):
    """The Python number in a one-element array."""
    return a.item() if a.size == 1 and a.dtype.kind in "fib" and a.dtype.name != "bfloat16" else None


def number(value, kind):
    """A number as a zero-dim array: NumPy makes it."""
    return None


def only_here(x):
    """Whether nobody but a list and the caller holds an object."""
    return sys.getrefcount(x) <= 4


def references(x):
    """How many hold an object, one of them the caller."""
    return sys.getrefcount(x) - 2


def held_once(a):
    """Whether an array owns its memory and only one tensor holds it (and the caller, and this function)."""
    return a.base is None and sys.getrefcount(a) <= ONCE


def _count(x):
    return sys.getrefcount(x)


class _Holder:
    x = object()


ONCE = _count(_Holder.x)        # what one holder and a call make, which differs between versions of Python


def are_classes(x, target):
    """Whether x (N, C), float32 or float64, and target (N,), int64, are logits of examples and their classes."""
    return (x.ndim == 2 and target.ndim == 1 and len(x) == len(target) and x.dtype.char in "fd"
            and target.dtype == np.int64)


def same_strides(a, b):
    """Whether two arrays have one shape, one type and one way to lie in memory, that of dimensions of one, too."""
    return a.shape == b.shape and a.dtype == b.dtype and a.strides == b.strides


def address(a):
    """Where an array's first element lies."""
    return a.__array_interface__["data"][0]


def same_place(a, b):
    """Whether two arrays have one shape, one type and the same strides."""
    return (same_layout(a, b) and a.flags.writeable == b.flags.writeable
            and all(n < 2 or s == t for n, s, t in zip(a.shape, a.strides, b.strides)))


def same_layout(a, b):
    """Whether two arrays have one shape and one type."""
    return a.shape == b.shape and a.dtype == b.dtype


class _Memory:
    """Lends an array's memory to a view of another geometry, and keeps the array alive."""

    def __init__(self, array, shape, strides, offset):
        self.array = array
        address, read_only = array.__array_interface__["data"]
        self.__array_interface__ = {"version": 3, "typestr": "|V%d" % array.itemsize, "shape": shape,
                                    "strides": strides, "data": (address + offset, read_only)}


def strided(a, shape, strides, offset):
    """The view of an array's memory with this shape and these strides, `offset` bytes from its first element."""
    view = np.asarray(_Memory(a, shape, strides, offset))
    return view.view(a.dtype) if view.dtype != a.dtype else view


def is_half(a):
    """float16 or bfloat16 (the one type that NumPy doesn't have itself)."""
    return a.dtype.itemsize == 2 and a.dtype.kind in "fV"


def is_inexact(a):
    """A floating or complex type: one that gradients exist for."""
    return a.dtype.kind in "fcV"


def is_real(a):
    """float32 or float64."""
    return a.dtype.char in "fd"


def same_type(a, b):
    """Whether two arrays have one element type."""
    return a.dtype == b.dtype


def is_complex(a):
    return a.dtype.kind == "c"


def spread(a, shape, dims, keepdim):
    """A reduced array as a view at the shape before the reduction over `dims` (None: all), those repeated by stride 0.
    """
    if not keepdim:
        a = a.reshape([1] * len(shape)) if dims is None else np.expand_dims(a, tuple(dims))
    return np.broadcast_to(a, shape)


def basic(a, index):
    return None


def reshape(a, shape):
    return None


def unsqueeze(a, dim):
    return None


def expand(a, sizes):
    return None


def keeps_alone(a, like):
    """Whether an array owns its memory and has the strides of another of its shape."""
    return a.base is None and a.strides == like.strides


def view(code, a, values):
    return None


def copy_into(target, source):
    return False


def overlaps(a):
    """Whether several elements share a place in memory because a dimension was expanded."""
    return a.size > 0 and any([s == 0 and n > 1 for n, s in zip(a.shape, a.strides)])


def shape(a):
    """An array's shape."""
    return a.shape


def in_one_piece(a):
    """Whether an array lies in memory in C order, without gaps."""
    return a.flags.c_contiguous


def dims(a):
    """How many dimensions an array has."""
    return a.ndim


def element_strides(a):
    """An array's strides, in elements."""
    return tuple([step // a.itemsize for step in a.strides])


def spec(a):
    """(shape, type) of an array."""
    return a.shape, a.dtype


def pieces(a, sizes, dim):
    """The views of consecutive ranges of a dimension, of the given lengths, which add up to no more than it has."""
    own, strides, made, start = a.shape, a.strides, [], 0
    for n in sizes:
        made.append(strided(a, own[:dim] + (n,) + own[dim + 1:], strides, start * strides[dim] if n else 0))
        start += n
    return made


def slabs(a, dim):
    """The views at each index of a dimension."""
    own, strides = a.shape, a.strides
    inner, steps = own[:dim] + own[dim + 1:], strides[:dim] + strides[dim + 1:]
    return [strided(a, inner, steps, i * strides[dim]) for i in range(own[dim])]
