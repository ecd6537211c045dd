"""Types of tensors by their shape, of which parts may be unknown: annotations of a graph's values."""

__all__ = ["Dyn", "TensorType", "is_consistent", "is_more_precise"]


class _Unknown:
    """Any size, or any shape."""

    def __eq__(self, other):
        return isinstance(other, _Unknown)

    def __hash__(self):
        return hash(_Unknown)

    def __repr__(self):
        return "Dyn"


Dyn = _Unknown()


class TensorType:
    """The type of tensors of a shape, whose dimensions are numbers, `Dyn` where they aren't known, or symbols.

    >>> from weft.fx.tensor_type import Dyn, TensorType
    >>> TensorType((1, 2, Dyn)) == TensorType[1, 2, Dyn]
    True
    """

    def __init__(self, dim):
        self.__origin__, self.__args__ = TensorType, dim

    @property
    def dims(self):
        """The dimensions, as they were given.

        >>> from weft.fx.tensor_type import TensorType
        >>> TensorType((1, 2)).dims
        (1, 2)
        """
        return self.__args__

    def __class_getitem__(cls, dims):
        return cls(tuple(dims) if isinstance(dims, (tuple, list)) else (dims,))

    def __eq__(self, other):
        return isinstance(other, TensorType) and list(self.__args__) == list(other.__args__)

    def __hash__(self):
        return hash(tuple(self.__args__))

    def __repr__(self):
        return f"TensorType[{', '.join(map(str, self.__args__))}]"


def is_consistent(t1, t2):
    """Whether a value could be of both types.

    >>> from weft.fx.tensor_type import Dyn, TensorType, is_consistent
    >>> is_consistent(TensorType((1, 2)), TensorType((1, Dyn))), is_consistent(TensorType((1, 2)), int)
    (True, False)
    """
    if t1 == t2 or t1 is Dyn or t2 is Dyn:
        return True
    return _both(t1, t2, is_consistent)


def is_more_precise(t1, t2):
    """Whether the first type says all that the second one does.

    >>> from weft.fx.tensor_type import Dyn, TensorType, is_more_precise
    >>> is_more_precise(TensorType((1, 2)), TensorType((1, Dyn))), is_more_precise(Dyn, int)
    (True, False)
    """
    if t1 == t2 or t2 is Dyn:
        return True
    return _both(t1, t2, is_more_precise)


def _both(t1, t2, relation):
    if not (isinstance(t1, TensorType) and isinstance(t2, TensorType)):
        return False
    return len(t1.dims) == len(t2.dims) and all(relation(a, b) for a, b in zip(t1.dims, t2.dims))
