"""vector-quantize-pytorch: codebooks."""
# pip install vector-quantize-pytorch einx einops
import torch
from vector_quantize_pytorch import FSQ, ResidualVQ, VectorQuantize


def codebooks():
    """VectorQuantize and ResidualVQ in training and FSQ: codes, losses and gradients"""
    torch.manual_seed(0)
    found = {}
    for name, layer in (("plain", VectorQuantize(dim=16, codebook_size=32, decay=0.8)),
                        ("residual", ResidualVQ(dim=16, codebook_size=32, num_quantizers=3)),
                        ("finite", FSQ([8, 5, 5], dim=16))):
        x = torch.randn(2, 10, 16, requires_grad=True)
        made = layer(x)
        loss = made[0].pow(2).mean() + (made[2].sum() if len(made) > 2 else 0)
        loss.backward()
        found[name] = made[0].detach(), made[1], loss.detach(), x.grad
    return found
