"""Adadelta: steps in the units of the parameters, without a rate to choose."""
from weft.ops.create.constants import zeros_like
from weft.optim.rule import Rule, check_lr, counter, descent_in, in_range, move, number, real_view


class Adadelta(Rule):
    """p -= lr * g * rms(steps so far) / rms(gradients so far).

    >>> import weft
    >>> p = weft.ones(2, requires_grad=True)
    >>> optimizer = weft.optim.Adadelta([p], lr=1.0)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.9968, 0.9968])
    """

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False,
                 maximize=False, differentiable=False):
        check_lr(lr)
        in_range("rho value", rho, 0.0, 1.0, open_end=False)
        in_range("epsilon value", eps, 0.0)
        in_range("weight_decay value", weight_decay, 0.0)
        super().__init__(params, dict(lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize,
                                      capturable=capturable, foreach=foreach, differentiable=differentiable))

    def start(self, p, state, group):
        state["step"] = counter()
        state["square_avg"], state["acc_delta"] = zeros_like(p), zeros_like(p)

    def update(self, p, grad, state, group):
        grad = descent_in(group, p, grad)
        rho, eps = group["rho"], group["eps"]
        state["step"] += 1
        p, grad, square, steps = real_view(p, grad, state["square_avg"], state["acc_delta"])
        square.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        delta = steps.add(eps).sqrt().div(square.add(eps).sqrt()).mul(grad)
        steps.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        move(p, delta, number(group["lr"]))

    _samples = [{}, {"lr": 0.5, "rho": 0.8, "eps": 1e-4}, {"weight_decay": 0.1}, {"maximize": True}]
