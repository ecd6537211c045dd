"""pytorch-crf: conditional random fields."""
# pip install pytorch-crf
import torch
from torchcrf import CRF


def tagging():
    """log-likelihood, its gradients and the best tags of sentences of different lengths"""
    torch.manual_seed(0)
    crf = CRF(5, batch_first=True)
    scores = torch.randn(3, 7, 5, requires_grad=True)
    tags = torch.randint(0, 5, (3, 7))
    mask = torch.tensor([[1] * 7, [1] * 5 + [0] * 2, [1] * 3 + [0] * 4]).bool()
    loss = -crf(scores, tags, mask=mask, reduction="token_mean")
    loss.backward()
    return loss.detach(), scores.grad, crf.transitions.grad, crf.decode(scores, mask=mask)
