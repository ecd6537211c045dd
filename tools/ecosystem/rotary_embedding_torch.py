"""rotary-embedding-torch: rotary positions."""
# pip install rotary-embedding-torch
import torch
from rotary_embedding_torch import RotaryEmbedding


def rotations():
    """queries and keys, plain, with xpos, on a grid of pixels, and step by step: values and gradients"""
    q, k = torch.randn(1, 2, 10, 16, requires_grad=True), torch.randn(1, 2, 10, 16)
    plain, xpos = RotaryEmbedding(dim=16), RotaryEmbedding(dim=16, use_xpos=True)
    found = [plain.rotate_queries_or_keys(q), *xpos.rotate_queries_and_keys(q, k),
             *plain.rotate_queries_with_cached_keys(q[:, :, -1:], k)]
    grid = RotaryEmbedding(dim=8, freqs_for="pixel", max_freq=32).get_axial_freqs(4, 5)
    sum((y * y * y).sum() for y in found).backward()
    return found, grid, q.grad
