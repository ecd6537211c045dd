"""MobileNet v2 (Sandler et al. 2018)."""
import weft
from weft import nn
from weft.vision.models._registry import builder
from weft.vision.models._tools import kaiming, make_divisible
from weft.vision.ops.misc import Conv2dNormActivation

__all__ = ["MobileNetV2", "mobilenet_v2"]

# how many times wider inside, channels, blocks, stride of the first
SETTING = [[1, 16, 1, 1], [6, 24, 2, 2], [6, 32, 3, 2], [6, 64, 4, 2], [6, 96, 3, 1], [6, 160, 3, 2], [6, 320, 1, 1]]


class InvertedResidual(nn.Module):
    """Wider, each channel by itself, narrower again; beside a short cut where the shapes allow it."""

    def __init__(self, inp, oup, stride, expand_ratio, norm_layer=None):
        super().__init__()
        if stride not in (1, 2):
            raise ValueError(f"stride is {stride}, it must be 1 or 2")
        norm_layer = norm_layer or nn.BatchNorm2d
        hidden = int(round(inp * expand_ratio))
        self.stride, self.use_res_connect, self.out_channels = stride, stride == 1 and inp == oup, oup
        self._is_cn = stride > 1
        how = {"norm_layer": norm_layer, "activation_layer": nn.ReLU6}
        layers = [Conv2dNormActivation(inp, hidden, 1, **how)] if expand_ratio != 1 else []
        layers += [Conv2dNormActivation(hidden, hidden, stride=stride, groups=hidden, **how),
                   nn.Conv2d(hidden, oup, 1, bias=False), norm_layer(oup)]
        self.conv = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


class MobileNetV2(nn.Module):
    """MobileNet v2: (N, 3, H, W) to (N, num_classes); width_mult makes it wider or narrower.

    >>> import weft
    >>> weft.vision.models.MobileNetV2(num_classes=5, width_mult=0.25)(weft.rand(2, 3, 32, 32)).shape
    torch.Size([2, 5])
    """

    def __init__(self, num_classes=1000, width_mult=1.0, inverted_residual_setting=None, round_nearest=8, block=None,
                 norm_layer=None, dropout=0.2):
        super().__init__()
        block, norm_layer = block or InvertedResidual, norm_layer or nn.BatchNorm2d
        channels = make_divisible(32 * width_mult, round_nearest)
        self.last_channel = make_divisible(1280 * max(1.0, width_mult), round_nearest)
        how = {"norm_layer": norm_layer, "activation_layer": nn.ReLU6}
        features = [Conv2dNormActivation(3, channels, stride=2, **how)]
        for expand, width, blocks, stride in inverted_residual_setting or SETTING:
            width = make_divisible(width * width_mult, round_nearest)
            for i in range(blocks):
                features.append(block(channels, width, stride if i == 0 else 1, expand_ratio=expand,
                                      norm_layer=norm_layer))
                channels = width
        features.append(Conv2dNormActivation(channels, self.last_channel, 1, **how))
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(nn.Dropout(dropout), nn.Linear(self.last_channel, num_classes))
        kaiming(self)

    def forward(self, x):
        x = nn.functional.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(weft.flatten(x, 1))


mobilenet_v2 = builder("mobilenet_v2", MobileNetV2, "MobileNet v2.", 3504872)
