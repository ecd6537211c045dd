"""EfficientNet, v1 and v2 (Tan and Le 2019, 2021)."""
import copy
import functools
import math

import weft
from weft import nn
from weft.vision.models._registry import builder
from weft.vision.models._tools import kaiming, make_divisible
from weft.vision.ops.misc import Conv2dNormActivation, SqueezeExcitation, StochasticDepth

__all__ = ["EfficientNet", *(f"efficientnet_b{i}" for i in range(8)), "efficientnet_v2_s", "efficientnet_v2_m",
           "efficientnet_v2_l"]


class MBConvConfig:
    """A stage: how many times wider inside, kernel, stride, channels in and out, blocks."""

    def __init__(self, expand_ratio, kernel, stride, input_channels, out_channels, num_layers, width_mult=1.0,
                 depth_mult=1.0, block=None):
        self.expand_ratio, self.kernel, self.stride = expand_ratio, kernel, stride
        self.input_channels = self.adjust_channels(input_channels, width_mult)
        self.out_channels = self.adjust_channels(out_channels, width_mult)
        self.num_layers = int(math.ceil(num_layers * depth_mult))
        self.block = block or MBConv

    @staticmethod
    def adjust_channels(channels, width_mult, min_value=None):
        return make_divisible(channels * width_mult, 8, min_value)


