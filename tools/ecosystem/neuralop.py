"""neuraloperator: Fourier neural operators."""
# pip install neuraloperator
import torch
from neuralop.models import FNO


def fourier():
    """FNO on a grid: three steps of Adam"""
    torch.manual_seed(0)
    net = FNO(n_modes=(6, 6), in_channels=2, out_channels=1, hidden_channels=8, n_layers=2)
    x, y = torch.randn(2, 2, 16, 16), torch.randn(2, 1, 16, 16)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    losses = []
    for _ in range(3):
        loss = (net(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses
