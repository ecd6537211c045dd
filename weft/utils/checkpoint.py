"""Checkpointing: don't keep what a part of the network saved, compute it again when the backward wants it.

The first tensor that the backward unpacks runs the part again, with the same random numbers, and each tensor that this
second run saves takes the place of its counterpart, by order. So it needs no special inputs, and parts may be nested.
"""
import contextlib
import functools
import warnings
import weakref

import numpy as np

from weft.autograd.function import Function
from weft.autograd.graph_api import saved_tensors_hooks
from weft.core.autocast import region_now
from weft.core.errors import where
from weft.core.modes import enable_grad, is_grad_enabled
from weft.core.namespace import parts as _parts
from weft.core.place import here
from weft.core.random import default_generator
from weft.tensor.tensor import Tensor, wrap

__all__ = ["CheckpointError", "checkpoint", "checkpoint_sequential", "set_checkpoint_early_stop",
           "set_checkpoint_debug_enabled", "noop_context_fn", "detach_variable", "check_backward_validity",
           "get_device_states", "set_device_states", "DefaultDeviceType"]
_SELECTIVE = ("CheckpointPolicy", "SelectiveCheckpointContext", "create_selective_checkpoint_contexts")
__all__ += _SELECTIVE
__getattr__, __dir__ = _parts(globals(), "", dict.fromkeys(_SELECTIVE, "weft.utils._selective"))


class CheckpointError(RuntimeError):
    """The second run of a checkpointed part did not repeat the first.

    >>> import weft
    >>> issubclass(weft.utils.checkpoint.CheckpointError, RuntimeError)
    True
    """


def noop_context_fn():
    """Two contexts that do nothing: for the forward and for its repetition.

    >>> import weft
    >>> forward, repetition = weft.utils.checkpoint.noop_context_fn()
    >>> with forward:
    ...     print("as always")
    as always
    """
    return contextlib.nullcontext(), contextlib.nullcontext()


_early_stop = [None]
_debug = [None]


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled):
    """Accepted as in PyTorch; weft's errors name the lines without it.

    >>> import weft
    >>> x = weft.ones(2, requires_grad=True)
    >>> with weft.utils.checkpoint.set_checkpoint_debug_enabled(True):
    ...     weft.utils.checkpoint.checkpoint(weft.sin, x, use_reentrant=False).shape
    torch.Size([2])
    """
    outer, _debug[0] = _debug[0], enabled
    try:
        yield
    finally:
        _debug[0] = outer


@contextlib.contextmanager
def set_checkpoint_early_stop(enable):
    """Whether the second run may end as soon as it has made what is wanted.

    >>> import weft
    >>> x = weft.ones(2, requires_grad=True)
    >>> with weft.utils.checkpoint.set_checkpoint_early_stop(False):
    ...     y = weft.utils.checkpoint.checkpoint(weft.sin, x, use_reentrant=False)
    >>> y.sum().backward()
    >>> x.grad
    tensor([0.5403, 0.5403])
    """
    outer, _early_stop[0] = _early_stop[0], enable
    try:
        yield
    finally:
        _early_stop[0] = outer


def get_device_states(*args):
    """(numbers of the GPUs on which the tensors are, their generators' states): two empty lists, as there are none.

    >>> import weft
    >>> weft.utils.checkpoint.get_device_states(weft.ones(2))
    ([], [])
    """
    return [], []


def set_device_states(devices, states, *, device_type=None):
    """Put the states of GPUs' generators back; there are none.

    >>> import weft
    >>> weft.utils.checkpoint.set_device_states([], [])
    """
    if len(devices) or len(states):
        raise RuntimeError("set_device_states: weft runs on the CPU, which has no states of GPUs' generators")


class _EnoughComputed(Exception):
    """All that the backward needs has been computed again."""


class _Place:
    """What a node keeps instead of a saved tensor; `value` is there between the second run and the unpacking."""

    __slots__ = ("frame", "number", "value", "__weakref__")

    def __init__(self, frame, number):
        self.frame, self.number, self.value = frame, number, None


