"""Linear layers."""
import math

import weft.nn.functional as F
from weft.core.namespace import parts
from weft.nn import init
from weft.nn.module import Module
from weft.nn.parameter import Parameter
from weft.ops.core.samples import ints
from weft.ops.create.constants import empty

__all__ = ("Bilinear", "Identity", "Linear", "NonDynamicallyQuantizableLinear",)


class Identity(Module):
    """Hands its input through; takes any arguments and ignores them.

    Shape: any; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.Identity()(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input

    _samples = [((), {}, [(2, 3)]), ((5,), {"any": 1}, [ints(3, below=4)])]


class Linear(Module):
    """x @ weight.T + bias: (..., in_features) to (..., out_features).

    >>> import weft
    >>> weft.nn.Linear(3, 4)(weft.ones(2, 3)).shape
    torch.Size([2, 4])
    """

    __constants__ = ["in_features", "out_features"]

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Uniform within 1 / sqrt(in_features).

        >>> import weft
        >>> layer = weft.nn.Linear(4, 2)
        >>> layer.reset_parameters()
        >>> bool(layer.weight.abs().max() <= 0.5)
        True
        """
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"

    _samples = [((3, 2), {}, [(2, 3)]), ((3, 2), {"bias": False}, [(2, 1, 3)]), ((2, 1), {}, [(2,)])]


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear under the name that attention layers use for their output.

    Shape: (..., in_features) -> (..., out_features).

    >>> import weft
    >>> from weft import nn
    >>> nn.NonDynamicallyQuantizableLinear(3, 4)(weft.zeros(2, 3)).shape
    torch.Size([2, 4])
    """
    _samples = [((3, 2), {}, [(2, 3)]), ((3, 2), {"bias": False}, [(3,)])]


class Bilinear(Module):
    """x1 @ weight[k] @ x2 + bias[k] for every output k.

    Shape: (..., in1_features), (..., in2_features) -> (..., out_features).

    >>> import weft
    >>> from weft import nn
    >>> nn.Bilinear(2, 3, 4)(weft.zeros(5, 2), weft.zeros(5, 3)).shape
    torch.Size([5, 4])
    """

    __constants__ = ["in1_features", "in2_features", "out_features"]

    def __init__(self, in1_features, in2_features, out_features, bias=True, device=None, dtype=None):
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got {in1_features}")
        super().__init__()
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = Parameter(empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Uniform within 1 / sqrt(in1_features).

        >>> import weft
        >>> layer = weft.nn.Bilinear(4, 3, 2)
        >>> layer.reset_parameters()
        >>> bool(layer.weight.abs().max() <= 0.5)
        True
        """
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1, input2):
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self):
        return (f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
                f"out_features={self.out_features}, bias={self.bias is not None}")

    _samples = [((2, 3, 2), {}, [(2, 2), (2, 3)]), ((2, 1, 2), {"bias": False}, [(2,), (1,)])]


__getattr__, __dir__ = parts(globals(), functions={"LazyLinear": "weft.nn.modules.lazy"})    # PyTorch's place
