"""zuko: normalizing flows."""
# pip install zuko
import torch
import zuko


def _fit(flow):
    torch.manual_seed(1)
    x, c = torch.randn(64, 3).double(), torch.randn(64, 2).double()
    optimizer = torch.optim.Adam(flow.parameters(), lr=1e-2)
    losses = []
    for _ in range(4):
        loss = -flow(c).log_prob(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses


def autoregressive():
    """a masked autoregressive flow under a condition: four steps of Adam, and samples"""
    torch.manual_seed(0)
    flow = zuko.flows.MAF(3, 2, transforms=2, hidden_features=(16, 16)).double()
    losses = _fit(flow)
    torch.manual_seed(2)
    return losses, flow(torch.ones(2).double()).sample((4,))


def splines():
    """neural spline flow: four steps of Adam"""
    torch.manual_seed(0)
    return _fit(zuko.flows.NSF(3, 2, transforms=2, hidden_features=(16, 16)).double())
