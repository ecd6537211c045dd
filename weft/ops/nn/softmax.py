# compiled
"""softmax, log_softmax and logsumexp."""
import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.size import wrap_dim
from weft.kernels.fast import reduce_logsumexp, softmax_grad
from weft.kernels.fast import softmax as fast_softmax
from weft.ops.core.promotion import cast
from weft.ops.core.registry import op
from weft.ops.index.arrays import contiguous
from weft.ops.pointwise.arithmetic import conj_of
from weft.ops.reduce.tools import axes_of, finished, restore, total, working


def _prepared(x, dim, dtype, name):
    """The array to work on and the axis."""
    axis = wrap_dim(dim, x.ndim)
    if dtype is not None:
        kind = working(dtype)
        x = x if x.dtype == kind else cast(x, kind)
    _need_floating(x.dtype, name)
    return contiguous(x), axis


def _need_floating(np_dtype, name):
    if np_dtype.kind not in "fV":       # V: bfloat16
        fail(NotImplementedError, f"{name}(): not implemented for {dtypes.of_array(np_dtype)}",
             f"convert it, or give {name}(..., dtype=torch.float32)")


def _result(x, dim, dtype, name):
    """The Spec of a softmax: contiguous, whatever the order of x, as in PyTorch."""
    wrap_dim(dim, x.ndim)
    kind = x.dtype if dtype is None else dtypes.of_type(dtype).np
    _need_floating(kind, name)
    return x.shape, kind


def _exps(x, axis):
    """e**(x - the row's greatest)."""
    made = np.subtract(x, np.maximum.reduce(x, axis=axis, keepdims=True))
    return np.exp(made, out=made) if made.ndim else np.exp(made)


def _along(x, dim, dtype, name):
    """softmax or log_softmax along `dim`: the native loop where it takes the array, else NumPy."""
    log = name == "log_softmax"
    if dtype is None and type(dim) is int and x.size:
        found = fast_softmax(x, dim, log)
        if found is not None:
            return found
    x, axis = _prepared(x, dim, dtype, name)
    if x.size == 0:
        return finished(x.copy(), dtype)
    found = fast_softmax(x, axis, log) if x.ndim else None
    if found is not None:
        return finished(found, dtype)
    shape = x.shape
    if not shape:
        x, axis = x.reshape(1), 0
    with np.errstate(all="ignore"):
        if log:
            made = np.subtract(x, np.maximum.reduce(x, axis=axis, keepdims=True))
            made -= np.log(np.add.reduce(np.exp(made), axis=axis, keepdims=True))
        else:
            made = _exps(x, axis)
            made /= np.add.reduce(made, axis=axis, keepdims=True)
    return finished(made.reshape(shape), dtype)


def _fast_grad(g, out, dim, log):
    """The gradient by the kernel, from that of the output and the output; None where there is none."""
    return softmax_grad(contiguous(g), contiguous(out), dim, log)


@op
class softmax:
    """e**x over its sum along `dim`."""
    names = "softmax special.softmax"
    steady = True

    def forward(x, dim, dtype=None):
        return _along(x, dim, dtype, "softmax")

    def shape(x, dim, dtype=None):
        return _result(x, dim, dtype, "softmax")

    def grad_x(g, out, dim):
        return _softmax_grad(g, out, dim)
    samples = [((3, 4), 0), ((3, 4), -1), ((), 0)]


@op
class _softmax_grad:
    """soft * (x - sum(x * soft)): the gradient of softmax, where x is that of its output."""
    method, node_name, inputs = False, "SoftmaxBackwardDataBackward0", "x soft"
    steady = True

    def forward(x, soft, dim):
        if x.ndim == 0:
            return x * soft - x * soft * soft
        found = _fast_grad(x, soft, dim, False)
        if found is not None:
            return found
        with np.errstate(all="ignore"):
            made = np.multiply(x, soft, order="C")
            made -= soft * np.add.reduce(made, axis=dim, keepdims=True)
        return made

    def shape(x, soft, dim):
        return x.shape, x.dtype

    def grads(g, x, soft, dim):
        mean = (x * soft).sum(dim, True)
        return _softmax_grad(g, soft, dim), g * (x - mean) - x * (g * soft).sum(dim, True)
    samples = [((3, 4), (3, 4), 0), ((2, 3, 4), (2, 3, 4), 1), ((), (), 0)]


@op
class log_softmax:
    """The logarithm of softmax, computed without it."""
    names = "log_softmax special.log_softmax"
    steady = True

    def forward(x, dim, dtype=None):
        return _along(x, dim, dtype, "log_softmax")

    def shape(x, dim, dtype=None):
        return _result(x, dim, dtype, "log_softmax")

    def grad_x(g, out, dim):
        return _log_softmax_grad(g, out, dim)
    samples = [((3, 4), 0), ((3, 4), -1), ((), 0)]


@op
class _log_softmax_grad:
    """x - e**logs * sum(x): the gradient of log_softmax, where x is that of its output."""
    method, node_name, inputs = False, "LogSoftmaxBackwardDataBackward0", "x logs"
    steady = True

    def forward(x, logs, dim):
        found = _fast_grad(x, logs, dim, True) if x.ndim else None
        if found is not None:
            return found
        with np.errstate(all="ignore"):
            if x.ndim == 0:
                return x - np.exp(logs) * x
            made = np.exp(logs, order="C")
            made *= np.add.reduce(x, axis=dim, keepdims=True)
            return np.subtract(x, made, out=made)

    def shape(x, logs, dim):
        return x.shape, x.dtype

    def grads(g, x, logs, dim):
        weights = logs.exp() * g
        return g - weights.sum(dim, True), -weights * x.sum(dim, True)
    samples = [((3, 4), (3, 4), 0), ((2, 3, 4), (2, 3, 4), 1), ((), (), 0)]


@op
class logsumexp:
    """The logarithm of the sum of e**x along `dim`, without overflow."""
    names = "logsumexp special.logsumexp"
    out_types = "castable"
    steady = True

    def forward(x, dim, keepdim=False):
        if x.dtype.kind in "biu":
            x = x.astype(dtypes.default.dtype.np)
        found = reduce_logsumexp(x, dim, keepdim)
        if found is not None:
            return found
        axes = axes_of(dim, x.ndim)
        with np.errstate(all="ignore"):
            if x.size == 0:
                return np.log(total(np.exp(x), axes, keepdim))
            top = np.maximum.reduce(x.real, axis=axes, keepdims=True)
            top = np.where(np.isinf(top), top.dtype.type(0), top)
            found = np.log(total(np.exp(x - top), axes, keepdim))
            return np.asarray(found + (top if keepdim else top.reshape(np.shape(found))))

    def grad_x(g, x, out, dim, keepdim):
        shape = x._form.shape
        return restore(g, shape, dim, keepdim) * conj_of((x - restore(out, shape, dim, keepdim)).exp())
    samples = [((3, 4), 0), ((3, 4), -1), ((3, 4), (0, 1), True)]
