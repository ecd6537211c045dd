"""entmax: sparse relatives of softmax."""
# pip install entmax
import torch
from entmax import entmax15, entmax15_loss, entmax_bisect, sparsemax, sparsemax_loss


def mappings():
    """`sparsemax`, `entmax15`, `entmax_bisect` with a learned alpha, and their losses: values and gradients"""
    x, alpha = torch.randn(4, 9, requires_grad=True), torch.tensor(1.3, requires_grad=True)
    found = [sparsemax(x, dim=-1), entmax15(x, dim=-1), entmax_bisect(x, alpha, dim=-1)]
    losses = [loss(x, torch.arange(4)).sum() for loss in (sparsemax_loss, entmax15_loss)]
    (sum((y * torch.arange(9.0)).sum() for y in found) + sum(losses)).backward()
    return found, losses, x.grad, alpha.grad
