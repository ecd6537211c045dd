"""Types in scripts: `annotate`, `isinstance` with what stands in brackets, `Attribute`, `Final`."""
import builtins
import types
from typing import Any, Final, Union, cast, get_args, get_origin

__all__ = ["annotate", "isinstance", "Attribute", "Final"]


def annotate(the_type, the_value):
    """The value; the type is for readers.

    >>> import weft
    >>> weft.jit.annotate(int, 3)
    3
    """
    return cast(the_type, the_value)


def fits_type(value, kind):
    """Whether a value is of a type, with what stands in brackets: `List[int]`, `Dict[str, Tensor]`, `Optional[int]`."""
    origin, inside = get_origin(kind), get_args(kind)
    if kind is None or kind is Any:
        return kind is Any or value is None
    if origin in (Union, types.UnionType):
        return any([fits_type(value, one) for one in inside])
    if origin is None or not inside:
        return builtins.isinstance(value, origin or kind)
    if not builtins.isinstance(value, origin):
        return False
    if origin is dict:
        return all([fits_type(k, inside[0]) and fits_type(v, inside[1]) for k, v in value.items()])
    if origin is tuple and not (len(inside) == 2 and inside[1] is ...):
        return len(value) == len(inside) and all(map(fits_type, value, inside))
    return all([fits_type(v, inside[0]) for v in value])


def isinstance(obj, target_type):
    """Whether an object is of a type, or of one of several; types of what lists, dicts and tuples hold count, too.

    >>> import weft
    >>> from typing import Dict, List
    >>> weft.jit.isinstance([1, 2], List[int]), weft.jit.isinstance({"a": 1}, (Dict[str, str], List[int]))
    (True, False)
    """
    kinds = target_type if type(target_type) is tuple else (target_type,)
    return any([fits_type(obj, kind) for kind in kinds])


def Attribute(value, type):
    """The value of an attribute whose type is given.

    >>> import weft
    >>> weft.jit.Attribute(3, int)
    3
    """
    return value


_isinstance = isinstance


def _unwrap_optional(x):
    """The value, which must not be None."""
    assert x is not None, "Unwrapping null optional"
    return x
