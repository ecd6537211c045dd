"""einops: rearranging, reducing and contracting with patterns."""
# pip install einops
import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce


def functions():
    """`rearrange`, `reduce`, `repeat`, `einsum`, `pack`, `unpack`, with gradients"""
    x = torch.randn(2, 3, 8, 8, requires_grad=True)
    patches = rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4)
    pooled = reduce(x, "b c (h 2) (w 2) -> b c h w", "max")
    means = reduce(x, "b c h w -> b c", "mean")
    both = repeat(means, "b c -> b c k", k=5)
    scores = einsum(patches, patches, "b i d, b j d -> b i j")
    packed, shapes = pack([pooled, means[:, :, None, None].expand(-1, -1, 4, 1)], "b c h *")
    parts = unpack(packed, shapes, "b c h *")
    (scores.softmax(-1).pow(2).sum() + both.square().sum() + sum(p.sum() for p in parts)).backward()
    return patches, pooled, means, both, scores, packed, x.grad


def layers():
    """`Rearrange`, `Reduce` and `EinMix` in a Sequential: a training step"""
    net = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, padding=1), Reduce("b c (h 2) (w 2) -> b c h w", "max"),
        Rearrange("b c h w -> b (h w) c"), EinMix("b t c -> b t k", weight_shape="c k", bias_shape="k", c=8, k=4),
        Reduce("b t k -> b k", "mean"))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x, target = torch.randn(4, 3, 8, 8), torch.tensor([0, 1, 2, 3])
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses, list(net.parameters())
