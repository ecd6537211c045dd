# compiled, hot
"""`Module`: a layer, or a tree of layers, with its parameters, buffers and hooks.

A call without hooks goes straight to `forward`; all it adds is to note, for errors and for the graph, which module is
running.
"""
import operator
from collections import OrderedDict

from weft.autograd.rows import zero
from weft.core.errors import fail
from weft.core.runtime import quick_members, running, set_running, weakly
from weft.nn import module_hooks as hooks
from weft.nn import module_state as state
from weft.nn.edits import EDITS, LIVE, Members
from weft.nn.parameter import Buffer, Parameter
from weft.tensor.tensor import Tensor

GLOBAL = hooks.GLOBAL       # hooks of all modules
MEMBERS = ("_parameters", "_buffers", "_modules")       # the dicts of a module whose entries are attributes


class Running:
    """A module in the middle of a call, and the one that called it; its path is worked out only when somebody asks."""

    @property
    def kind(self):
        """The name of its class."""
        return self.type.__name__

    def path(self):
        """`net.encoder.fc1`, the outermost module by the name of its class."""
        chain, link = [], self
        while isinstance(link, Running):
            chain.append(link)
            link = link.caller
        parts, outer = [chain[-1].kind], chain[-1].module()
        for link in reversed(chain[:-1]):
            inner = link.module()
            parts.append(_name_within(outer, inner) or link.kind)
            outer = inner
        return ".".join(parts)

    def __str__(self):
        module = self.module()
        if module is None:
            return self.path()
        shown = f"{self.kind}({module.extra_repr()})" if not module._modules else self.kind
        path = self.path()
        return path if path == shown else f"{path} ({shown})"


def enter(module, caller):
    """Note that a module runs from now on, called by another one."""
    made = Running.__new__(Running)
    made.module, made.type, made.caller = weakly(module), type(module), caller
    set_running(made)


def _name_within(outer, inner):
    if outer is None or inner is None:
        return None
    return next((name for name, module in outer.named_modules() if module is inner and name), None)


