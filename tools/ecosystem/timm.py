"""timm: picture models of random weights."""
# pip install timm
import timm
import torch
from timm.data import create_transform
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import ModelEmaV3


def _steps(name, size=64, dtype=torch.float32, **options):
    """Logits of the fresh model, losses of two steps, the norm of every gradient of the second."""
    model = timm.create_model(name, num_classes=7, **options).to(dtype)
    x, y = torch.randn(2, 3, size, size).to(dtype), torch.tensor([1, 5])
    model.eval()
    with torch.no_grad():
        logits = model(x)
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    losses = []
    for _ in range(2):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return logits, losses, torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None])


def resnet18():
    """resnet18: forward, two training steps"""
    return _steps("resnet18")


def convnext():
    """convnext_atto: forward, two training steps with stochastic depth"""
    return _steps("convnext_atto", drop_path_rate=0.1)


def efficientnet():
    """efficientnet_b0: forward, two training steps, in float64 (its norms of 2 x 2 x 2 numbers magnify rounding)"""
    return _steps("efficientnet_b0", dtype=torch.float64)


def mobilenet():
    """mobilenetv3_small_100: forward, two training steps"""
    return _steps("mobilenetv3_small_100")


def vit():
    """vit_tiny_patch16_224 on 64x64: forward, two training steps"""
    return _steps("vit_tiny_patch16_224", img_size=64)


def swin():
    """swin_tiny_patch4_window7_224 with two stages: forward, two training steps"""
    return _steps("swin_tiny_patch4_window7_224", img_size=56, size=56, depths=(2, 2), num_heads=(3, 6), embed_dim=24)


def features():
    """`features_only`, `forward_intermediates`, `reset_classifier`, pooling choices"""
    pyramid = timm.create_model("resnet18", features_only=True, out_indices=(1, 3)).eval()
    x = torch.randn(1, 3, 64, 64)
    model = timm.create_model("resnet10t", num_classes=0, global_pool="catavgmax").eval()
    with torch.no_grad():
        plain = model(x)
        model.reset_classifier(4)
        return pyramid(x), plain, model(x), model.forward_intermediates(x)[1]


def tools():
    """`create_optimizer_v2`, `CosineLRScheduler`, `ModelEmaV3` in float64, `create_transform`"""
    model = timm.create_model("resnet10t", num_classes=3).double()
    optimizer = create_optimizer_v2(model, opt="lamb", lr=1e-2, weight_decay=0.05)
    schedule, ema = CosineLRScheduler(optimizer, t_initial=4, warmup_t=1), ModelEmaV3(model, decay=0.9)
    losses = []
    for epoch in range(3):
        loss = model(torch.randn(2, 3, 32, 32).double()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step(epoch)
        ema.update(model)
        losses.append(loss)
    import numpy as np
    from PIL import Image
    picture = Image.fromarray(np.random.default_rng(0).integers(0, 255, (40, 50, 3)).astype("uint8"))
    shown = create_transform((3, 32, 32), is_training=False)(picture)
    return losses, optimizer.param_groups[0]["lr"], list(ema.module.parameters())[:4], shown
