"""Pooling layers."""
import weft.nn.functional as F
from weft.nn.module import Module
from weft.nn.modules.conv import to_tuple
from weft.nn.modules.utils import _pair, _single, _triple  # noqa: F401
from weft.ops.core.samples import data, fixed, floats

__all__ = (
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d",
    "LPPool1d", "LPPool2d", "LPPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d",
    "MaxUnpool3d",
)


class _MaxPoolNd(Module):
    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, stride if stride is not None else kernel_size
        self.padding, self.dilation, self.return_indices, self.ceil_mode = padding, dilation, return_indices, ceil_mode

    def forward(self, input):
        return type(self)._function(input, self.kernel_size, self.stride, self.padding, self.dilation,
                                    ceil_mode=self.ceil_mode, return_indices=self.return_indices)

    def extra_repr(self):
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
                f"dilation={self.dilation}, ceil_mode={self.ceil_mode}")


class MaxPool1d(_MaxPoolNd):
    """The greatest of every window of (N, C, L).

    Shape: (N, C, L) -> (N, C, L_out), where a length n becomes (n + 2 * padding - kernel_size) / stride + 1.

    >>> import weft
    >>> from weft import nn
    >>> nn.MaxPool1d(2)(weft.zeros(1, 3, 6)).shape
    torch.Size([1, 3, 3])
    """
    _function = staticmethod(F.max_pool1d)
    _samples = [((2,), {}, [(1, 2, 5)]), ((2,), {"stride": 1, "padding": 1, "ceil_mode": True}, [(1, 5)]),
                ((2,), {"dilation": 2, "return_indices": True, "stride": 2}, [(1, 1, 5)])]


class MaxPool2d(_MaxPoolNd):
    """The greatest of every window of (N, C, H, W).

    Shape: (N, C, H, W) -> (N, C, H_out, W_out), where a length n becomes (n + 2 * padding - kernel_size) / stride +
    1.

    >>> import weft
    >>> from weft import nn
    >>> nn.MaxPool2d(2)(weft.zeros(1, 3, 6, 6)).shape
    torch.Size([1, 3, 3, 3])
    """
    _function = staticmethod(F.max_pool2d)
    _samples = [((2,), {}, [(1, 2, 4, 3)]), ((2,), {"stride": 1, "padding": 1, "ceil_mode": True}, [(1, 4, 3)]),
                ((2,), {"dilation": 2, "return_indices": True, "stride": 1}, [(1, 1, 4, 3)])]


class MaxPool3d(_MaxPoolNd):
    """The greatest of every window of (N, C, D, H, W).

    Shape: (N, C, D, H, W) -> (N, C, D_out, H_out, W_out), where a length n becomes (n + 2 * padding - kernel_size)
    / stride + 1.

    >>> import weft
    >>> from weft import nn
    >>> nn.MaxPool3d(2)(weft.zeros(1, 3, 6, 6, 6)).shape
    torch.Size([1, 3, 3, 3, 3])
    """
    _function = staticmethod(F.max_pool3d)
    _samples = [((2,), {}, [(1, 2, 3, 2, 4)]), ((2,), {"stride": 1, "padding": 1, "ceil_mode": True}, [(1, 3, 2, 4)]),
                ((2,), {"dilation": 1, "return_indices": True, "stride": 1}, [(1, 1, 3, 2, 4)])]


class _AvgPoolNd(Module):
    _dims = 1

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, stride if stride is not None else kernel_size
        self.padding, self.ceil_mode, self.count_include_pad = padding, ceil_mode, count_include_pad

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """The mean of every window of (N, C, L).

    Shape: (N, C, L) -> (N, C, L_out), where a length n becomes (n + 2 * padding - kernel_size) / stride + 1.

    >>> import weft
    >>> from weft import nn
    >>> nn.AvgPool1d(2)(weft.zeros(1, 3, 6)).shape
    torch.Size([1, 3, 3])
    """
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.kernel_size, self.stride, self.padding = (to_tuple(v, 1) for v in (self.kernel_size, self.stride,
                                                                                self.padding))

    def forward(self, input):
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    _samples = [((2,), {}, [(1, 2, 5)]),
                ((2,), {"stride": 3, "padding": 1, "ceil_mode": True, "count_include_pad": False}, [(1, 5)])]