class _Arguments(Function):
    """Saves the tensors among a part's arguments, so that an outer checkpoint can let go of them too."""

    @staticmethod
    def forward(ctx, anchor, *tensors):
        ctx.save_for_backward(*tensors)
        return anchor.detach()

    @staticmethod
    def backward(ctx, grad_out):
        raise AssertionError("nothing is computed from this")


class _Frame:
    """One checkpointed call."""

    def __init__(self, function, args, kwargs, rng, recompute_context, early_stop, determinism_check):
        self.function, self.rng, self.context = function, rng, recompute_context
        self.early_stop, self.determinism_check = early_stop, determinism_check
        self.places, self.specs = [], []
        self.complete = False       # whether the first run is over: a backward inside it wants the second one earlier
        self.kwarg_names = tuple(kwargs)
        self.line = here()
        self.autocast = region_now()
        self.args = [*args, *kwargs.values()]       # None where a tensor stands
        tensors = [(i, a) for i, a in enumerate(self.args) if isinstance(a, Tensor)]
        self.positions = [i for i, _ in tensors]
        for i in self.positions:
            self.args[i] = None
        anchor = wrap(np.zeros(())).requires_grad_()
        self.saved = _Arguments.apply(anchor, *[t for _, t in tensors]).grad_fn

    def arguments(self):
        args = list(self.args)
        for i, t in zip(self.positions, self.saved.saved_tensors, strict=True):
            args[i] = t
        n = len(args) - len(self.kwarg_names)
        return args[:n], dict(zip(self.kwarg_names, args[n:]))

    # the first run

    def pack(self, t):
        place = _Place(self, len(self.places))
        self.places.append(weakref.ref(place))
        self.specs.append((t._form.shape, t._form.dtype))
        return place

    @staticmethod
    def unpack(place):
        if place.value is None:
            place.frame.recompute()
        value, place.value = place.value, None
        if value is None:
            raise CheckpointError(f"torch.utils.checkpoint: A different number of tensors was saved during the "
                                  f"original forward and recomputation: number {place.number} is missing the second "
                                  f"time{place.frame.at()}")
        return value

    # the second run

    def recompute(self):
        args, kwargs = self.arguments()
        again = _Again(self)
        state = default_generator.get_state() if self.rng is not None else None
        try:
            if self.rng is not None:
                default_generator.set_state(self.rng)
            with self.context, self.autocast, enable_grad(), saved_tensors_hooks(again.pack, _refuse):
                self.function(*args, **kwargs)
        except _EnoughComputed:
            pass
        finally:
            if state is not None:
                default_generator.set_state(state)
        if again.count != len(self.places) and not again.stopped and self.complete:
            raise CheckpointError(f"torch.utils.checkpoint: A different number of tensors was saved during the "
                                  f"original forward and recomputation.\nNumber of tensors saved during forward: "
                                  f"{len(self.places)}\nNumber of tensors saved during recomputation: "
                                  f"{again.count}{self.at()}")

    def at(self):
        line = where(self.line)
        return (f"\n  in  {line}" if line
                else "") + ("\n  fix: make the checkpointed function do the same each time it is called with "
                                                     "the same arguments")


class _Again:
    """Takes what the second run saves."""

    def __init__(self, frame):
        self.frame, self.count, self.stopped = frame, 0, False
        self.last = max((i for i, place in enumerate(frame.places) if place() is not None), default=-1)

    def pack(self, t):
        number, frame = self.count, self.frame
        self.count += 1
        if number >= len(frame.places):
            if frame.early_stop or not frame.complete:
                return t
            raise CheckpointError(f"torch.utils.checkpoint: trying to save more tensors during recomputation than "
                                  f"during the original forward pass.{frame.at()}")
        if frame.determinism_check != "none" and (t._form.shape, t._form.dtype) != frame.specs[number]:
            raise CheckpointError(f"torch.utils.checkpoint: Recomputed values for the following tensors have different "
                                  f"metadata than during the forward pass: tensor {number} was "
                                  f"{list(frame.specs[number][0])} {frame.specs[number][1]} and is "
                                  f"{list(t._form.shape)} {t._form.dtype} now{frame.at()}")
        place = frame.places[number]()
        if place is not None:
            place.value = t.detach()
        owed = t._owed is not None and t._owed.array is None       # an op's result that is noted before it is computed
        if frame.early_stop and number >= self.last and not owed:
            self.stopped = True
            raise _EnoughComputed
        return place if place is not None else t


