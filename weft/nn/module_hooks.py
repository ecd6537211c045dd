"""A module's hooks: what runs before and after its forward and its backward."""
import warnings
from collections import OrderedDict
from functools import partial

from weft.autograd.function import Function
from weft.autograd.graph import RemovableHandle
from weft.core.modes import is_grad_enabled
from weft.nn.edits import EDITS
from weft.tensor.tensor import Tensor

# the dicts of hooks that every module has, under PyTorch's names
DICTS = ("_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs",
         "_forward_hooks_always_called", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_state_dict_hooks",
         "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks")
CALL_DICTS = ("_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_pre_hooks")


class GlobalHooks:
    """Hooks that run for every module."""

    def __init__(self):
        self.forward_pre, self.forward, self.backward_pre, self.backward = (
            OrderedDict(), OrderedDict(), OrderedDict(), OrderedDict())
        self.forward_with_kwargs, self.forward_always = set(), set()
        self.module_registration, self.parameter_registration, self.buffer_registration = (
            OrderedDict(), OrderedDict(), OrderedDict())
        self.full_backward = None
        self.any = False        # whether a call must look for them

    def look(self):
        self.any = bool(self.forward_pre or self.forward or self.backward_pre or self.backward)


GLOBAL = GlobalHooks()


def has_any(module):
    """Whether a call must look for hooks, or for what was captured."""
    return module.__dict__.get("_compiled_call_impl") is not None or any(module.__dict__.get(name)
                                                                         for name in CALL_DICTS)


def set_captured(module, captured):
    """From now on calls run this in the place of `forward`."""
    object.__setattr__(module, "_compiled_call_impl", captured)
    _note(module)


class _CallHandle(RemovableHandle):
    """Takes a hook of a module's call back, together with its notes in other dicts."""

    def __init__(self, module, hooks, extra=()):
        super().__init__(hooks)
        self.module, self.extra = module, extra

    def hooks_dict_ref(self):
        """The dict that the hook is in."""
        return self.hooks

    def remove(self):
        super().remove()
        for notes in self.extra:
            notes.discard(self.id) if isinstance(notes, set) else notes.pop(self.id, None)
        _note(self.module)


def _note(module):
    """Remember whether a module (None: all modules) has hooks, so that a call needn't look."""
    EDITS.ways += 1
    if module is None:
        GLOBAL.look()
    else:
        object.__setattr__(module, "_hooked", has_any(module))


def _add(module, hooks, hook, prepend=False, extra=(), noted=()):
    handle = _CallHandle(module, hooks, extra)
    hooks[handle.id] = hook
    for notes, wanted in zip(extra, noted):
        if wanted:
            notes.add(handle.id) if isinstance(notes, set) else notes.__setitem__(handle.id, True)
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    _note(module)
    return handle


# the call

def call(module, args, kwargs):
    """Run forward between its hooks."""
    backward_pre = [*GLOBAL.backward_pre.values(), *module._backward_pre_hooks.values()]
    full = module._is_full_backward_hook is not False
    backward = [*GLOBAL.backward.values()] if GLOBAL.full_backward is not False else []
    old = [] if GLOBAL.full_backward is not False else [*GLOBAL.backward.values()]      # the deprecated kind
    old += [] if full else module._backward_hooks.values()
    backward += module._backward_hooks.values() if full else []
    called = set()
    try:
        args, kwargs = _run_forward_pre(module, args, kwargs)
        around = _BackwardHooks(module, backward, backward_pre) if (backward or backward_pre) else None
        if around is not None:
            args = around.enter(args)
        result = (module._compiled_call_impl or module.forward)(*args, **kwargs)
        result = _run_forward(module, args, kwargs, result, called)
        if around is not None:
            result = around.leave(result)
        if old:
            _add_old_backward(module, old, result)
        return result
    except Exception:
        _run_always(module, args, kwargs, called)
        raise


