"""A module's state: `state_dict`, and conversions of all parameters and buffers at once. Loading is in
`module_loading`.
"""
from collections import OrderedDict
from types import MethodType
from weakref import ref

from weft.autograd.graph import add_hook
from weft.core import dtype as dtypes
from weft.core.modes import no_grad
from weft.core.namespace import Missing, later, nearest
from weft.core.settings import settings
from weft.nn.edits import EDITS
from weft.nn.module_loading import EXTRA, _load_from_state_dict, load_state_dict
from weft.nn.parameter import Parameter, is_lazy, lazy_like
from weft.tensor.names import FUNCTIONS
from weft.tensor.swap import swap_tensors
from weft.tensor.tensor import OPS, Tensor


def missing_attribute(module, name):
    """The error of a module without such an attribute."""
    def advice():
        if "_parameters" not in module.__dict__:
            return f"\n  fix: call super().__init__() first in {type(module).__name__}.__init__"
        return nearest(name, dir(module))
    return Missing(f"'{type(module).__name__}' object has no attribute '{name}'", name, advice)


def late_attribute(module, name):
    """`summary`, which stands in the profiler, unless the module has something of that name itself: no method, which
    would hide a layer of that name. `_orig_mod` of a compiled module, which is what PyTorch wraps: here the module
    itself is compiled, so it is another object of the same parameters, buffers, layers and hooks that is not.
    """
    if name == "summary" and "_parameters" in module.__dict__:
        return MethodType(OPS.summary, module)
    if name == "_orig_mod" and module.__dict__.get("_compiled_call_impl") is not None:
        plain = object.__new__(type(module))
        plain.__dict__.update(module.__getstate__())
        return plain
    raise missing_attribute(module, name)


def is_late(module, name):
    """Whether a name is only that of such a method, so that it is free for the module's own use."""
    own = module.__dict__
    return name == "summary" and not hasattr(type(module), name) and not any(
        name in place for place in (own, own["_parameters"], own["_buffers"], own["_modules"]))


def entry(module, target, what, kind):
    """The parameter or buffer at a path."""
    path, _, name = target.rpartition(".")
    parent = module.get_submodule(path)
    if not hasattr(parent, name):
        raise AttributeError(f"{type(parent).__name__} has no attribute `{name}`")
    found = getattr(parent, name)
    if not isinstance(found, kind):
        raise AttributeError(f"`{name}` is not an {what}" if what[0] in "aeion" else f"`{name}` is not a {what}")
    return found


# state_dict

