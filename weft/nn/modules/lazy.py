"""Layers that learn the size of their input from the first one they see."""
from collections import OrderedDict
from functools import partial

from weft.core.modes import no_grad
from weft.nn.module_loading import Journal
from weft.nn.modules.conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    _ConvNd,
)
from weft.nn.modules.linear import Linear
from weft.nn.modules.norm import BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from weft.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy, make_lazy
from weft.ops.create.constants import empty
from weft.tensor.tensor import Tensor

__all__ = (
    "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyConv1d", "LazyConv2d", "LazyConv3d",
    "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d",
    "LazyInstanceNorm3d", "LazyLinear", "LazyModuleMixin",
)


class LazyModuleMixin:
    """A module whose parameters get their sizes from the first input; it then becomes an ordinary one
    (`cls_to_become`).

    >>> import weft
    >>> layer = weft.nn.LazyLinear(4)
    >>> isinstance(layer, weft.nn.modules.lazy.LazyModuleMixin)
    True
    >>> layer(weft.ones(2, 3)).shape, layer
    (torch.Size([2, 4]), Linear(in_features=3, out_features=4, bias=True))
    """

    cls_to_become = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._wait_for_input()

    def _wait_for_input(self):
        """Look at the first input, and at states that are loaded before."""
        self._look = self.register_forward_pre_hook(LazyModuleMixin._first_input, with_kwargs=True)
        self._take = self._register_load_state_dict_pre_hook(self._take_sizes)

    def has_uninitialized_params(self):
        """Whether some sizes are still unknown.

        >>> import weft
        >>> layer = weft.nn.LazyBatchNorm1d()
        >>> layer.has_uninitialized_params()
        True
        """
        return any(is_lazy(t) for t in [*self._parameters.values(), *self._buffers.values()])

    def initialize_parameters(self, *args, **kwargs):
        """Give the parameters their sizes, from an input.

        >>> import weft
        >>> layer = weft.nn.LazyLinear(4)
        >>> layer.initialize_parameters(weft.rand(2, 3))
        >>> layer.weight.shape
        torch.Size([4, 3])
        """
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def _first_input(self, args, kwargs):
        self.initialize_parameters(*args, **kwargs)
        if self.has_uninitialized_params():
            raise RuntimeError(f"module {type(self).__name__} has not been fully initialized")
        self._become()

    def _become(self):
        """From now on an ordinary layer."""
        self._look.remove()
        self._take.remove()
        del self._look, self._take
        for name, value in self._buffers.items():
            if isinstance(value, Tensor) and type(value) is UninitializedBuffer:
                self._buffers[name] = value.data        # has its size: a tensor like any other
        if self.cls_to_become is not None:
            self.__class__ = self.cls_to_become     # PyTorch's promise: the module others hold becomes a Linear, ...

    def __getstate__(self):
        """What a copy or a file keeps: all but the two hooks that wait for the sizes."""
        state = dict(self.__dict__)
        own = {state.pop("_look").id, state.pop("_take").id}
        for name in ("_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_load_state_dict_pre_hooks"):
            state[name] = OrderedDict((key, hook) for key, hook in state[name].items() if key not in own)
        del state["_hooked"]
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        self._wait_for_input()

    def _take_sizes(self, state_dict, prefix, *rest):
        """A state that is loaded into a waiting layer gives the sizes; should the loading fail, it waits again."""
        for name, value in [*self._parameters.items(), *self._buffers.items()]:
            given = state_dict.get(prefix + name)
            if is_lazy(value) and given is not None and not is_lazy(given):
                if isinstance(rest[-1], Journal):
                    rest[-1].undo.append(partial(make_lazy, value, type(value)))
                with no_grad():
                    value.materialize(given.shape)


class LazyLinear(LazyModuleMixin, Linear):
    """A Linear whose in_features is the last size of the first input.

    Shape: (..., any) -> (..., out_features).

    >>> import weft
    >>> from weft import nn
    >>> nn.LazyLinear(4)(weft.zeros(2, 3)).shape
    torch.Size([2, 4])
    """

    cls_to_become = Linear

    def __init__(self, out_features, bias=True, device=None, dtype=None):
        super().__init__(0, 0, False)
        self.weight, self.out_features = UninitializedParameter(device=device, dtype=dtype), out_features
        self.bias = UninitializedParameter(device=device, dtype=dtype) if bias else None

    def reset_parameters(self):
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input):
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                self.weight.materialize((self.out_features, self.in_features))
                if self.bias is not None:
                    self.bias.materialize((self.out_features,))
                self.reset_parameters()
        self.in_features = self.weight.shape[-1]

    _samples = [(args[1:], settings, inputs) for args, settings, inputs in Linear._samples]


