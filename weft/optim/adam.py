# compiled
"""Adam: steps scaled by running means of the gradient and of its square."""
from weft.kernels import fast
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.ops.create.constants import zeros_like
from weft.optim.rule import (
    Rule,
    blend_square,
    check_flags,
    check_lr,
    count_up,
    counter,
    descent,
    in_range,
    kept,
    move_ratio,
    number,
    plain_number,
    real,
    real_view,
    skips,
    update_all,
)
from weft.tensor.tensor import Tensor


def adam(p, grad, mean, square, top, step, lr, beta1, beta2, weight_decay, eps, maximize, decoupled):
    """The formula. mean, square: running means of the gradient and its square; top: the greatest `square` so far
    (AMSGrad) or None; step: the number of this update, 1 for the first.
    """
    grad = descent(p, grad, maximize, weight_decay, lr if decoupled else None)
    p, grad, mean, square, top = real_view(p, grad, mean, square, top)
    mean.lerp_(grad, 1 - beta1)
    blend_square(square, grad, beta2)
    if top is not None:
        top.copy_(top.clone().maximum(square))
    root = ((square if top is None else top).sqrt() / (1 - beta2 ** step) ** 0.5).add(eps)
    move_ratio(p, mean, root, lr / (1 - beta1 ** step))


@op
class _adam_update:
    """One step of Adam (AMSGrad with max_exp_avg_sqs, AdamW with `decoupled`) for all parameters, in place.

    With `counting` the step counts go up first; else they are those of this update. Where `found_inf` isn't zero,
    nothing is done.
    """
    method, tags, node_name = False, NOGRAD | KEEP_HALF, "AdamUpdate"
    writes = "params exp_avgs exp_avg_sqs max_exp_avg_sqs steps"
    steady = True

    def forward(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps, lr, beta1, beta2, weight_decay, eps,
                maximize, decoupled, counting, found_inf):
        if skips(found_inf):
            return
        numbers = (*map(plain_number, (lr, beta1, beta2, weight_decay, eps)), maximize, decoupled)
        lists = params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs
        if counting:
            if real(params) and fast.adam(*lists, steps, *numbers, True):
                return
            count_up(steps)
        update_all(fast.adam, adam, lists, steps, numbers, (False,))

    def shape(*given):
        return ()
    why_no_samples = "tests/test_derived_optimizers.py runs it through Adam and AdamW"


ADAM = _adam_update.op


def check_adam(lr, betas, eps, weight_decay):
    """Refuse options out of range, in PyTorch's words."""
    check_lr(lr)
    in_range("epsilon value", eps, 0.0)
    in_range("beta parameter at index 0", betas[0], 0.0, 1.0)
    in_range("beta parameter at index 1", betas[1], 0.0, 1.0)
    in_range("weight_decay value", weight_decay, 0.0)


class Adam(Rule):
    """p -= lr * mean(g) / (sqrt(mean(g**2)) + eps), the means corrected for their start at zero.

    >>> import weft
    >>> w = weft.nn.Parameter(weft.ones(1))
    >>> w.grad = weft.ones(1)
    >>> weft.optim.Adam([w], lr=0.1).step()
    >>> w.data
    tensor([0.9000])
    """

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
        if fused:
            self._step_supports_amp_scaling = True      # GradScaler asks

    def start(self, p, state, group):
        state["step"] = counter()
        state["exp_avg"] = zeros_like(p)
        state["exp_avg_sq"] = zeros_like(p)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_like(p)

    def many(self, params, grads, states, group):
        beta1, beta2 = group["betas"]
        ADAM.compute([params, grads, kept(states, "exp_avg"), kept(states, "exp_avg_sq"),
                      kept(states, "max_exp_avg_sq", group["amsgrad"]), kept(states, "step"), group["lr"], beta1, beta2,
                      group["weight_decay"], group["eps"], group["maximize"], group["decoupled_weight_decay"], True,
                      self._skip_of(group)])

    def update(self, p, grad, state, group):
        state["step"] += 1
        beta1, beta2 = group["betas"]
        adam(p, grad, state["exp_avg"], state["exp_avg_sq"], state.get("max_exp_avg_sq") if group["amsgrad"] else None,
             state["step"].item(), number(group["lr"]), number(beta1), number(beta2), number(group["weight_decay"]),
             group["eps"], group["maximize"], group["decoupled_weight_decay"])
