"""PyTorch's `_fused_*`: the ops of the optimizers under the names and with the arguments that PyTorch gives them.

As in PyTorch they take no part in the graph and don't ask for no_grad(); unlike there every write is counted, so a
backward that needs an overwritten parameter says so instead of giving wrong gradients. Imported when first used.

    >>> import weft
    >>> p, g = weft.ones(2), weft.tensor([1., 2.])
    >>> weft._fused_sgd_([p], [g], [], weight_decay=0., momentum=0., lr=0.1, dampening=0., nesterov=False,
    ...                  maximize=False, is_first_step=False)
    >>> p
    tensor([0.9000, 0.8000])
"""
from weft.core.errors import fail
from weft.optim.adagrad import _adagrad_update
from weft.optim.adam import _adam_update
from weft.optim.rule import UNSCALE
from weft.optim.sgd import _sgd_update


def _ready(name, params, grads, grad_scale, found_inf, **states):
    """Check the lists; whether there is something to do. The gradients are divided by `grad_scale` first."""
    for what, given in (("grads", grads), *states.items()):
        if given is not None and len(given) != len(params):
            fail(RuntimeError, f"{name}: Expected {what}.size() == n_tensors to be true, but got {len(given)} and "
                 f"{len(params)}", "give one for each parameter")
    for p, g in zip(params, grads):
        if p._form.shape != g._form.shape:
            fail(RuntimeError, f"{name}: a parameter of shape {list(p._form.shape)} has a gradient of shape "
                 f"{list(g._form.shape)}")
        if p._form.dtype != g._form.dtype and (p._form.dtype.itemsize == 8 or g._form.dtype.itemsize == 8):
            fail(RuntimeError, f"{name}: expected scalar type {p.dtype} but found {g.dtype}",
                 "make the gradient of its parameter's type")
    if not params or params[0]._on_meta:
        return False
    if grad_scale is not None:
        UNSCALE.compute([list(grads), grad_scale, found_inf])
    return True


def _adam(name, decoupled, params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps, lr, beta1, beta2, weight_decay,
          eps, amsgrad, maximize, grad_scale, found_inf):
    tops = max_exp_avg_sqs if amsgrad else None
    if _ready(name, params, grads, grad_scale, found_inf, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs,
              max_exp_avg_sqs=tops, state_steps=steps):
        _adam_update.op.compute([list(params), list(grads), list(exp_avgs), list(exp_avg_sqs), tops, list(steps), lr,
                                 beta1, beta2, weight_decay, eps, bool(maximize), decoupled, False, found_inf])


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
    buffers = list(momentum_buffer_list) if momentum != 0 else None
    if _ready("_fused_sgd_", self, grads, grad_scale, found_inf, momentum_buffer_list=buffers):
        _sgd_update.op.compute([list(self), list(grads), buffers, lr, momentum, dampening, weight_decay,
                                bool(nesterov), bool(maximize), bool(is_first_step), found_inf])


def _fused_adagrad_(self, grads, state_sums, state_steps, *, lr, lr_decay, weight_decay, eps, maximize,
                    grad_scale=None, found_inf=None):
    """Adagrad. `state_steps` are counts of this update; the caller has counted them up."""
    if _ready("_fused_adagrad_", self, grads, grad_scale, found_inf, state_sums=state_sums, state_steps=state_steps):
        _adagrad_update.op.compute([list(self), list(grads), list(state_sums), list(state_steps), lr, lr_decay,
                                    weight_decay, eps, bool(maximize), False, found_inf])


PUBLIC = {f.__name__: f for f in (_fused_adam_, _fused_adamw_, _fused_sgd_, _fused_adagrad_)}