class _LazyConv(LazyModuleMixin):
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, *args, device=None, dtype=None, **kwargs):
        names = ("groups", "bias", "padding_mode")
        names = ("output_padding", *names[:2], "dilation", names[2]) if self.transposed else ("dilation", *names)
        settings = dict(zip(names, args)) | kwargs
        wanted = settings.pop("bias", True)
        groups = settings.pop("groups", 1)
        super().__init__(0, 0, kernel_size, stride, padding, bias=False, **settings)
        self.groups, self.out_channels = groups, out_channels
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.bias = UninitializedParameter(device=device, dtype=dtype) if wanted else None

    def reset_parameters(self):
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input, *args, **kwargs):
        if self.has_uninitialized_params():
            self.in_channels = self._channels_of(input)
            if self.in_channels % self.groups:
                raise ValueError("in_channels must be divisible by groups")
            pair = (self.in_channels, self.out_channels) if self.transposed else (self.out_channels, self.in_channels)
            with no_grad():
                self.weight.materialize((pair[0], pair[1] // self.groups, *self.kernel_size))
                if self.bias is not None:
                    self.bias.materialize((self.out_channels,))
                self.reset_parameters()
        elif self.in_channels == 0:         # the sizes came with a state
            self.in_channels = self._channels_of(input)

    def _channels_of(self, input):
        n = self._dims
        if input.dim() not in (n + 1, n + 2):
            raise RuntimeError(f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {type(self).__name__}, "
                               f"but got input of size: {list(input.shape)}")
        return input.shape[1] if input.dim() == n + 2 else input.shape[0]


class _LazyNorm(LazyModuleMixin):
    def __init__(self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *,
                 bias=True):
        super().__init__(0, eps, momentum, False, False)
        self.affine, self.track_running_stats = affine, track_running_stats
        self.weight = UninitializedParameter(device=device, dtype=dtype) if affine else None
        self.bias = UninitializedParameter(device=device, dtype=dtype) if affine and bias else None
        if track_running_stats:
            self._buffers["running_mean"] = UninitializedBuffer(device=device, dtype=dtype)
            self._buffers["running_var"] = UninitializedBuffer(device=device, dtype=dtype)
            self._buffers["num_batches_tracked"] = empty((), device=device).long().zero_()

    def reset_parameters(self):
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input):
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            with no_grad():
                for value in (self.weight, self.bias, self.running_mean, self.running_var):
                    if value is not None:
                        value.materialize((self.num_features,))
                self.reset_parameters()
        elif self.num_features == 0:        # the sizes came with a state
            self.num_features = input.shape[1]


def _without_channels(base):
    """The samples of a layer without the number that a lazy one finds out; norms take it from dimension 1, so only
    with a batch.
    """
    return [(args[1:], settings, inputs) for args, settings, inputs in base._samples
            if issubclass(base, _ConvNd) or args[0] == inputs[0][1]]


def _lazy(base, mixin):
    name = "Lazy" + base.__name__
    lengths, given = int(base.__name__[-2]), "8, 3" if mixin is _LazyConv else ""
    return type(name, (mixin, base), {"cls_to_become": base, "__module__": __name__,
                                      "_samples": _without_channels(base),
                                      "__doc__": f"A {base.__name__} whose number of inputs is taken from the first "
                                      f"one.\n\nShape: (N, C, ...), C from the first input.\n\n>>> import weft\n"
                                      f">>> layer = weft.nn.{name}({given})\n"
                                      f">>> layer(weft.zeros(2, 3{', 6' * lengths})).ndim\n{lengths + 2}\n"})


LazyConv1d, LazyConv2d, LazyConv3d = (_lazy(base, _LazyConv) for base in (Conv1d, Conv2d, Conv3d))
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = (
    _lazy(base, _LazyConv) for base in (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d))
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = (_lazy(base, _LazyNorm)
                                                     for base in (BatchNorm1d, BatchNorm2d, BatchNorm3d))
LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = (_lazy(base, _LazyNorm)
                                                              for base in (InstanceNorm1d, InstanceNorm2d,
                                                                           InstanceNorm3d))
