"""vector-quantize-pytorch: codebooks."""
# pip install vector-quantize-pytorch
import torch
from vector_quantize_pytorch import FSQ, ResidualVQ, VectorQuantize


def codebook():
    """a codebook learned by moving averages: two passes with the straight-through gradient"""
    quantize, x = VectorQuantize(dim=8, codebook_size=16, decay=0.8), torch.randn(2, 10, 8, requires_grad=True)
    found = []
    for _ in range(2):
        values, indices, loss = quantize(x)
        (values.sum() + loss.sum()).backward()
        found += [values, indices, loss]
    return found, x.grad


def residual():
    """three codebooks one after the other, and back from indices to values"""
    quantize = ResidualVQ(dim=8, num_quantizers=3, codebook_size=16).eval()
    values, indices, _ = quantize(torch.randn(2, 10, 8))
    return values, indices, quantize.get_output_from_indices(indices)


def finite_scalars():
    """finite scalar quantization with gradients"""
    x = torch.randn(2, 5, 3, requires_grad=True)
    values, indices = FSQ([4, 4, 3])(x)
    values.pow(2).sum().backward()
    return values, indices, x.grad