class _AvgPoolWithDivisor(_AvgPoolNd):
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"]

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None):
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.divisor_override = divisor_override

    def forward(self, input):
        return type(self)._function(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                                    self.count_include_pad, self.divisor_override)


class AvgPool2d(_AvgPoolWithDivisor):
    """The mean of every window of (N, C, H, W).

    Shape: (N, C, H, W) -> (N, C, H_out, W_out), where a length n becomes (n + 2 * padding - kernel_size) / stride +
    1.

    >>> import weft
    >>> from weft import nn
    >>> nn.AvgPool2d(2)(weft.zeros(1, 3, 6, 6)).shape
    torch.Size([1, 3, 3, 3])
    """
    _function = staticmethod(F.avg_pool2d)
    _samples = [((2,), {}, [(1, 2, 4, 3)]),
                ((2,), {"stride": 1, "padding": 1, "ceil_mode": True, "count_include_pad": False}, [(1, 4, 3)]),
                ((2,), {"divisor_override": 3}, [(1, 1, 4, 3)])]


class AvgPool3d(_AvgPoolWithDivisor):
    """The mean of every window of (N, C, D, H, W).

    Shape: (N, C, D, H, W) -> (N, C, D_out, H_out, W_out), where a length n becomes (n + 2 * padding - kernel_size)
    / stride + 1.

    >>> import weft
    >>> from weft import nn
    >>> nn.AvgPool3d(2)(weft.zeros(1, 3, 6, 6, 6)).shape
    torch.Size([1, 3, 3, 3, 3])
    """
    _function = staticmethod(F.avg_pool3d)
    _samples = [((2,), {}, [(1, 2, 3, 2, 4)]),
                ((2,), {"stride": 1, "padding": 1, "ceil_mode": True, "count_include_pad": False}, [(1, 3, 2, 4)]),
                ((2,), {"divisor_override": 3}, [(1, 1, 3, 2, 4)])]


class _LPPoolNd(Module):
    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def forward(self, input):
        return type(self)._function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self):
        return (f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
                f"ceil_mode={self.ceil_mode}")


class LPPool1d(_LPPoolNd):
    """The p-norm of every window of (N, C, L).

    Shape: (N, C, L) -> (N, C, L_out), where a length n becomes (n - kernel_size) / stride + 1.

    >>> import weft
    >>> from weft import nn
    >>> nn.LPPool1d(2, 2)(weft.zeros(1, 3, 6)).shape
    torch.Size([1, 3, 3])
    """
    _function = staticmethod(F.lp_pool1d)
    _samples = [((2, 2), {}, [floats(1, 2, 5)]), ((3, 2), {"stride": 1, "ceil_mode": True}, [floats(1, 1, 5)])]


class LPPool2d(_LPPoolNd):
    """The p-norm of every window of (N, C, H, W).

    Shape: (N, C, H, W) -> (N, C, H_out, W_out), where a length n becomes (n - kernel_size) / stride + 1.

    >>> import weft
    >>> from weft import nn
    >>> nn.LPPool2d(2, 2)(weft.zeros(1, 3, 6, 6)).shape
    torch.Size([1, 3, 3, 3])
    """
    _function = staticmethod(F.lp_pool2d)
    _samples = [((2, 2), {}, [floats(1, 2, 4, 3)]), ((3, 2), {"stride": 1, "ceil_mode": True}, [floats(1, 1, 4, 3)])]


class LPPool3d(_LPPoolNd):
    """The p-norm of every window of (N, C, D, H, W).

    Shape: (N, C, D, H, W) -> (N, C, D_out, H_out, W_out), where a length n becomes (n - kernel_size) / stride + 1.

    >>> import weft
    >>> from weft import nn
    >>> nn.LPPool3d(2, 2)(weft.zeros(1, 3, 6, 6, 6)).shape
    torch.Size([1, 3, 3, 3, 3])
    """
    _function = staticmethod(F.lp_pool3d)
    _samples = [((2, 2), {}, [floats(1, 2, 3, 2, 4)]),
                ((3, 2), {"stride": 1, "ceil_mode": True}, [floats(1, 1, 3, 2, 4)])]


