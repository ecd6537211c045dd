"""Clipping of gradients, by the norm of all of them or value by value.

A norm that is not finite is not divided by: with `error_if_nonfinite` the error names the parameters whose gradients
are bad.
"""
import math
import warnings

import numpy as np

from weft.autograd.rows import keeps_rows, nonzero_parts
from weft.core.modes import no_grad
from weft.kernels import fast
from weft.kernels.lists import sums_of_squares
from weft.kernels.native import is_half
from weft.nn.edits import Members, names_of
from weft.ops.core.promotion import FLOAT32, cast
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.ops.create.data import tensor
from weft.ops.lists import foreach as lists
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_"]
_REAL = {np.dtype(np.float32), np.dtype(np.float64)}
LARGEST = float(np.finfo(np.float32).max)
SHOWN = 8       # bad parameters that an error lists


def _listed(parameters):
    """The parameters as a list; of (name, parameter) pairs the parameters."""
    if isinstance(parameters, Tensor):
        return [parameters]
    return [p[1] if isinstance(p, tuple) else p for p in parameters]


@op
class _total_norm:
    """The Euclidean norm of several real tensors taken as one vector, summed in double; in their type if they have one.
    """
    method, tags, node_name = False, NOGRAD, "TotalNorm"

    def forward(tensors):
        total = math.sqrt(sums_of_squares(tensors).sum())
        kind = _norm_type(tensors)
        return np.array(math.inf if kind == np.float32 and total > LARGEST else total, kind)

    def shape(tensors):
        return (), _norm_type(tensors)
    why_no_samples = "tests/test_nn_utils.py: clip_grad_norm_ and get_total_norm"


def _norm_type(arrays):
    return np.dtype(np.float32 if all([a.dtype == np.float32 for a in arrays]) else np.float64)


@op
class _scale_to_norm:
    """Tensors times max_norm / norm where that is less than one (or NaN), in place."""
    method, tags, node_name = False, NOGRAD | KEEP_HALF, "ScaleToNorm"
    writes = "tensors"

    def forward(tensors, norm, max_norm):
        kind = norm.dtype.type
        with np.errstate(all="ignore"):
            factor = float(np.minimum(kind(max_norm) / (norm + kind(1e-6)), kind(1)))
        if factor != 1.0 and not fast.foreach("mul_scalar", tensors, tensors, None, None, factor):
            for a in tensors:
                a[...] = (cast(cast(a, FLOAT32) * FLOAT32.type(factor), a.dtype) if is_half(a)
                          else a * a.dtype.type(factor))

    def shape(*given):
        return ()
    why_no_samples = "tests/test_nn_utils.py: clip_grad_norm_"


def _is_spread(t):
    """Whether it is a DTensor, of which other ranks have parts."""
    return type(t) is not Tensor and hasattr(t, "full_tensor")


