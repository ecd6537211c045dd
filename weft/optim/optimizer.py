# compiled
"""`Optimizer`: parameter groups, state, hooks. The built-in ones are made from `Rule` (optim/rule.py).

An optimizer that was given `model.parameters()` follows the model: parameters that were added, removed or resized since
the last step are found by name (see `optim/follow.py`).
"""
import copy
import functools
import types
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from typing import Any

from weft.autograd.graph import add_hook
from weft.autograd.rows import zero
from weft.core.errors import fail
from weft.core.modes import is_grad_enabled, set_grad_enabled
from weft.optim import follow
from weft.tensor.tensor import Tensor

# for annotations, as in PyTorch
ParamsT = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
_GLOBAL_PRE, _GLOBAL_POST = OrderedDict(), OrderedDict()


class _Required:
    def __repr__(self):
        return "<required parameter>"


required = _Required()


def register_optimizer_step_pre_hook(hook):
    """Call hook(optimizer, args, kwargs) before every optimizer's step."""
    return add_hook(_GLOBAL_PRE, hook)


def register_optimizer_step_post_hook(hook):
    """Call hook(optimizer, args, kwargs) after every optimizer's step."""
    return add_hook(_GLOBAL_POST, hook)


def _with_hooks(step):
    """A step between its hooks."""
    if getattr(step, "hooked", False):
        return step

    @functools.wraps(step)
    def hooked(self, *args, **kwargs):
        if self._sources:
            follow.update(self)
        self._opt_called = True         # for schedules, which warn when they are stepped before
        if _GLOBAL_PRE or _GLOBAL_POST or self._optimizer_step_pre_hooks or self._optimizer_step_post_hooks:
            return _between_hooks(step, self, args, kwargs)
        return step(self, *args, **kwargs)
    hooked.hooked = True
    return hooked


def _between_hooks(step, self, args, kwargs):
    """A step with its hooks, which see the optimizer as the first of the arguments, as in PyTorch."""
    args = (self, *args)
    for hook in [*_GLOBAL_PRE.values(), *self._optimizer_step_pre_hooks.values()]:
        changed = hook(self, args, kwargs)
        if changed is not None:
            if not isinstance(changed, tuple) or len(changed) != 2:
                raise RuntimeError(f"{step} must return None or a tuple of (new_args, new_kwargs), but got {changed}.")
            args, kwargs = changed
    found = step(*args, **kwargs)
    for hook in [*self._optimizer_step_post_hooks.values(), *_GLOBAL_POST.values()]:
        hook(self, args, kwargs)
    return found


def _use_grad_for_differentiable(step):
    """A decorator of one's own `step`: it is recorded if the optimizer has the option `differentiable`, else not."""
    @functools.wraps(step)
    def run(self, *args, **kwargs):
        was = is_grad_enabled()
        set_grad_enabled(bool(self.defaults.get("differentiable", False)))
        try:
            return step(self, *args, **kwargs)
        finally:
            set_grad_enabled(was)
    return run


