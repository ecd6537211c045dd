"""RMSprop: steps scaled by a running mean of the squared gradient."""
from weft.kernels import fast
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.ops.create.constants import zeros_like
from weft.optim.rule import (
    Rule,
    check_lr,
    count_up,
    counter,
    descent,
    in_range,
    kept,
    move,
    move_ratio,
    number,
    plain_number,
    real_view,
    update_all,
)


def rmsprop(p, grad, square, mean, velocity, lr, alpha, eps, weight_decay, momentum, maximize):
    """The formula. square, mean: running means of the squared gradient and (centered) of the gradient; velocity: with
    momentum the running sum of steps.
    """
    grad = descent(p, grad, maximize, weight_decay)
    p, grad, square, mean, velocity = real_view(p, grad, square, mean, velocity)
    square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
    spread = square
    if mean is not None:
        mean.lerp_(grad, 1 - alpha)
        spread = square.addcmul(mean, mean, value=-1)
    root = spread.sqrt().add(eps)
    if velocity is not None:
        velocity.mul_(momentum).addcdiv_(grad, root)
        move(p, velocity, lr)
    else:
        move_ratio(p, grad, root, lr)


@op
class _rmsprop_update:
    """One step of RMSprop for all parameters, in place; None for states that aren't kept."""
    method, tags, node_name = False, NOGRAD | KEEP_HALF, "RmspropUpdate"
    writes = "params square_avgs grad_avgs momentum_buffers steps"

    def forward(params, grads, square_avgs, grad_avgs, momentum_buffers, steps, lr, alpha, eps, weight_decay, momentum,
                maximize):
        count_up(steps)
        update_all(fast.rmsprop, rmsprop, (params, grads, square_avgs, grad_avgs, momentum_buffers), None,
                   (*map(plain_number, (lr, alpha, eps, weight_decay, momentum)), maximize))

    def shape(*given):
        return ()
    why_no_samples = "tests/test_derived_optimizers.py runs it through RMSprop"


class RMSprop(Rule):
    """p -= lr * g / (sqrt(mean(g**2)) + eps); centered: around the mean gradient; with momentum: a running sum of
    these.

    >>> import weft
    >>> w = weft.nn.Parameter(weft.ones(1))
    >>> w.grad = weft.ones(1)
    >>> weft.optim.RMSprop([w], lr=0.01).step()
    >>> w.data
    tensor([0.9000])
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
        _rmsprop_update.op.compute([
            params, grads, kept(states, "square_avg"), kept(states, "grad_avg", group["centered"]),
            kept(states, "momentum_buffer", group["momentum"] > 0), kept(states, "step"), group["lr"], group["alpha"],
            group["eps"], group["weight_decay"], group["momentum"], group["maximize"]])

    def update(self, p, grad, state, group):
        state["step"] += 1
        rmsprop(p, grad, state["square_avg"], state["grad_avg"] if group["centered"] else None,
                state["momentum_buffer"] if group["momentum"] > 0 else None, number(group["lr"]), group["alpha"],
                group["eps"], number(group["weight_decay"]), group["momentum"], group["maximize"])
