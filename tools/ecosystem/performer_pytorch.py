"""performer-pytorch: attention by random features."""
# pip install performer-pytorch
import torch
from performer_pytorch import PerformerLM, SelfAttention


def language_model():
    """a model of two layers: three steps"""
    model = PerformerLM(num_tokens=50, max_seq_len=16, dim=16, depth=2, heads=2, causal=False)
    optimizer, tokens, losses = torch.optim.Adam(model.parameters(), 1e-3), torch.randint(0, 50, (2, 16)), []
    for _ in range(3):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(tokens).transpose(1, 2), tokens)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses


def reversible():
    """reversible layers, whose backward computes the activations again"""
    model = PerformerLM(num_tokens=50, max_seq_len=16, dim=16, depth=2, heads=2, causal=False, reversible=True)
    loss = model(torch.randint(0, 50, (2, 16))).logsumexp(-1).mean()
    loss.backward()
    return loss, [p.grad for p in model.parameters() if p.grad is not None][:4]


def attention():
    """a layer by itself, with gradients"""
    layer, x = SelfAttention(dim=16, heads=2, causal=False), torch.randn(1, 12, 16, requires_grad=True)
    made = layer(x)
    made.sum().backward()
    return made, x.grad
