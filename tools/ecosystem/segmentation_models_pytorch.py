"""segmentation-models-pytorch: encoders and decoders of random weights."""
# pip install segmentation-models-pytorch
import segmentation_models_pytorch as smp
import torch


def _steps(net):
    x, target = torch.randn(2, 3, 64, 64).to(next(net.parameters()).dtype), torch.randint(0, 2, (2, 1, 64, 64))
    loss_of, optimizer, seen = smp.losses.DiceLoss("binary"), torch.optim.SGD(net.parameters(), 1e-2), []
    for _ in range(2):
        optimizer.zero_grad()
        loss = loss_of(net(x), target)
        loss.backward()
        optimizer.step()
        seen.append(loss)
    return seen


def unet():
    """`Unet` on resnet18: two training steps"""
    return _steps(smp.Unet("resnet18", encoder_weights=None))


def fpn():
    """`FPN`, `Linknet`, `PSPNet` on resnet18: two training steps each, in float64 (norms of 8 numbers)"""
    return [_steps(kind("resnet18", encoder_weights=None).double()) for kind in (smp.FPN, smp.Linknet, smp.PSPNet)]


def measures():
    """six losses with gradients; IoU, F1, accuracy"""
    x, target = torch.randn(2, 1, 8, 8, requires_grad=True), torch.randint(0, 2, (2, 1, 8, 8))
    l = smp.losses
    made = [l.JaccardLoss("binary")(x, target), l.DiceLoss("binary")(x, target), l.TverskyLoss("binary")(x, target),
            l.FocalLoss("binary")(x, target), l.LovaszLoss("binary")(x, target),
            l.SoftBCEWithLogitsLoss(smooth_factor=0.1)(x, target.float())]
    sum(made).backward()
    counts = smp.metrics.get_stats((x > 0).long(), target, mode="binary")
    return made, x.grad, [f(*counts, reduction="micro") for f in (smp.metrics.iou_score, smp.metrics.f1_score,
                                                                 smp.metrics.accuracy)]
