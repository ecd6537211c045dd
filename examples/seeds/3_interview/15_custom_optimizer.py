"""Part 7, question 15: an optimizer of one's own."""
import torch
from torch.optim.optimizer import Optimizer


class MyOptimizer(Optimizer):
    def __init__(self, params, lr=0.01):
        defaults = dict(lr=lr)
        super(MyOptimizer, self).__init__(params, defaults)

    def step(self, closure=None):
        loss = closure() if closure is not None else None
        for group in self.param_groups:
            for p in group['params']:
                if p.grad is None:
                    continue
                d_p = p.grad.data
                p.data.sub_(group['lr'] * d_p)
        return loss


weights = [torch.nn.Parameter(torch.tensor([1.0, -2.0])) for _ in range(2)]
for weight, optimizer in zip(weights, (MyOptimizer(weights[:1], lr=0.1), torch.optim.SGD(weights[1:], lr=0.1))):
    for _ in range(10):
        optimizer.zero_grad()
        (weight ** 2).sum().backward()
        optimizer.step()
print(weights[0])
print(torch.equal(*weights))        # it is plain SGD
