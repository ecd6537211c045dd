"""Adafactor: the mean square of a matrix kept as a column and a row."""
from weft.core.dtype import finfo
from weft.ops.create.constants import zeros_like
from weft.optim.rule import Rule, counter, number
from weft.tensor.tensor import Tensor


class Adafactor(Rule):
    """Adam-like steps relative to the size of the parameters, with memory for the state that grows with the sides of a
    matrix only.

    >>> import weft
    >>> p = weft.ones(2, 3, requires_grad=True)
    >>> optimizer = weft.optim.Adafactor([p], lr=0.1)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> sorted(optimizer.state[p])
    ['col_var', 'row_var', 'step']
    """

    _takes_complex = False

    def __init__(self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None,
                 maximize=False):
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not 0.0 >= beta2_decay:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not 0.0 <= eps[0]:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not 0.0 <= eps[1]:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not 1.0 <= d:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(params, dict(lr=lr, beta2_decay=beta2_decay, eps=eps, d=d, weight_decay=weight_decay,
                                      foreach=foreach, maximize=maximize))

    def start(self, p, state, group):
        if p.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        state["step"] = counter()
        if p.dim() > 1:
            rows, columns = list(p.shape), list(p.shape)
            rows[-1], columns[-2] = 1, 1
            state["row_var"], state["col_var"] = p.new_zeros(rows), p.new_zeros(columns)
        else:
            state["variance"] = zeros_like(p)

    def update(self, p, grad, state, group):
        grad = -grad if group["maximize"] else grad
        eps1, eps2 = group["eps"]
        eps1 = finfo(p.dtype).eps if eps1 is None else eps1
        lr = number(group["lr"])
        state["step"] += 1
        step = state["step"].item()
        weight = step ** group["beta2_decay"]               # of the newest square in the running means
        rate = min(lr, 1 / step ** 0.5)
        alpha = max(eps2, p.norm(2).item() / p.numel() ** 0.5) * rate
        if group["weight_decay"] != 0:
            p.mul_(1 - lr * group["weight_decay"])
        if grad.dim() > 1:
            row, column = state["row_var"], state["col_var"]
            row.lerp_(grad.norm(dim=-1, keepdim=True).square_().div_(grad.size(-1)), weight)
            column.lerp_(grad.norm(dim=-2, keepdim=True).square_().div_(grad.size(-2)), weight)
            variance = (row @ column).div_(row.mean(dim=-2, keepdim=True).clamp_(min=eps1))
        else:
            state["variance"].lerp_(grad.square(), weight)
            variance = state["variance"].clone()
        change = variance.clamp_(min=eps1 * eps1).rsqrt_().mul_(grad)
        clip = max(1.0, change.norm(2).item() / (change.numel() ** 0.5 * group["d"]))
        p.add_(change, alpha=-alpha / clip)

    _samples = [{}, {"lr": 0.1, "beta2_decay": -0.5, "eps": (1e-8, 1e-2), "d": 2.0}, {"weight_decay": 0.1},
                {"maximize": True}]
