"""MobileNet v3 (Howard et al. 2019)."""
import functools

import weft
from weft import nn
from weft.vision.models._registry import builder
from weft.vision.models._tools import kaiming, make_divisible
from weft.vision.ops.misc import Conv2dNormActivation, SqueezeExcitation

__all__ = ["MobileNetV3", "mobilenet_v3_large", "mobilenet_v3_small"]


HARD_SQUEEZE = functools.partial(SqueezeExcitation, scale_activation=nn.Hardsigmoid)


class InvertedResidualConfig:
    """What a block has."""

    def __init__(self, input_channels, kernel, expanded_channels, out_channels, use_se, activation, stride, dilation,
                 width_mult):
        self.input_channels = self.adjust_channels(input_channels, width_mult)
        self.kernel = kernel
        self.expanded_channels = self.adjust_channels(expanded_channels, width_mult)
        self.out_channels = self.adjust_channels(out_channels, width_mult)
        self.use_se, self.use_hs, self.stride, self.dilation = use_se, activation == "HS", stride, dilation

    @staticmethod
    def adjust_channels(channels, width_mult):
        return make_divisible(channels * width_mult, 8)


class InvertedResidual(nn.Module):
    """Wider, each channel by itself, weighted, narrower again; beside a short cut where the shapes allow it."""

    def __init__(self, cnf, norm_layer, se_layer=HARD_SQUEEZE):
        super().__init__()
        self.use_res_connect = cnf.stride == 1 and cnf.input_channels == cnf.out_channels
        how = {"norm_layer": norm_layer, "activation_layer": nn.Hardswish if cnf.use_hs else nn.ReLU}
        width, layers = cnf.expanded_channels, []
        if width != cnf.input_channels:
            layers.append(Conv2dNormActivation(cnf.input_channels, width, 1, **how))
        stride = 1 if cnf.dilation > 1 else cnf.stride
        layers.append(Conv2dNormActivation(width, width, cnf.kernel, stride, groups=width, dilation=cnf.dilation,
                                           **how))
        if cnf.use_se:
            layers.append(se_layer(width, make_divisible(width // 4, 8)))
        layers.append(Conv2dNormActivation(width, cnf.out_channels, 1, norm_layer=norm_layer, activation_layer=None))
        self.block = nn.Sequential(*layers)
        self.out_channels, self._is_cn = cnf.out_channels, cnf.stride > 1

    def forward(self, input):
        result = self.block(input)
        return result + input if self.use_res_connect else result


class MobileNetV3(nn.Module):
    """MobileNet v3 of blocks with the given settings: (N, 3, H, W) to (N, num_classes).

    >>> import weft
    >>> weft.vision.models.mobilenet_v3_small(num_classes=5)(weft.rand(2, 3, 32, 32)).shape
    torch.Size([2, 5])
    """

    def __init__(self, inverted_residual_setting, last_channel, num_classes=1000, block=None, norm_layer=None,
                 dropout=0.2, **kwargs):
        super().__init__()
        block = block or InvertedResidual
        norm_layer = norm_layer or functools.partial(nn.BatchNorm2d, eps=0.001, momentum=0.01)
        first, last = inverted_residual_setting[0].input_channels, inverted_residual_setting[-1].out_channels
        how = {"norm_layer": norm_layer, "activation_layer": nn.Hardswish}
        layers = [Conv2dNormActivation(3, first, 3, stride=2, **how)]
        layers += [block(cnf, norm_layer) for cnf in inverted_residual_setting]
        layers.append(Conv2dNormActivation(last, 6 * last, 1, **how))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Linear(6 * last, last_channel), nn.Hardswish(inplace=True),
                                        nn.Dropout(dropout, inplace=True), nn.Linear(last_channel, num_classes))
        kaiming(self)

    def forward(self, x):
        return self.classifier(weft.flatten(self.avgpool(self.features(x)), 1))


# input, kernel, inside, output, weighted?, activation, stride, and d for the last stage
LARGE = """16 3 16 16 - RE 1|16 3 64 24 - RE 2|24 3 72 24 - RE 1|24 5 72 40 se RE 2|40 5 120 40 se RE 1
    |40 5 120 40 se RE 1|40 3 240 80 - HS 2|80 3 200 80 - HS 1|80 3 184 80 - HS 1|80 3 184 80 - HS 1
    |80 3 480 112 se HS 1|112 3 672 112 se HS 1|112 5 672 160 se HS 2 d
    |160 5 960 160 se HS 1 d|160 5 960 160 se HS 1 d"""
SMALL = """16 3 16 16 se RE 2|16 3 72 24 - RE 2|24 3 88 24 - RE 1|24 5 96 40 se HS 2|40 5 240 40 se HS 1
    |40 5 240 40 se HS 1|40 5 120 48 se HS 1|48 5 144 48 se HS 1|48 5 288 96 se HS 2 d
    |96 5 576 96 se HS 1 d|96 5 576 96 se HS 1 d"""


def make(text, last_channel, width_mult=1.0, reduced_tail=False, dilated=False, **kwargs):
    """A MobileNet v3; reduced_tail halves, dilated spreads the last stage."""
    setting, part = [], 1
    for row in text.split("|"):
        i, kernel, inside, out, se, activation, stride, *tail = row.split()
        channels = [int(i) // part, int(inside) // part]
        part = 2 if tail and reduced_tail else 1        # from the first row of the tail on, what comes out of it
        setting.append(InvertedResidualConfig(channels[0], int(kernel), channels[1], int(out) // part, se == "se",
                                              activation, int(stride), 2 if tail and dilated else 1, width_mult))
    last = InvertedResidualConfig.adjust_channels(last_channel // (2 if reduced_tail else 1), width_mult)
    return MobileNetV3(setting, last, **kwargs)


mobilenet_v3_large = builder("mobilenet_v3_large", functools.partial(make, LARGE, 1280), "MobileNet v3, large.",
                             5483032)
mobilenet_v3_small = builder("mobilenet_v3_small", functools.partial(make, SMALL, 1024), "MobileNet v3, small.",
                             2542856)
