"""AdamW: Adam whose weight decay is not part of the gradients."""
from weft.optim.adam import Adam


class AdamW(Adam):
    """Adam with the weight decay taken from the parameters, not added to the gradients.

    >>> import weft
    >>> p = weft.ones(2, requires_grad=True)
    >>> optimizer = weft.optim.AdamW([p], lr=0.1, weight_decay=0.5)
    >>> p.sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.8500, 0.8500])
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *,
                 maximize=False, foreach=None, capturable=False, differentiable=False, fused=None):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
                         capturable=capturable, differentiable=differentiable, fused=fused, decoupled_weight_decay=True)

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True

    _samples = [{}, {"lr": 0.05, "betas": (0.8, 0.9), "eps": 1e-4}, {"weight_decay": 0.2}, {"amsgrad": True},
                {"maximize": True}]
