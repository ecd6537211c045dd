"""Dropout layers."""
import weft.nn.functional as F
from weft.nn.module import Module

__all__ = ("AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout",)


class _DropoutNd(Module):
    __constants__ = ["p", "inplace"]
    _function = None

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def _eval_differs(self):
        return self.p > 0

    def forward(self, input):
        return type(self)._function(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """While training, zeroes each element with probability p and scales the others by 1 / (1 - p).

    Shape: any; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.Dropout(0.2)(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """
    _function = staticmethod(F.dropout)
    _samples = [((), {}, [(2, 3)]), ((0.3, True), {}, [(2, 3)]), ((0.0,), {}, [(2, 3)]), ((1.0,), {}, [(2, 3)])]


class Dropout1d(_DropoutNd):
    """Zeroes whole channels of (N, C, L).

    Shape: (N, C, L) or (C, L); the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.Dropout1d(0.2)(weft.zeros(1, 3, 6)).shape
    torch.Size([1, 3, 6])
    """
    _function = staticmethod(F.dropout1d)
    _samples = [((), {}, [(2, 3, 2)]), ((0.3, True), {}, [(4, 2)])]


class Dropout2d(_DropoutNd):
    """Zeroes whole channels of (N, C, H, W).

    Shape: (N, C, H, W) or (C, H, W); the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.Dropout2d(0.2)(weft.zeros(1, 3, 6, 6)).shape
    torch.Size([1, 3, 6, 6])
    """
    _function = staticmethod(F.dropout2d)
    _samples = [((), {}, [(2, 3, 2, 1)]), ((0.3, True), {}, [(2, 3, 2, 1)])]


class Dropout3d(_DropoutNd):
    """Zeroes whole channels of (N, C, D, H, W).

    Shape: (N, C, D, H, W) or (C, D, H, W); the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.Dropout3d(0.2)(weft.zeros(1, 3, 6, 6, 6)).shape
    torch.Size([1, 3, 6, 6, 6])
    """
    _function = staticmethod(F.dropout3d)
    _samples = [((), {}, [(2, 3, 2, 1, 1)]), ((0.3, True), {}, [(2, 3, 1, 2, 1)])]


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance of selu's outputs.

    Shape: any; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.AlphaDropout(0.2)(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """

    def forward(self, input):
        return F.alpha_dropout(input, self.p, self.training)

    _samples = [((), {}, [(2, 3)]), ((0.3,), {}, [(2, 3)])]


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels.

    Shape: (N, C, ...); the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.FeatureAlphaDropout(0.2)(weft.zeros(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    def forward(self, input):
        return F.feature_alpha_dropout(input, self.p, self.training)

    _samples = [((), {}, [(2, 3, 2)]), ((0.3,), {}, [(2, 3, 1, 2)])]
