# compiled, -Og
"""Dropout: elements or whole channels set to 0 (or to what SELU tends to) by chance. The mask is drawn as PyTorch draws
it.
"""
import math
import warnings

import numpy as np

from weft.core import dtype as dtypes
from weft.core import random as draw
from weft.core.errors import fail
from weft.core.layout import empty_ordered, order_of
from weft.core.spec import Spec, ordered
from weft.kernels import fast
from weft.ops.core.registry import FUNCTIONS, KEEP_HALF, NOGRAD, op
from weft.ops.core.samples import bools
from weft.ops.create.constants import overridable
from weft.ops.pointwise.base import BROADCAST
from weft.tensor.calls import seen
from weft.tensor.names import found_as
from weft.tensor.tensor import OPS, Tensor

SATURATION = 1.7580993408473766     # SELU's scale * alpha: minus this is where it goes for small arguments


@op
class _dropout_mask:
    """Which elements of x (with `features`: channels of its examples) a dropout with probability p keeps.

    Drawn along memory, as PyTorch does; `turned`: with the first two dimensions in the other order.
    """
    tags, method, random = NOGRAD | KEEP_HALF, False, "generator"

    def forward(x, p, features=False, turned=False, generator=None):
        size, order = _drawn(x, features, turned)
        out = None if order is None else empty_ordered(size, np.dtype(bool), order)
        return draw.dropout_mask(draw.current() if generator is None else generator, size, p, out)

    def shape(x, p, features=False, turned=False, generator=None):
        size, order = _drawn(x, features, turned)
        return Spec(size, np.bool_) if order is None else ordered(size, np.bool_, order)
    samples = [((3, 2), 0.5), ((2, 3, 4), 0.3, True), ((2, 3, 4), 0.3, False, True)]


def _drawn(x, features, turned):
    """(the size of a mask, the order of its dimensions in memory; None where that is their own order)."""
    n = len(x.shape)
    if features:
        return (*x.shape[:2], *(1,) * (n - 2)), None
    if turned:
        return x.shape, (1, 0, *range(2, n))
    return x.shape, None if x.flags.c_contiguous else tuple(order_of(x.shape, x.strides))


@op
class _masked_scale:
    """x * scale + kept where the mask holds, else x * 0 + dropped."""
    tags, method, node_name = BROADCAST | {"inplace"}, False, "MulBackward0"
    steady = True
    chain = "dropout x mask =scale"

    def forward(x, mask, scale, kept=0.0, dropped=0.0):
        found = fast.dropout(x, mask, scale, kept, dropped)
        if found is not None:
            return found
        kind = x.dtype.type
        with np.errstate(all="ignore"):
            made = x * np.where(mask, kind(scale), kind(0))
            return made if not kept and not dropped else made + np.where(mask, kind(kept), kind(dropped))

    def grad_x(g, mask, scale):
        return _masked_scale(g, mask, scale)
    samples = [((3, 2), bools(3, 2), 2.0)]


