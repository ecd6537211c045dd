"""Activations with a gate, a learned slope or a random one: glu, prelu, rrelu."""
from weft.core import random as draw
from weft.core.errors import fail
from weft.core.size import wrap_dim
from weft.ops.core.registry import FUNCTIONS, NOGRAD, op
from weft.ops.core.samples import floats
from weft.ops.index.arrays import contiguous
from weft.ops.random.generators import source
from weft.tensor.tensor import Tensor


@op
class glu:
    """The first half along `dim`, times the sigmoid of the second."""
    names = "nn.functional.glu"

    def compose(input, dim=-1):
        if input.dim() == 0:
            fail(RuntimeError, "glu does not support 0-dimensional tensors", "give it a dimension that can be halved")
        at = wrap_dim(dim, input.dim())
        if input.shape[at] % 2:
            fail(RuntimeError, f"Halving dimension must be even, but dimension {at} is size {input.shape[at]}",
                 "give it an even size")
        value, gate = input.chunk(2, at)
        return value * gate.sigmoid()
    samples = [((3, 4),), ((4, 3), 0)]


def _check_prelu(input, weight):
    for what, t in (("input", input), ("weight", weight)):
        if not isinstance(t, Tensor):
            raise TypeError(f"prelu(): argument '{what}' must be Tensor, not {type(t).__name__}")
    if input.dtype != weight.dtype:
        fail(RuntimeError, f"prelu: Type promoting not supported. Got {input.dtype} and {weight.dtype}",
             "convert one of them with .to(other.dtype)")
    if weight.dim() > 1:
        fail(RuntimeError, f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.dim()}")
    if weight.numel() == 1:
        return
    if input.dim() == 0:
        fail(RuntimeError, "Not allow zero-dim input tensor.", "give one weight for it")
    channels = input.shape[1] if input.dim() > 1 else 1
    if channels != weight.numel():
        fail(RuntimeError, f"Mismatch of parameter numbers and input channel size. Found parameter numbers = "
             f"{weight.numel()} and channel size = {channels}.", f"give 1 or {channels} weights")


@op
class prelu:
    """x where it is positive, else weight * x, one weight or one for each channel (dimension 1)."""
    autocast = "lower"
    names = "prelu nn.functional.prelu"

    def compose(input, weight):
        _check_prelu(input, weight)
        if weight.dim() and input.dim() != 1:
            weight = weight.reshape((1, -1) + (1,) * (input.dim() - 2)) if input.dim() > 1 else weight.reshape(())
        return input.where(input > 0, input * weight)
    samples = [((3, 4), (4,)), ((3,), (1,)), ((2, 3, 2), ())]


@op
class _random_slopes:
    """1 where x is positive, else a number between the bounds, drawn for these elements in order."""
    method, tags, random = False, NOGRAD, "generator"

    def forward(x, lower, upper, generator=None):
        return draw.rrelu_noise(source(generator, "rrelu"), contiguous(x), lower, upper)

    def shape(x, lower, upper, generator=None):
        return x.shape, x.dtype
    samples = [(floats(3, 4, low=-1.0, high=1.0), 0.1, 0.3)]


def _rrelu(input, lower, upper, training, generator=None, inplace=False):
    if not lower <= upper:
        fail(RuntimeError, f"Lower bound should be less than or equal to the upper bound, got {lower} and {upper}")
    if not training:
        return FUNCTIONS["nn.functional.leaky_relu"](input, (lower + upper) / 2, inplace)
    slopes = _random_slopes(input, lower, upper, generator)
    return input.mul_(slopes) if inplace else input * slopes


@op
class rrelu:
    """x where it is positive, else a random multiple of it while training, the mean of these otherwise."""
    names, method = "rrelu", False

    def compose(input, lower=1.0 / 8, upper=1.0 / 3, training=False, generator=None):
        return _rrelu(input, lower, upper, training, generator)
    samples = [((3, 4),), (floats(3, 4, low=-1.0, high=1.0), 0.1, 0.3, True)]


@op
class functional_rrelu:
    """x where it is positive, else a random multiple of it while training, the mean of these otherwise."""
    names, method = "nn.functional.rrelu", False

    def compose(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
        return _rrelu(input, lower, upper, training, inplace=inplace)
    samples = [((3, 4),), (floats(3, 4, low=-1.0, high=1.0), 0.1, 0.3, True)]
