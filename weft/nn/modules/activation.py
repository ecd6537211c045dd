"""Activations as layers."""
import weft.nn.functional as F
from weft.nn.init import constant_
from weft.nn.module import Module
from weft.nn.modules.attention import MultiheadAttention  # noqa: F401  (PyTorch's place for it)
from weft.nn.modules.layer import REQUIRED, SAME, FunctionLayer, example, layer
from weft.nn.parameter import Parameter
from weft.ops.core.samples import floats
from weft.ops.create.constants import empty

__all__ = (
    "CELU", "ELU", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU", "LogSigmoid",
    "LogSoftmax", "Mish", "PReLU", "RReLU", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softmax", "Softmax2d",
    "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold",
)


PLAIN = [((), {}, [(2, 3)]), ((), {}, [(4,)])]
MAYBE_IN_PLACE = [((), {}, [(2, 3)]), ((), {"inplace": True}, [(2, 3)])]


def _layer(name, function, doc, samples=PLAIN, **settings):
    return layer(name, function, doc, samples, module=__name__, **settings)


ReLU = _layer("ReLU", F.relu, "max(x, 0).", MAYBE_IN_PLACE, inplace=False)
SiLU = _layer("SiLU", F.silu, "x * sigmoid(x).", MAYBE_IN_PLACE, inplace=False)
Mish = _layer("Mish", F.mish, "x * tanh(softplus(x)).", MAYBE_IN_PLACE, inplace=False)
ELU = _layer("ELU", F.elu, "x where it is positive, else alpha * (e**x - 1).",
             [*MAYBE_IN_PLACE, ((0.7,), {}, [(3,)])], alpha=1.0, inplace=False)
CELU = _layer("CELU", F.celu, "x where it is positive, else alpha * (e**(x / alpha) - 1).",
              [*MAYBE_IN_PLACE, ((0.7,), {}, [(3,)])], alpha=1.0, inplace=False)
SELU = _layer("SELU", F.selu, "The scaled elu that keeps mean 0 and variance 1.", MAYBE_IN_PLACE, inplace=False)
GELU = _layer("GELU", F.gelu, "x * P(a standard normal number is below x).",
              [*PLAIN, (("tanh",), {}, [(3,)])], approximate="none")
GLU = _layer("GLU", F.glu, "The first half along dim, times the sigmoid of the second.",
             [((), {}, [(2, 4)]), ((0,), {}, [(4, 3)])], shape="(..., n, ...) -> (..., n / 2, ...).", gives=(2, 2),
             dim=-1)
LeakyReLU = _layer("LeakyReLU", F.leaky_relu, "x, or negative_slope * x where it is negative.",
                   [*MAYBE_IN_PLACE, ((0.3,), {}, [(3,)])], negative_slope=0.01,
                   inplace=False)
Hardsigmoid = _layer("Hardsigmoid", F.hardsigmoid, "A sigmoid made of three lines.", MAYBE_IN_PLACE, shown=(),
                     inplace=False)
Hardswish = _layer("Hardswish", F.hardswish, "x * hardsigmoid(x).", MAYBE_IN_PLACE, shown=(), inplace=False)
Threshold = _layer("Threshold", F.threshold, "x where it is above the threshold, else a value.",
                   [((0.1, -2.0), {}, [(2, 3)]), ((0.1, 5.0, True), {}, [(2, 3)])], threshold=REQUIRED,
                   value=REQUIRED, inplace=False)
Softplus = _layer("Softplus", F.softplus, "log(1 + e**(beta * x)) / beta.",
                  [*PLAIN, ((3.0, 1.0), {}, [(2, 3)])], beta=1.0, threshold=20.0)
Softmin = _layer("Softmin", F.softmin, "softmax of -x.", [((1,), {}, [(2, 3)]), ((), {"dim": 0}, [(3,)])], dim=None)
RReLU = _layer("RReLU", F.rrelu, "Leaky relu with a random slope while training.",
               [((), {}, [(2, 3)]), ((0.1, 0.9, True), {}, [(2, 3)])], training="training", lower=1.0 / 8,
               upper=1.0 / 3, inplace=False)
