"""GoogLeNet (Szegedy et al. 2014), with batch normalisation."""
from collections import namedtuple

import weft
from weft import nn
from weft.nn import functional as F
from weft.vision.models._registry import builder
from weft.vision.models.inception import BasicConv2d, from_imagenet

__all__ = ["GoogLeNet", "GoogLeNetOutputs", "googlenet"]

GoogLeNetOutputs = namedtuple("GoogLeNetOutputs", ["logits", "aux_logits2", "aux_logits1"])
GoogLeNetOutputs.__doc__ = """What GoogLeNet gives while it is trained.

>>> import weft
>>> weft.vision.models.GoogLeNetOutputs(1, 2, 3).aux_logits1
3
"""


class Inception(nn.Module):
    """Branches of 1 x 1, 3 x 3, 3 x 3 (5 x 5 in the paper), and pooling."""

    def __init__(self, i, one, three_in, three, five_in, five, pool):
        super().__init__()
        self.branch1 = BasicConv2d(i, one, kernel_size=1)
        self.branch2 = nn.Sequential(BasicConv2d(i, three_in, kernel_size=1),
                                     BasicConv2d(three_in, three, kernel_size=3, padding=1))
        self.branch3 = nn.Sequential(BasicConv2d(i, five_in, kernel_size=1),
                                     BasicConv2d(five_in, five, kernel_size=3, padding=1))
        self.branch4 = nn.Sequential(nn.MaxPool2d(3, 1, 1, ceil_mode=True), BasicConv2d(i, pool, kernel_size=1))

    def forward(self, x):
        return weft.cat([self.branch1(x), self.branch2(x), self.branch3(x), self.branch4(x)], 1)


class InceptionAux(nn.Module):
    """A classifier in the middle of the network."""

    def __init__(self, i, num_classes, dropout=0.7):
        super().__init__()
        self.conv = BasicConv2d(i, 128, kernel_size=1)
        self.fc1, self.fc2 = nn.Linear(2048, 1024), nn.Linear(1024, num_classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        x = weft.flatten(self.conv(F.adaptive_avg_pool2d(x, (4, 4))), 1)
        return self.fc2(self.dropout(F.relu(self.fc1(x), inplace=True)))


BLOCKS = {"3a": (192, 64, 96, 128, 16, 32, 32), "3b": (256, 128, 128, 192, 32, 96, 64),
          "4a": (480, 192, 96, 208, 16, 48, 64), "4b": (512, 160, 112, 224, 24, 64, 64),
          "4c": (512, 128, 128, 256, 24, 64, 64), "4d": (512, 112, 144, 288, 32, 64, 64),
          "4e": (528, 256, 160, 320, 32, 128, 128), "5a": (832, 256, 160, 320, 32, 128, 128),
          "5b": (832, 384, 192, 384, 48, 128, 128)}


class GoogLeNet(nn.Module):
    """Nine inception blocks and, while it is trained, two classifiers on the way: (N, 3, H, W) to (N, num_classes).

    >>> import weft
    >>> with weft.device("meta"):       # shapes only, no values
    ...     print(weft.vision.models.GoogLeNet(num_classes=5).eval()(weft.rand(1, 3, 64, 64)).shape)
    torch.Size([1, 5])
    """

    def __init__(self, num_classes=1000, aux_logits=True, transform_input=False, init_weights=None, blocks=None,
                 dropout=0.2, dropout_aux=0.7):
        super().__init__()
        basic, inception, aux = blocks or [BasicConv2d, Inception, InceptionAux]
        self.aux_logits, self.transform_input = aux_logits, transform_input
        self.conv1 = basic(3, 64, kernel_size=7, stride=2, padding=3)
        self.maxpool1 = nn.MaxPool2d(3, 2, ceil_mode=True)
        self.conv2, self.conv3 = basic(64, 64, kernel_size=1), basic(64, 192, kernel_size=3, padding=1)
        self.maxpool2 = nn.MaxPool2d(3, 2, ceil_mode=True)
        for name, widths in BLOCKS.items():
            setattr(self, f"inception{name}", inception(*widths))
            if name == "3b":
                self.maxpool3 = nn.MaxPool2d(3, 2, ceil_mode=True)
            elif name == "4e":
                self.maxpool4 = nn.MaxPool2d(2, 2, ceil_mode=True)
        self.aux1 = aux(512, num_classes, dropout=dropout_aux) if aux_logits else None
        self.aux2 = aux(528, num_classes, dropout=dropout_aux) if aux_logits else None
        self.avgpool, self.dropout = nn.AdaptiveAvgPool2d((1, 1)), nn.Dropout(dropout)
        self.fc = nn.Linear(1024, num_classes)
        for layer in self.modules() if init_weights is None or init_weights else ():
            if isinstance(layer, (nn.Conv2d, nn.Linear)):
                nn.init.trunc_normal_(layer.weight, 0.0, 0.01, -2, 2)
            elif isinstance(layer, nn.BatchNorm2d):
                nn.init.constant_(layer.weight, 1)
                nn.init.constant_(layer.bias, 0)

    def forward(self, x):
        x = from_imagenet(x) if self.transform_input else x
        x = self.maxpool2(self.conv3(self.conv2(self.maxpool1(self.conv1(x)))))
        x = self.inception4a(self.maxpool3(self.inception3b(self.inception3a(x))))
        helps = self.training and self.aux1 is not None
        aux1 = self.aux1(x) if helps else None
        x = self.inception4d(self.inception4c(self.inception4b(x)))
        aux2 = self.aux2(x) if helps else None
        x = self.inception5b(self.inception5a(self.maxpool4(self.inception4e(x))))
        x = self.fc(self.dropout(weft.flatten(self.avgpool(x), 1)))
        return GoogLeNetOutputs(x, aux2, aux1) if self.training and self.aux_logits else x


def _googlenet(loaded=False, **kwargs):
    if loaded:
        kwargs.update(transform_input=kwargs.get("transform_input", True), init_weights=False)
        kwargs.setdefault("aux_logits", True)
    return GoogLeNet(**kwargs)


googlenet = builder("googlenet", _googlenet, "GoogLeNet.", 13004888, ("loaded",))