class MBConv(nn.Module):
    """Wider, each channel by itself, weighted, narrower again; beside a short cut where the shapes allow it."""

    fused = False

    def __init__(self, cnf, stochastic_depth_prob, norm_layer, se_layer=SqueezeExcitation):
        super().__init__()
        self.use_res_connect = cnf.stride == 1 and cnf.input_channels == cnf.out_channels
        inp, width = cnf.input_channels, cnf.adjust_channels(cnf.input_channels, cnf.expand_ratio)
        how = {"norm_layer": norm_layer, "activation_layer": nn.SiLU}
        narrow = Conv2dNormActivation
        if self.fused:
            if width != inp:
                layers = [Conv2dNormActivation(inp, width, cnf.kernel, cnf.stride, **how),
                          narrow(width, cnf.out_channels, 1, norm_layer=norm_layer, activation_layer=None)]
            else:
                layers = [Conv2dNormActivation(inp, cnf.out_channels, cnf.kernel, cnf.stride, **how)]
        else:
            layers = [Conv2dNormActivation(inp, width, 1, **how)] if width != inp else []
            layers += [Conv2dNormActivation(width, width, cnf.kernel, cnf.stride, groups=width, **how),
                       se_layer(width, max(1, inp // 4), activation=functools.partial(nn.SiLU, inplace=True)),
                       narrow(width, cnf.out_channels, 1, norm_layer=norm_layer, activation_layer=None)]
        self.block = nn.Sequential(*layers)
        self.stochastic_depth = StochasticDepth(stochastic_depth_prob, "row")
        self.out_channels = cnf.out_channels

    def forward(self, input):
        result = self.block(input)
        return self.stochastic_depth(result) + input if self.use_res_connect else result


class FusedMBConv(MBConv):
    """MBConv whose first two convolutions are one."""

    fused = True


class EfficientNet(nn.Module):
    """EfficientNet of stages with the given settings: (N, 3, H, W) to (N, num_classes).

    >>> import weft
    >>> with weft.device("meta"):       # shapes only, no values
    ...     print(weft.vision.models.efficientnet_b0(num_classes=5).eval()(weft.rand(1, 3, 32, 32)).shape)
    torch.Size([1, 5])
    """

    def __init__(self, inverted_residual_setting, dropout, stochastic_depth_prob=0.2, num_classes=1000, norm_layer=None,
                 last_channel=None):
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2d
        how = {"norm_layer": norm_layer, "activation_layer": nn.SiLU}
        layers = [Conv2dNormActivation(3, inverted_residual_setting[0].input_channels, 3, stride=2, **how)]
        total, done = sum(cnf.num_layers for cnf in inverted_residual_setting), 0
        for cnf in inverted_residual_setting:
            stage = []
            for i in range(cnf.num_layers):
                own = copy.copy(cnf)
                if i:
                    own.input_channels, own.stride = own.out_channels, 1
                stage.append(own.block(own, stochastic_depth_prob * float(done) / total, norm_layer))
                done += 1
            layers.append(nn.Sequential(*stage))
        last = inverted_residual_setting[-1].out_channels
        width = last_channel if last_channel is not None else 4 * last
        layers.append(Conv2dNormActivation(last, width, 1, **how))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(dropout, inplace=True), nn.Linear(width, num_classes))
        kaiming(self, linear="uniform")

    def forward(self, x):
        return self.classifier(weft.flatten(self.avgpool(self.features(x)), 1))


STAGES = [(1, 3, 1, 32, 16, 1), (6, 3, 2, 16, 24, 2), (6, 5, 2, 24, 40, 2), (6, 3, 2, 40, 80, 3), (6, 5, 1, 80, 112, 3),
          (6, 5, 2, 112, 192, 4), (6, 3, 1, 192, 320, 1)]
FUSED = {"s": [(1, 3, 1, 24, 24, 2), (4, 3, 2, 24, 48, 4), (4, 3, 2, 48, 64, 4)],
         "m": [(1, 3, 1, 24, 24, 3), (4, 3, 2, 24, 48, 5), (4, 3, 2, 48, 80, 5)],
         "l": [(1, 3, 1, 32, 32, 4), (4, 3, 2, 32, 64, 7), (4, 3, 2, 64, 96, 7)]}
PLAIN = {"s": [(4, 3, 2, 64, 128, 6), (6, 3, 1, 128, 160, 9), (6, 3, 2, 160, 256, 15)],
         "m": [(4, 3, 2, 80, 160, 7), (6, 3, 1, 160, 176, 14), (6, 3, 2, 176, 304, 18), (6, 3, 1, 304, 512, 5)],
         "l": [(4, 3, 2, 96, 192, 10), (6, 3, 1, 192, 224, 19), (6, 3, 2, 224, 384, 25), (6, 3, 1, 384, 640, 7)]}


def _first(width, depth, dropout, norm, **kwargs):
    setting = [MBConvConfig(*row, width_mult=width, depth_mult=depth) for row in STAGES]
    return EfficientNet(setting, kwargs.pop("dropout", dropout), norm_layer=kwargs.pop("norm_layer", norm), **kwargs)


def _second(size, dropout, **kwargs):
    setting = [MBConvConfig(*row, block=FusedMBConv) for row in FUSED[size]]
    setting += [MBConvConfig(*row) for row in PLAIN[size]]
    norm = functools.partial(nn.BatchNorm2d, eps=1e-3)
    return EfficientNet(setting, kwargs.pop("dropout", dropout), norm_layer=kwargs.pop("norm_layer", norm),
                        last_channel=kwargs.pop("last_channel", 1280), **kwargs)


def _named(i, width, depth, dropout, parameters):
    norm = functools.partial(nn.BatchNorm2d, eps=0.001, momentum=0.01) if i >= 5 else None
    return builder(f"efficientnet_b{i}", functools.partial(_first, width, depth, dropout, norm),
                   f"EfficientNet B{i}.", parameters)


efficientnet_b0, efficientnet_b1 = _named(0, 1.0, 1.0, 0.2, 5288548), _named(1, 1.0, 1.1, 0.2, 7794184)
efficientnet_b2, efficientnet_b3 = _named(2, 1.1, 1.2, 0.3, 9109994), _named(3, 1.2, 1.4, 0.3, 12233232)
efficientnet_b4, efficientnet_b5 = _named(4, 1.4, 1.8, 0.4, 19341616), _named(5, 1.6, 2.2, 0.4, 30389784)
efficientnet_b6, efficientnet_b7 = _named(6, 1.8, 2.6, 0.5, 43040704), _named(7, 2.0, 3.1, 0.5, 66347960)
efficientnet_v2_s = builder("efficientnet_v2_s", functools.partial(_second, "s", 0.2), "EfficientNet v2, small.",
                            21458488)
efficientnet_v2_m = builder("efficientnet_v2_m", functools.partial(_second, "m", 0.3), "EfficientNet v2, medium.",
                            54139356)
efficientnet_v2_l = builder("efficientnet_v2_l", functools.partial(_second, "l", 0.4), "EfficientNet v2, large.",
                            118515272)
