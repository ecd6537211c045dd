# compiled, -O2
"""batch_norm, group_norm and instance_norm: x of shape (samples, channels, ...), with a weight and a bias for each
channel.
"""
import math

import numpy as np

from weft.core.errors import fail
from weft.kernels import fast
from weft.kernels.native import is_half
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.ops.core.samples import fixed
from weft.ops.index.arrays import contiguous
from weft.ops.nn.images import channel_rows, from_rows, images, inner_channels, laid_out
from weft.ops.nn.norm_tools import (
    fused_grads,
    gradients,
    half_forward,
    half_grads,
    need_floating,
    need_same_type,
    normalized,
    plain_grads,
    recording,
    spread_over,
    stats_type,
)


def _planes(x):
    """(samples, channels, what is left)."""
    return x.reshape(x.shape[0], x.shape[1], math.prod(x.shape[2:]))


def _shaped(made, input, needs):
    """The gradients, that of the input in its shape and order. A kernel's is left as it is: a view of it would be
    copied when it becomes a .grad.
    """
    if not needs[0]:
        return made
    dx = made[0]
    return [laid_out(dx if dx.shape == input.shape else dx.reshape(input.shape), input), *made[1:]]


def _column(p):
    """A value for each channel, so that it broadcasts against (samples, channels, rest)."""
    return None if p is None else p.reshape(1, -1, 1)


# batch norm

@op
class _batch_norm:
    """(x normalised channel by channel, means, 1 / standard deviations); in training the running statistics are written
    to.
    """
    method, outputs, nondiff, inputs, node_name = (False, "result mean rstd", "mean rstd", "x weight bias",
                                                   "NativeBatchNormBackward0")
    tags, writes = KEEP_HALF, "running_mean running_var"

    def check(x, weight, bias, running_mean, running_var, fixed_mean, fixed_var, training, momentum, eps):
        shape = x._form.shape
        if len(shape) < 2:
            fail(IndexError, f"batch_norm: Dimension out of range: the input {list(shape)} has no dimension 1 for the "
                 f"channels",
                 "give it (samples, channels, ...)")
        mean, var = (running_mean, running_var) if training else (fixed_mean, fixed_var)
        if not training and (mean is None or var is None):
            fail(RuntimeError, f"{'running_mean' if mean is None else 'running_var'} must be defined in evaluation "
                 f"mode",
                 "give the running statistics, or training=True")
        for value, which in ((mean, "running_mean"), (var, "running_var"), (weight, "weight"), (bias, "bias")):
            if value is not None and value._form.size != shape[1]:
                fail(RuntimeError, f"{which} should contain {shape[1]} elements not {value._form.size}",
                     f"the input {list(shape)} has {shape[1]} channels: make the layer for {shape[1]}")
        need_floating(x._form, "batch_norm")
        need_same_type(x, weight, bias, mean, var)
    steady = True

    def forward(x, weight, bias, running_mean, running_var, fixed_mean, fixed_var, training, momentum, eps):
        if is_half(x):
            return _half_batch_norm(x, weight, bias, running_mean, running_var, fixed_mean, fixed_var, training,
                                    momentum, eps)
        mean, var = (running_mean, running_var) if training else (fixed_mean, fixed_var)
        rows = channel_rows(x)
        if rows is not None:
            found = fast.batch_norm(rows, weight, bias, mean, var, momentum, eps, training)
            if found is not None:
                return from_rows(found[0], x.shape), *found[1:]
        found = fast.batch_norm(contiguous(x), weight, bias, mean, var, momentum, eps, training)
        if found is None:
            found = _batch_reference(contiguous(x), weight, bias, mean, var, training, momentum, eps)
        return laid_out(found[0], x), *found[1:]

    def shape(x, weight, bias, running_mean, running_var, fixed_mean, fixed_var, training, momentum, eps):
        stats = (x.shape[1],), stats_type(x)
        return images(x.shape, x.dtype, x), stats, stats

    def grads(g, x, weight, mean, rstd, training, eps, needs):
        if not recording():
            return spread_over(BATCH_GRAD.compute([g, x, mean, rstd, weight, training, needs]), needs)
        shape = x._form.shape
        planes = (shape[0], shape[1], math.prod(shape[2:]))
        constants = None if training else (mean.detach().view(1, -1, 1), rstd.detach().view(1, -1, 1))
        weight = weight if weight is None else weight.view(1, -1, 1)
        made = plain_grads(g.reshape(planes), x.reshape(planes), weight, eps, (0, 2), (0, 2), needs, True, constants)
        return made[0] if made[0] is None else made[0].view(shape), made[1], made[2]
    samples = [((4, 3, 2), (3,), (3,), None, None, None, None, True, 0.1, 1e-5),
               ((2, 3, 2, 2), (3,), (3,), None, None, fixed(3), fixed(3), False, 0.1, 1e-5)]


