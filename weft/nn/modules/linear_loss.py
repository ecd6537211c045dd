"""The cross entropy of a Linear's output, as one layer."""
import dataclasses
import math

import weft.nn.functional as F
from weft.nn.modules.linear import Linear
from weft.nn.modules.loss import _WeightedLoss
from weft.ops.core.samples import fixed, ints

__all__ = ("LinearCrossEntropyLoss", "LinearCrossEntropyOptions")


@dataclasses.dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """How PyTorch works in pieces; accepted here.

    >>> import weft
    >>> options = weft.nn.LinearCrossEntropyOptions(batch_chunk_size=2)
    >>> x, weight, target = weft.zeros(2, 3), weft.ones(4, 3), weft.tensor([0, 3])
    >>> weft.nn.functional.linear_cross_entropy(x, weight, target, options=options)
    tensor(1.3863)
    """
    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: object = None


class LinearCrossEntropyLoss(_WeightedLoss):
    """CrossEntropyLoss of an own Linear: (N, in_features) and targets of (N, *out_features), or probabilities (N,
    num_classes, *out_features).

    Shape: (N, in_features) and classes (N,) -> a number.

    >>> import weft
    >>> from weft import nn
    >>> nn.LinearCrossEntropyLoss(4, 3)(weft.zeros(2, 4), weft.tensor([0, 2])).shape
    torch.Size([])
    """

    __constants__ = ["num_classes", "out_features", "reduction", "ignore_index", "label_smoothing"]

    def __init__(self, in_features, num_classes, *, out_features=(), bias=False, device=None, dtype=None,
                 reduction="mean", weight=None, ignore_index=None, label_smoothing=0.0, options=None):
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight, None, None, reduction)
        self.num_classes, self.out_features, self.options = num_classes, out_features, options
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing
        self.linear = Linear(in_features, math.prod(out_features, start=num_classes), bias=bias, device=device,
                             dtype=dtype)

    def forward(self, input, target):
        sizes = (self.num_classes, *self.out_features)
        weight, bias = self.linear.weight.reshape(*sizes, self.linear.in_features), self.linear.bias
        return F.linear_cross_entropy(input, weight, target, linear_bias=None if bias is None else bias.reshape(sizes),
                                      weight=self.weight, reduction=self.reduction, ignore_index=self.ignore_index,
                                      label_smoothing=self.label_smoothing, options=self.options)

    def extra_repr(self):
        return (f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
                f"out_features={self.out_features}, bias={self.linear.bias is not None}, reduction={self.reduction}, "
                f"ignore_index={self.ignore_index}, label_smoothing={self.label_smoothing}, options={self.options}")

    _samples = [((3, 4), {}, [(2, 3), ints(2, below=4)]),
                ((2, 3), {"out_features": (2,), "bias": True, "reduction": "sum"}, [(2, 2), ints(2, 2, below=3)]),
                ((2, 3), {"weight": fixed(3), "label_smoothing": 0.1}, [(2, 2), ints(2, below=3)])]