class Optimizer:
    """The base of all optimizers; one's own subclass calls `super().__init__(params, defaults)` and defines `step`.

    >>> import weft
    >>> class Descent(weft.optim.Optimizer):
    ...     def __init__(self, params, lr):
    ...         super().__init__(params, {"lr": lr})
    ...     def step(self, closure=None):
    ...         for group in self.param_groups:
    ...             for p in group["params"]:
    ...                 p.data -= group["lr"] * p.grad
    >>> p = weft.ones(2, requires_grad=True)
    >>> p.sum().backward()
    >>> Descent([p], lr=0.1).step()
    >>> p.detach()
    tensor([0.9000, 0.9000])
    """

    scalars = ("step",)         # what in the state is a tensor of one number, kept in its own type
    flat = False                # whether the state is one of all parameters together, in a row
    _sources = types.MappingProxyType({})       # of a wrapper that never called __init__: it follows no model

    def __init__(self, params, defaults):
        self.defaults = defaults
        self.state = defaultdict(dict)
        self.param_groups = []
        self._sources = {}          # group number -> the module that it follows; see follow.py
        self._patch_step_function()
        for name in ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks", "_optimizer_state_dict_pre_hooks",
                     "_optimizer_state_dict_post_hooks", "_optimizer_load_state_dict_pre_hooks",
                     "_optimizer_load_state_dict_post_hooks"):
            setattr(self, name, OrderedDict())
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                            f"{type(params).__name__}\n  fix: put it in a list: [{type(params).__name__.lower()}]")
        if not hasattr(type(params), "__iter__") and not hasattr(type(params), "__getitem__"):
            fix = "give it model.parameters()" if hasattr(params, "parameters") else "give it a list of tensors"
            fail(TypeError, "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                 f"{type(params).__name__}", fix)
        source = follow.source_of(params)
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list\n  fix: give it model.parameters(), taken before "
                             "they are used up")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
            if source is not None:
                groups[0][follow.SOURCE] = source
        for group in groups:
            self.add_param_group(group)

    def _patch_step_function(self):
        cls = type(self)
        if not getattr(cls.step, "hooked", False):
            cls.step = _with_hooks(cls.step)

    def step(self, closure=None):
        """One update of all parameters; a closure recomputes the loss and gives it back.

        >>> import weft
        >>> p = weft.ones(2, requires_grad=True)
        >>> optimizer = weft.optim.SGD([p], lr=0.1)
        >>> p.sum().backward()
        >>> optimizer.step()
        >>> p.detach()
        tensor([0.9000, 0.9000])
        """
        raise NotImplementedError

    def zero_grad(self, set_to_none=True):
        """Drop the gradients of all parameters, or set them to zero.

        >>> import weft
        >>> p = weft.ones(2, requires_grad=True)
        >>> optimizer = weft.optim.SGD([p], lr=0.1)
        >>> p.sum().backward()
        >>> optimizer.zero_grad()
        >>> p.grad is None
        True
        """
        if self._sources:
            follow.update(self)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    if set_to_none:
                        p.grad = None
                    else:
                        zero(p.grad)

    # groups

    def add_param_group(self, param_group):
        """Add parameters with options of their own.

        >>> import weft
        >>> p, q = weft.ones(2, requires_grad=True), weft.ones(3, requires_grad=True)
        >>> optimizer = weft.optim.SGD([p], lr=0.1)
        >>> optimizer.add_param_group({"params": [q], "lr": 0.01})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.1, 0.01]
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        source = param_group.pop(follow.SOURCE, None) or follow.source_of(param_group["params"])
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but the ordering of "
                            "tensors in sets will change between runs. Please use a list instead.")
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [entry[0] for entry in params if isinstance(entry, tuple)]
        if names and len(names) != len(params):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        param_group["params"] = params = [entry[1] if isinstance(entry, tuple) else entry for entry in params]
        if names:
            param_group["param_names"] = names
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
            if not self.defaults.get("differentiable", None) and not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor\n  fix: give the optimizer the tensors that "
                                 "training starts from (made with requires_grad=True), not results of ops")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        if len({id(p) for p in params}) != len(params):
            warnings.warn("optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                          "an error", stacklevel=3)
        known = {id(p) for group in self.param_groups for p in group["params"]}
        if self.param_groups and ("param_names" in param_group) != ("param_names" in self.param_groups[0]):
            raise ValueError("all optimizer param groups should be with/without names. cannot add param group "
                             f"{'with' if 'param_names' in param_group else 'without'} names to the optimizer")
        if any(id(p) in known for p in params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)
        if source is not None:
            follow.begin(self, len(self.param_groups) - 1, source)

    # state

    def state_dict(self):
        """The state by the parameters' numbers, and the groups' options: what a checkpoint keeps.

        >>> import weft
        >>> p = weft.ones(2, requires_grad=True)
        >>> optimizer = weft.optim.SGD([p], lr=0.1, momentum=0.9)
        >>> p.sum().backward()
        >>> optimizer.step()
        >>> optimizer.state_dict()["state"]
        {0: {'momentum_buffer': tensor([1., 1.])}}
        """
        follow.update(self)
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers, groups = {}, []
        for group in self.param_groups:
            for p in group["params"]:
                numbers.setdefault(id(p), len(numbers))
            packed = {k: v for k, v in group.items() if k != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        found = {"state": {numbers[id(p)] if isinstance(p, Tensor) else p: v for p, v in self.state.items()},
                 "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            changed = hook(self, found)
            found = found if changed is None else changed
        return found

    def load_state_dict(self, state_dict):
        """Take the state of another optimizer of the same kind, whose parameters came in the same order; what doesn't
        fit changes nothing.

        >>> import weft
        >>> p = weft.ones(2, requires_grad=True)
        >>> old, new = weft.optim.SGD([p], lr=0.1), weft.optim.SGD([p], lr=0.5)
        >>> new.load_state_dict(old.state_dict())
        >>> new.param_groups[0]["lr"]
        0.1
        """
        follow.update(self)
        state_dict = dict(state_dict)
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        saved = copy.deepcopy(state_dict["param_groups"])
        own = self.param_groups
        if len(own) != len(saved):
            raise ValueError(f"loaded state dict has a different number of parameter groups ({len(saved)}, this "
                             f"optimizer has {len(own)})")
        for i, (a, b) in enumerate(zip(own, saved)):
            if len(a["params"]) != len(b["params"]):
                raise ValueError(f"loaded state dict contains a parameter group that doesn't match the size of "
                                 f"optimizer's group (group {i}: {len(b['params'])} saved, {len(a['params'])} here)")
        groups = [{**mine, **theirs, "params": mine["params"]} for mine, theirs in zip(own, saved)]
        by_number = {key: (p, group) for theirs, group in zip(saved, groups)
                     for key, p in zip(theirs["params"], group["params"])}
        wrong = [line for key, value in state_dict["state"].items() if key in by_number
                 for line in self._misfits(key, *by_number[key], value)]
        if wrong:
            raise ValueError("loaded state dict does not fit the parameters:\n" + "\n".join(wrong) +
                             "\n  fix: load it into the same kind of optimizer, with the parameters in the order in "
                             "which the saved one had them")
        state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in by_number:
                p = by_number[key][0]
                state[p] = self._process(p, value)
            else:
                state[key] = value
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    @staticmethod
    def _process_value_according_to_param_policy(param, value, param_id, param_groups, key=None):
        if key == "step":
            return value
        return (value.to(dtype=param.dtype, device=param.device) if param.is_floating_point()
                else value.to(device=param.device))

    def _process(self, param, value, key=None):
        """A copy of a saved value, tensors in the parameter's type (step counts as they are)."""
        if isinstance(value, Tensor):
            if key in self.scalars:
                return value.clone().detach()
            return self._process_value_according_to_param_policy(param, value.clone().detach(), None, None, key)
        if isinstance(value, dict):
            return {k: self._process(param, v, k) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(self._process(param, v) for v in value)
        return copy.deepcopy(value)

    def _misfits(self, number, param, group, state):
        """Lines that say what in a saved state doesn't belong to a parameter; none here, since only the optimizer knows
        its state.
        """
        return ()

    def takes(self, p):
        """Whether a parameter that is added to the model while it trains can be this optimizer's."""
        return True

    def __getstate__(self):
        stepped = {"_opt_called": True} if getattr(self, "_opt_called", False) else {}
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups, **stepped}

    def __deepcopy__(self, memo):
        """A copy of the optimizer and its parameters; it follows the copy of the model, if that was copied before in
        the same call.
        """
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        follow.copy_sources(self, made, memo)
        return made

    def __setstate__(self, state):
        self.__dict__.update(state)
        for name in ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks", "_optimizer_state_dict_pre_hooks",
                     "_optimizer_state_dict_post_hooks", "_optimizer_load_state_dict_pre_hooks",
                     "_optimizer_load_state_dict_post_hooks"):
            self.__dict__.setdefault(name, OrderedDict())
        self.__dict__.setdefault("_sources", {})
        self.__dict__.setdefault("defaults", {})
        self._patch_step_function()

    def __repr__(self):
        lines = [type(self).__name__ + " ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join(lines) + "\n)"

    # hooks

    def register_step_pre_hook(self, hook):
        """Call hook(optimizer, args, kwargs) before step.

        >>> import weft
        >>> p = weft.ones(1, requires_grad=True)
        >>> optimizer = weft.optim.SGD([p], lr=0.1)
        >>> handle = optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: print("before the step"))
        >>> optimizer.step()
        before the step
        """
        return add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """Call hook(optimizer, args, kwargs) after step.

        >>> import weft
        >>> p = weft.ones(1, requires_grad=True)
        >>> optimizer = weft.optim.SGD([p], lr=0.1)
        >>> handle = optimizer.register_step_post_hook(lambda optimizer, args, kwargs: print("after the step"))
        >>> optimizer.step()
        after the step
        """
        return add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """Call hook(optimizer) before state_dict.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=0.1)
        >>> handle = optimizer.register_state_dict_pre_hook(lambda optimizer: print("saving"))
        >>> state = optimizer.state_dict()
        saving
        """
        return _prepended(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """Call hook(optimizer, state_dict) after state_dict.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=0.1)
        >>> handle = optimizer.register_state_dict_post_hook(lambda optimizer, state_dict: print(sorted(state_dict)))
        >>> state = optimizer.state_dict()
        ['param_groups', 'state']
        """
        return _prepended(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """Call hook(optimizer, state_dict) before load_state_dict.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=0.1)
        >>> handle = optimizer.register_load_state_dict_pre_hook(lambda optimizer, state: print(sorted(state)))
        >>> optimizer.load_state_dict(optimizer.state_dict())
        ['param_groups', 'state']
        """
        return _prepended(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """Call hook(optimizer) after load_state_dict.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=0.1)
        >>> handle = optimizer.register_load_state_dict_post_hook(lambda optimizer: print("loaded"))
        >>> optimizer.load_state_dict(optimizer.state_dict())
        loaded
        """
        return _prepended(self._optimizer_load_state_dict_post_hooks, hook, prepend)


def _prepended(hooks, hook, prepend):
    handle = add_hook(hooks, hook)
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle
