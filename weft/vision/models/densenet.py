"""DenseNet: every layer sees all before it (Huang et al. 2017)."""
import functools
from collections import OrderedDict

import weft
from weft import nn
from weft.nn import functional as F
from weft.utils.checkpoint import checkpoint
from weft.vision.models._registry import builder

__all__ = ["DenseNet", "densenet121", "densenet161", "densenet169", "densenet201"]


class _DenseLayer(nn.Module):
    """growth_rate new channels from all before."""

    def __init__(self, num_input_features, growth_rate, bn_size, drop_rate, memory_efficient=False):
        super().__init__()
        self.norm1, self.relu1 = nn.BatchNorm2d(num_input_features), nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(num_input_features, bn_size * growth_rate, 1, bias=False)
        self.norm2, self.relu2 = nn.BatchNorm2d(bn_size * growth_rate), nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(bn_size * growth_rate, growth_rate, 3, padding=1, bias=False)
        self.drop_rate, self.memory_efficient = float(drop_rate), memory_efficient

    def _first(self, *inputs):
        return self.conv1(self.relu1(self.norm1(weft.cat(inputs, 1))))

    def forward(self, input):
        inputs = [input] if isinstance(input, weft.Tensor) else list(input)
        if self.memory_efficient and any(each.requires_grad for each in inputs):
            middle = checkpoint(self._first, *inputs, use_reentrant=False)
        else:
            middle = self._first(*inputs)
        made = self.conv2(self.relu2(self.norm2(middle)))
        return F.dropout(made, self.drop_rate, self.training) if self.drop_rate > 0 else made


class _DenseBlock(nn.ModuleDict):
    """Layers that see all before them."""

    def __init__(self, num_layers, num_input_features, bn_size, growth_rate, drop_rate, memory_efficient=False):
        super().__init__()
        for i in range(num_layers):
            layer = _DenseLayer(num_input_features + i * growth_rate, growth_rate, bn_size, drop_rate, memory_efficient)
            self.add_module(f"denselayer{i + 1}", layer)

    def forward(self, init_features):
        features = [init_features]
        for layer in self.values():
            features.append(layer(features))
        return weft.cat(features, 1)


class _Transition(nn.Sequential):
    """Fewer channels, half the size."""

    def __init__(self, i, o):
        super().__init__(OrderedDict(norm=nn.BatchNorm2d(i), relu=nn.ReLU(inplace=True),
                                     conv=nn.Conv2d(i, o, 1, bias=False), pool=nn.AvgPool2d(2, 2)))


class DenseNet(nn.Module):
    """Blocks of densely connected layers: (N, 3, H, W) to (N, num_classes).

    >>> import weft
    >>> net = weft.vision.models.DenseNet(growth_rate=4, block_config=(2, 2), num_init_features=8, num_classes=5)
    >>> net(weft.rand(2, 3, 32, 32)).shape
    torch.Size([2, 5])
    """

    def __init__(self, growth_rate=32, block_config=(6, 12, 24, 16), num_init_features=64, bn_size=4, drop_rate=0,
                 num_classes=1000, memory_efficient=False):
        super().__init__()
        channels = num_init_features
        self.features = nn.Sequential(OrderedDict(
            conv0=nn.Conv2d(3, channels, 7, stride=2, padding=3, bias=False), norm0=nn.BatchNorm2d(channels),
            relu0=nn.ReLU(inplace=True), pool0=nn.MaxPool2d(3, 2, 1)))
        for i, layers in enumerate(block_config):
            block = _DenseBlock(layers, channels, bn_size, growth_rate, drop_rate, memory_efficient)
            self.features.add_module(f"denseblock{i + 1}", block)
            channels += layers * growth_rate
            if i != len(block_config) - 1:
                self.features.add_module(f"transition{i + 1}", _Transition(channels, channels // 2))
                channels //= 2
        self.features.add_module("norm5", nn.BatchNorm2d(channels))
        self.classifier = nn.Linear(channels, num_classes)
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight)
            elif isinstance(layer, nn.BatchNorm2d):
                nn.init.constant_(layer.weight, 1)
                nn.init.constant_(layer.bias, 0)
            elif isinstance(layer, nn.Linear):
                nn.init.constant_(layer.bias, 0)

    def load_state_dict(self, state_dict, *args, **kwargs):
        """Also files from before 2019, whose keys have norm.1 for norm1.

        >>> import weft
        >>> net = weft.vision.models.DenseNet(growth_rate=4, block_config=(1,), num_init_features=8, num_classes=2)
        >>> net.load_state_dict(net.state_dict())
        <All keys matched successfully>
        """
        renamed = OrderedDict()
        for key, value in state_dict.items():
            for part in ("norm", "relu", "conv"):
                if "denselayer" in key:
                    key = key.replace(f".{part}.1.", f".{part}1.").replace(f".{part}.2.", f".{part}2.")
            renamed[key] = value
        return super().load_state_dict(renamed, *args, **kwargs)

    def forward(self, x):
        x = F.relu(self.features(x), inplace=True)
        return self.classifier(weft.flatten(F.adaptive_avg_pool2d(x, (1, 1)), 1))


def _named(depth, growth, blocks, first, parameters):
    return builder(f"densenet{depth}", functools.partial(DenseNet, growth, blocks, first),
                   f"DenseNet with {depth} layers.", parameters)


densenet121 = _named(121, 32, (6, 12, 24, 16), 64, 7978856)
densenet161 = _named(161, 48, (6, 12, 36, 24), 96, 28681000)
densenet169 = _named(169, 32, (6, 12, 32, 32), 64, 14149480)
densenet201 = _named(201, 32, (6, 12, 48, 32), 64, 20013928)
