"""Layers that keep only their inputs, and run once more in the backward."""
from enum import Enum, auto

from weft.nn.module import Module
from weft.utils.checkpoint import checkpoint

_INSIDE = "_checkpoint_wrapped_module"


class CheckpointImpl(Enum):
    """How: weft's way is NO_REENTRANT."""
    REENTRANT = auto()
    NO_REENTRANT = auto()


class CheckpointWrapper(Module):
    """A layer that runs under `torch.utils.checkpoint`; its state has the layer's own keys."""

    def __init__(self, mod, checkpoint_impl=CheckpointImpl.NO_REENTRANT, checkpoint_fn=None, **checkpoint_fn_kwargs):
        super().__init__()
        self._checkpoint_wrapped_module = mod
        self.checkpoint_impl, self._run, self._options = checkpoint_impl, checkpoint_fn or checkpoint, \
            checkpoint_fn_kwargs
        if checkpoint_fn is None:
            self._options.setdefault("use_reentrant", checkpoint_impl is CheckpointImpl.REENTRANT)
        self.register_state_dict_post_hook(_without_prefix)
        self.register_load_state_dict_pre_hook(_with_prefix)

    def forward(self, *args, **kwargs):
        return self._run(self._checkpoint_wrapped_module, *args, **self._options, **kwargs)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__(_INSIDE), name)

    def __getitem__(self, key):
        return self._checkpoint_wrapped_module[key]

    def named_parameters(self, *args, **kwargs):
        for name, p in super().named_parameters(*args, **kwargs):
            yield name.replace(_INSIDE + ".", ""), p


def _without_prefix(module, state, prefix, notes):
    start = f"{prefix}{_INSIDE}."
    for key in [key for key in state if key.startswith(start)]:
        state[prefix + key[len(start):]] = state.pop(key)


def _with_prefix(module, state, prefix, *rest):
    start = f"{prefix}{_INSIDE}."
    for key in [key for key in state if key.startswith(prefix) and not key.startswith(start)]:
        state[start + key[len(prefix):]] = state.pop(key)


def checkpoint_wrapper(module, checkpoint_impl=CheckpointImpl.NO_REENTRANT, checkpoint_fn=None, **checkpoint_fn_kwargs):
    """A module that runs once more in the backward."""
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def apply_activation_checkpointing(model, checkpoint_wrapper_fn=checkpoint_wrapper, check_fn=lambda module: True,
                                   auto_wrap_policy=None):
    """Wrap the layers of a model of which `check_fn` (or a policy) says so, in place."""
    if auto_wrap_policy is not None:
        def check_fn(module):
            return auto_wrap_policy(module=module, recurse=False, nonwrapped_numel=0)
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if not isinstance(parent, CheckpointWrapper) and check_fn(child):
                setattr(parent, name, checkpoint_wrapper_fn(child))


def offload_wrapper(module):
    """Not there: everything is on the CPU already."""
    raise NotImplementedError("weft has no offload_wrapper\n  fix: leave it out, everything is on the CPU")
