"""torch.masked: reductions and normalizations that leave masked-out elements (mask False) out."""
import math

import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.size import wrap_dims
from weft.ops.core.registry import FUNCTIONS, op
from weft.ops.core.samples import data, fixed
from weft.ops.reduce.stats import _vector_norm

KEPT = data([[True, False, True], [False, True, True]])      # a mask for the samples


def _whole(mask, input):
    """The mask at the input's shape."""
    if mask is None:
        return None
    if mask._form.ndim > input._form.ndim:
        fail(IndexError, f"masked: _input_mask expected broadcastable mask (got mask dimensionality higher than of the "
             f"input): {list(mask._form.shape)} and {list(input._form.shape)}")
    mask = mask if mask._form.dtype.kind == "b" else mask.bool()
    return mask if mask._form.shape == input._form.shape else mask.expand(input._form.shape)


def _filled(input, mask, value):
    """The input with the masked-out elements replaced."""
    mask = _whole(mask, input)
    return input if mask is None else input.masked_fill(mask.logical_not(), value)


def _prepared(input, dtype, widen=False):
    """The input in the type to reduce in; sums of integers are int64."""
    if dtype is None:
        if not widen or input._form.dtype.kind not in "biu":
            return input
        dtype = dtypes.int64
    return input if input.dtype is dtype else input.to(dtype)


def _dims(dim, input):
    """All dimensions that are reduced, as a tuple."""
    if not input._form.ndim:
        wrap_dims(None if isinstance(dim, (tuple, list)) and not dim else dim, 0)
        return ()
    return wrap_dims(None if isinstance(dim, (tuple, list)) and not dim else dim, input._form.ndim)


def _lowest(input, sign):
    """What loses against everything in max (sign -1) or min (sign 1)."""
    kind = input._form.dtype
    if input.dtype.is_floating_point:
        return sign * math.inf
    if kind.kind == "c":
        fail(TypeError, "masked: complex numbers have no greatest or least element", "take abs(), real or imag first")
    if kind.kind == "b":
        fail(NotImplementedError, "masked: no greatest or least element on torch.bool input",
             "convert it first: x.int()")
    return int(np.iinfo(kind).max if sign > 0 else np.iinfo(kind).min)


def _without(input, mask, sign):
    """The input, in which masked-out elements lose in max (sign -1) or min (sign 1)."""
    return input if mask is None else _filled(input, mask, _lowest(input, sign))