def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
    """All parameters and persistent buffers by path, sharing their memory.

    >>> import weft
    >>> layer = weft.nn.Linear(2, 1)
    >>> list(layer.state_dict())
    ['weight', 'bias']
    """
    if args:        # the old positional form
        destination = args[0] if destination is None else destination
        prefix = args[1] if len(args) > 1 and prefix == "" else prefix
        keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    notes = {"version": self._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = notes
    for hook in self._state_dict_pre_hooks.values():
        hook(self, prefix, keep_vars)
    self._save_to_state_dict(destination, prefix, keep_vars)
    for name, module in self._modules.items():
        if module is not None:
            module.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
    for hook in self._state_dict_hooks.values():
        changed = hook(self, destination, prefix, notes)
        if not getattr(hook, "_from_public_api", False):
            destination = destination if changed is None else changed
        elif changed is not None:
            raise RuntimeError("state_dict post-hook must return None")
    return destination


def _save_to_state_dict(self, destination, prefix, keep_vars):
    for name, value in [*self._parameters.items(), *self._buffers.items()]:
        if value is not None and name not in self._non_persistent_buffers_set:
            destination[prefix + name] = value if keep_vars or is_lazy(value) else value.detach()
    if not getattr(type(self).get_extra_state, "is_default", False):
        destination[prefix + EXTRA] = self.get_extra_state()


def get_extra_state(self):
    """What else belongs in the state_dict; a module that has such defines this and set_extra_state.

    >>> import weft
    >>> class Counter(weft.nn.Module):
    ...     calls = 3
    ...     def get_extra_state(self):
    ...         return {"calls": self.calls}
    >>> Counter().state_dict()
    OrderedDict([('_extra_state', {'calls': 3})])
    """
    raise RuntimeError("Reached a code path in Module.get_extra_state() that should never be called. "
                       "Please define get_extra_state() in your module.")


def set_extra_state(self, state):
    """Take what get_extra_state gave.

    >>> import weft
    >>> class Counter(weft.nn.Module):
    ...     calls = 0
    ...     def get_extra_state(self):
    ...         return {"calls": self.calls}
    ...     def set_extra_state(self, state):
    ...         self.calls = state["calls"]
    >>> counter = Counter()
    >>> counter.load_state_dict({"_extra_state": {"calls": 3}})
    <All keys matched successfully>
    >>> counter.calls
    3
    """
    raise RuntimeError("Reached a code path in Module.set_extra_state() that should never be called. "
                       "Please define set_extra_state() in your module.")


get_extra_state.is_default = set_extra_state.is_default = True


# hooks of saving and loading

def register_state_dict_post_hook(self, hook):
    """Call hook(module, state_dict, prefix, local_metadata) after state_dict.

    >>> import weft
    >>> def count(module, state_dict, prefix, local_metadata):
    ...     print(prefix, len(state_dict))
    >>> net = weft.nn.Linear(2, 1)
    >>> handle = net.register_state_dict_post_hook(count)
    >>> state = net.state_dict(prefix="fc.")
    fc. 2
    """
    hook._from_public_api = True
    return add_hook(self._state_dict_hooks, hook)


def _register_state_dict_hook(self, hook):
    if getattr(hook, "_from_public_api", False):
        raise RuntimeError("Cannot register the same function as the state dict post hook that was previously "
                           "registered via register_state_dict_post_hook")
    return add_hook(self._state_dict_hooks, hook)


class WithModule:
    """A hook that is given its module, without keeping it alive; both are copied and pickled together."""

    def __init__(self, hook, module):
        self.hook, self.module = hook, ref(module)

    def __call__(self, *args):
        return self.hook(self.module(), *args)

    def __getstate__(self):
        return self.hook, self.module()

    def __setstate__(self, state):
        self.hook, self.module = state[0], ref(state[1])


def register_state_dict_pre_hook(self, hook):
    """Call hook(module, prefix, keep_vars) before state_dict.

    >>> import weft
    >>> net = weft.nn.Linear(2, 1)
    >>> handle = net.register_state_dict_pre_hook(lambda module, prefix, keep_vars: print("saving", module))
    >>> state = net.state_dict()
    saving Linear(in_features=2, out_features=1, bias=True)
    """
    return add_hook(self._state_dict_pre_hooks, hook)


def register_load_state_dict_pre_hook(self, hook):
    """Call hook(module, state_dict, prefix, local_metadata, strict, missing, unexpected, errors) before loading.

    >>> import weft
    >>> def rename(module, state_dict, prefix, *rest):
    ...     state_dict[prefix + "weight"] = state_dict.pop(prefix + "kernel")
    >>> net = weft.nn.Linear(2, 1, bias=False)
    >>> handle = net.register_load_state_dict_pre_hook(rename)
    >>> net.load_state_dict({"kernel": weft.ones(1, 2)})
    <All keys matched successfully>
    >>> net.weight.tolist()
    [[1.0, 1.0]]
    """
    return add_hook(self._load_state_dict_pre_hooks, WithModule(hook, self))


def _register_load_state_dict_pre_hook(self, hook, with_module=False):
    if with_module:
        return register_load_state_dict_pre_hook(self, hook)
    return add_hook(self._load_state_dict_pre_hooks, hook)


def register_load_state_dict_post_hook(self, hook):
    """Call hook(module, incompatible_keys) after loading.

    >>> import weft
    >>> net = weft.nn.Linear(2, 1)
    >>> handle = net.register_load_state_dict_post_hook(lambda module, keys: print("loaded", type(module).__name__))
    >>> net.load_state_dict(net.state_dict())
    loaded Linear
    <All keys matched successfully>
    """
    return add_hook(self._load_state_dict_post_hooks, hook)


# all parameters and buffers at once

def apply(self, fn):
    """Call fn(module) for every module below, then for this one.

    >>> import weft
    >>> layer = weft.nn.Linear(2, 1)
    >>> layer.apply(lambda m: m.requires_grad_(False)).weight.requires_grad
    False
    """
    for module in self.children():
        module.apply(fn)
    fn(self)
    return self


def _replicate_for_data_parallel(self):
    """A copy that has the same attributes, buffers and children, and no parameters yet."""
    replica = type(self).__new__(type(self))
    replica.__dict__.update(self.__dict__)
    replica._parameters = {}
    replica._buffers, replica._modules = self._buffers.copy(), self._modules.copy()
    replica._is_replica = True
    return replica


def _apply(self, fn, recurse=True):
    """Replace every parameter's data, its gradient and every buffer by fn of it."""
    if recurse:
        for module in self.children():
            module._apply(fn)
    for name, value in self._parameters.items():
        if value is None:
            continue
        with no_grad():
            made = fn(value)
        grad = value.grad
        if made is not value and not (made.dtype == value.dtype and made.device == value.device
                                      and made.data_ptr() == value.data_ptr()
                                      and value.numel() > 0):
            if settings.same_parameters and not is_lazy(value):
                value.grad = None
                swap_tensors(value, Parameter(made, value.requires_grad))
            elif made.device == value.device and not settings.new_parameters:
                value.data = made.detach()
            else:
                self._parameters[name] = value = (lazy_like(value, made) if is_lazy(value)
                                                  else Parameter(made, value.requires_grad))
                EDITS.count += 1
        if grad is not None:
            with no_grad():
                converted = fn(grad)
            if converted is not value.grad:
                value.grad = None
                value.grad = converted.detach().requires_grad_(grad.requires_grad)
    for name, value in self._buffers.items():
        if value is not None:
            made = fn(value)
            self._buffers[name] = lazy_like(value, made) if is_lazy(value) else made
    return self


def to(self, *args, **kwargs):
    """Move or convert parameters and buffers: to(dtype), to(device), to(tensor), to(memory_format=...).

    >>> import weft
    >>> layer = weft.nn.Linear(2, 1)
    >>> layer.to(weft.float64).weight.dtype
    torch.float64
    """
    device, dtype = kwargs.get("device"), kwargs.get("dtype")
    memory_format = kwargs.get("memory_format")
    if kwargs.get("copy"):
        raise RuntimeError(".to() does not accept copy argument\n  fix: copy.deepcopy(module).to(...)")
    unknown = [name for name in kwargs if name not in ("device", "dtype", "tensor", "non_blocking", "copy",
                                                       "memory_format")]
    if unknown or len(args) > 1 and isinstance(args[1], bool) and not isinstance(args[0], (dtypes.dtype, Tensor)):
        raise TypeError(f"to() received an invalid combination of arguments: {unknown[0] if unknown else args}\n"
                        f"  fix: to(device, dtype, non_blocking), to(dtype, non_blocking), to(tensor, non_blocking) or "
                        f"to(memory_format=...)")
    for value in (*args, *([kwargs["tensor"]] if kwargs.get("tensor") is not None else [])):
        if isinstance(value, dtypes.dtype):
            dtype = value
        elif isinstance(value, Tensor):
            device, dtype = value.device, value.dtype
        elif not isinstance(value, bool) and value is not None:
            device = value
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}")

    def convert(t):
        own = dtype if t.is_floating_point() or t.is_complex() else None
        if memory_format is not None and t.dim() in (4, 5):
            return t.to(device=device, dtype=own, memory_format=memory_format)
        return t.to(device=device, dtype=own)
    return self._apply(convert)


