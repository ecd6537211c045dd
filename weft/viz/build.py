"""`weft.graph(...)`: the graph of a result, or of a call."""
import inspect

from weft.core.errors import fail
from weft.jit.static import StaticGraph
from weft.tensor.tensor import Tensor
from weft.viz.history import from_history
from weft.viz.record import record
from weft.viz.static import from_static


def graph(what, *args, title=None, values=True, gradients=False, **kwargs):
    """The graph of what a tensor (or a tuple, list or dict of tensors) was computed from, or of a call.

    graph(loss)             from what autograd recorded; with gradients=True the next backward's statistics are filled
                            in
    graph(model, x)         runs the call and records all of it: ops without gradient, inputs, outputs, values, times
    graph(static)           a static graph (weft.jit.optimize), its steps after the passes
    graph(lambda: step())   the same for any function; an error in it has the graph up to there as `error.graph`

    >>> import weft
    >>> x = weft.ones(3, requires_grad=True)
    >>> print(weft.graph((x * 2).sum()).find(op="mul")[0].shape)
    (3,)
    """
    if isinstance(what, StaticGraph):
        return from_static(what, title or "")
    named = None if callable(what) else list(_named(what, "output"))
    if named and not args and not kwargs:
        for name, t in named:
            if t.grad_fn is None and not t._wants_grad:
                fail(RuntimeError, f"graph: {name} has no graph: nothing that it was computed from requires grad, or "
                     f"it was detached",
                     "give the call instead, which needs no gradient: weft.graph(model, x) or weft.graph(lambda: ...)")
        return from_history(named, title or "", gradients, values)
    if not callable(what):
        fail(TypeError, f"graph: expected tensors, a module or a function, not {type(what).__name__}",
             "call weft.graph(loss), weft.graph(model, x) or weft.graph(lambda: ...)")
    return of_call(what, args, kwargs, title, values, gradients)


def of_call(function, args, kwargs, title, values, gradients):
    """Run a call under a watcher."""
    if title is None:
        title = (type(function).__name__ if hasattr(function, "forward")
                 else getattr(function, "__name__", type(function).__name__))
    made = record(title if title != "<lambda>" else "", values=values, gradients=gradients)
    try:
        with made:
            made.name_inputs(_arguments(function, args, kwargs))
            result = function(*args, **kwargs)
            made.add_outputs(_named(result, "output"))
    except Exception as error:
        error.graph = made.graph        # up to the failing op
        raise
    return made.graph


def _arguments(function, args, kwargs):
    """(name, tensor) of what a call is given, by the names of its parameters."""
    try:
        bound = inspect.signature(getattr(function, "forward", function)).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        bound = {**{f"input {i}": a for i, a in enumerate(args)}, **kwargs}
    for name, value in bound.items():
        yield from _named(value, name)


def _named(value, name):
    """(name, tensor) of the tensors in nested lists and dicts: `batch`, `batch[0]`, `batch.mask`."""
    stack = [(name, value)]
    while stack:
        at, found = stack.pop()
        if isinstance(found, Tensor):
            yield at, found
        elif isinstance(found, dict):
            stack.extend((f"{at}.{key}", v) for key, v in reversed(found.items()))
        elif isinstance(found, (list, tuple)):
            fields = getattr(found, "_fields", None)
            stack.extend((f"{at}.{fields[i]}" if fields else f"{at}[{i}]", found[i])
                         for i in range(len(found) - 1, -1, -1))
        # outputs that are small objects
        elif hasattr(found, "logits") and isinstance(getattr(found, "__dict__", None), dict):
            stack.extend((f"{at}.{key}", v) for key, v in reversed(found.__dict__.items()))
