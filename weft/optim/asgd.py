"""Averaged SGD."""
from weft.ops.create.constants import zeros_like
from weft.optim.rule import Rule, check_lr, counter, descent_in, in_range, real_view


class ASGD(Rule):
    """SGD with a decaying rate; `ax` in the state is the average of the parameters since step t0.

    >>> import weft
    >>> p = weft.ones(2, requires_grad=True)
    >>> optimizer = weft.optim.ASGD([p], lr=0.1)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.9000, 0.9000])
    """

    scalars = ("step", "eta", "mu")

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
                 differentiable=False, capturable=False):
        check_lr(lr)
        in_range("weight_decay value", weight_decay, 0.0)
        super().__init__(params, dict(lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay,
                                      foreach=foreach, maximize=maximize, differentiable=differentiable,
                                      capturable=capturable))

    def start(self, p, state, group):
        state["step"] = counter()
        state["eta"] = counter(float(group["lr"]))
        state["mu"] = counter(1.0)
        state["ax"] = zeros_like(p)

    def update(self, p, grad, state, group):
        grad = descent_in(group, p, grad)
        state["step"] += 1
        step, eta, mu, lr = state["step"].item(), state["eta"].item(), state["mu"].item(), float(group["lr"])
        p, grad, average = real_view(p, grad, state["ax"])
        p.mul_(1 - group["lambd"] * eta)
        p.add_(grad, alpha=-eta)
        if mu != 1:
            average.add_(p.sub(average).mul_(mu))
        else:
            average.copy_(p)
        state["eta"].fill_(lr / (1 + group["lambd"] * lr * step) ** group["alpha"])
        state["mu"].fill_(1 / max(1, step - group["t0"]))

    _samples = [{}, {"lr": 0.1, "lambd": 0.01, "alpha": 0.5, "t0": 2}, {"weight_decay": 0.1}, {"maximize": True}]
