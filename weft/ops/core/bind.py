# compiled, hot
"""From a call's arguments to values in the order of an op's parameters."""
import warnings

import numpy as np

from weft.ops.core.body import MISSING
from weft.tensor.tensor import Tensor


def bind(op, args, kwargs):
    """The arguments in the order of the parameters, defaults filled in."""
    n = len(args)
    if op.pack >= 0 and n > op.pack and (n > op.pack + 1 or not isinstance(args[op.pack], (tuple, list))):
        # x.view(2, 3) is x.view((2, 3))
        if n > op.pack + 1 or isinstance(args[op.pack], (int, np.integer)) or type(args[op.pack]) is Tensor:
            args = (*args[:op.pack], tuple(args[op.pack:]))
            n = len(args)
    if n > op.n_positional and op.numbers_first:
        args, kwargs = as_now(op, args, kwargs)
        n = len(args)
    if n > op.n_positional:
        raise TypeError(f"{op.name}() takes {op.n_positional} positional arguments but {n} were given\n"
                        f"  fix: call it as {op.name}{op.signature}")
    values = list(args)
    values.extend(op.defaults[n:])
    for key in kwargs:
        at = op.aliases.get(key, -1)
        if at < 0:
            raise TypeError(f"{op.name}() got an unexpected keyword argument '{key}'\n"
                            f"  fix: call it as {op.name}{op.signature}")
        if at < n:
            raise TypeError(f"{op.name}() got multiple values for argument '{op.names[at]}'")
        values[at] = kwargs[key]
    for i in range(len(values)):
        if values[i] is MISSING:
            raise TypeError(f"{op.name}() missing a required argument: '{op.names[i]}'\n"
                            f"  fix: call it as {op.name}{op.signature}")
    return values


def own_names(op, kwargs):
    """Keyword arguments under the parameters' own names: `axis` for `dim` and the like."""
    renamed = {}
    for key, value in kwargs.items():
        at = op.aliases.get(key, -1)
        renamed[op.names[at] if at >= 0 else key] = value
    return renamed


def as_given(op, values):
    """Bound values as arguments again: what has its default is left out."""
    n = op.n_positional
    while n > 1 and values[n - 1] is op.defaults[n - 1]:
        n -= 1
    keywords = {}
    for i in range(op.n_positional, op.n_params):
        if values[i] is not op.defaults[i]:
            keywords[op.names[i]] = values[i]
    return tuple(values[:n]), keywords


def as_now(op, args, kwargs):
    """The arguments of an old signature, in which numbers come before the tensors that they scale, in today's form.

    x.add_(alpha, y), addmm(beta, x, alpha, a, b); others as they are.
    """
    numbers = [a for a in args if isinstance(a, (int, float, complex))]
    tensors = [a for a in args if isinstance(a, Tensor)]
    found = dict(zip(op.numbers_first, numbers))
    if (len(numbers) + len(tensors) != len(args) or not 0 < len(numbers) <= len(op.numbers_first)
            or not isinstance(args[len(args) - 1], Tensor) or found.keys() & kwargs.keys()):
        return args, kwargs
    warnings.warn(f"This overload of {op.name} is deprecated: give {' and '.join(found)} by name, after the tensors",
                  stacklevel=2)
    return tuple(tensors), {**kwargs, **found}