def _norm(tensors, norm_type):
    """The norm of several tensors taken as one vector, of the first one's type."""
    if not tensors:
        return tensor(0.0)
    if any([_is_spread(t) for t in tensors]):
        norms = [FUNCTIONS["linalg.vector_norm"](t, norm_type) for t in tensors]
        norms = [n.full_tensor() if _is_spread(n) else n for n in norms]
        return FUNCTIONS["linalg.vector_norm"](FUNCTIONS["stack"](norms), norm_type)
    if 0 < norm_type < math.inf and keeps_rows(tensors):        # zeros don't count
        tensors = nonzero_parts(tensors)
    if norm_type == 2.0 and all([t._form.dtype in _REAL for t in tensors]):
        return _total_norm.op.compute([list(tensors)])
    norms = [FUNCTIONS["linalg.vector_norm"](t, norm_type) for t in tensors]
    return FUNCTIONS["linalg.vector_norm"](FUNCTIONS["stack"](norms), norm_type)


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of all these tensors taken as one vector.

    >>> import weft
    >>> weft.nn.utils.get_total_norm([weft.tensor([3.0]), weft.tensor([4.0])])
    tensor(5.)
    """
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    with no_grad():
        total = _norm(tensors, float(norm_type))
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(_report(float(norm_type), [(f"tensor {i}", t) for i, t in enumerate(tensors)]))
    return total


def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scale the gradients by max_norm / total_norm where that is less than one.

    >>> import weft
    >>> p = weft.nn.Parameter(weft.ones(2))
    >>> (p * weft.tensor([3.0, 4.0])).sum().backward()
    >>> weft.nn.utils.clip_grads_with_norm_([p], 1.0, weft.nn.utils.get_total_norm([p.grad]))
    >>> p.grad
    tensor([0.6000, 0.8000])
    """
    grads = [p.grad.to_local() if _is_spread(p.grad) else p.grad for p in _listed(parameters) if p.grad is not None]
    if grads:
        with no_grad():
            if keeps_rows(grads) and not math.isnan(total_norm):      # NaN is for the zeros, too
                grads = nonzero_parts(grads, to_change=True)
            _scale_to_norm.op.compute([grads, total_norm, float(max_norm)])


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale the gradients so that their norm, all taken as one vector, is at most max_norm; the norm that they had.

    >>> import weft
    >>> w = weft.nn.Parameter(weft.zeros(2))
    >>> w.grad = weft.tensor([3., 4.])
    >>> weft.nn.utils.clip_grad_norm_([w], 1.0), w.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    params = _listed(parameters)
    if not params and not isinstance(parameters, (list, tuple)):
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
    held = [p for p in params if p.grad is not None]
    with no_grad():
        total = _norm([p.grad for p in held], float(norm_type))
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(_report(float(norm_type),
                                   list(zip(_names(parameters, params, held), [p.grad for p in held]))))
    clip_grads_with_norm_(held, max_norm, total)
    return total


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The old name of clip_grad_norm_.

    >>> import weft
    >>> p = weft.nn.Parameter(weft.ones(2))
    >>> (p * weft.tensor([3.0, 4.0])).sum().backward()
    >>> weft.nn.utils.clip_grad_norm([p], 1.0)
    tensor(5.)
    """
    warnings.warn("`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
                  FutureWarning, stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters, clip_value, foreach=None):
    """Limit every value of the gradients to [-clip_value, clip_value].

    >>> import weft
    >>> w = weft.ones(2, requires_grad=True)
    >>> (w * 10).sum().backward()
    >>> weft.nn.utils.clip_grad_value_([w], 1.0)
    >>> w.grad
    tensor([1., 1.])
    """
    limit = float(clip_value)
    grads = [p.grad.to_local() if _is_spread(p.grad) else p.grad for p in _listed(parameters) if p.grad is not None]
    if grads:
        with no_grad():
            if limit >= 0 and keeps_rows(grads):        # zeros stay zeros
                grads = nonzero_parts(grads, to_change=True)
            lists.PUBLIC["_foreach_clamp_min_"](grads, -limit)
            lists.PUBLIC["_foreach_clamp_max_"](grads, limit)


# the message

def _names(source, params, held):
    """What to call the parameters: their names in the model, or their places among those given."""
    if isinstance(source, Members):
        names = {}
        for name, p in source.module.named_parameters(recurse=source.recurse):
            names.setdefault(id(p), name)
        found = [names.get(id(p)) for p in held]
    else:
        found = names_of(held)
    places = {id(p): i for i, p in reversed(list(enumerate(params)))}
    return [name or f"parameter {places[id(p)]}" for name, p in zip(found or [None] * len(held), held)]


def _report(norm_type, named):
    """The error of a norm that is not finite: who is to blame."""
    bad = []
    for name, grad in named:
        nans, infs = int(grad.isnan().sum()), int(grad.isinf().sum())
        if nans or infs:
            counts = " and ".join(f"{n} {what}" for n, what in ((nans, "NaN"), (infs, "Inf")) if n)
            bad.append(f"{name} {tuple(grad.shape)}: {counts} of {grad.numel()}")
    who = "\n  in  ".join(bad[:SHOWN]) + (f"\n  and {len(bad) - SHOWN} more" if len(bad) > SHOWN else "")
    return (f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            f"clipped."
            + ("\n  in  " + who if bad else "\n  every gradient is finite, but their norm is too large for its type")
            + "\n  fix: look for the step that made it (weft.autograd.detect_anomaly()); to scale the gradients by the "
            "non-finite norm anyway, "
              "set `error_if_nonfinite=False`")
