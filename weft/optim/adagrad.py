"""Adagrad: steps scaled by the sum of all squared gradients."""
from weft.ops.create.constants import full_like
from weft.ops.lists.fused import _fused_adagrad_
from weft.optim.optimizer import (
    Rule,
    check_flags,
    check_lr,
    count,
    counter,
    descent,
    in_range,
    move_ratio,
    number,
    real_view,
)


class Adagrad(Rule):
    """p -= lr * g / (sqrt(sum(g**2)) + eps), lr decaying with the number of steps."""

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10,
                 foreach=None, *, maximize=False, differentiable=False, fused=None):
        check_lr(lr)
        in_range("lr_decay value", lr_decay, 0.0)
        in_range("weight_decay value", weight_decay, 0.0)
        in_range("initial_accumulator_value value", initial_accumulator_value, 0.0)
        in_range("epsilon value", eps, 0.0)
        check_flags(fused, foreach, differentiable)
        super().__init__(params, dict(lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
                                      initial_accumulator_value=initial_accumulator_value, foreach=foreach,
                                      maximize=maximize, differentiable=differentiable, fused=fused))
        for group in self.param_groups:
            for p in group["params"]:       # as in PyTorch the sums exist from the start
                self.start(p, self.state[p], group)

    def start(self, p, state, group):
        value = group["initial_accumulator_value"]
        state["step"] = counter()
        state["sum"] = full_like(p, complex(value, value) if p.is_complex() else value)

    def share_memory(self):
        """Move the sums to shared memory, for several processes."""
        for state in self.state.values():
            state["sum"].share_memory_()

    def many(self, params, grads, states, group):
        count([state["step"] for state in states])
        _fused_adagrad_(params, grads, [s["sum"] for s in states], [s["step"] for s in states], lr=group["lr"],
                        lr_decay=group["lr_decay"], weight_decay=group["weight_decay"], eps=group["eps"],
                        maximize=group["maximize"])

    def update(self, p, grad, state, group):
        grad = descent(p, grad, group)
        state["step"] += 1
        lr = number(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
        p, grad, total = real_view(p, grad, state["sum"])
        total.addcmul_(grad, grad, value=1)
        move_ratio(p, grad, total.sqrt().add(group["eps"]), lr)