def _run_forward_pre(module, args, kwargs):
    for key, hook in [*((k, h) for k, h in GLOBAL.forward_pre.items()), *module._forward_pre_hooks.items()]:
        if key in module._forward_pre_hooks_with_kwargs:
            changed = hook(module, args, kwargs)
            if changed is not None:
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but "
                                       f"got {changed}.")
                args, kwargs = changed
        else:
            changed = hook(module, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
    return args, kwargs


def _forward_hooks(module):
    for key, hook in GLOBAL.forward.items():
        yield key, hook, key in GLOBAL.forward_with_kwargs, key in GLOBAL.forward_always
    for key, hook in module._forward_hooks.items():
        yield key, hook, key in module._forward_hooks_with_kwargs, key in module._forward_hooks_always_called


def _run_forward(module, args, kwargs, result, called):
    for key, hook, with_kwargs, always in list(_forward_hooks(module)):
        if always:
            called.add(key)
        changed = hook(module, args, kwargs, result) if with_kwargs else hook(module, args, result)
        result = result if changed is None else changed
    return result


def _run_always(module, args, kwargs, called):
    """After a failure: the hooks that asked to be called even then."""
    for key, hook, with_kwargs, always in list(_forward_hooks(module)):
        if not always or key in called:
            continue
        try:
            hook(module, args, kwargs, None) if with_kwargs else hook(module, args, None)
        except Exception as error:
            warnings.warn(f"module forward hook with ``always_call=True`` raised an exception that was silenced as "
                          f"another error was raised in forward: {error}", stacklevel=3)


# backward hooks

class BackwardHookFunction(Function):
    """Hands tensors through unchanged: a node whose gradients are the module's."""

    @staticmethod
    def forward(ctx, *tensors):
        return tuple(t.view_as(t) for t in tensors)

    @staticmethod
    def backward(ctx, *grads):
        return grads


def _through_pass(values, on_node):
    """The values with those tensors that need a gradient replaced by copies behind one node, and the positions of
    these.
    """
    places = [i for i, v in enumerate(values) if isinstance(v, Tensor) and v.requires_grad]
    wanted = [values[i] for i in places]
    if not is_grad_enabled() or not wanted:
        return values, None
    made = BackwardHookFunction.apply(*wanted)
    made = made if isinstance(made, tuple) else (made,)
    nodes = [t.grad_fn for t in made if t.grad_fn is not None]
    on_node(nodes[0])
    changed = list(values)
    for i, t in zip(places, made):
        changed[i] = t
    return tuple(changed), places


class _BackwardHooks:
    """One call's backward hooks: the module's grad_outputs are seen behind its result, its grad_inputs before its
    arguments.
    """

    def __init__(self, module, hooks, pre_hooks):
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs = None
        self.input_places, self.n_inputs = None, 0
        self.output_places, self.n_outputs = None, 0

    def _spread(self, grads, places, n):
        spread = [None] * n
        for i, g in zip(places, grads):
            spread[i] = g
        return tuple(spread)

    def enter(self, args):
        def on_node(node):
            node.register_hook(self._inputs_done)
        self.n_inputs = len(args)
        changed, self.input_places = _through_pass(args, on_node)
        return changed

    def leave(self, result):
        alone = isinstance(result, Tensor)
        if not alone and not isinstance(result, (tuple, list)):
            warnings.warn("For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                          "received "
                          f"{type(result)}", stacklevel=3)
            return result
        values = (result,) if alone else tuple(result)

        def on_node(node):
            node.register_prehook(self._outputs_done)
        self.n_outputs = len(values)
        changed, self.output_places = _through_pass(values, on_node)
        if alone:
            return changed[0]
        return (type(result)(changed) if type(result) in (tuple, list) else type(result)(*changed)
                if hasattr(result, "_fields") else changed)

    def _outputs_done(self, grads):
        """The gradients of the module's outputs are known."""
        self.grad_outputs = self._spread(grads, self.output_places, self.n_outputs)
        for hook in self.pre_hooks:
            changed = hook(self.module, self.grad_outputs)
            if changed is not None:
                self.grad_outputs = _as_tuple(changed, self.n_outputs, "Backward pre hook", "grad_output")
        found = tuple(self.grad_outputs[i] for i in self.output_places)
        if self.input_places is None:       # no input needs a gradient: the hooks run now
            warnings.warn("Full backward hook is firing when gradients are computed with respect to module outputs "
                          "since no inputs require gradients", stacklevel=2)
            self._call_hooks(None)
        return found

    def _inputs_done(self, grad_inputs, _):
        """The gradients of the module's inputs are known."""
        if self.grad_outputs is None:
            return None
        found = self._call_hooks(self._spread(grad_inputs, self.input_places, self.n_inputs))
        return tuple(found[i] for i in self.input_places)

    def _call_hooks(self, grad_inputs):
        for hook in self.hooks:
            changed = hook(self.module, (None,) * self.n_inputs if grad_inputs is None else grad_inputs,
                           self.grad_outputs)
            if changed is not None and grad_inputs is None:
                if not (isinstance(changed, tuple) and all(g is None for g in changed)):
                    raise RuntimeError("Backward hook for Modules where no input requires gradient should always "
                                       "return None or None for all gradients.")
            elif changed is not None:
                grad_inputs = _as_tuple(changed, self.n_inputs, "Backward hook", "grad_input")
        self.grad_outputs = None
        return grad_inputs


def _as_tuple(changed, n, who, what):
    changed = changed if isinstance(changed, tuple) else (changed,)
    if len(changed) != n:
        raise RuntimeError(f"{who} returned an invalid number of {what}, got {len(changed)}, but expected {n}")
    return changed


def _add_old_backward(module, hooks, result):
    """The deprecated kind of backward hook: on the node of the last op of forward."""
    value = result
    while not isinstance(value, Tensor):
        value = (next((v for v in value.values() if isinstance(v, Tensor)), None) if isinstance(value, dict)
                 else value[0])
    if value is not None and value.grad_fn is not None:
        for hook in hooks:
            value.grad_fn.register_hook(partial(hook, module))


# registering: methods of Module

def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
    """Call hook(module, args) before forward; what it returns replaces the arguments.

    >>> import weft
    >>> layer = weft.nn.Linear(2, 1)
    >>> handle = layer.register_forward_pre_hook(lambda module, args: print(args[0].shape))
    >>> layer(weft.ones(3, 2)).shape
    torch.Size([3, 2])
    torch.Size([3, 1])
    >>> handle.remove()
    """
    return _add(self, self._forward_pre_hooks, hook, prepend, (self._forward_pre_hooks_with_kwargs,), (with_kwargs,))


def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
    """Call hook(module, args, output) after forward; what it returns replaces the output.

    >>> import weft
    >>> layer = weft.nn.Linear(2, 1)
    >>> handle = layer.register_forward_hook(lambda module, args, output: output * 0)
    >>> layer(weft.ones(1, 2)).sum().item()
    0.0
    >>> handle.remove()
    """
    return _add(self, self._forward_hooks, hook, prepend,
                (self._forward_hooks_with_kwargs, self._forward_hooks_always_called), (with_kwargs, always_call))


def register_full_backward_pre_hook(self, hook, prepend=False):
    """Call hook(module, grad_output) before the module's backward; what it returns replaces the gradient.

    >>> import weft
    >>> net = weft.nn.Linear(2, 1)
    >>> handle = net.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] * 10,))
    >>> net(weft.ones(1, 2)).sum().backward()
    >>> net.bias.grad
    tensor([10.])
    """
    return _add(self, self._backward_pre_hooks, hook, prepend)


def register_full_backward_hook(self, hook, prepend=False):
    """Call hook(module, grad_input, grad_output) when the gradients of the inputs are known.

    >>> import weft
    >>> layer = weft.nn.Linear(2, 1)
    >>> handle = layer.register_full_backward_hook(lambda module, grad_input, grad_output: print(grad_output))
    >>> layer(weft.ones(1, 2)).sum().backward()
    (tensor([[1.]]),)
    >>> handle.remove()
    """
    _set_kind(self, True)
    return _add(self, self._backward_hooks, hook, prepend)


def register_backward_hook(self, hook):
    """The deprecated form; use register_full_backward_hook.

    >>> import weft
    >>> net = weft.nn.Linear(2, 1)
    >>> handle = net.register_backward_hook(lambda module, grad_input, grad_output: print(grad_output[0]))
    >>> net(weft.ones(1, 2)).sum().backward()
    tensor([[1.]])
    """
    _set_kind(self, False)
    return _add(self, self._backward_hooks, hook)


def _set_kind(module, full):
    if module._is_full_backward_hook is (not full):
        raise RuntimeError("Cannot use both regular backward hooks and full backward hooks on a single Module. Please "
                           "use only one of them.")
    object.__setattr__(module, "_is_full_backward_hook", full)


def attach(cls):
    """Give Module its hook methods."""
    for function in (register_forward_pre_hook, register_forward_hook, register_full_backward_pre_hook,
                     register_full_backward_hook, register_backward_hook):
        setattr(cls, function.__name__, function)


# registering for all modules

def register_module_forward_pre_hook(hook):
    """Call hook(module, args) before every module's forward."""
    return _add(None, GLOBAL.forward_pre, hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Call hook(module, args, output) after every module's forward."""
    return _add(None, GLOBAL.forward, hook, False, (GLOBAL.forward_with_kwargs, GLOBAL.forward_always),
                (with_kwargs, always_call))


def register_module_full_backward_pre_hook(hook):
    """Call hook(module, grad_output) before every module's backward."""
    return _add(None, GLOBAL.backward_pre, hook)


def register_module_full_backward_hook(hook):
    """Call hook(module, grad_input, grad_output) after every module's backward."""
    return _add_global_backward(hook, True)


def register_module_backward_hook(hook):
    """The deprecated form; use register_module_full_backward_hook."""
    return _add_global_backward(hook, False)


def _add_global_backward(hook, full):
    if GLOBAL.backward and GLOBAL.full_backward is not full:
        raise RuntimeError("Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
                           "Please use only one of them.")
    GLOBAL.full_backward = full
    return _add(None, GLOBAL.backward, hook)


def register_module_module_registration_hook(hook):
    """Call hook(module, name, submodule) whenever a submodule is registered."""
    return _add(None, GLOBAL.module_registration, hook)


def register_module_parameter_registration_hook(hook):
    """Call hook(module, name, parameter) whenever a parameter is registered."""
    return _add(None, GLOBAL.parameter_registration, hook)


def register_module_buffer_registration_hook(hook):
    """Call hook(module, name, buffer) whenever a buffer is registered."""
    return _add(None, GLOBAL.buffer_registration, hook)
