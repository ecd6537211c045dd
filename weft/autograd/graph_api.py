"""What `autograd.graph` offers besides the nodes: hooks on saved tensors, hooks on several gradients, versions."""
import contextlib
import functools

from weft.autograd.api import GradientEdge, get_gradient_edge
from weft.autograd.graph import Node
from weft.core.modes import SAVED_HOOKS, local
from weft.core.place import here
from weft.core.runtime import mode_bits, set_mode_bits
from weft.tensor.tensor import Tensor

__all__ = ["Node", "GradientEdge", "get_gradient_edge", "saved_tensors_hooks", "save_on_cpu",
           "disable_saved_tensors_hooks", "register_multi_grad_hook", "allow_mutation_on_saved_tensors",
           "increment_version"]


class saved_tensors_hooks:
    """Inside, each tensor that a node saves goes through `pack_hook`, and through `unpack_hook` when the backward wants
    it.

    >>> import weft
    >>> def pack(t):
    ...     print("kept", tuple(t.shape))
    ...     return t
    >>> x = weft.ones(2, requires_grad=True)
    >>> with weft.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
    ...     y = x.exp()
    kept (2,)
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        refusal = getattr(local, "hooks_refused", None)
        if refusal is not None:
            raise RuntimeError(refusal)
        local.saved_hooks.append((self.pack_hook, self.unpack_hook))
        set_mode_bits(mode_bits() | SAVED_HOOKS)
        return self

    def __exit__(self, *exc):
        if local.saved_hooks:
            local.saved_hooks.pop()
        if not local.saved_hooks:
            set_mode_bits(mode_bits() & ~SAVED_HOOKS)

    def __call__(self, function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            with type(self).__new__(type(self))._like(self):
                return function(*args, **kwargs)
        return inside

    def _like(self, other):
        self.__dict__.update(other.__dict__)
        return self


class save_on_cpu(saved_tensors_hooks):
    """Keep saved tensors in main memory, where weft's tensors are anyway.

    >>> import weft
    >>> x = weft.ones(2, requires_grad=True)
    >>> with weft.autograd.graph.save_on_cpu():
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 2.])
    """

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(_itself, _itself)


def _itself(t):
    return t


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message):
    """Inside, `saved_tensors_hooks` raises RuntimeError with this message.

    >>> import weft
    >>> graph = weft.autograd.graph
    >>> with graph.disable_saved_tensors_hooks("not here"):
    ...     try:
    ...         graph.saved_tensors_hooks(print, print).__enter__()
    ...     except RuntimeError as error:
    ...         print(str(error).splitlines()[0])
    not here
    """
    outer = getattr(local, "hooks_refused", None)
    if local.saved_hooks:
        raise RuntimeError(error_message)
    local.hooks_refused = error_message
    try:
        yield
    finally:
        local.hooks_refused = outer


class allow_mutation_on_saved_tensors(saved_tensors_hooks):
    """Inside, what nodes save is copied, so that it may be overwritten in place.

    >>> import weft
    >>> x = weft.full((1,), 3.0, requires_grad=True)
    >>> with weft.autograd.graph.allow_mutation_on_saved_tensors():
    ...     h = x * 1
    ...     y = h * h
    ...     _ = h.zero_()
    ...     y.sum().backward()
    >>> x.grad
    tensor([6.])
    """

    def __init__(self):
        super().__init__(_copied, _itself)


def _copied(t):
    return t.clone()


class _MultiHandle:
    """Takes back several hooks at once."""

    def __init__(self, handles):
        self.handles = tuple(handles)

    def remove(self):
        for handle in self.handles:
            handle.remove()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Call `fn` with the gradients of several tensors: when all of them are known, or (mode "any") with the first one.

    >>> import weft
    >>> x, y = weft.ones(1, requires_grad=True), weft.ones(1, requires_grad=True)
    >>> handle = weft.autograd.graph.register_multi_grad_hook((x, y), lambda grads: print(grads))
    >>> (x + 2 * y).sum().backward()
    [tensor([1.]), tensor([2.])]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    tensors = tuple(tensors)
    gathered = _Gathered(len(tensors), fn, mode)
    return _MultiHandle([t.register_hook(functools.partial(gathered.take, i)) for i, t in enumerate(tensors)])


class _Gathered:
    """A hook on several gradients; what it has gathered lives with each backward, so it begins anew with each, failed
    ones too.
    """

    def __init__(self, n, fn, mode):
        self.n, self.fn, self.mode = n, fn, mode

    def take(self, i, grad):
        run = local.run
        state = None
        for callback in run.callbacks if run is not None else ():
            if type(callback) is _OfOneRun and callback.owner is self:
                state = callback
        if state is None:
            state = _OfOneRun(self)
            if run is not None:
                run.callbacks.append(state)
            if self.mode == "any":
                state.done = True
                self.fn(grad)
        if not state.done:
            state.grads[i] = grad
            if all(g is not None for g in state.grads):
                state()


class _OfOneRun:
    """The gradients that one backward has brought so far; called when they are all there, or when it ends."""

    def __init__(self, owner):
        self.owner, self.grads, self.done = owner, [None] * owner.n, False

    def __call__(self):
        if not self.done:
            self.done = True
            self.owner.fn(self.grads)       # None for those that took no part


def increment_version(tensor):
    """Count a write that weft could not see, such as one through NumPy.

    >>> import weft
    >>> x = weft.ones(2)
    >>> before = x._version
    >>> x.numpy()[0] = 5
    >>> weft.autograd.graph.increment_version(x)
    >>> x._version - before
    1
    """
    for t in ((tensor,) if isinstance(tensor, Tensor) else tensor):
        storage = t._own_memory_record()
        storage.version += 1
        storage.written = here()