@op
class masked_sum:
    """The sum of the elements that the mask keeps."""
    names, method = "masked.sum", False

    def compose(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        input = _prepared(input, dtype, True)
        return _filled(input, mask, 0).sum(dim, bool(keepdim), dtype=input.dtype)
    samples = [((2, 3), {"mask": KEPT}), ((2, 3), 1, {"mask": KEPT, "keepdim": True}), ((2, 3), 0)]


@op
class masked_prod:
    """The product of the elements that the mask keeps."""
    names, method = "masked.prod", False

    def compose(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        input = _prepared(input, dtype, True)
        found = _filled(input, mask, 1)
        for d in () if dim == [] else sorted(_dims(dim, input), reverse=True):
            found = found.prod(d, bool(keepdim))
        return found
    samples = [((2, 3), {"mask": KEPT}), ((2, 3), 1, {"mask": KEPT, "keepdim": True}), ((2, 3), 0)]


@op
class masked_cumsum:
    """Running sums of the elements that the mask keeps."""
    names, method = "masked.cumsum", False

    def compose(input, dim, *, dtype=None, mask=None):
        return _filled(_prepared(input, dtype), mask, 0).cumsum(dim, dtype=dtype or input.dtype)
    samples = [((2, 3), 1, {"mask": KEPT}), ((2, 3), 0)]


@op
class masked_cumprod:
    """Running products of the elements that the mask keeps."""
    names, method = "masked.cumprod", False

    def compose(input, dim, *, dtype=None, mask=None):
        return _filled(_prepared(input, dtype), mask, 1).cumprod(dim, dtype=dtype or input.dtype)
    samples = [((2, 3), 1, {"mask": KEPT}), ((2, 3), 0)]


@op
class masked_amax:
    """The greatest of the elements that the mask keeps."""
    names, method = "masked.amax", False

    def compose(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        return _prepared(_without(input, mask, -1).amax(_dims(dim, input), bool(keepdim)), dtype)
    samples = [((2, 3), {"mask": KEPT}), ((2, 3), 1, {"mask": KEPT, "keepdim": True}), ((2, 3), 0)]


@op
class masked_amin:
    """The least of the elements that the mask keeps."""
    names, method = "masked.amin", False

    def compose(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        return _prepared(_without(input, mask, 1).amin(_dims(dim, input), bool(keepdim)), dtype)
    samples = [((2, 3), {"mask": KEPT}), ((2, 3), 1, {"mask": KEPT, "keepdim": True}), ((2, 3), 0)]


@op
class masked_argmax:
    """Where the greatest of the elements that the mask keeps stands; in the input's type, as torch has it."""
    names, method = "masked.argmax", False

    def compose(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        return _without(input, mask, -1).argmax(dim, bool(keepdim)).to(dtype or input.dtype)
    samples = [((2, 3), {"mask": KEPT}), ((2, 3), 1, {"mask": KEPT, "keepdim": True}), ((2, 3), 0)]


@op
class masked_argmin:
    """Where the least of the elements that the mask keeps stands; in the input's type, as torch has it."""
    names, method = "masked.argmin", False

    def compose(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        return _without(input, mask, 1).argmin(dim, bool(keepdim)).to(dtype or input.dtype)
    samples = [((2, 3), {"mask": KEPT}), ((2, 3), 1, {"mask": KEPT, "keepdim": True}), ((2, 3), 0)]


@op
class masked_mean:
    """The mean of the elements that the mask keeps."""
    names, method = "masked.mean", False

    def compose(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        kind = input.dtype if dtype is None else dtype
        if not (kind.is_floating_point or kind.is_complex):
            fail(ValueError, f"mean(): Could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype "
                 f"must be either a floating point or complex dtype. Got: {kind}", "give a floating dtype=")
        input = _prepared(input, dtype)
        if mask is None:
            return input.mean(dim, bool(keepdim))
        count = _whole(mask, input).sum(dim, bool(keepdim)).to(input.dtype)
        return _filled(input, mask, 0).sum(dim, bool(keepdim)) / count
    samples = [((2, 3), {"mask": KEPT}), ((2, 3), 1, {"mask": KEPT, "keepdim": True}), ((2, 3), 0)]


@op
class masked_median:
    """The lower median of the elements that the mask keeps, along a dimension."""
    names, method = "masked.median", False

    def compose(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
        dim = 0 if dim is None else dim         # as PyTorch reads it
        whole = input._form.dtype.kind in "biu"
        found = input if dtype is None else input.to(dtype)
        if whole and dtype is None:
            found = input.float()
        if mask is None:
            found = found.median(dim, bool(keepdim)).values
        else:
            found = _filled(found, mask, math.nan).nanmedian(dim, bool(keepdim)).values
        if whole and dtype is None:
            if not found._on_meta and bool(found.isnan().any()):
                fail(ValueError, "masked median expects no fully masked out rows if dtype is not floating point",
                     "give a floating dtype=")
            found = found.to(input.dtype)
        return found
    samples = [((2, 3), 1, {"mask": KEPT}), ((2, 3), 0), ((2, 3), None)]


@op
class masked_norm:
    """The p-norm of the elements that the mask keeps."""
    names, method = "masked.norm", False

    def compose(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
        input = _for_norm(_prepared(input, dtype), ord, mask)
        return _vector_norm(input, 2.0 if ord is None else ord, _dims(dim, input) or None, bool(keepdim))
    samples = [((2, 3), 2.0, 1, {"mask": KEPT}), ((2, 3), 3.0, {"mask": KEPT})]


def _for_norm(input, ord, mask):
    return _filled(input, mask, math.inf if ord is not None and ord < 0 else 0)


@op
class masked_normalize:
    """The input over its norm along `dim`, masked-out elements left out."""
    names, method = "masked.normalize", False

    def compose(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
        input = _prepared(input, dtype)
        kept = _for_norm(input, ord, mask)
        size = _vector_norm(kept, ord, dim, True)
        return kept / size.clamp(min=eps)
    samples = [((2, 3), 2.0, 1, {"mask": KEPT}), ((2, 3), 1.0, 0)]


def _moment(input, dim, unbiased, correction, keepdim, dtype, mask, name):
    """The variance of the kept elements."""
    if unbiased is not None and correction is not None:
        fail(RuntimeError, f"masked.{name}(): Only one of unbiased and correction may be given")
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    if dtype is None and input._form.dtype.kind in "biu":
        dtype = dtypes.float32
    input = _prepared(input, dtype)
    if mask is None:
        found = input.var(dim, correction=correction, keepdim=bool(keepdim))
        return found.to(input.dtype) if input.dtype.is_complex else found
    whole = _whole(mask, input)
    dims = _dims(dim, input)
    count = whole.sum(dims, True).to(input.dtype)
    off = (_filled(input, mask, 0) - _filled(input, mask, 0).sum(dims, True) / count)
    off = off.masked_fill(whole.logical_not(), 0)
    squares = (off * off.conj()).real if off.dtype.is_complex else off * off
    if not keepdim:
        count = count.reshape(squares.sum(dims)._form.shape)
    count = count.real if count.dtype.is_complex else count
    found = squares.sum(dims, bool(keepdim)) / (count - correction).clamp(min=0)
    return found.to(input.dtype)        # complex stays complex, as torch has it


@op
class masked_var:
    """The variance of the elements that the mask keeps."""
    names, method = "masked.var", False

    def compose(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
        return _moment(input, dim, unbiased, correction, keepdim, dtype, mask, "var")
    samples = [((2, 3), {"mask": KEPT}), ((2, 3), 1, {"mask": KEPT, "keepdim": True}), ((2, 3), 0)]


@op
class masked_std:
    """The standard deviation of the elements that the mask keeps."""
    names, method = "masked.std", False

    def compose(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
        return _moment(input, dim, unbiased, correction, keepdim, dtype, mask, "std").sqrt()
    samples = [((2, 3), {"mask": KEPT}), ((2, 3), 1, {"mask": KEPT, "keepdim": True}), ((2, 3), 0)]


@op
class masked_softmax:
    """softmax over the elements that the mask keeps."""
    names, method = "masked.softmax", False

    def compose(input, dim, *, dtype=None, mask=None):
        input = _prepared(input, dtype)
        return _without(input, mask, -1).softmax(dim)
    samples = [((2, 3), 1, {"mask": KEPT}), ((2, 3), 0)]


@op
class masked_log_softmax:
    """log_softmax over the elements that the mask keeps."""
    names, method = "masked.log_softmax", False

    def compose(input, dim, *, dtype=None, mask=None):
        input = _prepared(input, dtype)
        return _without(input, mask, -1).log_softmax(dim)
    samples = [(fixed(2, 3), 1, {"mask": KEPT}), ((2, 3), 0)]


@op
class masked_softmin:
    """softmax of the negated elements that the mask keeps."""
    names, method = "masked.softmin", False

    def compose(input, dim, *, dtype=None, mask=None):
        input = _prepared(input, dtype)
        return (-_without(input, mask, 1)).softmax(dim)
    samples = [((2, 3), 1, {"mask": KEPT}), ((2, 3), 0)]


@op
class masked_logsumexp:
    """logsumexp of the elements that the mask keeps."""
    names, method = "masked.logsumexp", False

    def compose(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        dtype = input.dtype if dtype is None else dtype
        kept = _filled(input, mask, -math.inf) if input.dtype.is_complex else _without(input, mask, -1)
        found = kept.logsumexp(_dims(dim, input), bool(keepdim))
        return _prepared(found, dtype)
    samples = [((2, 3), {"mask": KEPT}), ((2, 3), 1, {"mask": KEPT, "keepdim": True}), ((2, 3), 0)]


@op
class masked_logaddexp:
    """logaddexp in which a masked-out element counts as log(0)."""
    names, method = "masked.logaddexp", False

    def compose(input, other, *, dtype=None, input_mask=None, other_mask=None):
        dtype = input.dtype if dtype is None else dtype
        left, right = _filled(input, input_mask, -math.inf), _filled(other, other_mask, -math.inf)
        return _prepared(FUNCTIONS["logaddexp"](left, right), dtype)
    samples = [((2, 3), (2, 3), {"input_mask": KEPT}), ((2, 3), (2, 3))]
