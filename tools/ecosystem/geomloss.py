"""geomloss: distances between clouds of points."""
# pip install geomloss
import torch
from geomloss import SamplesLoss


def distances():
    """Sinkhorn divergence, Gaussian and energy distance of two clouds, and their gradients"""
    torch.manual_seed(0)
    found = {}
    for kind in ("sinkhorn", "gaussian", "energy"):
        x = torch.randn(30, 2).double().requires_grad_()
        y = torch.randn(40, 2).double() + 1
        loss = SamplesLoss(kind, p=2, blur=0.1, backend="tensorized")(x, y)
        loss.backward()
        found[kind] = loss.detach(), x.grad
    return found
