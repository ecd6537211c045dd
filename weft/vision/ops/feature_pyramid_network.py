"""Feature pyramids: maps of several sizes, the coarse ones' knowledge added to the fine ones (Lin et al. 2017)."""
from collections import OrderedDict

from weft import nn
from weft.nn import functional as F
from weft.vision.ops.misc import Conv2dNormActivation

__all__ = ["FeaturePyramidNetwork", "ExtraFPNBlock", "LastLevelMaxPool", "LastLevelP6P7"]


class ExtraFPNBlock(nn.Module):
    """The base of what adds maps: `forward(results, x, names)` gives (results, names).

    >>> from weft.vision.ops.feature_pyramid_network import ExtraFPNBlock, LastLevelMaxPool
    >>> issubclass(LastLevelMaxPool, ExtraFPNBlock)
    True
    """

    def forward(self, results, x, names):
        raise NotImplementedError(f"{type(self).__name__} has no forward(results, x, names)")


class LastLevelMaxPool(ExtraFPNBlock):
    """One more map, every second pixel of the last one.

    >>> import weft
    >>> from weft.vision.ops.feature_pyramid_network import LastLevelMaxPool
    >>> LastLevelMaxPool()([weft.ones(1, 2, 4, 4)], [], ["0"])[1]
    ['0', 'pool']
    """

    def forward(self, results, x, names):
        return results + [F.max_pool2d(results[-1], 1, 2, 0)], names + ["pool"]


class LastLevelP6P7(ExtraFPNBlock):
    """Two more maps, by convolutions with stride 2.

    >>> import weft
    >>> from weft.vision.ops.feature_pyramid_network import LastLevelP6P7
    >>> maps = [weft.ones(1, 2, 4, 4)]
    >>> LastLevelP6P7(2, 2)(maps, maps, ["0"])[1]
    ['0', 'p6', 'p7']
    """

    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.p6 = nn.Conv2d(in_channels, out_channels, 3, 2, 1)
        self.p7 = nn.Conv2d(out_channels, out_channels, 3, 2, 1)
        for layer in (self.p6, self.p7):
            nn.init.kaiming_uniform_(layer.weight, a=1)
            nn.init.constant_(layer.bias, 0)
        self.use_P5 = in_channels == out_channels

    def forward(self, results, x, names):
        p6 = self.p6(results[-1] if self.use_P5 else x[-1])
        return results + [p6, self.p7(F.relu(p6))], names + ["p6", "p7"]


class FeaturePyramidNetwork(nn.Module):
    """{name: (N, C, H, W)}, from fine to coarse, to the same with out_channels each.

    >>> import weft
    >>> maps = {"a": weft.rand(1, 2, 8, 8), "b": weft.rand(1, 3, 4, 4)}
    >>> made = weft.vision.ops.FeaturePyramidNetwork([2, 3], 5)(maps)
    >>> [tuple(m.shape) for m in made.values()]
    [(1, 5, 8, 8), (1, 5, 4, 4)]
    """

    def __init__(self, in_channels_list, out_channels, extra_blocks=None, norm_layer=None):
        super().__init__()
        if extra_blocks is not None and not isinstance(extra_blocks, ExtraFPNBlock):
            raise TypeError(f"extra_blocks is a {type(extra_blocks).__name__}, it must be an ExtraFPNBlock")
        if 0 in in_channels_list:
            raise ValueError("in_channels_list has a 0")
        self.inner_blocks, self.layer_blocks = nn.ModuleList(), nn.ModuleList()
        for channels in in_channels_list:
            self.inner_blocks.append(Conv2dNormActivation(channels, out_channels, 1, padding=0, norm_layer=norm_layer,
                                                          activation_layer=None))
            self.layer_blocks.append(Conv2dNormActivation(out_channels, out_channels, 3, norm_layer=norm_layer,
                                                          activation_layer=None))
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_uniform_(layer.weight, a=1)
                if layer.bias is not None:
                    nn.init.constant_(layer.bias, 0)
        self.extra_blocks = extra_blocks

    def forward(self, x):
        names, maps = list(x), list(x.values())
        inner = self.inner_blocks[-1](maps[-1])
        results = [self.layer_blocks[-1](inner)]
        for i in range(len(maps) - 2, -1, -1):
            beside = self.inner_blocks[i](maps[i])
            inner = beside + F.interpolate(inner, size=beside.shape[-2:], mode="nearest")
            results.insert(0, self.layer_blocks[i](inner))
        if self.extra_blocks is not None:
            results, names = self.extra_blocks(results, maps, names)
        return OrderedDict(zip(names, results))
