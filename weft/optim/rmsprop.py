"""RMSprop: steps scaled by a running mean of the squared gradient."""
from weft.ops.create.constants import zeros_like
from weft.ops.lists.fused import _fused_rmsprop_
from weft.optim.optimizer import Rule, check_lr, count, counter, descent, in_range, move, move_ratio, number, real_view


class RMSprop(Rule):
    """p -= lr * g / (sqrt(mean(g**2)) + eps); centered: around the mean gradient; with momentum: a running sum of
    these.
    """

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
                 capturable=False, foreach=None, maximize=False, differentiable=False):
        check_lr(lr)
        in_range("epsilon value", eps, 0.0)
        in_range("momentum value", momentum, 0.0)
        in_range("weight_decay value", weight_decay, 0.0)
        in_range("alpha value", alpha, 0.0)
        super().__init__(params, dict(lr=lr, momentum=momentum, alpha=alpha, eps=eps, centered=centered,
                                      weight_decay=weight_decay, capturable=capturable, foreach=foreach,
                                      maximize=maximize, differentiable=differentiable))

    def start(self, p, state, group):
        state["step"] = counter()
        state["square_avg"] = zeros_like(p)
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_like(p)
        if group["centered"]:
            state["grad_avg"] = zeros_like(p)

    def many(self, params, grads, states, group):
        count([state["step"] for state in states])
        _fused_rmsprop_(params, grads, [s["square_avg"] for s in states], [s["grad_avg"] for s in states]
                        if group["centered"] else [], [s["momentum_buffer"] for s in states] if group["momentum"] > 0
                        else [], lr=group["lr"], alpha=group["alpha"], eps=group["eps"],
                        weight_decay=group["weight_decay"], momentum=group["momentum"], centered=group["centered"],
                        maximize=group["maximize"])

    def update(self, p, grad, state, group):
        grad = descent(p, grad, group)
        lr, alpha = number(group["lr"]), group["alpha"]
        state["step"] += 1
        p, grad, square, mean, velocity = real_view(p, grad, state["square_avg"], state.get("grad_avg"),
                                                    state.get("momentum_buffer"))
        square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            mean.lerp_(grad, 1 - alpha)
            root = square.addcmul(mean, mean, value=-1).sqrt()
        else:
            root = square.sqrt()
        root = root.add(group["eps"])
        if group["momentum"] > 0:
            velocity.mul_(group["momentum"]).addcdiv_(grad, root)
            move(p, velocity, lr)
        else:
            move_ratio(p, grad, root, lr)