@op
class _norm_factors:
    """(mean, scale, shift), each (channels, 1, 1): (x - mean) * scale + shift is batch_norm with known statistics."""
    tags, method, outputs, steady = NOGRAD, False, "mean scale shift", True

    def forward(weight, bias, mean, var, eps):
        found = fast.norm_factors(weight, bias, mean, var, eps)
        if found is not None:
            return found
        with np.errstate(all="ignore"):
            rstd = (1 / np.sqrt(var.astype(np.float64) + eps)).astype(mean.dtype)
            scale = rstd if weight is None else rstd * weight
        shift = np.zeros_like(mean) if bias is None else bias.copy()
        return tuple([v.reshape(-1, 1, 1) for v in (mean.copy(), scale, shift)])

    def shape(weight, bias, mean, var, eps):
        return (((mean.shape[0], 1, 1), mean.dtype),) * 3
    samples = [((3,), (3,), (3,), fixed(3), 1e-5), (None, None, (3,), fixed(3), 1e-5)]


def _half_batch_norm(x, weight, bias, running_mean, running_var, *rest):
    """Half numbers: running statistics that are of half precision too go through float32 and back."""
    kept = [(t, t.astype(np.float32)) for t in (running_mean, running_var) if t is not None and is_half(t)]
    wide = {id(t): copy for t, copy in kept}
    made = half_forward(BATCH.forward, x, weight, bias, wide.get(id(running_mean), running_mean),
                        wide.get(id(running_var), running_var), *rest)
    for t, copy in kept:
        t[...] = copy.astype(t.dtype)
    return made


def _batch_reference(x, weight, bias, running_mean, running_var, training, momentum, eps):
    """The three results in NumPy; in training the running statistics are moved."""
    planes = _planes(x)
    with np.errstate(all="ignore"):
        if training and x.size:
            hat, mean, rstd = normalized(planes, (0, 2), eps)
            _follow(running_mean, running_var, mean.reshape(-1), rstd.reshape(-1), x.size // x.shape[1], momentum, eps)
        elif training:
            hat, mean, rstd = planes, np.zeros(x.shape[1]), np.full(x.shape[1], math.nan)
        else:
            mean, rstd = running_mean, 1 / np.sqrt(running_var.astype(np.float64) + eps)
            hat = (planes - _column(mean)) * _column(rstd.astype(x.dtype))
        if weight is not None:
            hat = hat * _column(weight)
        if bias is not None:
            hat = hat + _column(bias)
    return (hat.astype(x.dtype, copy=False).reshape(x.shape), mean.reshape(-1).astype(x.dtype),
            rstd.reshape(-1).astype(x.dtype))


def _follow(running_mean, running_var, mean, rstd, count, momentum, eps):
    """Move the running statistics towards a batch's, the variance being the unbiased one."""
    if running_mean is not None:
        running_mean[...] = momentum * mean + (1 - momentum) * running_mean
    if running_var is not None:
        var = 1 / np.square(rstd) - eps
        running_var[...] = momentum * (var * count / (count - 1) if count > 1
                                       else var / 0.0) + (1 - momentum) * running_var


@op
class _batch_norm_grad:
    """Those of the gradients for x, weight and bias that are needed, at once; x is that of the output."""
    method, tags, node_name = False, NOGRAD | KEEP_HALF, "NativeBatchNormBackwardBackward0"
    steady = True

    def forward(x, input, mean, rstd, weight, training, needs):
        if is_half(input):
            return half_grads(BATCH_GRAD.forward, input, weight, needs, x, input, mean, rstd, weight, training, needs)
        rows = channel_rows(input)
        if rows is not None:
            g = contiguous(np.moveaxis(x, 1, -1)).reshape(rows.shape)
            made = fast.batch_norm_backward(g, rows, mean, rstd, weight, training, *needs)
            if made is not None:
                return [from_rows(made[0], input.shape), *made[1:]] if needs[0] else made
        g, planes = contiguous(x), contiguous(input)
        made = fast.batch_norm_backward(g, planes, mean, rstd, weight, training, *needs)
        if made is None:
            with np.errstate(all="ignore"):
                made = fused_grads(_planes(g), _planes(planes), _column(mean), _column(rstd), _column(weight),
                                   (0, 2) if training else None, (0, 2), needs)
        return _shaped(made, input, needs)

    def shape(x, input, mean, rstd, weight, training, needs):
        return gradients(images(input.shape, input.dtype, input), (input.shape[1],), weight, needs)
    samples = [((4, 3, 2), (4, 3, 2), (3,), (3,), (3,), True, [True, True, True]),
               ((2, 3, 2, 2), (2, 3, 2, 2), (3,), (3,), None, False, [True, False, False])]


BATCH, BATCH_GRAD = _batch_norm.op, _batch_norm_grad.op


def _run(x, weight, bias, running_mean, running_var, training, momentum, eps):
    """The three results of _batch_norm, which writes to the running statistics in training."""
    if momentum is None:
        raise TypeError("batch_norm(): argument 'momentum' must be float, not None\n  fix: for a cumulative average "
                        "give 1 / the number of batches")
    if not x._form.size and x._form.ndim < 2:       # there are no channels, and nothing to do
        return x.clone(), x.new_empty((0,)), x.new_empty((0,))
    if training:
        return BATCH.compute([x, weight, bias, running_mean, running_var, None, None, training, momentum, eps])
    return BATCH.compute([x, weight, bias, None, None, running_mean, running_var, training, momentum, eps])


@op
class _f_batch_norm:
    """x normalised channel by channel: by the batch's statistics in training, else by the running ones."""
    names, method = "nn.functional.batch_norm", False

    def compose(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
        if eps < 0 or training and eps == 0:
            fail(ValueError, f"batch_norm eps must be {'positive during training' if training else 'non-negative'}, "
                 f"but got {eps}", "give eps=1e-5")
        if training:
            shape = input._form.shape
            if len(shape) > 1 and math.prod(shape) == shape[1]:
                _refuse_single(shape, "value per channel")
        return _run(input, weight, bias, running_mean, running_var, bool(training), momentum, eps)[0]
    samples = [((4, 3, 2), None, None, (3,), (3,), True)]


def _refuse_single(shape, what):
    fail(ValueError, f"Expected more than 1 {what} when training, got input size torch.Size({list(shape)})",
         "give it more samples, or evaluate (training=False)")


@op
class batch_norm:
    """x normalised channel by channel: by the batch's statistics in training, else by the running ones."""
    method = False

    def compose(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled=True):
        return _run(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]
    samples = [((4, 3, 2), (3,), (3,), None, None, True, 0.1, 1e-5, True)]


@op
class native_batch_norm:
    """batch_norm, and the means and 1 / standard deviations that it used (none in evaluation)."""
    method = False

    def compose(input, weight, bias, running_mean, running_var, training, momentum, eps):
        made = _run(input, weight, bias, running_mean, running_var, training, momentum, eps)
        return tuple(made) if training else (made[0], input.new_empty((0,)), input.new_empty((0,)))
    samples = [((4, 3, 2), (3,), (3,), None, None, True, 0.1, 1e-5),
               ((4, 3, 2), (3,), None, fixed(3), fixed(3), False, 0.1, 1e-5)]


# group norm

@op
class _group_norm:
    """(x normalised over each group of channels, times weight plus bias; means; 1 / standard deviations)."""
    method, outputs, nondiff, inputs, node_name = (False, "result mean rstd", "mean rstd", "x weight bias",
                                                   "NativeGroupNormBackward0")
    tags = KEEP_HALF

    def check(x, groups, weight, bias, eps):
        shape = x._form.shape
        if len(shape) < 2:
            fail(RuntimeError, f"group_norm: Expected at least 2 dimensions for input tensor but received {len(shape)}",
                 "give it (samples, channels, ...)")
        if groups <= 0:
            fail(RuntimeError, f"group_norm: Expected num groups to be greater than 0, got {groups}")
        if shape[1] % groups:
            fail(RuntimeError, f"Expected number of channels in input to be divisible by num_groups, but got input of "
                 f"shape {list(shape)} and num_groups={groups}")
        for value, which in ((weight, "weight"), (bias, "bias")):
            if value is not None and value._form.shape != (shape[1],):
                fail(RuntimeError, f"Expected {which} to be a vector of size equal to the number of channels in input, "
                     f"but got {which} of shape {list(value._form.shape)} and input of shape {list(shape)}")
        need_floating(x._form, "GroupNormKernelImpl")
        need_same_type(x, weight, bias)
    steady = True

    def forward(x, groups, weight, bias, eps):
        if is_half(x):
            return half_forward(GROUP.forward, x, groups, weight, bias, eps)
        turned = inner_channels(x)
        found = None if turned is None else fast.group_norm_last(turned, groups, weight, bias, eps)
        if found is not None:
            return found
        found = fast.group_norm(contiguous(x), groups, weight, bias, eps)
        if found is None:
            found = _group_reference(contiguous(x), groups, weight, bias, eps)
        return laid_out(found[0], x), *found[1:]

    def shape(x, groups, weight, bias, eps):
        stats = (x.shape[0], groups), stats_type(x)
        return images(x.shape, x.dtype, x), stats, stats

    def grads(g, x, groups, weight, mean, rstd, eps, needs):
        if not recording():
            return spread_over(GROUP_GRAD.compute([g, x, groups, mean, rstd, weight, needs]), needs)
        shape = x._form.shape
        parts = (shape[0], groups, shape[1] // groups, math.prod(shape[2:]))
        weight = weight if weight is None else weight.view(1, groups, -1, 1)
        made = plain_grads(g.reshape(parts), x.reshape(parts), weight, eps, (2, 3), (0, 3), needs)
        return made[0] if made[0] is None else made[0].view(shape), made[1], made[2]
    samples = [((2, 4, 3), 2, (4,), (4,), 1e-5), ((2, 4, 2, 3), 4, None, None, 1e-5)]


def _group_reference(x, groups, weight, bias, eps):
    """The three results in NumPy."""
    stats = (x.shape[0], groups)
    if not x.size:
        return x.copy(), np.zeros(stats, x.dtype), np.full(stats, math.nan, x.dtype)
    with np.errstate(all="ignore"):
        hat, mean, rstd = normalized(_grouped(x, groups), (2, 3), eps)
        if weight is not None:
            hat = hat * weight.reshape(1, groups, -1, 1)
        if bias is not None:
            hat = hat + bias.reshape(1, groups, -1, 1)
    return hat.reshape(x.shape), mean.astype(x.dtype).reshape(stats), rstd.astype(x.dtype).reshape(stats)


def _grouped(x, groups):
    """(samples, groups, channels of a group, rest)."""
    return x.reshape(x.shape[0], groups, x.shape[1] // groups, math.prod(x.shape[2:]))


@op
class _group_norm_grad:
    """Those of the gradients for x, weight and bias that are needed, at once; x is that of the output."""
    method, tags, node_name = False, NOGRAD | KEEP_HALF, "NativeGroupNormBackwardBackward0"
    steady = True

    def forward(x, input, groups, mean, rstd, weight, needs):
        if is_half(input):
            return half_grads(GROUP_GRAD.forward, input, weight, needs, x, input, groups, mean, rstd, weight, needs)
        turned = inner_channels(input)
        if turned is not None:
            made = fast.group_norm_backward_last(contiguous(np.moveaxis(x, 1, -1)), turned, groups, mean, rstd, weight,
                                                 *needs)
            if made is not None:
                return made
        g, planes = contiguous(x), contiguous(input)
        made = fast.group_norm_backward(g, planes, groups, mean, rstd, weight, *needs)
        if made is None:
            stats = (input.shape[0], groups, 1, 1)
            with np.errstate(all="ignore"):
                made = fused_grads(_grouped(g, groups), _grouped(planes, groups), mean.reshape(stats),
                                   rstd.reshape(stats), None if weight is None else weight.reshape(1, groups, -1, 1),
                                   (2, 3), (0, 3), needs)
        return _shaped(made, input, needs)

    def shape(x, input, groups, mean, rstd, weight, needs):
        return gradients(images(input.shape, input.dtype, input), (input.shape[1],), weight, needs)
    samples = [((2, 4, 3), (2, 4, 3), 2, (2, 2), (2, 2), (4,), [True, True, True]),
               ((2, 4, 2, 3), (2, 4, 2, 3), 4, (2, 4), (2, 4), None, [True, False, False])]


GROUP, GROUP_GRAD = _group_norm.op, _group_norm_grad.op


@op
class group_norm:
    """x normalised over each of `num_groups` groups of channels in each sample, times weight plus bias."""
    method = False

    def compose(input, num_groups, weight=None, bias=None, eps=1e-5, cudnn_enabled=True):
        return GROUP.compute([input, num_groups, weight, bias, eps])[0]
    samples = [((2, 4, 3), 2), ((2, 4), 2, (4,), (4,))]


@op
class _f_group_norm:
    """x normalised over each of `num_groups` groups of channels in each sample, times weight plus bias."""
    names, method = "nn.functional.group_norm", False

    def compose(input, num_groups, weight=None, bias=None, eps=1e-5):
        shape = input._form.shape
        if len(shape) < 2:
            fail(RuntimeError, f"Expected at least 2 dimensions for input tensor but received {len(shape)}",
                 "give it (samples, channels, ...)")
        if num_groups > 0 and shape[0] * math.prod(shape[2:]) * shape[1] == num_groups:
            _refuse_single(shape, "value per channel")
        return GROUP.compute([input, num_groups, weight, bias, eps])[0]
    samples = [((2, 4, 3), 2), ((2, 4, 2, 3), 2, (4,), (4,))]


@op
class native_group_norm:
    """group_norm, its means and 1 / standard deviations."""
    method = False

    def compose(input, weight, bias, N, C, HxW, group, eps):
        made = GROUP.compute([input.reshape((N, C, HxW)), group, weight, bias, eps])
        return made[0].view(input.shape), made[1], made[2]
    samples = [((2, 4, 2, 3), (4,), (4,), 2, 4, 6, 2, 1e-5)]


# instance norm

def _instance(x, weight, bias, running_mean, running_var, use_input_stats, momentum, eps):
    """Each channel of each sample by its own statistics, or by the running ones."""
    if not use_input_stats:
        if running_mean is None or running_var is None:
            fail(RuntimeError, "Expected running_mean and running_var to be defined when use_input_stats is false",
                 "give the running statistics, or use_input_stats=True")
        return BATCH.compute([x, weight, bias, None, None, running_mean, running_var, False, momentum, eps])[0]
    shape = x._form.shape
    made = GROUP.compute([x, shape[1] if len(shape) > 1 else 1, weight, bias, eps])
    if running_mean is not None or running_var is not None:
        _follow_instances(running_mean, running_var, made[1], made[2], math.prod(shape[2:]), momentum, eps)
    return made[0]


@op
class _follow_instances:
    """Move the running statistics towards the mean over the samples (N, C) of theirs."""
    method, tags, writes = False, NOGRAD | KEEP_HALF, "running_mean running_var"

    def forward(running_mean, running_var, means, rstds, count, momentum, eps):
        with np.errstate(all="ignore"):
            var = 1 / np.square(rstds.astype(np.float64)) - eps
            for t, batch in ((running_mean, means.astype(np.float64)), (running_var, var * count / max(1, count - 1))):
                if t is not None:
                    t[...] = (momentum * batch.mean(0) + (1 - momentum) * t.astype(np.float64)).astype(t.dtype)

    def shape(running_mean, running_var, means, rstds, count, momentum, eps):
        return ()
    samples = [(fixed(3), fixed(3), (2, 3), (2, 3), 4, 0.1, 1e-5)]


@op
class _f_instance_norm:
    """Each channel of each sample normalised by its own statistics (or by the running ones), times weight plus bias."""
    names, method = "nn.functional.instance_norm", False

    def compose(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1,
                eps=1e-5):
        if use_input_stats and math.prod(input._form.shape[2:]) == 1:
            _refuse_single(input._form.shape, "spatial element")
        return _instance(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps)
    samples = [((2, 3, 4),), ((2, 3, 2, 2), fixed(3), fixed(3), (3,), (3,), False)]


@op
class instance_norm:
    """Each channel of each sample normalised by its own statistics (or by the running ones), times weight plus bias."""
    method = False

    def compose(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled=True):
        return _instance(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps)
    samples = [((2, 3, 2, 2), (3,), (3,), None, None, True, 0.1, 1e-5),
               ((2, 3, 4), None, None, fixed(3), fixed(3), True, 0.1, 1e-5)]
