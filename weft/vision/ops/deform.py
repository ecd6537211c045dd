"""Convolutions whose kernels look where they are told."""
import math

import weft
from weft.nn import Module, Parameter, init
from weft.nn import functional as F
from weft.vision.ops._rois import pair

__all__ = ["deform_conv2d", "DeformConv2d"]


def deform_conv2d(input, offset, weight, bias=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1), mask=None):
    """A convolution of (N, C, H, W) where each place of the kernel is moved by an offset, (N, 2 * groups * kh * kw, h,
    w), y first, and weighted by a mask (N, groups * kh * kw, h, w).

    >>> import weft
    >>> x, w = weft.rand(1, 2, 5, 5), weft.rand(3, 2, 3, 3)
    >>> made = weft.vision.ops.deform_conv2d(x, weft.zeros(1, 18, 3, 3), w)
    >>> weft.allclose(made, weft.nn.functional.conv2d(x, w), atol=1e-5)
    True
    """
    stride, padding, dilation = pair(stride), pair(padding), pair(dilation)
    n, channels, height, width = input.shape
    out_channels, per_group, kh, kw = weight.shape
    h = (height + 2 * padding[0] - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    w = (width + 2 * padding[1] - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    groups = offset.shape[1] // (2 * kh * kw)
    if groups == 0 or offset.shape[1] % (2 * kh * kw) or channels % max(groups, 1):
        raise RuntimeError(f"deform_conv2d: offset has {offset.shape[1]} channels\n  fix: it needs 2 * groups * {kh} * "
                           f"{kw}, with groups that divide the {channels} channels of the input")
    if tuple(offset.shape[2:]) != (h, w) or offset.shape[0] != n:
        raise RuntimeError(f"deform_conv2d: offset has the shape {tuple(offset.shape)}, the output {(n, '.', h, w)}")
    offset = offset.reshape(n * groups, kh * kw, 2, h, w)
    rows = _places(kh, h, stride[0], padding[0], dilation[0], input.dtype)      # (kh, h)
    columns = _places(kw, w, stride[1], padding[1], dilation[1], input.dtype)
    rows = rows[:, None, :, None].expand(kh, kw, h, w).reshape(kh * kw, h, w)
    columns = columns[None, :, None, :].expand(kh, kw, h, w).reshape(kh * kw, h, w)
    y, x = rows + offset[:, :, 0], columns + offset[:, :, 1]                    # (N * groups, kh * kw, h, w)
    grid = weft.stack(((2 * x + 1) / width - 1, (2 * y + 1) / height - 1), -1).reshape(n * groups, kh * kw * h, w, 2)
    seen = F.grid_sample(input.reshape(n * groups, channels // groups, height, width), grid, mode="bilinear",
                         padding_mode="zeros", align_corners=False)
    seen = seen.reshape(n * groups, channels // groups, kh * kw, h, w)
    if mask is not None:
        seen = seen * mask.reshape(n * groups, 1, kh * kw, h, w)
    parts = channels // per_group                                               # groups of the weight
    seen = seen.reshape(n, parts, per_group * kh * kw, h * w)
    made = (weight.reshape(parts, out_channels // parts, per_group * kh * kw) @ seen).reshape(n, out_channels, h, w)
    return made if bias is None else made + bias.view(1, -1, 1, 1)


def _places(kernel, out, stride, padding, dilation, dtype):
    """Where each place of the kernel is, for each of the output: (kernel, out)."""
    return (weft.arange(kernel, dtype=dtype) * dilation)[:, None] + weft.arange(out, dtype=dtype) * stride - padding


class DeformConv2d(Module):
    """deform_conv2d as a layer: (N, in_channels, H, W) and offsets to (N, out_channels, h, w).

    >>> import weft
    >>> weft.vision.ops.DeformConv2d(2, 3, 3)(weft.rand(1, 2, 5, 5), weft.zeros(1, 18, 3, 3)).shape
    torch.Size([1, 3, 3, 3])
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True):
        super().__init__()
        if in_channels % groups or out_channels % groups:
            raise ValueError(f"groups = {groups} must divide in_channels = {in_channels} and out_channels = "
                             f"{out_channels}")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride = pair(kernel_size), pair(stride)
        self.padding, self.dilation = pair(padding), pair(dilation)
        self.weight = Parameter(weft.empty(out_channels, in_channels // groups, *self.kernel_size))
        self.bias = Parameter(weft.empty(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self):
        """New random weights.

        >>> import weft
        >>> weft.vision.ops.DeformConv2d(2, 3, 3).reset_parameters()
        """
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.weight[0].numel())
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input, offset, mask=None):
        return deform_conv2d(input, offset, self.weight, self.bias, self.stride, self.padding, self.dilation, mask)

    def extra_repr(self):
        return (f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}, "
                f"padding={self.padding}, dilation={self.dilation}, groups={self.groups}, bias={self.bias is not None}")
