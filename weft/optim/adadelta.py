"""Adadelta: steps in the units of the parameters, without a rate to choose."""
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
    number,
    plain_number,
    real,
    real_view,
    update_all,
)


def adadelta(p, grad, square, moved, lr, rho, eps, weight_decay, maximize):
    """The formula. square, moved: running means of the squared gradient and of the squared steps."""
    grad = descent(p, grad, maximize, weight_decay)
    p, grad, square, moved = real_view(p, grad, square, moved)
    square.mul_(rho).addcmul_(grad, grad, value=1 - rho)
    delta = moved.add(eps).sqrt().div(square.add(eps).sqrt()).mul(grad)
    moved.mul_(rho).addcmul_(delta, delta, value=1 - rho)
    move(p, delta, lr)


@op
class _adadelta_update:
    """One step of Adadelta for all parameters, in place."""
    method, tags, node_name = False, NOGRAD | KEEP_HALF, "AdadeltaUpdate"
    writes = "params square_avgs acc_deltas steps"
    steady = True

    def forward(params, grads, square_avgs, acc_deltas, steps, lr, rho, eps, weight_decay, maximize):
        numbers = (*map(plain_number, (lr, rho, eps, weight_decay)), maximize)
        lists = params, grads, square_avgs, acc_deltas
        if real(params) and fast.adadelta(*lists, *numbers, steps):
            return
        count_up(steps)
        update_all(fast.adadelta, adadelta, lists, None, numbers, (None,))

    def shape(*given):
        return ()
    why_no_samples = "tests/test_derived_optimizers.py runs it through Adadelta"


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

    def many(self, params, grads, states, group):
        _adadelta_update.op.compute([params, grads, kept(states, "square_avg"), kept(states, "acc_delta"),
                                     kept(states, "step"), group["lr"], group["rho"], group["eps"],
                                     group["weight_decay"], group["maximize"]])

    def update(self, p, grad, state, group):
        state["step"] += 1
        adadelta(p, grad, state["square_avg"], state["acc_delta"], number(group["lr"]), group["rho"], group["eps"],
                 number(group["weight_decay"]), group["maximize"])

    _samples = [{}, {"lr": 0.5, "rho": 0.8, "eps": 1e-4}, {"weight_decay": 0.1}, {"maximize": True}]
