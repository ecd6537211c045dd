"""torch.compiler: `compile`, which is weft's capture, and what else programs say to a compiler."""
import contextlib
import functools
import warnings

import numpy as np

from weft.batching import autobatch
from weft.core.pytree import mapped
from weft.jit import captured
from weft.jit.captured import Capture, checked_budget
from weft.nn.module import Module
from weft.nn.module_hooks import set_captured
from weft.ops.create.data import as_tensor
from weft.tensor.tensor import Tensor

__all__ = ["allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable",
           "get_default_backend", "is_compiling", "is_dynamo_compiling", "is_exporting", "list_backends",
           "load_cache_artifacts", "nested_compile_region", "reset", "save_cache_artifacts", "set_default_backend",
           "set_enable_guard_collectives", "set_stance", "skip_all_guards_unsafe", "substitute_in_graph", "wrap_numpy"]
MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite")
BACKENDS = {"autobatch": None, "inductor": None}        # those of weft, and what programs register
OTHERS = (      # of PyTorch and of packages that it knows
    "aot_eager", "aot_eager_decomp_partition", "aot_eager_default_partitioner", "aot_ts", "cudagraphs", "eager",
    "eager_debug", "eager_noexcept", "ipex", "onnxrt", "openxla", "openxla_eval", "pre_dispatch_eager", "tensorrt",
    "torch_tensorrt", "ts", "tvm")
_default = ["inductor"]


def compile(model=None, *, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, name=None,
            disable=False, recompile_limit=None, isolate_recompiles=False, shapes_spec=None, replay=False,
            memory_budget=None):
    """A function that records what it does with tensors, and runs that as one optimised graph from then on.

    Its results are the function's own. The Python code still runs on every call, and its ops are compared with what was
    recorded, so branches, prints and changed values act as always; what is new is recorded, too. Whole training steps,
    with `backward()` and `optimizer.step()`, gain most; a graph that leaves the function has one node, whose backward
    is such a graph, too. Where it doesn't pay, it turns itself off, and `explain()` says why. With `replay=True` the
    Python code doesn't run any more once its path is known: for those who state that nothing but the arguments' values
    changes. With `memory_budget` (bytes, or a fraction of what the values would take) cheap values are made again in
    the backward instead of being kept.

    A module is given back itself, and so is a class: its objects' calls are captured then, each class in one tree of
    paths. Also a decorator, with arguments or without. backend="autobatch" runs a function
    inside `autobatch` instead, so that what it does for many examples one by one runs as batches. PyTorch's other
    arguments and names of backends are accepted, and change nothing; a backend that is a function of your own is not
    called, and a warning says so. The code of a generator or a coroutine runs after its call, as it is.

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
    backend = get_default_backend() if backend is None else backend
    own = backend if callable(backend) else lookup_backend(backend)
    if own is not None and not disable:
        warnings.warn(f"the backend {getattr(own, '__name__', own)} is not called: weft records and runs "
                      f"graphs of its own; print(weft.jit.optimize(function, *args)) shows one", stacklevel=2)
    if backend == "autobatch" and not disable:
        return _autobatched(model) if model is not None else _autobatched
    if model is None:
        return lambda fn: compile(fn, disable=disable, replay=replay, memory_budget=memory_budget)
    if not callable(model) and not isinstance(model, Module):
        raise TypeError(f"compile() takes a function or a module, not a {type(model).__name__}")
    if disable or isinstance(model, Capture):
        return model
    if isinstance(model, type):
        called = "forward" if issubclass(model, Module) else "__call__"
        if any(called in vars(cls) for cls in model.__mro__):
            setattr(model, called, compile(getattr(model, called), replay=replay, memory_budget=memory_budget))
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
    """Those that `compile` knows by name: capture, by the name that is PyTorch's default, automatic batching, and what
    the program has registered.
    """
    return sorted(BACKENDS)


def register_backend(compiler_fn=None, name=None, tags=()):
    """Give a compiler of a program's own a name (also a decorator); `compile` then knows it, and says that weft does
    not call it.

    >>> import weft
    >>> @weft._dynamo.register_backend
    ... def mine(graph, inputs):
    ...     return graph.forward
    >>> "mine" in weft._dynamo.list_backends()
    True
    """
    if compiler_fn is None:
        return functools.partial(register_backend, name=name, tags=tags)
    BACKENDS[name or compiler_fn.__name__] = compiler_fn
    return compiler_fn


def lookup_backend(compiler_fn):
    """The function that a program has registered by a name; None for a name that `compile` knows."""
    if callable(compiler_fn):
        return compiler_fn
    if compiler_fn not in BACKENDS and compiler_fn not in OTHERS:
        from weft._dynamo.exc import InvalidBackend  # whose package imports this file
        raise InvalidBackend(f"Invalid backend: {compiler_fn!r}, see `torch._dynamo.list_backends()` for available "
                             f"backends.\n  fix: leave it out, or choose one of {', '.join(list_backends())}")
    return BACKENDS.get(compiler_fn)


def get_default_backend():
    """The backend of a `compile` that names none."""
    return _default[0]


def set_default_backend(backend):
    """Choose it; None for PyTorch's default."""
    if backend is not None:
        lookup_backend(backend)
    _default[0] = "inductor" if backend is None else backend


def cudagraph_mark_step_begin():
    """There are no CUDA graphs whose step could begin."""


class set_stance(contextlib.ContextDecorator):
    """A call, a context or a decorator: whatever the stance, a function gives what its Python code gives."""

    def __init__(self, stance="default", *, skip_guard_eval_unsafe=False, force_backend=None):
        known = ("default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile",
                 "aot_eager_then_compile")
        if stance not in known:
            raise RuntimeError(f"invalid stance: {stance!r}; there are {', '.join(known)}")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        pass


def set_enable_guard_collectives(enabled):
    """There are no guards; gives whether processes compared theirs before."""
    return False


def skip_all_guards_unsafe(guard_entries):
    """Which guards to keep, for options={"guard_filter_fn": ...}: there are none."""
    return [False for _ in guard_entries]


keep_portable_guards_unsafe = keep_tensor_guards_unsafe = skip_guard_on_globals_unsafe = skip_all_guards_unsafe
skip_guard_on_inbuilt_nn_modules_unsafe = skip_guard_on_all_nn_modules_unsafe = skip_all_guards_unsafe


def save_cache_artifacts():
    """Nothing is kept between processes: None."""


def load_cache_artifacts(serialized_artifacts):
    """Nothing is kept between processes: None."""


def nested_compile_region(fn=None, *, options=None, max_reuse_entries=8, reuse_hash_fn=None):
    """The function itself: what is alike is recognised as it runs. Also a decorator with arguments."""
    return _itself if fn is None else fn


def wrap_numpy(fn):
    """A function of arrays as one of tensors: they share their memory.

    >>> import numpy as np, weft
    >>> weft.compiler.wrap_numpy(np.sin)(weft.zeros(2))
    tensor([0., 0.])
    """
    @functools.wraps(fn)
    def wrapped(*args, **kwargs):
        args, kwargs = mapped(lambda v: v.numpy() if isinstance(v, Tensor) else v, (args, kwargs))
        return mapped(lambda v: as_tensor(v) if isinstance(v, (np.ndarray, np.generic)) else v, fn(*args, **kwargs))
    return wrapped
