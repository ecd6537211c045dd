"""Muon: momentum made orthogonal, for the weight matrices of hidden layers."""
import math

from weft.ops.create.constants import zeros_like
from weft.optim.rule import Rule, number
from weft.tensor.tensor import Tensor

COEFFICIENTS = (3.4445, -4.775, 2.0315)


def orthogonalised(grad, coefficients, steps, eps):
    """A matrix with the singular vectors of grad and singular values near 1, by Newton-Schulz iteration in bfloat16."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if grad.dim() != 2:
        raise ValueError("Input tensor gradient must be a 2D matrix")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    x = grad.bfloat16()
    if grad.size(0) > grad.size(1):
        x = x.T
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.T
        x = x.addmm(gram.addmm(gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if grad.size(0) > grad.size(1) else x


def adjusted(lr, adjust, shape):
    """The rate for a matrix of this shape."""
    rows, columns = shape[:2]
    if adjust is None or adjust == "original":
        return lr * math.sqrt(max(1, rows / columns))
    return lr * 0.2 * math.sqrt(max(rows, columns))     # "match_rms_adamw"


class Muon(Rule):
    """p -= lr * orthogonal(momentum); matrices only.

    >>> import weft
    >>> p = weft.eye(2).requires_grad_()
    >>> optimizer = weft.optim.Muon([p], lr=0.1)
    >>> p.diagonal().sum().backward()
    >>> optimizer.step()
    >>> p.shape
    torch.Size([2, 2])
    """

    _takes_complex = False

    def takes(self, p):
        return p.dim() == 2

    def __init__(self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True, ns_coefficients=COEFFICIENTS,
                 eps=1e-7, ns_steps=5, adjust_lr_fn=None):
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for name, value in (("Learning rate", lr), ("momentum", momentum), ("weight decay", weight_decay)):
            if not 0.0 <= value:
                raise ValueError(f"{name} should be >= 0 but is: {value}")
        if adjust_lr_fn is not None and adjust_lr_fn not in ("original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, dict(lr=lr, weight_decay=weight_decay, momentum=momentum, nesterov=nesterov,
                                      ns_coefficients=ns_coefficients, eps=eps, ns_steps=ns_steps,
                                      adjust_lr_fn=adjust_lr_fn))
        for group in self.param_groups:
            for p in group["params"]:
                if p.dim() != 2:
                    raise ValueError(f"Muon only supports 2D parameters whereas we found a parameter with size: "
                                     f"{p.size()}")

    def start(self, p, state, group):
        if p.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        state["momentum_buffer"] = zeros_like(p)

    def update(self, p, grad, state, group):
        mean = state["momentum_buffer"]
        mean.lerp_(grad, 1 - group["momentum"])
        change = grad.lerp(mean, group["momentum"]) if group["nesterov"] else mean
        change = orthogonalised(change, group["ns_coefficients"], group["ns_steps"], group["eps"])
        lr = number(group["lr"])
        p.mul_(1 - lr * group["weight_decay"])
        p.add_(change.to(p.dtype), alpha=-adjusted(lr, group["adjust_lr_fn"], p.shape))

    _samples = [{}, {"lr": 0.05, "weight_decay": 0.0, "momentum": 0.5}, {"nesterov": False},
                {"ns_steps": 2, "ns_coefficients": (2.0, -1.5, 0.5), "eps": 1e-6}, {"adjust_lr_fn": "match_rms_adamw"}]
