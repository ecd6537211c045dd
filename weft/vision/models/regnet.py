"""RegNet: stages whose widths follow a line (Radosavovic et al. 2020)."""
import functools
import math
from collections import OrderedDict

from weft import nn
from weft.vision.models._registry import builder
from weft.vision.models._tools import make_divisible
from weft.vision.ops.misc import Conv2dNormActivation, SqueezeExcitation

__all__ = ["RegNet"]


class SimpleStemIN(Conv2dNormActivation):
    """One convolution with stride 2."""

    def __init__(self, width_in, width_out, norm_layer, activation_layer):
        super().__init__(width_in, width_out, 3, stride=2, norm_layer=norm_layer, activation_layer=activation_layer)


class ResBottleneckBlock(nn.Module):
    """Convolutions of 1 x 1, 3 x 3 in groups, (weighted channels,) 1 x 1, beside a short cut."""

    def __init__(self, width_in, width_out, stride, norm_layer, activation_layer, group_width=1,
                 bottleneck_multiplier=1.0, se_ratio=None):
        super().__init__()
        self.proj = None
        if width_in != width_out or stride != 1:
            self.proj = Conv2dNormActivation(width_in, width_out, 1, stride=stride, norm_layer=norm_layer,
                                             activation_layer=None)
        width = int(round(width_out * bottleneck_multiplier))
        how = {"norm_layer": norm_layer, "activation_layer": activation_layer}
        layers = OrderedDict(a=Conv2dNormActivation(width_in, width, 1, **how),
                             b=Conv2dNormActivation(width, width, 3, stride=stride, groups=width // group_width, **how))
        if se_ratio:
            layers["se"] = SqueezeExcitation(width, int(round(se_ratio * width_in)), activation=activation_layer)
        layers["c"] = Conv2dNormActivation(width, width_out, 1, norm_layer=norm_layer, activation_layer=None)
        self.f = nn.Sequential(layers)
        self.activation = activation_layer(inplace=True)

    def forward(self, x):
        return self.activation((x if self.proj is None else self.proj(x)) + self.f(x))


class AnyStage(nn.Sequential):
    """Blocks of one width."""

    def __init__(self, width_in, width_out, stride, depth, block_type, norm_layer, activation_layer, group_width,
                 bottleneck_multiplier, se_ratio=None, stage_index=0):
        super().__init__()
        for i in range(depth):
            self.add_module(f"block{stage_index}-{i}", block_type(
                width_in if i == 0 else width_out, width_out, stride if i == 0 else 1, norm_layer, activation_layer,
                group_width, bottleneck_multiplier, se_ratio))


class BlockParams:
    """The widths, depths and groups of the stages."""

    def __init__(self, depths, widths, group_widths, bottleneck_multipliers, strides, se_ratio=None):
        self.depths, self.widths, self.group_widths = depths, widths, group_widths
        self.bottleneck_multipliers, self.strides, self.se_ratio = bottleneck_multipliers, strides, se_ratio

    @classmethod
    def from_init_params(cls, depth, w_0, w_a, w_m, group_width, bottleneck_multiplier=1.0, se_ratio=None, **kwargs):
        if w_a < 0 or w_0 <= 0 or w_m <= 1 or w_0 % 8:
            raise ValueError(f"these parameters make no RegNet: w_0 = {w_0}, w_a = {w_a}, w_m = {w_m}")
        widths = []
        for i in range(depth):      # along a line, rounded to powers of w_m and then to eights
            power = round(math.log((i * w_a + w_0) / w_0) / math.log(w_m))
            widths.append(int(round(w_0 * w_m ** power / 8) * 8))
        stages = sorted(set(widths))
        depths = [widths.count(width) for width in stages]
        fitted, groups = [], []
        for width in stages:
            inside = int(width * bottleneck_multiplier)
            group = min(group_width, inside)
            groups.append(group)
            fitted.append(int(make_divisible(inside, group) / bottleneck_multiplier))
        n = len(stages)
        return cls(depths, fitted, groups, [bottleneck_multiplier] * n, [2] * n, se_ratio)


class RegNet(nn.Module):
    """RegNet of stages with the given settings: (N, 3, H, W) to (N, num_classes).

    >>> import weft
    >>> weft.vision.models.regnet_y_400mf(num_classes=5).eval()(weft.rand(1, 3, 32, 32)).shape
    torch.Size([1, 5])
    """

    def __init__(self, block_params, num_classes=1000, stem_width=32, stem_type=None, block_type=None, norm_layer=None,
                 activation=None):
        super().__init__()
        norm_layer, activation = norm_layer or nn.BatchNorm2d, activation or nn.ReLU
        self.stem = (stem_type or SimpleStemIN)(3, stem_width, norm_layer, activation)
        width, stages, p = stem_width, [], block_params
        rows = zip(p.widths, p.strides, p.depths, p.group_widths, p.bottleneck_multipliers)
        for i, (out, stride, depth, group, multiplier) in enumerate(rows):
            stages.append((f"block{i + 1}", AnyStage(width, out, stride, depth, block_type or ResBottleneckBlock,
                                                     norm_layer, activation, group, multiplier, p.se_ratio, i + 1)))
            width = out
        self.trunk_output = nn.Sequential(OrderedDict(stages))
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(width, num_classes)
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                fan_out = layer.kernel_size[0] * layer.kernel_size[1] * layer.out_channels
                nn.init.normal_(layer.weight, mean=0.0, std=math.sqrt(2.0 / fan_out))
            elif isinstance(layer, nn.BatchNorm2d):
                nn.init.ones_(layer.weight)
                nn.init.zeros_(layer.bias)
            elif isinstance(layer, nn.Linear):
                nn.init.normal_(layer.weight, mean=0.0, std=0.01)
                nn.init.zeros_(layer.bias)

    def forward(self, x):
        return self.fc(self.avgpool(self.trunk_output(self.stem(x))).flatten(1))


# name: depth, w_0, w_a, w_m, group width, parameters; the y have weighted channels
SETTINGS = {"y_400mf": (16, 48, 27.89, 2.09, 8, 4344144), "y_800mf": (14, 56, 38.84, 2.4, 16, 6432512),
            "y_1_6gf": (27, 48, 20.71, 2.65, 24, 11202430), "y_3_2gf": (21, 80, 42.63, 2.66, 24, 19436338),
            "y_8gf": (17, 192, 76.82, 2.19, 56, 39381472), "y_16gf": (18, 200, 106.23, 2.48, 112, 83590140),
            "y_32gf": (20, 232, 115.89, 2.53, 232, 145046770), "y_128gf": (27, 456, 160.83, 2.52, 264, 644812894),
            "x_400mf": (22, 24, 24.48, 2.54, 16, 5495976), "x_800mf": (16, 56, 35.73, 2.28, 16, 7259656),
            "x_1_6gf": (18, 80, 34.01, 2.25, 24, 9190136), "x_3_2gf": (25, 88, 26.31, 2.25, 48, 15296552),
            "x_8gf": (23, 80, 49.56, 2.88, 120, 39572648), "x_16gf": (22, 216, 55.59, 2.1, 128, 54278536),
            "x_32gf": (23, 320, 69.86, 2.0, 168, 107811560)}


def _make(setting, se_ratio, **kwargs):
    norm = kwargs.pop("norm_layer", functools.partial(nn.BatchNorm2d, eps=1e-05, momentum=0.1))
    return RegNet(BlockParams.from_init_params(*setting, se_ratio=se_ratio), norm_layer=norm, **kwargs)


for _name, (*_setting, _parameters) in SETTINGS.items():
    globals()[f"regnet_{_name}"] = builder(
        f"regnet_{_name}", functools.partial(_make, _setting, 0.25 if _name[0] == "y" else None),
        f"RegNet {_name.upper()}.", _parameters)
    __all__.append(f"regnet_{_name}")