class _AdaptiveAvgPoolNd(Module):
    __constants__ = ["output_size"]

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        return type(self)._function(input, self.output_size)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Means over windows chosen to give an output length.

    Shape: (N, C, L) -> (N, C, *output_size), or both without N.

    >>> import weft
    >>> from weft import nn
    >>> nn.AdaptiveAvgPool1d(2)(weft.zeros(1, 3, 6)).shape
    torch.Size([1, 3, 2])
    """
    _function = staticmethod(F.adaptive_avg_pool1d)
    _samples = [((2,), {}, [(1, 2, 5)]), ((3,), {}, [(1, 5)])]


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Means over windows chosen to give an output size.

    Shape: (N, C, H, W) -> (N, C, *output_size), or both without N.

    >>> import weft
    >>> from weft import nn
    >>> nn.AdaptiveAvgPool2d(2)(weft.zeros(1, 3, 6, 6)).shape
    torch.Size([1, 3, 2, 2])
    """
    _function = staticmethod(F.adaptive_avg_pool2d)
    _samples = [((2,), {}, [(1, 2, 4, 3)]), (((2, None),), {}, [(1, 4, 3)])]


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Means over windows chosen to give an output size.

    Shape: (N, C, D, H, W) -> (N, C, *output_size), or both without N.

    >>> import weft
    >>> from weft import nn
    >>> nn.AdaptiveAvgPool3d(2)(weft.zeros(1, 3, 6, 6, 6)).shape
    torch.Size([1, 3, 2, 2, 2])
    """
    _function = staticmethod(F.adaptive_avg_pool3d)
    _samples = [((2,), {}, [(1, 2, 3, 2, 4)]), (((2, None, 1),), {}, [(1, 3, 2, 4)])]


class _AdaptiveMaxPoolNd(_AdaptiveAvgPoolNd):
    __constants__ = ["output_size", "return_indices"]

    def __init__(self, output_size, return_indices=False):
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input):
        return type(self)._function(input, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The greatest of windows chosen to give an output length.

    Shape: (N, C, L) -> (N, C, *output_size), or both without N.

    >>> import weft
    >>> from weft import nn
    >>> nn.AdaptiveMaxPool1d(2)(weft.zeros(1, 3, 6)).shape
    torch.Size([1, 3, 2])
    """
    _function = staticmethod(F.adaptive_max_pool1d)
    _samples = [((2,), {}, [(1, 2, 5)]), ((3,), {"return_indices": True}, [(1, 5)])]


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The greatest of windows chosen to give an output size.

    Shape: (N, C, H, W) -> (N, C, *output_size), or both without N.

    >>> import weft
    >>> from weft import nn
    >>> nn.AdaptiveMaxPool2d(2)(weft.zeros(1, 3, 6, 6)).shape
    torch.Size([1, 3, 2, 2])
    """
    _function = staticmethod(F.adaptive_max_pool2d)
    _samples = [((2,), {}, [(1, 2, 4, 3)]), (((2, None),), {"return_indices": True}, [(1, 4, 3)])]


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The greatest of windows chosen to give an output size.

    Shape: (N, C, D, H, W) -> (N, C, *output_size), or both without N.

    >>> import weft
    >>> from weft import nn
    >>> nn.AdaptiveMaxPool3d(2)(weft.zeros(1, 3, 6, 6, 6)).shape
    torch.Size([1, 3, 2, 2, 2])
    """
    _function = staticmethod(F.adaptive_max_pool3d)
    _samples = [((2,), {}, [(1, 2, 3, 2, 4)]), (((2, None, 1),), {"return_indices": True}, [(1, 3, 2, 4)])]


