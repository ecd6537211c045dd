"""ConvNeXt (Liu et al. 2022)."""
import functools

import weft
from weft import nn
from weft.nn import functional as F
from weft.vision.models._registry import builder
from weft.vision.ops.misc import Conv2dNormActivation, Permute, StochasticDepth

__all__ = ["ConvNeXt", "convnext_tiny", "convnext_small", "convnext_base", "convnext_large"]


class LayerNorm2d(nn.LayerNorm):
    """A LayerNorm over the channels of (N, C, H, W)."""

    def forward(self, x):
        x = F.layer_norm(x.permute(0, 2, 3, 1), self.normalized_shape, self.weight, self.bias, self.eps)
        return x.permute(0, 3, 1, 2)


class CNBlock(nn.Module):
    """A wide kernel for each channel, then a small network for each pixel, beside a short cut."""

    def __init__(self, dim, layer_scale, stochastic_depth_prob, norm_layer=None):
        super().__init__()
        norm_layer = norm_layer or functools.partial(nn.LayerNorm, eps=1e-6)
        self.block = nn.Sequential(nn.Conv2d(dim, dim, 7, padding=3, groups=dim, bias=True), Permute([0, 2, 3, 1]),
                                   norm_layer(dim), nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim),
                                   Permute([0, 3, 1, 2]))
        self.layer_scale = nn.Parameter(weft.ones(dim, 1, 1) * layer_scale)
        self.stochastic_depth = StochasticDepth(stochastic_depth_prob, "row")

    def forward(self, input):
        return self.stochastic_depth(self.layer_scale * self.block(input)) + input


class CNBlockConfig:
    """A stage: channels, channels of the next one (None: the last), blocks.

    >>> from weft.vision.models.convnext import CNBlockConfig
    >>> CNBlockConfig(96, 192, 3).num_layers
    3
    """

    def __init__(self, input_channels, out_channels, num_layers):
        self.input_channels, self.out_channels, self.num_layers = input_channels, out_channels, num_layers

    def __repr__(self):
        return (f"CNBlockConfig(input_channels={self.input_channels}, out_channels={self.out_channels}, "
                f"num_layers={self.num_layers})")


class ConvNeXt(nn.Module):
    """ConvNeXt of stages with the given settings: (N, 3, H, W) to (N, num_classes).

    >>> import weft
    >>> from weft.vision.models.convnext import CNBlockConfig
    >>> net = weft.vision.models.ConvNeXt([CNBlockConfig(8, 16, 1), CNBlockConfig(16, None, 1)], num_classes=5)
    >>> net(weft.rand(2, 3, 32, 32)).shape
    torch.Size([2, 5])
    """

    def __init__(self, block_setting, stochastic_depth_prob=0.0, layer_scale=1e-6, num_classes=1000, block=None,
                 norm_layer=None, **kwargs):
        super().__init__()
        block = block or CNBlock
        norm_layer = norm_layer or functools.partial(LayerNorm2d, eps=1e-6)
        layers = [Conv2dNormActivation(3, block_setting[0].input_channels, 4, stride=4, padding=0,
                                       norm_layer=norm_layer, activation_layer=None, bias=True)]
        total, done = sum(cnf.num_layers for cnf in block_setting), 0
        for cnf in block_setting:
            stage = []
            for _ in range(cnf.num_layers):
                stage.append(block(cnf.input_channels, layer_scale, stochastic_depth_prob * done / (total - 1.0)))
                done += 1
            layers.append(nn.Sequential(*stage))
            if cnf.out_channels is not None:
                layers.append(nn.Sequential(norm_layer(cnf.input_channels),
                                            nn.Conv2d(cnf.input_channels, cnf.out_channels, 2, stride=2)))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        last = block_setting[-1].input_channels
        self.classifier = nn.Sequential(norm_layer(last), nn.Flatten(1), nn.Linear(last, num_classes))
        for layer in self.modules():
            if isinstance(layer, (nn.Conv2d, nn.Linear)):
                nn.init.trunc_normal_(layer.weight, std=0.02)
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)))


def _make(width, depths, drop, **kwargs):
    widths = [width, 2 * width, 4 * width, 8 * width, None]
    setting = [CNBlockConfig(widths[i], widths[i + 1], depths[i]) for i in range(4)]
    return ConvNeXt(setting, kwargs.pop("stochastic_depth_prob", drop), **kwargs)


def _named(size, width, depths, drop, parameters):
    return builder(f"convnext_{size}", functools.partial(_make, width, depths, drop), f"ConvNeXt, {size}.", parameters)


convnext_tiny = _named("tiny", 96, (3, 3, 9, 3), 0.1, 28589128)
convnext_small = _named("small", 96, (3, 3, 27, 3), 0.4, 50223688)
convnext_base = _named("base", 128, (3, 3, 27, 3), 0.5, 88591464)
convnext_large = _named("large", 192, (3, 3, 27, 3), 0.5, 197767336)