def drop(input, p, train, inplace, features, alpha, who):
    """What all forms do: draw a mask, for each element or for each channel of each example, and apply it."""
    if not isinstance(input, Tensor):
        raise TypeError(f"{who}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    if not 0 <= p <= 1:
        fail(RuntimeError, f"{who}: dropout probability has to be between 0 and 1, but got {p:g}", "give p from 0 to 1")
    if p == 0 or not train or input._form.size == 0:
        return input
    if p == 1:
        return input.mul_(input.zeros_like()) if inplace else input * input.zeros_like()
    if features and input._form.ndim < 2:
        fail(RuntimeError, f"{who}: Feature dropout requires at least 2 dimensions in the input, got "
             f"{input._form.ndim}",
             "give it examples and channels, (N, C, ...)")
    mask = _dropout_mask.op.compute([input, p, features, False, None])
    if alpha:
        scale = 1 / math.sqrt((SATURATION * SATURATION * p + 1) * (1 - p))
        shift = SATURATION * scale
        numbers = (scale, shift * p, shift * p - shift)
    else:
        numbers = (_inverse(1 - p, input._form.dtype), 0.0, 0.0)
    if inplace:
        return OPS.run_inplace(_masked_scale.op, input, (mask, *numbers), {})
    return _masked_scale.op.compute([input, mask, *numbers])


def _inverse(keep, np_dtype):
    """1 / keep as the tensor's type has it: half types divide in float32 and round."""
    if np_dtype.kind == "f" and np_dtype.itemsize == 8:
        return 1 / keep
    made = np.float32(1) / np.float32(keep)
    return float(made if np_dtype.itemsize != 2 else np.asarray(made).astype(np_dtype).astype(np.float32))


# the functions of the main namespace

def _family(name, features, alpha):
    """torch.<name>(input, p, train) and its in-place form."""
    def function(input, p, train):
        return drop(input, p, train, False, features, alpha, name)

    def in_place(input, p, train):
        return drop(input, p, train, True, features, alpha, name + "_")
    for made, form in ((function, name), (in_place, name + "_")):
        made.__doc__ = (f"{name} with probability p where `train` is true"
                        f"{', written into the input' * (made is in_place)}."
                        f"\n\n>>> import weft\n>>> weft.{form}(weft.ones(2, 3), 0.5, False)\n"
                        f"tensor([[1., 1., 1.],\n        [1., 1., 1.]])\n"
                        f">>> weft.{form}(weft.ones(2, 3), 0.5, True).shape\ntorch.Size([2, 3])")
        FUNCTIONS[form] = found_as(seen(overridable(found_as(made, form))), form)


_family("dropout", False, False)
_family("feature_dropout", True, False)
_family("alpha_dropout", False, True)
_family("feature_alpha_dropout", True, True)


@op
class native_dropout:
    """The result of a dropout, and the mask of what was kept."""
    method = False

    def compose(input, p, train):
        if train is False or input._form.size == 0:
            return input if input._form.size == 0 else input.clone(), input.ones_like(dtype=dtypes.bool_)
        mask = _dropout_mask.op.compute([input, p, False, False, None])
        return _masked_scale.op.compute([input, mask, 0.0 if p == 1 else 1 / (1 - p), 0.0, 0.0]), mask
    samples = [((3, 2), 0.5, False), ((3, 2), 0.5, True)]


# nn.functional

def _checked(p):
    if p < 0.0 or p > 1.0:
        fail(ValueError, f"dropout probability has to be between 0 and 1, but got {p}", "give p from 0 to 1")


@op
class functional_dropout:
    """Elements set to 0 with probability p, the others scaled by 1 / (1 - p), while training."""
    names = "nn.functional.dropout"

    def compose(input, p=0.5, training=True, inplace=False):
        _checked(p)
        return drop(input, p, training, inplace, False, False, "dropout")
    samples = [((3, 2), 0.5, False), ((3, 2), 0.5, True)]


@op
class functional_alpha_dropout:
    """Dropout that keeps mean 0 and variance 1 behind a SELU, while training."""
    names = "nn.functional.alpha_dropout"

    def compose(input, p=0.5, training=False, inplace=False):
        _checked(p)
        return drop(input, p, training, inplace, False, True, "alpha_dropout")
    samples = [((3, 2),), ((3, 2), 0.5, True)]


@op
class functional_feature_alpha_dropout:
    """Alpha dropout of whole channels, while training."""
    names = "nn.functional.feature_alpha_dropout"

    def compose(input, p=0.5, training=False, inplace=False):
        _checked(p)
        return drop(input, p, training, inplace, True, True, "feature_alpha_dropout")
    samples = [((3, 2),), ((3, 2, 2), 0.5, True)]


def _channels(input, p, training, inplace, dims, who):
    """Channel-wise dropout of inputs with `dims` spatial dimensions; without a batch dimension they are one example."""
    _checked(p)
    ndim = input._form.ndim
    if ndim not in (dims + 1, dims + 2):
        text = (f"{who}: Received a {ndim}-D input to {who}, which is deprecated and will result in an error in a "
                f"future release. To retain the behavior and silence this warning, please use dropout instead. Note "
                f"that {who} exists to provide channel-wise dropout on inputs with {dims} spatial "
                f"dimension{'s' if dims > 1 else ''}, a channel dimension, and an optional batch dimension (i.e. "
                f"{dims + 1}D or {dims + 2}D inputs).")
        if dims == 1:
            fail(RuntimeError, f"{who}: Expected 2D or 3D input, but received a {ndim}D input. Note that {who} exists "
                 f"to provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an "
                 f"optional batch dimension", "use dropout")
        warnings.warn(text, stacklevel=4)
    if dims == 2 and ndim == 3:
        warnings.warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior "
                      "is desired - input is interpreted as shape (N, C, L), where C is the channel dim. Give (1, C, "
                      "H, W) for one example of two spatial dimensions.",
                      stacklevel=4)
    batched = ndim == dims + 2 or dims == 2     # PyTorch takes a 3-D input of dropout2d as (N, C, L)
    if not batched:
        made = drop(input.unsqueeze_(0) if inplace else input.unsqueeze(0), p, training, inplace, True, False,
                    "feature_dropout")
        return made.squeeze_(0) if inplace else made.squeeze(0)
    return drop(input, p, training, inplace, True, False, "feature_dropout")


@op
class dropout1d:
    """Whole channels of (N, C, L) or (C, L) set to 0 with probability p, while training."""
    names = "nn.functional.dropout1d"

    def compose(input, p=0.5, training=True, inplace=False):
        return _channels(input, p, training, inplace, 1, "dropout1d")
    samples = [((2, 3, 4), 0.5, False), ((3, 4), 0.5, True)]


@op
class dropout2d:
    """Whole channels of (N, C, H, W) set to 0 with probability p, while training."""
    names = "nn.functional.dropout2d"

    def compose(input, p=0.5, training=True, inplace=False):
        return _channels(input, p, training, inplace, 2, "dropout2d")
    samples = [((2, 3, 4, 2), 0.5, False), ((2, 3, 4, 2), 0.5, True)]


@op
class dropout3d:
    """Whole channels of (N, C, D, H, W) or (C, D, H, W) set to 0 with probability p, while training."""
    names = "nn.functional.dropout3d"

    def compose(input, p=0.5, training=True, inplace=False):
        return _channels(input, p, training, inplace, 3, "dropout3d")
    samples = [((2, 3, 4, 2, 2), 0.5, False), ((2, 3, 4, 2, 2), 0.5, True)]