def _converted(kind):
    def convert(self):
        return self._apply(lambda t: getattr(t, kind)() if t.is_floating_point() else t)
    convert.__name__ = convert.__qualname__ = kind
    dtype = {"half": "float16", "float": "float32", "double": "float64"}.get(kind, kind)
    convert.__doc__ = (f"Convert floating parameters and buffers with .{kind}().\n\n>>> import weft\n"
                       f">>> weft.nn.Linear(2, 1).{kind}().weight.dtype\ntorch.{dtype}")
    return convert


def cpu(self):
    """Move to the CPU, where everything is.

    >>> import weft
    >>> net = weft.nn.Linear(2, 1)
    >>> net.cpu() is net
    True
    """
    return self._apply(lambda t: t.cpu())


def cuda(self, device=None):
    """Raises as on a PyTorch without CUDA: there is no such device here.

    >>> import weft
    >>> weft.nn.Linear(2, 1).cuda()
    Traceback (most recent call last):
        ...
    AssertionError: ...
    """
    return self._apply(lambda t: t.cuda(device))


def compile(self, *args, **kwargs):
    """Compile the module's call, as `weft.compile(module)` does with the same arguments; the module stays the same.

    >>> import weft
    >>> layer = weft.nn.Linear(2, 1)
    >>> layer.compile(dynamic=True)
    >>> layer(weft.ones(3, 2)).shape
    torch.Size([3, 1])
    """
    _compile(self, *args, **kwargs)


def type_(self, dst_type):
    """Convert all parameters and buffers to a type.

    >>> import weft
    >>> layer = weft.nn.Linear(2, 1)
    >>> layer.type(weft.float64).weight.dtype
    torch.float64
    """
    return self._apply(lambda t: t.type(dst_type))


def to_empty(self, *, device, recurse=True):
    """Move to a device without copying: the values are then whatever is there.

    >>> import weft
    >>> layer = weft.nn.Linear(2, 1)
    >>> layer.to_empty(device='cpu').weight.shape
    torch.Size([1, 2])
    """
    return self._apply(lambda t: FUNCTIONS["empty_like"](t, device=device) if t.device.type == "meta" else t.clone(),
                       recurse=recurse)


_compile = later("weft.compiler", "compile")


def attach(cls):
    """Give Module these methods."""
    for function in (state_dict, _save_to_state_dict, get_extra_state, set_extra_state, load_state_dict,
                     _load_from_state_dict, register_state_dict_post_hook, _register_state_dict_hook,
                     register_state_dict_pre_hook, register_load_state_dict_pre_hook,
                     _register_load_state_dict_pre_hook, register_load_state_dict_post_hook, apply,
                     _replicate_for_data_parallel, _apply, to, cpu,
                     cuda, to_empty, compile):
        setattr(cls, function.__name__, function)
    cls.type = type_
    for kind in ("float", "double", "half", "bfloat16"):
        setattr(cls, kind, _converted(kind))
