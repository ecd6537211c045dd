"""Inception v3 (Szegedy et al. 2015)."""
from collections import namedtuple

import weft
from weft import nn
from weft.nn import functional as F
from weft.vision.models._registry import builder

__all__ = ["Inception3", "InceptionOutputs", "inception_v3"]

InceptionOutputs = namedtuple("InceptionOutputs", ["logits", "aux_logits"])
InceptionOutputs.__doc__ = """What Inception3 gives while it is trained.

>>> import weft
>>> weft.vision.models.InceptionOutputs(1, 2).aux_logits
2
"""


class BasicConv2d(nn.Module):
    """A convolution without bias, a norm and a ReLU."""

    def __init__(self, in_channels, out_channels, **kwargs):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, bias=False, **kwargs)
        self.bn = nn.BatchNorm2d(out_channels, eps=0.001)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)), inplace=True)


def conv(i, o, k, stride=1):
    """A BasicConv2d of a kernel k (one number or two) that keeps the size, unless it has a stride."""
    k = (k, k) if isinstance(k, int) else k
    padding = 0 if stride > 1 else tuple(side // 2 for side in k)
    return BasicConv2d(i, o, kernel_size=k, stride=stride, padding=padding)


def chain(module, prefix, x, *suffixes):
    """x through module.prefix_1, module.prefix_2, ..."""
    for suffix in suffixes:
        x = getattr(module, f"{prefix}_{suffix}")(x)
    return x


class InceptionA(nn.Module):
    """Branches of 1 x 1, 5 x 5, twice 3 x 3, and pooling."""

    def __init__(self, i, pool_features):
        super().__init__()
        self.branch1x1 = conv(i, 64, 1)
        self.branch5x5_1, self.branch5x5_2 = conv(i, 48, 1), conv(48, 64, 5)
        self.branch3x3dbl_1, self.branch3x3dbl_2, self.branch3x3dbl_3 = conv(i, 64, 1), conv(64, 96, 3), conv(96, 96, 3)
        self.branch_pool = conv(i, pool_features, 1)

    def forward(self, x):
        return weft.cat([self.branch1x1(x), chain(self, "branch5x5", x, 1, 2), chain(self, "branch3x3dbl", x, 1, 2, 3),
                         self.branch_pool(F.avg_pool2d(x, 3, 1, 1))], 1)


class InceptionB(nn.Module):
    """Half the size: 3 x 3, twice 3 x 3, pooling."""

    def __init__(self, i):
        super().__init__()
        self.branch3x3 = conv(i, 384, 3, 2)
        self.branch3x3dbl_1, self.branch3x3dbl_2 = conv(i, 64, 1), conv(64, 96, 3)
        self.branch3x3dbl_3 = conv(96, 96, 3, 2)

    def forward(self, x):
        return weft.cat([self.branch3x3(x), chain(self, "branch3x3dbl", x, 1, 2, 3), F.max_pool2d(x, 3, 2)], 1)


class InceptionC(nn.Module):
    """Branches of 1 x 1, 7 x 7 and twice 7 x 7 in two parts, and pooling."""

    def __init__(self, i, c):
        super().__init__()
        self.branch1x1 = conv(i, 192, 1)
        self.branch7x7_1, self.branch7x7_2, self.branch7x7_3 = conv(i, c, 1), conv(c, c, (1, 7)), conv(c, 192, (7, 1))
        self.branch7x7dbl_1, self.branch7x7dbl_2, self.branch7x7dbl_3 = conv(i, c, 1), conv(c, c, (7, 1)), conv(
            c, c, (1, 7))
        self.branch7x7dbl_4, self.branch7x7dbl_5 = conv(c, c, (7, 1)), conv(c, 192, (1, 7))
        self.branch_pool = conv(i, 192, 1)

    def forward(self, x):
        return weft.cat([self.branch1x1(x), chain(self, "branch7x7", x, 1, 2, 3),
                         chain(self, "branch7x7dbl", x, 1, 2, 3, 4, 5), self.branch_pool(F.avg_pool2d(x, 3, 1, 1))], 1)


class InceptionD(nn.Module):
    """Half the size: 3 x 3, 7 x 7 and 3 x 3, pooling."""

    def __init__(self, i):
        super().__init__()
        self.branch3x3_1, self.branch3x3_2 = conv(i, 192, 1), conv(192, 320, 3, 2)
        self.branch7x7x3_1, self.branch7x7x3_2 = conv(i, 192, 1), conv(192, 192, (1, 7))
        self.branch7x7x3_3, self.branch7x7x3_4 = conv(192, 192, (7, 1)), conv(192, 192, 3, 2)

    def forward(self, x):
        return weft.cat([chain(self, "branch3x3", x, 1, 2), chain(self, "branch7x7x3", x, 1, 2, 3, 4),
                         F.max_pool2d(x, 3, 2)], 1)


class InceptionE(nn.Module):
    """Branches that end in 1 x 3 and 3 x 1 side by side."""

    def __init__(self, i):
        super().__init__()
        self.branch1x1 = conv(i, 320, 1)
        self.branch3x3_1, self.branch3x3_2a = conv(i, 384, 1), conv(384, 384, (1, 3))
        self.branch3x3_2b = conv(384, 384, (3, 1))
        self.branch3x3dbl_1, self.branch3x3dbl_2 = conv(i, 448, 1), conv(448, 384, 3)
        self.branch3x3dbl_3a, self.branch3x3dbl_3b = conv(384, 384, (1, 3)), conv(384, 384, (3, 1))
        self.branch_pool = conv(i, 192, 1)

    def forward(self, x):
        short, long = self.branch3x3_1(x), chain(self, "branch3x3dbl", x, 1, 2)
        return weft.cat([self.branch1x1(x), self.branch3x3_2a(short), self.branch3x3_2b(short),
                         self.branch3x3dbl_3a(long), self.branch3x3dbl_3b(long),
                         self.branch_pool(F.avg_pool2d(x, 3, 1, 1))], 1)


class InceptionAux(nn.Module):
    """A classifier in the middle of the network."""

    def __init__(self, i, num_classes):
        super().__init__()
        self.conv0 = BasicConv2d(i, 128, kernel_size=1)
        self.conv1 = BasicConv2d(128, 768, kernel_size=5)
        self.conv1.stddev = 0.01
        self.fc = nn.Linear(768, num_classes)
        self.fc.stddev = 0.001

    def forward(self, x):
        x = self.conv1(self.conv0(F.avg_pool2d(x, 5, 3)))
        return self.fc(weft.flatten(F.adaptive_avg_pool2d(x, (1, 1)), 1))


def from_imagenet(x):
    """A picture normalized by ImageNet's means and deviations, normalized by 0.5 instead."""
    pairs = ((0.229, 0.485), (0.224, 0.456), (0.225, 0.406))
    return weft.cat([x[:, i:i + 1] * (std / 0.5) + (mean - 0.5) / 0.5 for i, (std, mean) in enumerate(pairs)], 1)


class Inception3(nn.Module):
    """Inception v3, for pictures from 75 x 75 on (made for 299 x 299): (N, 3, H, W) to (N, num_classes).

    >>> import weft
    >>> with weft.device("meta"):       # shapes only, no values
    ...     print(weft.vision.models.Inception3(num_classes=5).eval()(weft.rand(1, 3, 75, 75)).shape)
    torch.Size([1, 5])
    """

    def __init__(self, num_classes=1000, aux_logits=True, transform_input=False, inception_blocks=None,
                 init_weights=None, dropout=0.5):
        super().__init__()
        if inception_blocks is None:
            inception_blocks = [BasicConv2d, InceptionA, InceptionB, InceptionC, InceptionD, InceptionE, InceptionAux]
        basic, a, b, c, d, e, aux = inception_blocks
        self.aux_logits, self.transform_input = aux_logits, transform_input
        self.Conv2d_1a_3x3 = basic(3, 32, kernel_size=3, stride=2)
        self.Conv2d_2a_3x3 = basic(32, 32, kernel_size=3)
        self.Conv2d_2b_3x3 = basic(32, 64, kernel_size=3, padding=1)
        self.maxpool1 = nn.MaxPool2d(3, 2)
        self.Conv2d_3b_1x1 = basic(64, 80, kernel_size=1)
        self.Conv2d_4a_3x3 = basic(80, 192, kernel_size=3)
        self.maxpool2 = nn.MaxPool2d(3, 2)
        self.Mixed_5b, self.Mixed_5c, self.Mixed_5d = a(192, 32), a(256, 64), a(288, 64)
        self.Mixed_6a = b(288)
        self.Mixed_6b, self.Mixed_6c, self.Mixed_6d, self.Mixed_6e = c(768, 128), c(768, 160), c(768, 160), c(768, 192)
        self.AuxLogits = aux(768, num_classes) if aux_logits else None
        self.Mixed_7a, self.Mixed_7b, self.Mixed_7c = d(768), e(1280), e(2048)
        self.avgpool, self.dropout = nn.AdaptiveAvgPool2d((1, 1)), nn.Dropout(dropout)
        self.fc = nn.Linear(2048, num_classes)
        for layer in self.modules() if init_weights is None or init_weights else ():
            if isinstance(layer, (nn.Conv2d, nn.Linear)):
                nn.init.trunc_normal_(layer.weight, 0.0, float(getattr(layer, "stddev", 0.1)), -2, 2)
            elif isinstance(layer, nn.BatchNorm2d):
                nn.init.constant_(layer.weight, 1)
                nn.init.constant_(layer.bias, 0)

    def forward(self, x):
        x = from_imagenet(x) if self.transform_input else x
        x = self.maxpool1(self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x))))
        x = self.maxpool2(self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(x)))
        x = self.Mixed_6a(self.Mixed_5d(self.Mixed_5c(self.Mixed_5b(x))))
        x = self.Mixed_6e(self.Mixed_6d(self.Mixed_6c(self.Mixed_6b(x))))
        aux = self.AuxLogits(x) if self.AuxLogits is not None and self.training else None
        x = self.avgpool(self.Mixed_7c(self.Mixed_7b(self.Mixed_7a(x))))
        x = self.fc(weft.flatten(self.dropout(x), 1))
        return InceptionOutputs(x, aux) if self.training and self.aux_logits else x


def _inception(loaded=False, **kwargs):
    if loaded:      # its files expect other means than torchvision's other models
        kwargs.update(transform_input=kwargs.get("transform_input", True), init_weights=False)
    return Inception3(**kwargs)


inception_v3 = builder("inception_v3", _inception, "Inception v3.", 27161264, ("loaded",))
