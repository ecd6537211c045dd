"""Convolution layers."""
import math

import weft.nn.functional as F
from weft.core.layout import contiguous_format
from weft.core.modes import no_grad
from weft.core.namespace import parts
from weft.nn import init
from weft.nn.common_types import _size_1_t, _size_2_t, _size_3_t  # noqa: F401
from weft.nn.module import Module
from weft.nn.modules.utils import _pair, _reverse_repeat_tuple, _single, _triple  # noqa: F401
from weft.nn.parameter import Parameter
from weft.ops.create.constants import empty, empty_like

__all__ = ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",)

MODES = ("zeros", "reflect", "replicate", "circular")


def to_tuple(value, n):
    """n numbers from one, or those given."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * n


class _ConvNd(Module):
    __constants__ = ["stride", "padding", "dilation", "groups", "padding_mode", "output_padding", "in_channels",
                     "out_channels", "kernel_size"]
    _dims = 0
    transposed = False

    def _set_up(self, in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias,
                padding_mode, device, dtype):
        n = self._dims
        self._check(in_channels, out_channels, padding, stride, groups, padding_mode)
        self.in_channels, self.out_channels, self.groups, self.padding_mode = (
            in_channels, out_channels, groups, padding_mode)
        self.kernel_size, self.stride, self.dilation = (to_tuple(v, n) for v in (kernel_size, stride, dilation))
        self.padding = padding if isinstance(padding, str) else to_tuple(padding, n)
        self.output_padding = to_tuple(output_padding, n)
        self._reversed_padding_repeated_twice = self._pads()
        channels = (in_channels, out_channels // groups) if self.transposed else (out_channels, in_channels // groups)
        self.weight = Parameter(empty((*channels, *self.kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    @staticmethod
    def _check(in_channels, out_channels, padding, stride, groups, padding_mode):
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError(f"in_channels must be divisible by groups, got {in_channels} and {groups}")
        if out_channels % groups != 0:
            raise ValueError(f"out_channels must be divisible by groups, got {out_channels} and {groups}")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of 'same', 'valid'")
            if padding == "same" and any(s != 1 for s in to_tuple(stride, 1)):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in MODES:
            raise ValueError(f"padding_mode must be one of {list(MODES)}, but got padding_mode='{padding_mode}'")

    def _pads(self):
        """For F.pad: before and after, the last dimension first."""
        if self.padding == "valid":
            return [0, 0] * self._dims
        if self.padding == "same":
            totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size)]
            return [side for total in reversed(totals) for side in (total // 2, total - total // 2)]
        return [p for p in reversed(self.padding) for _ in (0, 1)]

    def reset_parameters(self):
        """Uniform within 1 / sqrt(fan_in); the same numbers in every memory format.

        >>> import weft
        >>> layer = weft.nn.Conv1d(4, 2, 1)
        >>> layer.reset_parameters()
        >>> bool(layer.weight.abs().max() <= 0.5)
        True
        """
        if self.weight.is_contiguous():
            init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        else:
            drawn = empty_like(self.weight, memory_format=contiguous_format, requires_grad=False)
            with no_grad():
                self.weight.copy_(init.kaiming_uniform_(drawn, a=math.sqrt(5)))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def _conv_forward(self, input, weight, bias):
        function = type(self)._function
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return function(padded, weight, bias, self.stride, 0, self.dilation, self.groups)
        return function(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)

    def extra_repr(self):
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        if self.padding != (0,) * self._dims:
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * self._dims:
            parts.append(f"dilation={self.dilation}")
        if self.output_padding != (0,) * self._dims:
            parts.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class _Conv(_ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        super().__init__()
        self._set_up(in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias, padding_mode,
                     device, dtype)


class Conv1d(_Conv):
    """Convolution of (N, C, L).

    Shape: (N, in_channels, L) -> (N, out_channels, L_out), where a length n becomes (n + 2 * padding - dilation *
    (kernel_size - 1) - 1) / stride + 1.

    >>> import weft
    >>> from weft import nn
    >>> nn.Conv1d(3, 8, 3)(weft.zeros(1, 3, 6)).shape
    torch.Size([1, 8, 4])
    """
    _dims, _function = 1, staticmethod(F.conv1d)
    _samples = [((2, 3, 2), {}, [(2, 2, 4)]),
                ((2, 4, 3), {"stride": 2, "padding": 1, "groups": 2, "bias": False}, [(2, 5)]),
                ((1, 2, 3), {"padding": "same", "padding_mode": "circular", "dilation": 2}, [(1, 1, 6)])]


class Conv2d(_Conv):
    """Convolution of (N, C, H, W).

    Shape: (N, in_channels, H, W) -> (N, out_channels, H_out, W_out), where a length n becomes (n + 2 * padding -
    dilation * (kernel_size - 1) - 1) / stride + 1.

    >>> import weft
    >>> from weft import nn
    >>> nn.Conv2d(3, 8, 3)(weft.zeros(1, 3, 6, 6)).shape
    torch.Size([1, 8, 4, 4])
    """
    _dims, _function = 2, staticmethod(F.conv2d)
    _samples = [((2, 2, 2), {}, [(1, 2, 3, 3)]),
                ((2, 2, (3, 2)), {"stride": (2, 1), "padding": (1, 0), "groups": 2, "bias": False}, [(2, 4, 3)]),
                ((1, 1, 3), {"padding": 1, "padding_mode": "reflect"}, [(1, 1, 3, 3)]),
                ((1, 2, 2), {"padding": "same", "dilation": 2}, [(1, 1, 3, 3)])]


class Conv3d(_Conv):
    """Convolution of (N, C, D, H, W).

    Shape: (N, in_channels, D, H, W) -> (N, out_channels, D_out, H_out, W_out), where a length n becomes (n + 2 *
    padding - dilation * (kernel_size - 1) - 1) / stride + 1.

    >>> import weft
    >>> from weft import nn
    >>> nn.Conv3d(3, 8, 3)(weft.zeros(1, 3, 6, 6, 6)).shape
    torch.Size([1, 8, 4, 4, 4])
    """
    _dims, _function = 3, staticmethod(F.conv3d)
    _samples = [((1, 2, 2), {}, [(1, 1, 2, 3, 2)]),
                ((2, 2, (1, 2, 2)), {"stride": (1, 2, 1), "padding": (0, 1, 0), "groups": 2, "bias": False},
                 [(2, 2, 2, 2)]), ((1, 1, 2), {"padding": 1, "padding_mode": "replicate"}, [(1, 1, 1, 2, 1)])]


class _ConvTransposeNd(_ConvNd):
    transposed = True

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
                 bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        super().__init__()
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        self._set_up(in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias,
                     padding_mode, device, dtype)

    def _output_padding(self, input, output_size):
        """What must be added at the end to reach output_size."""
        if output_size is None:
            return self.output_padding
        n = self._dims
        batched = input.dim() == n + 2
        sizes = list(output_size)
        if len(sizes) == n + (2 if batched else 1):
            sizes = sizes[-n:]
        if len(sizes) != n:
            raise ValueError(f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or "
                             f"{n + 1 + batched} elements (got {len(output_size)})")
        least = [(input.size(d - n) - 1) * self.stride[d] - 2 * self.padding[d] + self.dilation[d]
                 * (self.kernel_size[d] - 1) + 1 for d in range(n)]
        most = [least[d] + self.stride[d] - 1 for d in range(n)]
        if any(s < a or s > b for s, a, b in zip(sizes, least, most)):
            raise ValueError(f"requested an output size of {output_size}, but valid sizes range from {least} to {most} "
                             f"(for an input of {tuple(input.shape[-n:])})")
        return tuple(s - a for s, a in zip(sizes, least))

    def forward(self, input, output_size=None):
        return type(self)._function(input, self.weight, self.bias, self.stride, self.padding,
                                    self._output_padding(input, output_size), self.groups, self.dilation)


class ConvTranspose1d(_ConvTransposeNd):
    """The transpose of a convolution of (N, C, L).

    Shape: (N, in_channels, L) -> (N, out_channels, L_out), where a length n becomes (n - 1) * stride - 2 * padding
    + dilation * (kernel_size - 1) + output_padding + 1.

    >>> import weft
    >>> from weft import nn
    >>> nn.ConvTranspose1d(3, 8, 3)(weft.zeros(1, 3, 6)).shape
    torch.Size([1, 8, 8])
    """
    _dims, _function = 1, staticmethod(F.conv_transpose1d)
    _samples = [((2, 3, 2), {}, [(2, 2, 3)]),
                ((2, 2, 3), {"stride": 2, "padding": 1, "output_padding": 1, "groups": 2, "bias": False}, [(2, 3)]),
                ((1, 1, 2), {"stride": 3, "dilation": 2}, [(1, 1, 2), {"output_size": [7]}])]


class ConvTranspose2d(_ConvTransposeNd):
    """The transpose of a convolution of (N, C, H, W).

    Shape: (N, in_channels, H, W) -> (N, out_channels, H_out, W_out), where a length n becomes (n - 1) * stride - 2
    * padding + dilation * (kernel_size - 1) + output_padding + 1.

    >>> import weft
    >>> from weft import nn
    >>> nn.ConvTranspose2d(3, 8, 3)(weft.zeros(1, 3, 6, 6)).shape
    torch.Size([1, 8, 8, 8])
    """
    _dims, _function = 2, staticmethod(F.conv_transpose2d)
    _samples = [((2, 2, 2), {}, [(1, 2, 2, 2)]),
                ((2, 2, (3, 2)), {"stride": (2, 1), "padding": 1, "output_padding": (1, 0), "groups": 2, "bias": False},
                 [(2, 2, 3)]), ((1, 1, 2), {"stride": 3, "dilation": 2}, [(1, 1, 2, 2), {"output_size": [7, 6]}])]


class ConvTranspose3d(_ConvTransposeNd):
    """The transpose of a convolution of (N, C, D, H, W).

    Shape: (N, in_channels, D, H, W) -> (N, out_channels, D_out, H_out, W_out), where a length n becomes (n - 1) *
    stride - 2 * padding + dilation * (kernel_size - 1) + output_padding + 1.

    >>> import weft
    >>> from weft import nn
    >>> nn.ConvTranspose3d(3, 8, 3)(weft.zeros(1, 3, 6, 6, 6)).shape
    torch.Size([1, 8, 8, 8, 8])
    """
    _dims, _function = 3, staticmethod(F.conv_transpose3d)
    _samples = [((1, 2, 2), {}, [(1, 1, 2, 2, 1)]),
                ((2, 2, (1, 2, 2)), {"stride": (1, 2, 1), "output_padding": (0, 1, 0), "groups": 2, "bias": False},
                 [(2, 1, 2, 2)])]


# PyTorch's place for these, which are made of the ones here
__getattr__, __dir__ = parts(globals(), functions=dict.fromkeys(
    ("LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d"),
    "weft.nn.modules.lazy"))
