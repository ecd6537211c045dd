"""backpack: what a backward pass can tell besides the gradient."""
# pip install backpack-for-pytorch
import torch
from backpack import backpack, extend
from backpack.extensions import KFAC, BatchGrad, BatchL2Grad, DiagGGNExact, DiagHessian, Variance
from torch import nn


def _net():
    net = extend(nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(18, 3)))
    loss = extend(nn.CrossEntropyLoss())(net(torch.randn(4, 1, 5, 5)), torch.randint(0, 3, (4,)))
    return net, loss


def first_order():
    """gradients of each example, their norms and variance"""
    net, loss = _net()
    with backpack(BatchGrad(), BatchL2Grad(), Variance()):
        loss.backward()
    return [[p.grad, p.grad_batch, p.batch_l2, p.variance] for p in net.parameters()]


def second_order():
    """the diagonals of the Gauss-Newton matrix and of the Hessian, Kronecker factors"""
    net, loss = _net()
    with backpack(DiagGGNExact(), DiagHessian(), KFAC()):
        loss.backward()
    return [[p.diag_ggn_exact, p.diag_h, *p.kfac] for p in net.parameters()]