Sigmoid = _layer("Sigmoid", F.sigmoid, "1 / (1 + e**-x).")
Tanh = _layer("Tanh", F.tanh, "The hyperbolic tangent.")
LogSigmoid = _layer("LogSigmoid", F.logsigmoid, "log(sigmoid(x)).")
Softsign = _layer("Softsign", F.softsign, "x / (1 + |x|).")
Tanhshrink = _layer("Tanhshrink", F.tanhshrink, "x - tanh(x).")


SHRINK = [((), {}, [(2, 3)]), ((0.2,), {}, [(4,)])]


class _Shrink(FunctionLayer):
    def extra_repr(self):
        return str(self.lambd)


def _shown(name):
    return f"\n\nShape: {SAME}\n\n{example(name, SHRINK[0])}"


Hardshrink = type("Hardshrink", (_Shrink, _layer("Hardshrink", F.hardshrink, "", SHRINK, lambd=0.5)),
                  {"__doc__": "x, or 0 between -lambd and lambd." + _shown("Hardshrink"), "__module__": __name__,
                   "_samples": SHRINK})
Softshrink = type("Softshrink", (_Shrink, _layer("Softshrink", F.softshrink, "", SHRINK, lambd=0.5)),
                  {"__doc__": "x moved towards 0 by lambd." + _shown("Softshrink"), "__module__": __name__,
                   "_samples": SHRINK})


class Hardtanh(Module):
    """x held between min_val and max_val.

    Shape: any; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.Hardtanh()(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """

    __constants__ = ["min_val", "max_val", "inplace"]

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None):
        super().__init__()
        self.min_val = min_val if min_value is None else min_value      # the old names
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if not self.max_val > self.min_val:
            raise AssertionError(f"Hardtanh: max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input):
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self):
        return f"min_val={self.min_val}, max_val={self.max_val}" + (", inplace=True" if self.inplace else "")

    _samples = [((), {}, [(2, 3)]), ((-0.5, 0.8, True), {}, [(2, 3)])]


class ReLU6(Hardtanh):
    """x held between 0 and 6.

    Shape: any; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.ReLU6()(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""

    _samples = [((), {}, [floats(2, 4, low=-3, high=9)]), ((True,), {}, [floats(2, 4, low=-3, high=9)])]


class PReLU(Module):
    """x, or weight * x where it is negative; the weight is learned, one or one per channel.

    Shape: (N, C, ...), C = num_parameters unless that is 1; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.PReLU()(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """

    __constants__ = ["num_parameters"]

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self):
        """Set the weight to its first value.

        >>> import weft
        >>> layer = weft.nn.PReLU(init=0.25)
        >>> layer.reset_parameters()
        >>> layer.weight.tolist()
        [0.25]
        """
        constant_(self.weight, self.init)

    def forward(self, input):
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"

    _samples = [((), {}, [(2, 3)]), ((3,), {"init": 0.1}, [(2, 3, 2)])]


class _OverDim(Module):
    """softmax or log_softmax; without a dim, the one that PyTorch once chose."""

    __constants__ = ["dim"]

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def __setstate__(self, values):
        super().__setstate__(values)
        self.__dict__.setdefault("dim", None)

    def extra_repr(self):
        return f"dim={self.dim}"


class Softmax(_OverDim):
    """e**x over its sum along dim.

    Shape: any; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.Softmax(dim=-1)(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """

    def forward(self, input):
        return F.softmax(input, self.dim, _stacklevel=5)

    _samples = [((1,), {}, [(2, 3)]), ((), {"dim": 0}, [(3,)])]


class LogSoftmax(_OverDim):
    """The logarithm of softmax.

    Shape: any; the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.LogSoftmax(dim=-1)(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """

    def forward(self, input):
        return F.log_softmax(input, self.dim, _stacklevel=5)

    _samples = [((1,), {}, [(2, 3)]), ((), {"dim": 0}, [(3,)])]


class Softmax2d(Module):
    """softmax over the channels of every place of an image.

    Shape: (N, C, H, W) or (C, H, W); the result has the input's.

    >>> import weft
    >>> from weft import nn
    >>> nn.Softmax2d()(weft.zeros(1, 3, 2, 2)).shape
    torch.Size([1, 3, 2, 2])
    """

    def forward(self, input):
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)

    _samples = [((), {}, [(2, 3, 2, 1)]), ((), {}, [(3, 2, 1)])]
