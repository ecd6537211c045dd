"""Clipping of gradients, by the norm of all of them or value by value.

A norm that is not finite is not divided by: with `error_if_nonfinite` the error names the parameters whose gradients
are bad.
"""
import math
import warnings

import numpy as np

from weft.core.modes import no_grad
from weft.kernels.optimizers import sums_of_squares
from weft.nn.edits import Members, names_of
from weft.ops.core.registry import FUNCTIONS
from weft.ops.create.data import tensor
from weft.ops.lists import foreach as lists
from weft.ops.lists.tools import arrays_of
from weft.tensor.tensor import Tensor, wrap

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_"]
_REAL = {np.dtype(np.float32), np.dtype(np.float64)}
LARGEST = float(np.finfo(np.float32).max)
SHOWN = 8       # bad parameters that an error lists


def _listed(parameters):
    """The parameters as a list; of (name, parameter) pairs the parameters."""
    if isinstance(parameters, Tensor):
        return [parameters]
    return [p[1] if isinstance(p, tuple) else p for p in parameters]


def _norm(tensors, norm_type):
    """The norm of several tensors taken as one vector, of the first one's type."""
    if not tensors:
        return tensor(0.0)
    kinds = {t.form.dtype for t in tensors}
    if norm_type == 2.0 and kinds <= _REAL:
        total = math.sqrt(sums_of_squares(arrays_of(tensors)).sum())
        kind = np.float32 if len(kinds) == 1 and np.dtype(np.float32) in kinds else np.float64
        return wrap(np.array(math.inf if kind is np.float32 and total > LARGEST else total, kind))
    norms = [FUNCTIONS["linalg.vector_norm"](t, norm_type) for t in tensors]
    return FUNCTIONS["linalg.vector_norm"](FUNCTIONS["stack"](norms), norm_type)


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of all these tensors taken as one vector."""
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    with no_grad():
        total = _norm(tensors, float(norm_type))
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(_report(float(norm_type), [(f"tensor {i}", t) for i, t in enumerate(tensors)]))
    return total


def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scale the gradients by max_norm / total_norm where that is less than one."""
    grads = [p.grad for p in _listed(parameters) if p.grad is not None]
    with no_grad():
        factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        if grads and factor.item() != 1.0:      # also when it is NaN
            lists.PUBLIC["_foreach_mul_"](grads, factor)


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale the gradients so that their norm, all taken as one vector, is at most max_norm; the norm that they had.

    >>> import weft
    >>> w = weft.nn.Parameter(weft.zeros(2))
    >>> w.grad = weft.tensor([3., 4.])
    >>> clip_grad_norm_([w], 1.0), w.grad
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
    """The old name of clip_grad_norm_."""
    warnings.warn("`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
                  FutureWarning, stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters, clip_value, foreach=None):
    """Limit every value of the gradients to [-clip_value, clip_value]."""
    limit = float(clip_value)
    grads = [p.grad for p in _listed(parameters) if p.grad is not None]
    if grads:
        with no_grad():
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
