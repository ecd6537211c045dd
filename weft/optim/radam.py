"""RAdam: Adam that starts as momentum, until its variance is known well enough."""
from weft.ops.create.constants import zeros_like
from weft.optim.adam import check_adam
from weft.optim.rule import Rule, counter, descent_in, number, real_view


class RAdam(Rule):
    """Adam with the adaptive step rectified by how much is known about the variance.

    >>> import weft
    >>> p = weft.ones(2, requires_grad=True)
    >>> optimizer = weft.optim.RAdam([p], lr=0.1)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.9000, 0.9000])
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
                 foreach=None, maximize=False, capturable=False, differentiable=False):
        check_adam(lr, betas, eps, weight_decay)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize,
                                      foreach=foreach, capturable=capturable,
                                      decoupled_weight_decay=decoupled_weight_decay, differentiable=differentiable))

    def start(self, p, state, group):
        state["step"] = counter()
        state["exp_avg"], state["exp_avg_sq"] = zeros_like(p), zeros_like(p)

    def update(self, p, grad, state, group):
        grad = descent_in(group, p, grad)
        lr, (beta1, beta2) = number(group["lr"]), group["betas"]
        state["step"] += 1
        step = state["step"].item()
        p, grad, mean, square = real_view(p, grad, state["exp_avg"], state["exp_avg_sq"])
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        correction2 = 1 - beta2 ** step
        corrected = mean / (1 - beta1 ** step)
        most = 2 / (1 - beta2) - 1                                          # the length of the mean's memory, and
        length = most - 2 * step * beta2 ** step / correction2              # how much of it is filled
        if length > 5.0:
            rectified = ((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)) ** 0.5
            adaptive = correction2 ** 0.5 / square.sqrt().add(group["eps"])
            p.add_(corrected * lr * adaptive * rectified, alpha=-1.0)
        else:
            p.add_(corrected * lr, alpha=-1.0)

    _samples = [{}, {"lr": 0.05, "betas": (0.8, 0.9), "eps": 1e-4}, {"weight_decay": 0.1},
                {"weight_decay": 0.1, "decoupled_weight_decay": True}, {"maximize": True}]