def _refuse(place):
    """A backward inside the second run: what was made again is there."""
    if isinstance(place, _Place) and place.value is not None:
        return place.value
    if isinstance(place, Tensor):
        return place
    return _Frame.unpack(place)


def checkpoint(function, *args, use_reentrant=None, context_fn=noop_context_fn, determinism_check="default",
               debug=False, early_stop=True, preserve_rng_state=True, **kwargs):
    """Run `function(*args, **kwargs)` without keeping what its nodes save; the backward computes it again.

    `use_reentrant` may be given as in PyTorch: both ways work the same here, also with inputs that don't require grad.

    >>> import weft
    >>> x = weft.ones(2, requires_grad=True)
    >>> weft.utils.checkpoint.checkpoint(weft.exp, x, use_reentrant=False).sum().backward()
    >>> x.grad
    tensor([2.7183, 2.7183])
    """
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ('default', 'none') but got {determinism_check}")
    forward_context, recompute_context = context_fn()
    if not is_grad_enabled():
        with forward_context:
            return function(*args, **kwargs)
    stop = early_stop if _early_stop[0] is None else _early_stop[0]
    rng = default_generator.get_state() if preserve_rng_state else None
    frame = _Frame(function, args, kwargs, rng, recompute_context, stop, determinism_check)
    with forward_context, saved_tensors_hooks(frame.pack, _Frame.unpack):
        result = function(*args, **kwargs)
        frame.complete = True
    if not frame.complete:
        raise RuntimeError("torch.utils.checkpoint: the forward context of context_fn suppressed an exception of the "
                           "function, so there is no result\n  fix: let its __exit__ return None")
    return result


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Run modules one after the other in `segments` groups, each but the last one checkpointed.

    >>> import weft
    >>> net = weft.nn.Sequential(weft.nn.Linear(2, 3), weft.nn.ReLU())
    >>> weft.utils.checkpoint.checkpoint_sequential(net, 2, weft.ones(1, 2), use_reentrant=False).shape
    torch.Size([1, 3])
    """
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    functions = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(functions) // segments
    end = -1
    for start in range(0, size * (segments - 1), size):
        end = start + size - 1
        input = checkpoint(functools.partial(_in_turn, functions[start:end + 1]), input, use_reentrant=use_reentrant,
                           preserve_rng_state=preserve)
    return _in_turn(functions[end + 1:], input)


def detach_variable(inputs):
    """The tensors of a tuple as leaves that want gradients where those did; other values as they are.

    >>> import weft
    >>> x = weft.ones(2, requires_grad=True) * 2
    >>> leaf, number = weft.utils.checkpoint.detach_variable((x, 3))
    >>> leaf.is_leaf, leaf.requires_grad, number
    (True, True, 3)
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError("Only tuple of tensors is supported. Got Unsupported input type: "
                           f"{type(inputs).__name__}")
    return tuple(x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in inputs)


def check_backward_validity(inputs):
    """Warn where no input wants a gradient.

    >>> import weft
    >>> weft.utils.checkpoint.check_backward_validity([weft.ones(1, requires_grad=True)])
    """
    if not any(x.requires_grad for x in inputs if isinstance(x, Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


class DefaultDeviceType:
    """The device whose random numbers a checkpoint keeps besides the CPU's; weft has no other.

    >>> import weft
    >>> weft.utils.checkpoint.DefaultDeviceType.get_device_type()
    'cpu'
    """
    _chosen = ["cpu"]

    @staticmethod
    def set_device_type(device="cuda"):
        """Name the device.

        >>> import weft
        >>> weft.utils.checkpoint.DefaultDeviceType.set_device_type("cpu")
        """
        DefaultDeviceType._chosen[0] = device

    @staticmethod
    def get_device_type():
        """The device's name.

        >>> import weft
        >>> weft.utils.checkpoint.DefaultDeviceType.get_device_type()
        'cpu'
        """
        return DefaultDeviceType._chosen[0]


def _in_turn(functions, x):
    for function in functions:
        x = function(x)
    return x