class _FractionalMaxPoolNd(Module):
    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]
    _dims = 2

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        super().__init__()
        if (isinstance(kernel_size, int) and kernel_size <= 0) or \
                (isinstance(kernel_size, (tuple, list)) and not all(k > 0 for k in kernel_size)):
            raise ValueError(f"kernel_size must greater than zero, but got {kernel_size}")
        n = self._dims
        self.kernel_size, self.return_indices = to_tuple(kernel_size, n), return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else to_tuple(output_size, n)
        self.output_ratio = None if output_ratio is None else to_tuple(output_ratio, n)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{type(self).__name__} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input):
        return type(self)._function(input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
                                    _random_samples=self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The greatest of windows at random places.

    Shape: (N, C, H, W) -> (N, C, *output_size).

    >>> import weft
    >>> from weft import nn
    >>> nn.FractionalMaxPool2d(2, output_size=3)(weft.zeros(1, 3, 6, 6)).shape
    torch.Size([1, 3, 3, 3])
    """
    _dims, _function = 2, staticmethod(F.fractional_max_pool2d)
    _samples = [((2,), {"output_size": 2, "_random_samples": fixed(1, 2, 2)}, [(1, 2, 4, 5)]),
                ((2,), {"output_ratio": (0.5, 0.6), "return_indices": True}, [(1, 1, 4, 5)])]


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """The greatest of windows at random places.

    Shape: (N, C, D, H, W) -> (N, C, *output_size).

    >>> import weft
    >>> from weft import nn
    >>> nn.FractionalMaxPool3d(2, output_size=3)(weft.zeros(1, 3, 6, 6, 6)).shape
    torch.Size([1, 3, 3, 3, 3])
    """
    _dims, _function = 3, staticmethod(F.fractional_max_pool3d)
    _samples = [((2,), {"output_size": 2, "_random_samples": fixed(1, 1, 3)}, [(1, 1, 4, 5, 4)]),
                ((2,), {"output_ratio": 0.6, "return_indices": True}, [(1, 1, 4, 4, 4)])]


class _MaxUnpoolNd(Module):
    _dims = 1

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size = to_tuple(kernel_size, self._dims)
        self.stride = to_tuple(stride if stride is not None else kernel_size, self._dims)
        self.padding = to_tuple(padding, self._dims)

    def forward(self, input, indices, output_size=None):
        return type(self)._function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Puts pooled values back where they came from, zeros elsewhere.

    Shape: values and indices (N, C, L) -> (N, C, L_out), the size before the pooling.

    >>> import weft
    >>> from weft import nn
    >>> nn.MaxUnpool1d(2)(*nn.MaxPool1d(2, return_indices=True)(weft.zeros(1, 3, 6))).shape
    torch.Size([1, 3, 6])
    """
    _dims, _function = 1, staticmethod(F.max_unpool1d)
    _samples = [((2,), {}, [(1, 2, 2), data([[[0, 3], [1, 2]]])]), ((2, 2), {}, [(1, 2), data([[1, 2]]), [5]])]


class MaxUnpool2d(_MaxUnpoolNd):
    """Puts pooled values back where they came from, zeros elsewhere.

    Shape: values and indices (N, C, H, W) -> (N, C, H_out, W_out), the size before the pooling.

    >>> import weft
    >>> from weft import nn
    >>> nn.MaxUnpool2d(2)(*nn.MaxPool2d(2, return_indices=True)(weft.zeros(1, 3, 6, 6))).shape
    torch.Size([1, 3, 6, 6])
    """
    _dims, _function = 2, staticmethod(F.max_unpool2d)
    _samples = [((2,), {}, [(1, 1, 1, 2), data([[[[1, 6]]]])]), ((2, 2), {}, [(1, 1, 2), data([[[5, 2]]]), [3, 4]])]


class MaxUnpool3d(_MaxUnpoolNd):
    """Puts pooled values back where they came from, zeros elsewhere.

    Shape: values and indices (N, C, D, H, W) -> (N, C, D_out, H_out, W_out), the size before the pooling.

    >>> import weft
    >>> from weft import nn
    >>> nn.MaxUnpool3d(2)(*nn.MaxPool3d(2, return_indices=True)(weft.zeros(1, 3, 6, 6, 6))).shape
    torch.Size([1, 3, 6, 6, 6])
    """
    _dims, _function = 3, staticmethod(F.max_unpool3d)
    _samples = [((2,), {}, [(1, 1, 1, 1, 2), data([[[[[1, 14]]]]])]), ((2, 2), {}, [(1, 1, 1, 2), data([[[[5, 10]]]])])]
