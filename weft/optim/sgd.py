# compiled
"""Stochastic gradient descent, with momentum."""
from weft.ops.lists.fused import _fused_sgd_
from weft.optim.optimizer import Rule, check_flags, check_lr, descent, in_range, move, number


class SGD(Rule):
    """p -= lr * v, where v is the gradient, or with momentum a running sum of gradients."""

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False,
                 foreach=None, differentiable=False, fused=None):
        check_lr(lr)
        in_range("momentum value", momentum, 0.0)
        in_range("weight_decay value", weight_decay, 0.0)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        check_flags(fused, foreach, differentiable)
        super().__init__(params, dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay,
                                      nesterov=nesterov, maximize=maximize, foreach=foreach,
                                      differentiable=differentiable, fused=fused))

    def keeps_state(self, group):
        return group["momentum"] != 0

    def start(self, p, state, group):
        state["momentum_buffer"] = None             # the first gradient

    def many(self, params, grads, states, group):
        settings = dict(weight_decay=group["weight_decay"], momentum=group["momentum"], lr=group["lr"],
                        dampening=group["dampening"], nesterov=group["nesterov"], maximize=group["maximize"])
        if group["momentum"] == 0:
            return _fused_sgd_(params, grads, [], **settings, is_first_step=False)
        fresh = [i for i, state in enumerate(states) if state.get("momentum_buffer") is None]
        for i in fresh:
            states[i]["momentum_buffer"] = (params[i].new_empty(params[i].shape) if params[i].is_contiguous()
                                            else params[i].detach().clone())
        for first in (False, True):
            chosen = ([i for i in range(len(params)) if (i in fresh) is first] if fresh else range(len(params))
                      if not first else ())
            if chosen:
                _fused_sgd_([params[i] for i in chosen], [grads[i] for i in chosen],
                            [states[i]["momentum_buffer"] for i in chosen], **settings, is_first_step=first)

    def update(self, p, grad, state, group):
        grad = descent(p, grad, group)
        if group["momentum"] != 0:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = state["momentum_buffer"] = grad.clone() if group["differentiable"] else grad.detach().clone()
            else:
                velocity.mul_(group["momentum"]).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(velocity, alpha=group["momentum"]) if group["nesterov"] else velocity
        move(p, grad, number(group["lr"]))
