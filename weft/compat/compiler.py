"""torch.compiler: what programs say to a compiler. Nothing is compiled: functions run as the Python that they are."""
import contextlib

from weft.nn.module import Module

__all__ = ["allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable",
           "is_compiling", "is_dynamo_compiling", "is_exporting", "list_backends", "reset", "set_stance",
           "substitute_in_graph"]


def compile(model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False):
    """The function or module itself, which gives the same results; also a decorator, with arguments or without.

    >>> import weft
    >>> @weft.compile(dynamic=True)
    ... def double(x):
    ...     return x * 2
    >>> double(weft.ones(2))
    tensor([2., 2.])
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if model is None:
        return _itself
    if not callable(model) and not isinstance(model, Module):
        raise TypeError(f"compile() takes a function or a module, not a {type(model).__name__}")
    return model


def _itself(fn):
    return fn


def disable(fn=None, recursive=True, *, reason=None):
    """The function itself: none is compiled. Also a decorator with arguments."""
    return _itself if fn is None else fn


def allow_in_graph(fn):
    """The function, or the functions of a list, as they are."""
    return fn


assume_constant_result = allow_in_graph


def substitute_in_graph(original_fn, *, can_constant_fold_through=False, skip_signature_check=False):
    """Decorator: what a compiler would put in place of a function; it stays as it is."""
    return _itself


def is_compiling():
    """Whether a compiler is looking at the running function: never."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def reset():
    """Nothing was compiled, so nothing is to be forgotten."""


def list_backends(exclude_tags=("debug", "experimental")):
    """No compilers."""
    return []


def cudagraph_mark_step_begin():
    """There are no CUDA graphs whose step could begin."""


@contextlib.contextmanager
def set_stance(stance="default", *, skip_guard_eval_unsafe=False, force_backend=None):
    """Every stance but "fail_on_recompile" is that of plain Python, and that one holds, too."""
    known = ("default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile",
             "aot_eager_then_compile")
    if stance not in known:
        raise RuntimeError(f"invalid stance: {stance!r}; there are {', '.join(known)}")
    yield
