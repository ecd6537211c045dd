"""higher: gradients through training."""
# pip install higher
import higher
import torch


def inner():
    """three inner steps with SGD and with Adam, outer gradients of the start and of the rate"""
    got = []
    for kind in (torch.optim.SGD, torch.optim.Adam):
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
        optimizer, x = kind(net.parameters(), lr=0.1), torch.randn(5, 3)
        with higher.innerloop_ctx(net, optimizer, copy_initial_weights=False) as (fast, steps):
            for _ in range(3):
                steps.step((fast(x) - 1).pow(2).mean())
            loss = fast(x).pow(2).mean()
            loss.backward()
        got.append((loss, [p.grad for p in net.parameters()]))
    return got
