"""Rprop: steps that grow while the gradient keeps its sign and shrink when it turns."""
from weft.ops.create.constants import full_like, zeros_like
from weft.optim.rule import Rule, check_lr, counter, descent_in, real_view


class Rprop(Rule):
    """p -= sign(g) * size, for full batches.

    >>> import weft
    >>> p = weft.ones(2, requires_grad=True)
    >>> optimizer = weft.optim.Rprop([p], lr=0.1)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.9000, 0.9000])
    """

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None,
                 maximize=False, differentiable=False):
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, dict(lr=lr, etas=etas, step_sizes=step_sizes, foreach=foreach, maximize=maximize,
                                      differentiable=differentiable, capturable=capturable))

    def start(self, p, state, group):
        lr = float(group["lr"])
        state["step"] = counter()
        state["prev"] = zeros_like(p)
        state["step_size"] = full_like(p, complex(lr, lr) if p.is_complex() else lr)

    def update(self, p, grad, state, group):
        grad = descent_in(group, p, grad)
        state["step"] += 1
        (shrink, grow), (least, most) = group["etas"], group["step_sizes"]
        p, grad, before, size = real_view(p, grad, state["prev"], state["step_size"])
        sign = (grad * before).detach().sign()
        factor = sign.where(sign == 0, grow).where(sign >= 0, shrink).where(sign != 0, 1)
        size.mul_(factor).clamp_(least, most)
        grad = grad.clone().masked_fill(sign < 0, 0)        # where the sign turned, wait one step
        p.addcmul_(grad.sign(), size, value=-1)
        before.copy_(grad)

    _samples = [{}, {"lr": 0.05, "etas": (0.4, 1.3), "step_sizes": (1e-4, 1.0)}, {"maximize": True}]
