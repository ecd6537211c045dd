"""Normalisation layers."""
import numbers

import weft.nn.functional as F
from weft.core.dtype import int64
from weft.core.modes import no_grad
from weft.core.processes import processes
from weft.nn import init
from weft.nn.module import Module
from weft.nn.parameter import Parameter
from weft.ops.create.constants import empty, ones, zeros
from weft.ops.create.data import tensor
from weft.tensor.names import FUNCTIONS

__all__ = (
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "CrossMapLRN2d", "GroupNorm", "InstanceNorm1d", "InstanceNorm2d",
    "InstanceNorm3d", "LayerNorm", "LocalResponseNorm", "RMSNorm", "SyncBatchNorm",
)


class _NormBase(Module):
    """Statistics per channel, with running ones if asked, and an affine map."""

    _version = 2
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None,
                 dtype=None, *, bias=True):
        super().__init__()
        self.num_features, self.eps, self.momentum, self.affine, self.track_running_stats = (
            num_features, eps, momentum, affine, track_running_stats)
        if affine:
            self.weight = Parameter(empty(num_features, device=device, dtype=dtype))
        else:
            self.register_parameter("weight", None)
        if affine and bias:
            self.bias = Parameter(empty(num_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        if track_running_stats:
            self.register_buffer("running_mean", zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var", ones(num_features, device=device, dtype=dtype))
            self.register_buffer("num_batches_tracked", tensor(0, dtype=int64, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self):
        """Forget the running statistics.

        >>> import weft
        >>> norm = weft.nn.BatchNorm1d(2)
        >>> _ = norm(weft.rand(4, 2))
        >>> norm.reset_running_stats()
        >>> norm.running_mean, norm.num_batches_tracked
        (tensor([0., 0.]), tensor(0))
        """
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Weight 1, bias 0, no statistics yet.

        >>> import weft
        >>> norm = weft.nn.BatchNorm1d(2)
        >>> _ = norm(weft.rand(4, 2))
        >>> norm.reset_parameters()
        >>> norm.weight.tolist(), norm.running_mean.tolist()
        ([1.0, 1.0], [0.0, 0.0])
        """
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input):
        raise NotImplementedError

    def _eval_differs(self):
        return self.track_running_stats

    def extra_repr(self):
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
                f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}")

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                              error_msgs):
        version, key = local_metadata.get("version", None), prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            own = self.num_batches_tracked
            state_dict[key] = own if own is not None and own.device.type != "meta" else tensor(0, dtype=int64)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                                      error_msgs)

    _load_from_state_dict.only_renames = True


class _BatchNorm(_NormBase):
    def _reads_values(self):
        return self.momentum is None and self.training      # the number of batches

    def forward(self, input):
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:       # the plain average of all batches
                factor = 1.0 / float(self.num_batches_tracked)
        own = self.training or self.running_mean is None and self.running_var is None
        keep = not self.training or self.track_running_stats
        return F.batch_norm(input, self.running_mean if keep else None, self.running_var if keep else None,
                            self.weight, self.bias, own, factor, self.eps)


def _needs(dims):
    def _check_input_dim(self, input):
        if input.dim() not in dims:
            raise ValueError(f"expected {' or '.join(f'{d}D' for d in dims)} input (got {input.dim()}D input)")
    return _check_input_dim


class BatchNorm1d(_BatchNorm):
    """Mean 0 and variance 1 over the batch, per channel of (N, C) or (N, C, L).

    Shape: (N, C) or (N, C, L), C = num_features; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.BatchNorm1d(3)(weft.zeros(2, 3, 6)).shape
    torch.Size([2, 3, 6])
    """
    _check_input_dim = _needs((2, 3))
    _samples = [((3,), {}, [(4, 3)]), ((2,), {"affine": False, "momentum": None}, [(2, 2, 2)]),
                ((2,), {"track_running_stats": False, "bias": False, "eps": 0.1}, [(3, 2)])]


class BatchNorm2d(_BatchNorm):
    """Mean 0 and variance 1 over the batch, per channel of (N, C, H, W).

    Shape: (N, C, H, W), C = num_features; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.BatchNorm2d(3)(weft.zeros(2, 3, 6, 6)).shape
    torch.Size([2, 3, 6, 6])
    """
    _check_input_dim = _needs((4,))
    _samples = [((2,), {}, [(2, 2, 2, 1)]), ((2,), {"affine": False, "momentum": 0.3}, [(3, 2, 1, 2)]),
                ((1,), {"track_running_stats": False, "bias": False, "eps": 0.1}, [(2, 1, 2, 1)])]


class BatchNorm3d(_BatchNorm):
    """Mean 0 and variance 1 over the batch, per channel of (N, C, D, H, W).

    Shape: (N, C, D, H, W), C = num_features; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.BatchNorm3d(3)(weft.zeros(2, 3, 6, 6, 6)).shape
    torch.Size([2, 3, 6, 6, 6])
    """
    _check_input_dim = _needs((5,))
    _samples = [((2,), {}, [(2, 2, 2, 1, 1)]), ((2,), {"affine": False, "momentum": 0.3}, [(3, 2, 1, 2, 1)]),
                ((1,), {"track_running_stats": False, "bias": False, "eps": 0.1}, [(2, 1, 2, 1, 1)])]


class SyncBatchNorm(_BatchNorm):
    """BatchNorm over all processes; with one process the same as BatchNorm.

    Shape: (N, C, ...), C = num_features; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.SyncBatchNorm(3)(weft.zeros(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, process_group=None,
                 device=None, dtype=None, *, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    def forward(self, input):
        many = processes.size_of is not None and processes.size_of(self.process_group) > 1
        if not many or not (self.training or self.running_mean is None):
            return super().forward(input)
        self._check_input_dim(input)
        if input.shape[1] != self.num_features:
            raise RuntimeError(f"running_mean should contain {input.shape[1]} elements not {self.num_features}")
        return self._over_all(input)

    def _over_all(self, input):
        """Normalise by mean and variance over all processes' examples, which may be of different number."""
        others = [d for d in range(input.dim()) if d != 1]
        shape = [1, -1] + [1] * (input.dim() - 2)
        wide = input.float() if input.dtype.is_half else input
        own = input.numel() // self.num_features
        sums = processes.sum_over(FUNCTIONS["cat"]([wide.sum(others), wide.new_tensor([own])]), self.process_group)
        total = sums[-1].detach()
        mean = sums[:-1] / total
        centred = wide - mean.reshape(shape)
        var = processes.sum_over((centred * centred).sum(others), self.process_group) / total
        if self.training and self.track_running_stats:
            self._keep(mean.detach(), var.detach(), total)
        made = centred * (var + self.eps).rsqrt().reshape(shape)
        if self.weight is not None:
            made = made * self.weight.reshape(shape)
        if self.bias is not None:
            made = made + self.bias.reshape(shape)
        return made.to(input.dtype)

    def _keep(self, mean, var, total):
        """Running statistics, with the variance of a sample."""
        with no_grad():
            self.num_batches_tracked.add_(1)
            share = self.momentum if self.momentum is not None else 1 / self.num_batches_tracked.item()
            self.running_mean.mul_(1 - share).add_(mean.to(self.running_mean.dtype) * share)
            unbiased = var * (total / (total - 1).clamp(min=1))
            self.running_var.mul_(1 - share).add_(unbiased.to(self.running_var.dtype) * share)

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """The module with every BatchNorm in it replaced by a SyncBatchNorm of the same state.

        >>> import weft
        >>> net = weft.nn.Sequential(weft.nn.Linear(2, 3), weft.nn.BatchNorm1d(3))
        >>> type(weft.nn.SyncBatchNorm.convert_sync_batchnorm(net)[1]).__name__
        'SyncBatchNorm'
        """
        made = module
        if isinstance(module, _BatchNorm) and not isinstance(module, cls):
            made = cls(module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats,
                       process_group)
            for name in ("weight", "bias"):
                setattr(made, name, getattr(module, name))
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                made._buffers[name] = module._buffers[name]
            made.training = module.training
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made

    _samples = [((3,), {}, [(4, 3)]), ((2,), {"affine": False}, [(2, 2, 2, 1)])]


class _InstanceNorm(_NormBase):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None,
                 dtype=None, *, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input):
        self._check_input_dim(input)
        if input.dim() == self._dims + 1:       # without a batch
            return self._normalised(input.unsqueeze(0)).squeeze(0)
        return self._normalised(input)

    def _normalised(self, input):
        if input.size(1) != self.num_features and self.affine:
            raise ValueError(f"expected input's size at dim=1 to match num_features ({self.num_features}), but got: "
                             f"{input.size(1)}.")
        return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias,
                               self.training or not self.track_running_stats,
                               self.momentum if self.momentum is not None else 0.0, self.eps)


class InstanceNorm1d(_InstanceNorm):
    """Mean 0 and variance 1 per sample and channel of (N, C, L).

    Shape: (N, C, L), C = num_features; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.InstanceNorm1d(3)(weft.zeros(2, 3, 6)).shape
    torch.Size([2, 3, 6])
    """
    _dims, _check_input_dim = 1, _needs((2, 3))
    _samples = [((2,), {}, [(2, 2, 3)]), ((2,), {"affine": True, "track_running_stats": True}, [(2, 2, 3)]),
                ((2,), {"eps": 0.1}, [(2, 3)]), ((2,), {"affine": True, "bias": False}, [(1, 2, 3)])]


class InstanceNorm2d(_InstanceNorm):
    """Mean 0 and variance 1 per sample and channel of (N, C, H, W).

    Shape: (N, C, H, W), C = num_features; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.InstanceNorm2d(3)(weft.zeros(2, 3, 6, 6)).shape
    torch.Size([2, 3, 6, 6])
    """
    _dims, _check_input_dim = 2, _needs((3, 4))
    _samples = [((2,), {}, [(2, 2, 2, 2)]), ((2,), {"affine": True, "track_running_stats": True}, [(1, 2, 3, 1)]),
                ((3,), {"eps": 0.1}, [(3, 2, 2)]), ((2,), {"affine": True, "bias": False}, [(1, 2, 1, 3)])]


class InstanceNorm3d(_InstanceNorm):
    """Mean 0 and variance 1 per sample and channel of (N, C, D, H, W).

    Shape: (N, C, D, H, W), C = num_features; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.InstanceNorm3d(3)(weft.zeros(2, 3, 6, 6, 6)).shape
    torch.Size([2, 3, 6, 6, 6])
    """
    _dims, _check_input_dim = 3, _needs((4, 5))
    _samples = [((2,), {}, [(2, 2, 2, 2, 1)]), ((2,), {"affine": True, "track_running_stats": True}, [(1, 2, 3, 1, 1)]),
                ((3,), {"eps": 0.1}, [(3, 2, 1, 2)]), ((2,), {"affine": True, "bias": False}, [(1, 2, 1, 1, 3)])]


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last dimensions.

    Shape: (..., *normalized_shape); the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.LayerNorm(3)(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape,
                                                                  numbers.Integral) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        for name, wanted in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            self.register_parameter(name, Parameter(empty(self.normalized_shape, device=device, dtype=dtype)) if wanted
                                    else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Weight 1, bias 0.

        >>> import weft
        >>> norm = weft.nn.LayerNorm(2)
        >>> norm.reset_parameters()
        >>> norm.weight.tolist(), norm.bias.tolist()
        ([1.0, 1.0], [0.0, 0.0])
        """
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
                f"bias={self.bias is not None}")

    _samples = [((3,), {}, [(2, 3)]), (((2, 3),), {"bias": False, "eps": 0.1}, [(2, 2, 3)]),
                ((3,), {"elementwise_affine": False}, [(3,)])]


class RMSNorm(Module):
    """Root mean square 1 over the last dimensions.

    Shape: (..., *normalized_shape); the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.RMSNorm(3)(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape,
                                                                  numbers.Integral) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self.register_parameter("weight", Parameter(empty(self.normalized_shape, device=device, dtype=dtype))
                                if elementwise_affine else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Weight 1.

        >>> import weft
        >>> norm = weft.nn.RMSNorm(2)
        >>> norm.reset_parameters()
        >>> norm.weight.tolist()
        [1.0, 1.0]
        """
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x):
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"

    _samples = [((3,), {}, [(2, 3)]), (((2, 3),), {"eps": 0.1}, [(2, 2, 3)]),
                ((3,), {"elementwise_affine": False}, [(3,)])]


class GroupNorm(Module):
    """Mean 0 and variance 1 per sample and group of channels.

    Shape: (N, num_channels, ...); the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.GroupNorm(2, 4)(weft.zeros(1, 4, 3)).shape
    torch.Size([1, 4, 3])
    """

    __constants__ = ["num_groups", "num_channels", "eps", "affine"]

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None, *, bias=True):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, Parameter(empty(num_channels, device=device, dtype=dtype)) if wanted
                                    else None)
        self.reset_parameters()

    reset_parameters = LayerNorm.reset_parameters

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
                f"bias={self.bias is not None}")

    _samples = [((2, 4), {}, [(2, 4, 2)]), ((1, 2), {"affine": False, "eps": 0.1}, [(2, 2, 2, 1)]),
                ((2, 4), {"bias": False}, [(2, 4)])]


class LocalResponseNorm(Module):
    """Divides by the activity of neighbouring channels.

    Shape: (N, C, ...); the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.LocalResponseNorm(2)(weft.zeros(1, 4, 3)).shape
    torch.Size([1, 4, 3])
    """

    __constants__ = ["size", "alpha", "beta", "k"]

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input):
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"

    _samples = [((2,), {}, [(2, 4, 2)]), ((3,), {"alpha": 0.5, "beta": 0.5, "k": 2.0}, [(1, 4, 2, 1)])]


class CrossMapLRN2d(LocalResponseNorm):
    """The old name of LocalResponseNorm for images.

    Shape: (N, C, H, W); the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.CrossMapLRN2d(2)(weft.zeros(1, 4, 3, 3)).shape
    torch.Size([1, 4, 3, 3])
    """

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1):
        super().__init__(size, alpha, beta, k)

    def forward(self, input):
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        return super().forward(input)

    _samples = [((3,), {}, [(1, 4, 2, 1)]), ((3, 0.5, 0.5, 2), {}, [(1, 4, 2, 1)])]
