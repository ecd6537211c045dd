# compiled
"""Adam: steps scaled by running means of the gradient and of its square."""
from weft.ops.create.constants import zeros_like
from weft.ops.lists.fused import _fused_adam_, _fused_adamw_
from weft.optim.optimizer import (
    Rule,
    blend_square,
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
from weft.tensor.tensor import Tensor


def check_adam(lr, betas, eps, weight_decay):
    """Refuse options out of range, in PyTorch's words."""
    check_lr(lr)
    in_range("epsilon value", eps, 0.0)
    in_range("beta parameter at index 0", betas[0], 0.0, 1.0)
    in_range("beta parameter at index 1", betas[1], 0.0, 1.0)
    in_range("weight_decay value", weight_decay, 0.0)


class Adam(Rule):
    """p -= lr * mean(g) / (sqrt(mean(g**2)) + eps), the means corrected for their start at zero."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
                 maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False):
        if any(isinstance(beta, Tensor) and beta.numel() != 1 for beta in betas):
            raise ValueError("Tensor betas must be 1-element")
        check_adam(lr, betas, eps, weight_decay)
        if not (all(isinstance(beta, float) for beta in betas) or all(isinstance(beta, Tensor) for beta in betas)):
            raise ValueError("betas must be either both floats or both Tensors")
        check_flags(fused, foreach, differentiable)
        super().__init__(params, dict(lr=lr, betas=tuple(betas), eps=eps, weight_decay=weight_decay, amsgrad=amsgrad,
                                      maximize=maximize, foreach=foreach, capturable=capturable,
                                      differentiable=differentiable, fused=fused,
                                      decoupled_weight_decay=decoupled_weight_decay))

    def start(self, p, state, group):
        state["step"] = counter()
        state["exp_avg"] = zeros_like(p)
        state["exp_avg_sq"] = zeros_like(p)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_like(p)

    def many(self, params, grads, states, group):
        steps = [state["step"] for state in states]
        count(steps)
        beta1, beta2 = group["betas"]
        (_fused_adamw_ if group["decoupled_weight_decay"] else _fused_adam_)(
            params, grads, [s["exp_avg"] for s in states], [s["exp_avg_sq"] for s in states],
            [s["max_exp_avg_sq"] for s in states] if group["amsgrad"] else [], steps, lr=group["lr"], beta1=beta1,
            beta2=beta2, weight_decay=group["weight_decay"], eps=group["eps"], amsgrad=group["amsgrad"],
            maximize=group["maximize"])

    def update(self, p, grad, state, group):
        grad = descent(p, grad, group)
        lr, (beta1, beta2) = number(group["lr"]), map(number, group["betas"])
        state["step"] += 1
        p, grad, mean, square, top = real_view(p, grad, state["exp_avg"], state["exp_avg_sq"],
                                               state.get("max_exp_avg_sq"))
        mean.lerp_(grad, 1 - beta1)
        blend_square(square, grad, beta2)
        step = state["step"].item()
        if group["amsgrad"]:
            top.copy_((top.clone() if group["differentiable"] else top).maximum(square))
        root = ((top if group["amsgrad"] else square).sqrt() / (1 - beta2 ** step) ** 0.5).add(group["eps"])
        move_ratio(p, mean, root, lr / (1 - beta1 ** step))
