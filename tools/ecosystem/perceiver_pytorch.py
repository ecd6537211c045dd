"""perceiver-pytorch: latents that look at pictures."""
# pip install perceiver-pytorch
import torch
from perceiver_pytorch import Perceiver, PerceiverIO


def classifies():
    """a picture with Fourier positions: three steps"""
    model = Perceiver(input_channels=3, input_axis=2, num_freq_bands=2, max_freq=4.0, depth=2, num_latents=4,
                      latent_dim=8, cross_heads=1, latent_heads=2, cross_dim_head=4, latent_dim_head=4, num_classes=5)
    optimizer, x, losses = torch.optim.SGD(model.parameters(), 1e-2), torch.randn(2, 6, 6, 3), []
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(x).pow(2).sum()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses


def answers():
    """queries that ask the latents, with gradients"""
    model = PerceiverIO(dim=8, queries_dim=8, logits_dim=5, depth=1, num_latents=4, latent_dim=8, cross_heads=1,
                        latent_heads=2, cross_dim_head=4, latent_dim_head=4)
    x = torch.randn(1, 12, 8, requires_grad=True)
    made = model(x, queries=torch.randn(3, 8))
    made.sum().backward()
    return made, x.grad
