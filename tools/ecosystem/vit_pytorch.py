"""vit-pytorch: vision transformers."""
# pip install vit-pytorch einops torchvision
import torch
from vit_pytorch import ViT
from vit_pytorch.cait import CaiT
from vit_pytorch.simple_vit import SimpleViT


def _train(net):
    torch.manual_seed(1)
    x, y = torch.randn(4, 3, 32, 32), torch.tensor([0, 3, 1, 4])
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    losses = []
    for _ in range(3):
        loss = torch.nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses


def plain():
    """ViT with a class token, three steps of AdamW"""
    torch.manual_seed(0)
    return _train(ViT(image_size=32, patch_size=8, num_classes=5, dim=32, depth=2, heads=4, mlp_dim=64))


def simple():
    """SimpleViT with sine positions, three steps of AdamW"""
    torch.manual_seed(0)
    return _train(SimpleViT(image_size=32, patch_size=8, num_classes=5, dim=32, depth=2, heads=4, mlp_dim=64))


def talking():
    """CaiT, whose heads talk to each other: three steps of AdamW"""
    torch.manual_seed(0)
    return _train(CaiT(image_size=32, patch_size=8, num_classes=5, dim=32, depth=2, cls_depth=1, heads=4, mlp_dim=64))