class Module:
    """A layer: assign parameters, buffers and other modules as attributes, define `forward`, and call it.

    >>> import weft
    >>> class Double(weft.nn.Module):
    ...     def forward(self, x):
    ...         return x + x
    >>> Double()(weft.ones(2))
    tensor([2., 2.])
    """

    dump_patches = False
    _version = 1
    training: bool
    call_super_init = False
    _compiled_call_impl = None

    def __init__(self, *args, **kwargs):
        if not self.call_super_init and kwargs:
            raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument "
                            f"'{next(iter(kwargs))}'")
        if not self.call_super_init and args:
            raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were "
                            f"given")
        set_plain = object.__setattr__
        set_plain(self, "training", True)
        for name in ("_parameters", "_buffers", "_modules"):
            set_plain(self, name, {})
        set_plain(self, "_non_persistent_buffers_set", set())
        for name in hooks.DICTS:
            set_plain(self, name, OrderedDict())
        set_plain(self, "_is_full_backward_hook", None)
        set_plain(self, "_hooked", False)
        LIVE[id(self)] = self
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *inputs):
        """What the module computes; every subclass defines its own.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> layer.forward(weft.ones(3, 2)).shape
        torch.Size([3, 1])
        """
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function\n'
                                  f"  fix: define forward(self, ...) in {type(self).__name__}")

    # the call

    def __call__(self, *args, **kwargs):
        caller = running()
        enter(self, caller)
        try:
            if self._hooked or GLOBAL.any:
                return hooks.call(self, args, kwargs)
            if kwargs:
                return self.forward(*args, **kwargs)
            return self.forward(args[0]) if len(args) == 1 else self.forward(*args)
        finally:
            set_running(caller)

    def _call_impl(self, *args, **kwargs):
        return Module.__call__(self, *args, **kwargs)

    # attributes: parameters, modules and buffers live in their dicts

    def __setattr__(self, name, value):
        own = self.__dict__
        parameters, modules, buffers = own.get("_parameters"), own.get("_modules"), own.get("_buffers")
        if isinstance(value, Parameter):
            self._ready("parameters", parameters)
            _drop(name, own, modules, buffers, self._non_persistent_buffers_set)
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(f"cannot assign '{_kind(value)}' as parameter '{name}' (torch.nn.Parameter or None "
                                f"expected)\n  fix: wrap it in nn.Parameter, or delete the parameter first (del "
                                f"module.{name})")
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            self._ready("modules", modules)
            _drop(name, own, parameters, buffers, self._non_persistent_buffers_set)
            for hook in GLOBAL.module_registration.values():
                replaced = hook(self, name, value)
                value = value if replaced is None else replaced
            modules[name] = value
            EDITS.count += 1
        elif modules is not None and name in modules:
            if value is not None:
                raise TypeError(f"cannot assign '{_kind(value)}' as child module '{name}' (torch.nn.Module or None "
                                f"expected)\n  fix: delete the module first (del module.{name})")
            modules[name] = None
            EDITS.count += 1
        elif isinstance(value, Buffer) or buffers is not None and name in buffers:
            self._set_buffer(name, value, buffers)
        else:
            object.__setattr__(self, name, value)

    def _ready(self, what, where):
        if where is None:
            fail(AttributeError, f"cannot assign {what} before Module.__init__() call",
                 f"call super().__init__() first in {type(self).__name__}.__init__")

    def _set_buffer(self, name, value, buffers):
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(f"cannot assign '{_kind(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None "
                            f"expected)")
        self._ready("buffers", buffers)
        if isinstance(value, Buffer) and name not in buffers:
            _drop(name, self._parameters, self._modules)
            if getattr(value, "persistent", True):      # an override of register_buffer may not take the third argument
                self.register_buffer(name, value)
            else:
                self.register_buffer(name, value, False)
            return
        if isinstance(value, Buffer):
            note = (self._non_persistent_buffers_set.discard if getattr(value, "persistent", True)
                    else self._non_persistent_buffers_set.add)
            note(name)
        for hook in GLOBAL.buffer_registration.values():
            replaced = hook(self, name, value)
            value = value if replaced is None else replaced
        buffers[name] = value

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls.__getattr__ is Module.__getattr__ and cls.__getattribute__ is object.__getattribute__:
            quick_members(cls, MEMBERS)

    def __getattr__(self, name):
        own = self.__dict__
        for place in MEMBERS:
            found = own.get(place)
            if found is not None and name in found:
                return found[name]
        return state.late_attribute(self, name)

    def __delattr__(self, name):
        EDITS.count += 1
        for place in ("_parameters", "_modules"):
            if name in self.__dict__.get(place, ()):
                del self.__dict__[place][name]
                return
        if name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
            return
        object.__delattr__(self, name)

    def __dir__(self):
        names = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers}
        return sorted(name for name in names if not name[:1].isdigit())

    def __getstate__(self):
        return {key: value for key, value in self.__dict__.items() if key != "_compiled_call_impl"}

    def __setstate__(self, values):
        self.__dict__.update(values)
        for name in hooks.DICTS:
            self.__dict__.setdefault(name, OrderedDict())
        self.__dict__.setdefault("_non_persistent_buffers_set", set())
        self.__dict__.setdefault("_is_full_backward_hook", None)
        self.__dict__["_hooked"] = hooks.has_any(self)          # PyTorch, which may have had it since, doesn't know it
        LIVE[id(self)] = self

    # registering

    def register_parameter(self, name, param):
        """Add a parameter under a name; None keeps the place free.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> layer.register_parameter('scale', weft.nn.Parameter(weft.ones(1)))
        >>> layer.scale.shape
        torch.Size([1])
        """
        self._ready("parameter", self.__dict__.get("_parameters"))
        self._check_name("parameter", name, self._parameters)
        EDITS.count += 1
        if param is None:
            self._parameters[name] = None
            return
        if not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{_kind(param)}' object to parameter '{name}' (torch.nn.Parameter or None "
                            f"required)\n  fix: wrap it in nn.Parameter")
        if param.grad_fn is not None:
            raise ValueError(f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                             f"explicitly.\n  fix: to express '{name}' through another tensor, compute it in forward()")
        for hook in GLOBAL.parameter_registration.values():
            replaced = hook(self, name, param)
            param = param if replaced is None else replaced
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        """Add a tensor that is kept and moved with the module but not trained; persistent ones are in the state_dict.


        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> layer.register_buffer('calls', weft.zeros(1))
        >>> layer.calls
        tensor([0.])
        """
        self._ready("buffer", self.__dict__.get("_buffers"))
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{_kind(tensor)}' object to buffer '{name}' (torch Tensor or None "
                            f"required)")
        for hook in GLOBAL.buffer_registration.values():
            replaced = hook(self, name, tensor)
            tensor = tensor if replaced is None else replaced
        self._buffers[name] = tensor
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def add_module(self, name, module):
        """Add a child module under a name.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> layer.add_module('inner', weft.nn.ReLU())
        >>> layer.inner
        ReLU()
        """
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{_kind(module)} is not a Module subclass")
        self._check_name("module", name, self._modules)
        EDITS.count += 1
        for hook in GLOBAL.module_registration.values():
            replaced = hook(self, name, module)
            module = module if replaced is None else replaced
        self._modules[name] = module

    def register_module(self, name, module):
        """The same as add_module.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> layer.register_module('inner', weft.nn.ReLU())
        >>> layer.inner
        ReLU()
        """
        self.add_module(name, module)

    def _check_name(self, what, name, among):
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {_kind(name)}")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if name not in among and hasattr(self, name) and not state.is_late(self, name):
            raise KeyError(f"attribute '{name}' already exists")

    # the tree

    def get_submodule(self, target):
        """The module at a path like "encoder.layers.0"; "" is this one.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> weft.nn.Sequential(layer).get_submodule('0')
        Linear(in_features=2, out_features=1, bias=True)
        """
        found = self
        for name in target.split(".") if target else ():
            if not hasattr(found, name):
                raise AttributeError(f"{type(found).__name__} has no attribute `{name}` (in the path '{target}')")
            found = getattr(found, name)
            if not isinstance(found, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return found

    def set_submodule(self, target, module, strict=False):
        """Put a module at a path, replacing the one there.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> net = weft.nn.Sequential(layer)
        >>> net.set_submodule('0', weft.nn.ReLU())
        >>> net[0]
        ReLU()
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{type(parent).__name__} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def delete_submodule(self, target):
        """Remove the module at a path; whether there was one.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> net = weft.nn.Sequential(layer, weft.nn.ReLU())
        >>> net.delete_submodule('1'), len(net)
        (True, 1)
        """
        if target == "":
            return False
        path, _, name = target.rpartition(".")
        try:
            parent = self.get_submodule(path)
        except AttributeError:
            return False
        if not isinstance(parent._modules.get(name), Module):
            return False
        delattr(parent, name)
        return True

    def get_parameter(self, target):
        """The parameter at a path like "encoder.weight".

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> layer.get_parameter('bias').shape
        torch.Size([1])
        """
        return state.entry(self, target, "nn.Parameter", Parameter)

    def get_buffer(self, target):
        """The buffer at a path.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> weft.nn.BatchNorm1d(2).get_buffer('running_mean')
        tensor([0., 0.])
        """
        found = state.entry(self, target, "buffer", Tensor)
        path, _, name = target.rpartition(".")
        if name not in self.get_submodule(path)._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """(path, module) of this module and all below it, each once.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> [name for name, _ in weft.nn.Sequential(layer).named_modules()]
        ['', '0']
        """
        memo = set() if memo is None else memo
        waiting = [(prefix, self)]
        while waiting:
            path, module = waiting.pop()
            if module in memo:
                continue
            if remove_duplicate:
                memo.add(module)
            yield path, module
            below = [(path + ("." if path else "") + name, child) for name, child in module._modules.items()
                     if child is not None]
            waiting.extend(reversed(below))

    def modules(self, remove_duplicate=True):
        """This module and all below it, each once or as often as it is there.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> len(list(weft.nn.Sequential(layer).modules()))
        2
        """
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self):
        """(name, module) of the direct children.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> list(weft.nn.Sequential(layer).named_children())
        [('0', Linear(in_features=2, out_features=1, bias=True))]
        """
        memo = set()
        for name, module in self._modules.items():
            if module is not None and module not in memo:
                memo.add(module)
                yield name, module

    def children(self):
        """The direct children.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> list(weft.nn.Sequential(layer).children())
        [Linear(in_features=2, out_features=1, bias=True)]
        """
        for _, module in self.named_children():
            yield module

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        memo = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, value in get_members_fn(module):
                if value is None or id(value) in memo:
                    continue
                if remove_duplicate:
                    memo.add(id(value))
                yield path + ("." if path else "") + name, value

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """(path, parameter) of all parameters.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> [name for name, _ in layer.named_parameters()]
        ['weight', 'bias']
        """
        steps = self._named_members(lambda module: module._parameters.items(), prefix, recurse, remove_duplicate)
        return Members(self, recurse, steps)

    def parameters(self, recurse=True):
        """All parameters, as optimizers take them; an optimizer given this iterator follows later edits of the module.


        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> [tuple(p.shape) for p in layer.parameters()]
        [(1, 2), (1,)]
        """
        return Members(self, recurse, map(operator.itemgetter(1), self.named_parameters(recurse=recurse)))

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """(path, buffer) of all buffers.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> [name for name, _ in weft.nn.BatchNorm1d(2).named_buffers()]
        ['running_mean', 'running_var', 'num_batches_tracked']
        """
        return self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """All buffers.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> list(layer.buffers())
        []
        """
        for _, value in self.named_buffers(recurse=recurse):
            yield value

    # modes

    def train(self, mode=True):
        """Set training mode here and below; dropout, batch norm and their like act on it. Frozen layers with statistics
        stay as they are.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> layer.train().training
        True
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        before, self.training = self.training, mode and "_frozen" not in self.__dict__      # see nn/utils/surgery.py
        EDITS.ways += before is not self.training
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Set evaluation mode.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> layer.eval().training
        False
        """
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Let the parameters be trained, or not.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> layer.requires_grad_(False).weight.requires_grad
        False
        """
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Drop the parameters' gradients, or set them to zero.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> layer(weft.ones(1, 2)).sum().backward()
        >>> layer.zero_grad()
        >>> layer.weight.grad is None
        True
        """
        for parameter in self.parameters():
            if parameter.grad is not None:
                if set_to_none:
                    parameter.grad = None
                else:
                    zero(parameter.grad)

    def share_memory(self):
        """Move parameters and buffers to shared memory, for several processes.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> layer.share_memory().weight.is_shared()
        True
        """
        return self._apply(lambda t: t.share_memory_())

    # showing

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """What stands in the parentheses of the module's repr.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 1)
        >>> layer.extra_repr()
        'in_features=2, out_features=1, bias=True'
        """
        return ""

    def __repr__(self):
        lines = [line for line in self.extra_repr().split("\n") if line]
        inner = []
        for name, module in self._modules.items():
            inner.append(f"({name}): " + repr(module).replace("\n", "\n  "))
        if len(lines) == 1 and not inner:
            return f"{self._get_name()}({lines[0]})"
        if not lines and not inner:
            return f"{self._get_name()}()"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines + inner) + "\n)"


def _kind(value):
    return (f"{type(value).__module__}.{type(value).__qualname__}" if type(value).__module__ != "builtins"
            else type(value).__name__)


def _drop(name, *places):
    for place in places:
        if place is None:
            continue
        if isinstance(place, set):
            place.discard(name)
        else:
            place.pop(name, None)


state.attach(Module)
hooks.attach(Module)
