"""Adamax: Adam with the greatest gradient instead of the mean square."""
from weft.ops.create.constants import zeros_like
from weft.optim.adam import check_adam
from weft.optim.rule import Rule, counter, descent_in, move_ratio, number, real_view


class Adamax(Rule):
    """p -= lr * mean(g) / max(|g|), the maximum decaying.

    >>> import weft
    >>> p = weft.ones(2, requires_grad=True)
    >>> optimizer = weft.optim.Adamax([p], lr=0.1)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.9000, 0.9000])
    """

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False,
                 differentiable=False, capturable=False):
        check_adam(lr, betas, eps, weight_decay)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, foreach=foreach,
                                      maximize=maximize, differentiable=differentiable, capturable=capturable))

    def start(self, p, state, group):
        state["step"] = counter()
        state["exp_avg"], state["exp_inf"] = zeros_like(p), zeros_like(p)

    def update(self, p, grad, state, group):
        grad = descent_in(group, p, grad)
        beta1, beta2 = group["betas"]
        state["step"] += 1
        p, grad, mean, top = real_view(p, grad, state["exp_avg"], state["exp_inf"])
        mean.lerp_(grad, 1 - beta1)
        top.copy_((top * beta2).maximum(grad.abs().add(group["eps"])))
        move_ratio(p, mean, top, number(group["lr"]) / (1 - beta1 ** state["step"].item()))

    _samples = [{}, {"lr": 0.05, "betas": (0.8, 0.9), "eps": 1e-4}, {"weight_decay": 0.1}, {"maximize": True}]
