# compiled
"""Shapes."""
import math
import operator

from weft.core.errors import fail


class Size(tuple):
    """The shape of a tensor: a tuple with `numel`.

    >>> import weft
    >>> weft.Size([2, 3]).numel()
    6
    """

    __slots__ = ()

    def numel(self):
        """The number of elements of a tensor of this size.

        >>> import weft
        >>> weft.ones(2, 3).shape.numel()
        6
        """
        return math.prod(self)

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __add__(self, other):
        if not isinstance(other, tuple):
            return NotImplemented
        return Size(tuple.__add__(self, other))

    def __radd__(self, other):
        if not isinstance(other, tuple):
            return NotImplemented
        return Size(tuple(other) + tuple(self))

    def __mul__(self, n):
        return Size(tuple.__mul__(self, n))

    __rmul__ = __mul__

    def __getitem__(self, key):
        item = tuple.__getitem__(self, key)
        return Size(item) if isinstance(key, slice) else item

    def __reduce__(self):
        return (Size, (tuple(self),))


def wrap_dim(dim, ndim):
    """A dimension counted from the front; IndexError when it's out of range."""
    span = max(ndim, 1)
    if isinstance(dim, bool):
        raise TypeError("a dimension must be an int, not a bool")
    dim = operator.index(dim)
    if not -span <= dim < span:
        fail(IndexError, f"Dimension out of range (expected to be in range of [{-span}, {span - 1}], but got {dim})",
             f"dim=-1 is the last dimension, of {ndim}" if ndim else "a tensor of one number has no dimensions: leave "
             "dim out, or give it one with unsqueeze(0)")
    return dim + span if dim < 0 else dim


def wrap_dims(dims, ndim):
    """A tuple of dimensions from an int, a sequence or None (all); each may stand once."""
    if dims is None:
        return tuple(range(ndim))
    if not isinstance(dims, (tuple, list)):
        return (wrap_dim(dims, ndim),)
    found = tuple([wrap_dim(d, ndim) for d in dims])
    for d in found if len(found) > 1 else ():
        if found.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return found


def infer_size(shape, numel):
    """Fill in the one -1 of a shape."""
    shape = tuple(operator.index(n) for n in shape)
    free = [i for i, n in enumerate(shape) if n == -1]
    if any(n < -1 for n in shape):
        raise RuntimeError(f"invalid shape dimension {min(shape)} in {list(shape)}")
    if len(free) > 1:
        fail(RuntimeError, f"only one dimension can be inferred, and {list(shape)} has {len(free)} of -1",
             f"write all sizes but one as numbers; there are {numel} elements")
    known = math.prod(n for n in shape if n != -1)
    if free:
        if known == 0:
            raise RuntimeError(f"cannot reshape tensor of {numel} elements into shape {list(shape)} because the "
                               f"unspecified dimension size -1 can be any value and is ambiguous")
        if numel % known == 0:
            return shape[:free[0]] + (numel // known,) + shape[free[0] + 1:]
    if not free and known == numel:
        return shape
    fail(RuntimeError, f"shape '{list(shape)}' is invalid for input of size {numel}",
         f"give sizes whose product is {numel}, or -1 for one of them")


def _broadcast_advice(shapes):
    """Where a dimension is missing, mostly at the end; else something more general."""
    for i, few in enumerate(shapes if len(shapes) == 2 else ()):
        many = shapes[1 - i]
        if 0 < len(few) < len(many) and few == many[:len(few)]:
            dims = "".join(["[..., None]"] * (len(many) - len(few))) if len(many) - len(few) > 1 else ".unsqueeze(-1)"
            return f"if its dimensions are the other's first ones, say so: {'ab'[i]}{dims}"
    return "reshape or expand one of them"


def broadcast_shapes(*shapes):
    """The shape that all of these broadcast to.

    >>> import weft
    >>> weft.broadcast_shapes((2, 1), (3,))
    torch.Size([2, 3])
    """
    try:
        shapes = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    except TypeError:
        raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got "
                           f"{list(shapes)}") from None
    ndim = max((len(s) for s in shapes), default=0)
    result = [1] * ndim
    for s in shapes:
        for i, n in enumerate(s, ndim - len(s)):
            if n == 1 or n == result[i]:
                continue
            if n < 0:
                raise ValueError(f"Attempting to broadcast a dimension with negative length! The shape is {list(s)}")
            if result[i] != 1:
                fail(RuntimeError, f"shapes {', '.join(str(list(s)) for s in shapes)} cannot be broadcast together: "
                     f"The size of tensor a ({result[i]}) must match the size of tensor b ({n}) at non-singleton "
                     f"dimension {i}", _broadcast_advice(shapes))
            result[i] = n
    return Size(result)
