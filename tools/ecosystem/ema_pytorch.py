"""ema-pytorch: a model that follows another."""
# pip install ema-pytorch
import torch
from ema_pytorch import EMA


def following():
    """an average of the weights over ten steps, its state_dict and its outputs"""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 2))
    ema = EMA(net, beta=0.9, update_after_step=2, update_every=2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.randn(16, 4)
    for _ in range(10):
        optimizer.zero_grad()
        net(x).pow(2).mean().backward()
        optimizer.step()
        ema.update()
    return ema.ema_model.eval()(x).detach(), sorted(ema.state_dict())[:12]
