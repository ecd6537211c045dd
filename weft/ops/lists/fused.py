"""PyTorch's `_fused_*`: one call updates all parameters of an optimizer and its states, in place. Imported when first
used.

As in PyTorch they take no part in the graph and don't ask for no_grad(); unlike there every write is counted, so a
backward that needs an overwritten parameter says so instead of giving wrong gradients.

    >>> import weft
    >>> p, g = weft.ones(2), weft.tensor([1., 2.])
    >>> weft._fused_sgd_([p], [g], [], weight_decay=0., momentum=0., lr=0.1, dampening=0., nesterov=False,
    ...                  maximize=False, is_first_step=False)
    >>> p
    tensor([0.9000, 0.8000])
"""
from weft.core.errors import fail
from weft.kernels import optimizers
from weft.ops.lists.tools import all_match, count_writes, real_arrays
from weft.tensor.tensor import Tensor


def _number(value):
    return (value if type(value) is float else float(value.array.reshape(())) if isinstance(value, Tensor)
            else float(value))


def _ready(name, params, grads, grad_scale, found_inf, **states):
    """Check the lists; whether there is something to do. The gradients are divided by `grad_scale`."""
    for what, given in (("grads", grads), *states.items()):
        if given is not None and len(given) != len(params):
            fail(RuntimeError, f"{name}: Expected {what}.size() == n_tensors to be true, but got {len(given)} and "
                 f"{len(params)}",
                 "give one for each parameter")
    for p, g in zip(params, grads) if not all_match(params, grads) else ():
        if p.form.shape != g.form.shape:
            fail(RuntimeError, f"{name}: a parameter of shape {list(p.form.shape)} has a gradient of shape "
                 f"{list(g.form.shape)}")
        if p.form.dtype != g.form.dtype and (p.form.dtype.itemsize == 8 or g.form.dtype.itemsize == 8):
            fail(RuntimeError, f"{name}: expected scalar type {p.dtype} but found {g.dtype}",
                 "make the gradient of its parameter's type")
    if not params or params[0]._meta or found_inf is not None and _number(found_inf) != 0:
        return False
    if grad_scale is not None:
        optimizers.unscale(real_arrays(grads), 1 / _number(grad_scale))
        count_writes(grads)
    return True


def _counts(params, arrays, steps):
    """The step counts that belong to `arrays = real_arrays(params)`."""
    counts = [s.array if isinstance(s, Tensor) else s for s in steps]
    if len(arrays) == len(params):
        return counts
    return [c for p, c in zip(params, counts) for _ in range(2 if p.form.dtype.kind == "c" else 1)]


def _adam(name, decoupled, params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps, lr, beta1, beta2,
          weight_decay, eps, amsgrad, maximize, grad_scale, found_inf):
    tops = max_exp_avg_sqs if amsgrad else None
    if not _ready(name, params, grads, grad_scale, found_inf, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs,
                  max_exp_avg_sqs=tops, state_steps=steps):
        return
    arrays = real_arrays(params)
    optimizers.adam(arrays, real_arrays(grads), real_arrays(exp_avgs), real_arrays(exp_avg_sqs), real_arrays(tops),
                    _counts(params, arrays, steps), _number(lr), _number(beta1), _number(beta2), _number(weight_decay),
                    _number(eps), bool(maximize), decoupled)
    count_writes(params, exp_avgs, exp_avg_sqs, tops)


def _fused_adam_(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, *, lr, beta1, beta2, weight_decay,
                 eps, amsgrad, maximize, grad_scale=None, found_inf=None):
    """Adam. `state_steps` are counts of this update; the caller has counted them up."""
    _adam("_fused_adam_", False, self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr, beta1, beta2,
          weight_decay, eps, amsgrad, maximize, grad_scale, found_inf)


def _fused_adamw_(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, *, lr, beta1, beta2, weight_decay,
                  eps, amsgrad, maximize, grad_scale=None, found_inf=None):
    """Adam with the weight decay taken from the parameters, not added to the gradients."""
    _adam("_fused_adamw_", True, self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr, beta1, beta2,
          weight_decay, eps, amsgrad, maximize, grad_scale, found_inf)


def _fused_sgd_(self, grads, momentum_buffer_list, *, weight_decay, momentum, lr, dampening, nesterov, maximize,
                is_first_step, grad_scale=None, found_inf=None):
    """SGD. On the first step the momentum buffers' values are not read."""
    buffers = momentum_buffer_list if momentum != 0 else None
    if not _ready("_fused_sgd_", self, grads, grad_scale, found_inf, momentum_buffer_list=buffers):
        return
    optimizers.sgd(real_arrays(self), real_arrays(grads), real_arrays(buffers), _number(lr), _number(momentum),
                   _number(dampening), _number(weight_decay), bool(nesterov), bool(maximize), bool(is_first_step))
    count_writes(self, buffers)


def _fused_adagrad_(self, grads, state_sums, state_steps, *, lr, lr_decay, weight_decay, eps, maximize,
                    grad_scale=None, found_inf=None):
    """Adagrad."""
    if not _ready("_fused_adagrad_", self, grads, grad_scale, found_inf, state_sums=state_sums,
                  state_steps=state_steps):
        return
    arrays = real_arrays(self)
    optimizers.adagrad(arrays, real_arrays(grads), real_arrays(state_sums), _counts(self, arrays, state_steps),
                       _number(lr), _number(lr_decay), _number(weight_decay), _number(eps), bool(maximize))
    count_writes(self, state_sums)


def _fused_rmsprop_(self, grads, square_avgs, grad_avgs, momentum_buffer_list, *, lr, alpha, eps, weight_decay,
                    momentum, centered, maximize, grad_scale=None, found_inf=None):
    """RMSprop; PyTorch has no such function, so it is weft's own."""
    means, buffers = grad_avgs if centered else None, momentum_buffer_list if momentum > 0 else None
    if not _ready("_fused_rmsprop_", self, grads, grad_scale, found_inf, square_avgs=square_avgs, grad_avgs=means,
                  momentum_buffer_list=buffers):
        return
    optimizers.rmsprop(real_arrays(self), real_arrays(grads), real_arrays(square_avgs), real_arrays(means),
                       real_arrays(buffers), _number(lr), _number(alpha), _number(eps), _number(weight_decay),
                       _number(momentum), bool(maximize))
    count_writes(self, square_avgs, means, buffers)


PUBLIC = {f.__name__: f for f in (_fused_adam_, _fused_adamw_, _fused_sgd_, _fused_adagrad_, _fused_rmsprop_)}
