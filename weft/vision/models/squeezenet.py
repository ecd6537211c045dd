"""SqueezeNet (Iandola et al. 2016)."""
import functools

import weft
from weft import nn
from weft.vision.models._registry import builder

__all__ = ["SqueezeNet", "squeezenet1_0", "squeezenet1_1"]


class Fire(nn.Module):
    """Few channels, then many by kernels of 1 x 1 and 3 x 3 side by side."""

    def __init__(self, inplanes, squeeze_planes, expand1x1_planes, expand3x3_planes):
        super().__init__()
        self.inplanes = inplanes
        self.squeeze, self.squeeze_activation = nn.Conv2d(inplanes, squeeze_planes, 1), nn.ReLU(inplace=True)
        self.expand1x1 = nn.Conv2d(squeeze_planes, expand1x1_planes, 1)
        self.expand1x1_activation = nn.ReLU(inplace=True)
        self.expand3x3 = nn.Conv2d(squeeze_planes, expand3x3_planes, 3, padding=1)
        self.expand3x3_activation = nn.ReLU(inplace=True)

    def forward(self, x):
        x = self.squeeze_activation(self.squeeze(x))
        return weft.cat([self.expand1x1_activation(self.expand1x1(x)), self.expand3x3_activation(self.expand3x3(x))], 1)


# channels in, squeezed, expanded twice; None is a pooling
FIRES = {"1_0": ((96, 16, 64), (128, 16, 64), (128, 32, 128), None, (256, 32, 128), (256, 48, 192), (384, 48, 192),
                 (384, 64, 256), None, (512, 64, 256)),
         "1_1": ((64, 16, 64), (128, 16, 64), None, (128, 32, 128), (256, 32, 128), None, (256, 48, 192),
                 (384, 48, 192), (384, 64, 256), (512, 64, 256))}


class SqueezeNet(nn.Module):
    """SqueezeNet of a version, 1_0 or 1_1: (N, 3, H, W) to (N, num_classes).

    >>> import weft
    >>> weft.vision.models.SqueezeNet("1_1", num_classes=5)(weft.rand(2, 3, 32, 32)).shape
    torch.Size([2, 5])
    """

    def __init__(self, version="1_0", num_classes=1000, dropout=0.5):
        super().__init__()
        if version not in FIRES:
            raise ValueError(f"there is no SqueezeNet version {version!r}\n  fix: take 1_0 or 1_1")
        self.num_classes = num_classes
        first = nn.Conv2d(3, 96, 7, stride=2) if version == "1_0" else nn.Conv2d(3, 64, 3, stride=2)
        self.features = nn.Sequential(first, nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, ceil_mode=True), *(
            nn.MaxPool2d(3, 2, ceil_mode=True) if row is None else Fire(*row, row[-1]) for row in FIRES[version]))
        last = nn.Conv2d(512, num_classes, 1)
        self.classifier = nn.Sequential(nn.Dropout(dropout), last, nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d((1, 1)))
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                if layer is last:
                    nn.init.normal_(layer.weight, mean=0.0, std=0.01)
                else:
                    nn.init.kaiming_uniform_(layer.weight)
                nn.init.constant_(layer.bias, 0)

    def forward(self, x):
        return weft.flatten(self.classifier(self.features(x)), 1)


squeezenet1_0 = builder("squeezenet1_0", functools.partial(SqueezeNet, "1_0"), "SqueezeNet 1.0.", 1248424)
squeezenet1_1 = builder("squeezenet1_1", functools.partial(SqueezeNet, "1_1"), "SqueezeNet 1.1.", 1235496)
