"""NAdam: Adam with Nesterov's momentum."""
from weft.ops.create.constants import zeros_like
from weft.optim.adam import check_adam
from weft.optim.rule import Rule, counter, descent_in, in_range, move_ratio, number, real_view


class NAdam(Rule):
    """Adam whose momentum looks one step ahead, with a decay of its own.

    >>> import weft
    >>> p = weft.ones(2, requires_grad=True)
    >>> optimizer = weft.optim.NAdam([p], lr=0.1)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.8944, 0.8944])
    """

    scalars = ("step", "mu_product")

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
                 decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False):
        check_adam(lr, betas, eps, weight_decay)
        in_range("momentum_decay value", momentum_decay, 0.0)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                                      momentum_decay=momentum_decay, decoupled_weight_decay=decoupled_weight_decay,
                                      maximize=maximize, foreach=foreach, capturable=capturable,
                                      differentiable=differentiable))

    def start(self, p, state, group):
        state["step"], state["mu_product"] = counter(), counter(1.0)
        state["exp_avg"], state["exp_avg_sq"] = zeros_like(p), zeros_like(p)

    def update(self, p, grad, state, group):
        grad = descent_in(group, p, grad)
        lr, (beta1, beta2), decay = number(group["lr"]), group["betas"], group["momentum_decay"]
        state["step"] += 1
        step = state["step"].item()
        p, grad, mean, square = real_view(p, grad, state["exp_avg"], state["exp_avg_sq"])
        now = beta1 * (1.0 - 0.5 * 0.96 ** (step * decay))
        ahead = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * decay))
        state["mu_product"] *= now
        product = number(state["mu_product"])
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        root = square.div(1 - beta2 ** step).sqrt().add(group["eps"])
        move_ratio(p, grad, root, lr * (1.0 - now) / (1.0 - product))
        move_ratio(p, mean, root, lr * ahead / (1.0 - product * ahead))

    _samples = [{}, {"lr": 0.05, "betas": (0.8, 0.9), "eps": 1e-4, "momentum_decay": 0.1}, {"weight_decay": 0.1},
                {"weight_decay": 0.1, "decoupled_weight_decay": True}, {"maximize": True}]
