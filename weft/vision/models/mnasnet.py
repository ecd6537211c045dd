"""MNASNet (Tan et al. 2018)."""
import functools

from weft import nn
from weft.vision.models._registry import builder

__all__ = ["MNASNet", "mnasnet0_5", "mnasnet0_75", "mnasnet1_0", "mnasnet1_3"]

MOMENTUM = 1 - 0.9997


def _norm(channels):
    return nn.BatchNorm2d(channels, momentum=MOMENTUM)


class _InvertedResidual(nn.Module):
    """Wider, each channel by itself, narrower again; beside a short cut where the shapes allow it."""

    def __init__(self, i, o, kernel, stride, expand):
        super().__init__()
        width = i * expand
        self.apply_residual = i == o and stride == 1
        self.layers = nn.Sequential(
            nn.Conv2d(i, width, 1, bias=False), _norm(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, width, kernel, padding=kernel // 2, stride=stride, groups=width, bias=False), _norm(width),
            nn.ReLU(inplace=True), nn.Conv2d(width, o, 1, bias=False), _norm(o))

    def forward(self, input):
        return self.layers(input) + input if self.apply_residual else self.layers(input)


def _stack(i, o, kernel, stride, expand, repeats):
    return nn.Sequential(_InvertedResidual(i, o, kernel, stride, expand),
                         *(_InvertedResidual(o, o, kernel, 1, expand) for _ in range(1, repeats)))


def _rounded(value, divisor=8, up=0.9):
    made = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return made if made >= up * value else made + divisor


class MNASNet(nn.Module):
    """MNASNet, alpha times as wide: (N, 3, H, W) to (N, num_classes).

    >>> import weft
    >>> weft.vision.models.MNASNet(0.35, num_classes=5)(weft.rand(2, 3, 32, 32)).shape
    torch.Size([2, 5])
    """

    _version = 2

    def __init__(self, alpha, num_classes=1000, dropout=0.2):
        super().__init__()
        if alpha <= 0.0:
            raise ValueError(f"alpha is {alpha}, it must be above 0")
        self.alpha, self.num_classes = alpha, num_classes
        d = [_rounded(width * alpha) for width in (32, 16, 24, 40, 80, 96, 192, 320)]
        self.layers = nn.Sequential(
            nn.Conv2d(3, d[0], 3, padding=1, stride=2, bias=False), _norm(d[0]), nn.ReLU(inplace=True),
            nn.Conv2d(d[0], d[0], 3, padding=1, groups=d[0], bias=False), _norm(d[0]), nn.ReLU(inplace=True),
            nn.Conv2d(d[0], d[1], 1, bias=False), _norm(d[1]),
            _stack(d[1], d[2], 3, 2, 3, 3), _stack(d[2], d[3], 5, 2, 3, 3), _stack(d[3], d[4], 5, 2, 6, 3),
            _stack(d[4], d[5], 3, 1, 6, 2), _stack(d[5], d[6], 5, 2, 6, 4), _stack(d[6], d[7], 3, 1, 6, 1),
            nn.Conv2d(d[7], 1280, 1, bias=False), _norm(1280), nn.ReLU(inplace=True))
        self.classifier = nn.Sequential(nn.Dropout(dropout, inplace=True), nn.Linear(1280, num_classes))
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(layer, nn.BatchNorm2d):
                nn.init.ones_(layer.weight)
                nn.init.zeros_(layer.bias)
            elif isinstance(layer, nn.Linear):
                nn.init.kaiming_uniform_(layer.weight, mode="fan_out", nonlinearity="sigmoid")
                nn.init.zeros_(layer.bias)

    def forward(self, x):
        return self.classifier(self.layers(x).mean([2, 3]))


def _named(name, alpha, parameters):
    return builder(f"mnasnet{name}", functools.partial(MNASNet, alpha), f"MNASNet, {alpha} times as wide.", parameters)


mnasnet0_5, mnasnet0_75 = _named("0_5", 0.5, 2218512), _named("0_75", 0.75, 3170208)
mnasnet1_0, mnasnet1_3 = _named("1_0", 1.0, 4383312), _named("1_3", 1.3, 6282256)
