# compiled, -O2
"""What the normalising layers share: kernels that want contiguous arrays, their checks, and the gradients as plain
Tensor ops.
"""
import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.modes import GRAD_OFF
from weft.core.runtime import mode_bits
from weft.kernels.native import is_half
from weft.ops.core.promotion import FLOAT32, cast
from weft.ops.reduce.tools import TYPE_NAMES


def widened(args):
    """The same arguments with half arrays in float32."""
    return [cast(a, FLOAT32) if isinstance(a, np.ndarray) and is_half(a) else a for a in args]


def half_forward(forward, *args):
    """A norm of half numbers: computed in float32, its statistics kept so, only the result rounded."""
    made, *stats = forward(*widened(args))
    return cast(made, args[0].dtype), *stats


def stats_type(x):
    """The type of a norm's statistics: those of half numbers are float32."""
    return np.dtype(np.float32) if x.dtype.itemsize == 2 else x.dtype


def gradients(first, shape, weight, needs):
    """The Specs of those gradients of an input (`first`), a weight and a bias of `shape` that are needed."""
    own = (shape, first.dtype if weight is None else weight.dtype)
    return [spec for spec, needed in zip((first, own, own), needs) if needed]


def half_grads(forward, x, weight, needs, *args):
    """The needed gradients of a norm of half numbers, each in the type of what it belongs to."""
    made = forward(*widened(args))
    own = x.dtype if weight is None else weight.dtype
    return [cast(g, x.dtype if needs[0] and i == 0 else own) for i, g in enumerate(made)]


def recording():
    """Whether the backward itself is recorded: then it is made of plain ops, which have derivatives of their own."""
    return mode_bits() & GRAD_OFF == 0


def need_floating(x, name):
    if x.dtype.kind != "f" and x.dtype.kind != "V":     # V: bfloat16
        fail(NotImplementedError, f"\"{name}\" not implemented for "
             f"'{TYPE_NAMES.get(x.dtype.name, dtypes.of_array(x.dtype))}'",
             "convert the input with .float()")


def need_same_type(x, *parameters):
    """Parameters have the input's type, or float32 beside a half input."""
    for p in parameters:
        if (p is not None and p._form.dtype != x._form.dtype
            and not (x._form.dtype.itemsize == 2 and p._form.dtype == np.float32)):
            fail(RuntimeError, f"mixed dtype (CPU): expect parameter to have scalar type of "
                 f"{dtypes.of_array(x._form.dtype)}, got {p.dtype}",
                 "convert the layer or the input with .to(dtype)")


def normalized(x, axes, eps, centred=True):
    """(x normalised over `axes`, mean, 1/standard deviation) in NumPy; the statistics keep the axes and are in float64.
    """
    mean = np.mean(x, axis=axes, keepdims=True, dtype=np.float64) if centred else None
    away = x - mean.astype(x.dtype) if centred else x
    rstd = 1 / np.sqrt(np.mean(np.square(away, dtype=np.float64), axis=axes, keepdims=True) + eps)
    return away * rstd.astype(x.dtype), mean, rstd


def fused_grads(g, x, mean, rstd, weight, axes, across, needs):
    """The gradients of (x - mean) * rstd * weight + bias in NumPy, those that are needed; weight broadcasts against x.

    axes: what the statistics are over, None when they are constants; across: what the parameters are repeated over.
    """
    hat = (x if mean is None else x - mean) * rstd
    made = []
    if needs[0]:
        scaled = g if weight is None else g * weight
        if axes is None:
            made.append(scaled * rstd)
        else:
            inner = scaled - hat * np.mean(scaled * hat, axis=axes, keepdims=True)
            made.append((inner if mean is None else inner - np.mean(scaled, axis=axes, keepdims=True)) * rstd)
    if needs[1]:
        made.append(np.add.reduce(g * hat, axis=across).reshape(-1))
    if needs[2]:
        made.append(np.add.reduce(g, axis=across).reshape(-1))
    return made


def plain_grads(g, x, weight, eps, axes, across, needs, centred=True, constants=None):
    """The same in Tensor ops, from x itself, for derivatives of any order; `constants` are a mean and rstd that don't
    depend on x.
    """
    if constants is not None:
        mean, rstd = constants
        hat = (x - mean) * rstd
    else:
        away = x - x.mean(axes, True) if centred else x
        rstd = (away * away).mean(axes, True).add(eps).rsqrt()
        hat = away * rstd
    grad_x = None
    if needs[0]:
        scaled = g if weight is None else g * weight
        if constants is not None:
            grad_x = scaled * rstd
        else:
            inner = scaled - hat * (scaled * hat).mean(axes, True)
            grad_x = (inner - scaled.mean(axes, True) if centred else inner) * rstd
    grad_weight = (g * hat).sum(across).flatten() if needs[1] else None
    return grad_x, grad_weight, g.sum(across).flatten() if needs[2] else None


def spread_over(made, needs):
    """The needed gradients in their places among three."""
    at = 0
    found = [None, None, None]
    for i in range(3):
        if needs[i]:
            found[i] = made[at]
            at += 1
    return found
