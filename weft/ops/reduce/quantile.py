"""Quantiles: sort, then read between two neighbours."""
import numpy as np

from weft.core.errors import fail
from weft.core.size import wrap_dim
from weft.ops.core.registry import op
from weft.ops.index.pick import _pick
from weft.tensor.tensor import Tensor, wrap

KINDS = ("linear", "lower", "higher", "midpoint", "nearest")


@op
class quantile:
    """The q-th quantiles along `dim`; NaN in a row gives NaN."""
    autocast = "float32"

    def compose(input, q, dim=None, keepdim=False, *, interpolation="linear"):
        return _quantile(input, q, dim, keepdim, interpolation, False)
    samples = [((3, 4), 0.3), ((3, 4), 0.5, 1), ((3, 4), 0.7, 0, True)]


@op
class nanquantile:
    """The q-th quantiles of the elements that are not NaN, along `dim`."""
    autocast = "float32"

    def compose(input, q, dim=None, keepdim=False, *, interpolation="linear"):
        return _quantile(input, q, dim, keepdim, interpolation, True)
    samples = [((3, 4), 0.3), ((3, 4), 0.5, 1), ((3, 4), 0.7, 0, True)]


def _checked(input, q, interpolation, name):
    """q as a tensor of the input's type."""
    if input._form.dtype.name not in ("float32", "float64"):
        fail(RuntimeError, f"{name}(): input tensor must be either float or double dtype, got {input.dtype}",
             "convert it first")
    if input._form.size == 0:
        fail(RuntimeError, f"{name}(): input tensor must be non-empty, got shape {list(input._form.shape)}")
    if interpolation not in KINDS:
        fail(RuntimeError, f"{name}(): interpolation must be one of {', '.join(KINDS)}, but got {interpolation}")
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            fail(RuntimeError, f"{name}(): q must be in the range [0, 1] but got {q}")
        return wrap(np.asarray(q, input._form.dtype))
    if q._form.ndim > 1:
        fail(RuntimeError, f"{name}(): q must be a scalar or 1D tensor, got shape {list(q._form.shape)}")
    if q._form.dtype != input._form.dtype:
        fail(RuntimeError, f"{name}(): q tensor must be same dtype as the input tensor: {q.dtype} and {input.dtype}")
    if not q._on_meta and not ((q._array >= 0) & (q._array <= 1)).all():
        fail(RuntimeError, f"{name}(): q values must be in the range [0, 1]")
    return q


def _quantile(input, q, dim, keepdim, interpolation, skip_nan):
    q = _checked(input, q, interpolation, "nanquantile" if skip_nan else "quantile")
    shape = input._form.shape
    ranked = _rows(input, dim).sort(-1).values      # (..., n), NaN last
    n = ranked._form.shape[-1]
    gaps = ranked.detach().isnan().sum(-1, True)
    if skip_nan:
        last = (n - 1 - gaps).clamp(min=0).to(ranked.dtype)
        ranks = q.reshape(-1) * last                # (..., len(q))
    else:
        ranks = (q.reshape(-1) * (n - 1)).expand((*ranked._form.shape[:-1], q._form.size))
        ranks = ranks.masked_fill(gaps > 0, n - 1)      # where NaN stands, the greatest of all
    return _laid_out(_between(ranked, ranks, interpolation), q, shape, dim, keepdim)


def _rows(input, dim):
    """The reduced dimension last."""
    if dim is None:
        return input.reshape(-1)
    axis = wrap_dim(dim, input._form.ndim)
    return input.unsqueeze(-1) if input._form.ndim == 0 else input.movedim(axis, -1)


def _between(ranked, ranks, interpolation):
    """The values at fractional places along the last dimension."""
    if interpolation == "lower":
        ranks = ranks.floor()
    elif interpolation == "higher":
        ranks = ranks.ceil()
    elif interpolation == "nearest":
        ranks = ranks.round()
    below = ranks.detach().long()
    low = _pick(ranked, below, ranked._form.ndim - 1)
    if interpolation not in ("linear", "midpoint"):
        return low
    above = ranks.detach().ceil().long()
    high = _pick(ranked, above, ranked._form.ndim - 1)
    weight = 0.5 if interpolation == "midpoint" else ranks - below.to(ranks.dtype)
    return low.lerp(high, weight)


def _laid_out(found, q, shape, dim, keepdim):
    """From (..., len(q)) to torch's layout: q first, the reduced dimension gone or of length 1."""
    found = found.movedim(-1, 0)
    if keepdim:
        axis = None if dim is None else wrap_dim(dim, len(shape))
        kept = tuple(1 if axis is None or d == axis else n for d, n in enumerate(shape))
        if axis is not None and shape:
            found = found.unsqueeze(axis + 1)
        found = found.reshape((found._form.shape[0], *kept))
    return found if q._form.ndim else found.squeeze(0)
