"""monai: medical pictures."""
# pip install monai
import numpy as np
import torch
from monai import losses, metrics, networks, transforms
from monai.inferers import sliding_window_inference


def _step(net, x, target, loss):
    optimizer, seen = torch.optim.Adam(net.parameters(), 1e-3), []
    for _ in range(2):
        optimizer.zero_grad()
        value = loss(net(x), target)
        value.backward()
        optimizer.step()
        seen.append(value)
    return seen


def unet():
    """a 3D `UNet` with Dice loss: two training steps, then a sliding window"""
    net = networks.nets.UNet(spatial_dims=3, in_channels=1, out_channels=2, channels=(4, 8), strides=(2,),
                             num_res_units=1)
    x, target = torch.randn(1, 1, 8, 8, 8), torch.randint(0, 2, (1, 1, 8, 8, 8))
    seen = _step(net, x, target, losses.DiceCELoss(to_onehot_y=True, softmax=True))
    net.eval()
    with torch.no_grad():
        return seen, sliding_window_inference(torch.randn(1, 1, 12, 10, 8), (8, 8, 8), 2, net, overlap=0.25)


def nets():
    """`SegResNet`, `ViT`: two training steps each"""
    n = networks.nets
    x = torch.randn(1, 1, 16, 16)
    return (_step(n.SegResNet(spatial_dims=2, init_filters=8, in_channels=1, out_channels=2, blocks_down=(1, 1),
                              blocks_up=(1,)), x, torch.rand(1, 2, 16, 16), torch.nn.MSELoss()),
            _step(n.ViT(in_channels=1, img_size=(16, 16), patch_size=(8, 8), hidden_size=16, mlp_dim=32, num_layers=1,
                        num_heads=2, spatial_dims=2, classification=True, num_classes=3), x, torch.rand(1, 3),
                  lambda out, t: torch.nn.functional.mse_loss(out[0], t)))


def changes():
    """transforms on made-up volumes: flips, rotations, zooms, elastic, intensity, with `MetaTensor`"""
    t = transforms
    chain = t.Compose([t.EnsureChannelFirst(channel_dim="no_channel"), t.ScaleIntensity(), t.RandFlip(1.0, 0),
                       t.RandRotate(0.3, prob=1.0), t.Resize((12, 14)),
                       t.RandGaussianNoise(1.0), t.RandAdjustContrast(1.0), t.NormalizeIntensity()])
    chain.set_random_state(0)
    made = chain(np.random.default_rng(0).normal(size=(10, 11)).astype("float32"))
    spaced = t.Spacing((2.0, 1.5))(transforms.EnsureChannelFirst(channel_dim="no_channel")(torch.rand(8, 9)))
    return type(made).__name__, made.as_tensor(), made.affine, spaced.as_tensor(), len(made.applied_operations)


def measures():
    """Dice, Hausdorff, IoU, surface distance; focal, Tversky, Hausdorff losses with gradients"""
    a = torch.nn.functional.one_hot(torch.randint(0, 3, (2, 8, 8)), 3).permute(0, 3, 1, 2).float()
    b = torch.nn.functional.one_hot(torch.randint(0, 3, (2, 8, 8)), 3).permute(0, 3, 1, 2).float()
    x = torch.randn(2, 3, 8, 8, requires_grad=True)
    sums = [losses.DiceLoss(softmax=True)(x, b), losses.FocalLoss()(x, b), losses.TverskyLoss(softmax=True)(x, b),
            losses.GeneralizedDiceLoss(softmax=True)(x, b)]
    sum(sums).backward()
    return (metrics.DiceMetric()(a, b), metrics.compute_hausdorff_distance(a, b), metrics.MeanIoU()(a, b),
            metrics.compute_average_surface_distance(a, b), sums, x.grad)
