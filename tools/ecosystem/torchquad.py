"""torchquad: integrals."""
# pip install torchquad
import torch
from torchquad import Boole, MonteCarlo, Simpson, Trapezoid


def integrals():
    """a function of two numbers by four methods, and the gradient of one integral"""
    def f(x):
        return torch.sin(x[:, 0]) + torch.exp(x[:, 1])
    domain, found = [[0, 1], [-1, 1]], []
    for method in (Trapezoid, Simpson, Boole):
        found.append(method().integrate(f, dim=2, N=1001, integration_domain=domain, backend="torch"))
    found.append(MonteCarlo().integrate(f, dim=2, N=1000, integration_domain=domain, seed=0, backend="torch"))
    bounds = torch.tensor([[0.0, 1.0], [-1.0, 1.0]], requires_grad=True)
    Simpson().integrate(f, dim=2, N=1001, integration_domain=bounds, backend="torch").backward()
    return found, bounds.grad
