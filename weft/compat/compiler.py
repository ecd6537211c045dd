"""torch.compiler: `compile`, which is weft's capture, and what else programs say to a compiler."""
import contextlib
import warnings

from weft.batching import autobatch
from weft.jit import captured
from weft.jit.captured import Capture, checked_budget
from weft.nn.module import Module
from weft.nn.module_hooks import set_captured

__all__ = ["allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable",
           "is_compiling", "is_dynamo_compiling", "is_exporting", "list_backends", "reset", "set_stance",
           "substitute_in_graph"]
MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite")


def compile(model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False,
            replay=False, memory_budget=None):
    """A function that records what it does with tensors, and runs that as one optimised graph from then on.

    Its results are the function's own. The Python code still runs on every call, and its ops are compared with what was
    recorded, so branches, prints and changed values act as always; what is new is recorded, too. Whole training steps,
    with `backward()` and `optimizer.step()`, gain most; a graph that leaves the function has one node, whose backward
    is such a graph, too. Where it doesn't pay, it turns itself off, and `explain()` says why. With `replay=True` the
    Python code doesn't run any more once its path is known: for those who state that nothing but the arguments' values
    changes. With `memory_budget` (bytes, or a fraction of what the values would take) cheap values are made again in
    the backward instead of being kept.

    A module is given back itself. Also a decorator, with arguments or without. backend="autobatch" runs a function
    inside `autobatch` instead, so that what it does for many examples one by one runs as batches. fullgraph, dynamic,
    other backends, mode and options are accepted as PyTorch's, and change nothing; a backend that is a function of your
    own is not called, and a warning says so.

    >>> import weft
    >>> @weft.compile
    ... def double(x):
    ...     return x * 2
    >>> double(weft.ones(2))
    tensor([2., 2.])
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    if callable(backend) and not disable:
        warnings.warn(f"the backend {getattr(backend, '__name__', backend)} is not called: weft records and runs "
                      f"graphs of its own; print(weft.jit.optimize(function, *args)) shows one", stacklevel=2)
        backend = "inductor"
    if backend == "autobatch" and not disable:
        return _autobatched(model) if model is not None else _autobatched
    if model is None:
        return lambda fn: compile(fn, disable=disable, replay=replay, memory_budget=memory_budget)
    if not callable(model) and not isinstance(model, Module):
        raise TypeError(f"compile() takes a function or a module, not a {type(model).__name__}")
    if disable or isinstance(model, Capture):
        return model
    if isinstance(model, Module):
        set_captured(model, Capture(model.forward, replay, measure=True, memory_budget=checked_budget(memory_budget)))
        return model
    return Capture(model, replay, measure=True, memory_budget=checked_budget(memory_budget))


def _autobatched(model):
    """What runs for many examples one by one runs as batches: a function inside `autobatch`, or a module whose forward
    does."""
    if not isinstance(model, Module):
        return autobatch(model)
    model.forward = autobatch(model.forward)
    return model


def _itself(fn):
    return fn


def disable(fn=None, recursive=True, *, reason=None):
    """The function itself; inside a compiled one it is followed like other code. Also a decorator with arguments."""
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
    """Let all compiled functions forget what they recorded; those that are running are left alone."""
    for one in list(captured.CAPTURES):
        if one.busy.acquire(blocking=False):
            try:
                one.forget()
            finally:
                one.busy.release()


def list_backends(exclude_tags=("debug", "experimental")):
    """Those that `compile` knows by name: capture, by the name that is PyTorch's default, and automatic batching."""
    return ["autobatch", "inductor"]


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
