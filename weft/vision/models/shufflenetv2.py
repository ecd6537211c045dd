"""ShuffleNet v2 (Ma et al. 2018)."""
import functools

import weft
from weft import nn
from weft.vision.models._registry import builder

__all__ = ["ShuffleNetV2", "shufflenet_v2_x0_5", "shufflenet_v2_x1_0", "shufflenet_v2_x1_5", "shufflenet_v2_x2_0"]


def channel_shuffle(x, groups):
    """Channels of all groups in turn."""
    return x.view(x.shape[0], groups, -1, *x.shape[2:]).transpose(1, 2).reshape(x.shape)


def _depthwise(channels, stride):
    return [nn.Conv2d(channels, channels, 3, stride, 1, groups=channels, bias=False), nn.BatchNorm2d(channels)]


def _pointwise(i, o):
    return [nn.Conv2d(i, o, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True)]


class InvertedResidual(nn.Module):
    """Half of the channels through convolutions, then all shuffled; with a stride both halves are made from all."""

    def __init__(self, inp, oup, stride):
        super().__init__()
        half = oup // 2
        if stride not in (1, 2, 3):
            raise ValueError(f"stride is {stride}, it must be 1, 2 or 3")
        if stride == 1 and inp != 2 * half:
            raise ValueError(f"with stride 1 there must be as many channels before ({inp}) as after ({oup})")
        self.stride = stride
        self.branch1 = nn.Sequential(*(_depthwise(inp, stride) + _pointwise(inp, half) if stride > 1 else []))
        self.branch2 = nn.Sequential(*_pointwise(inp if stride > 1 else half, half), *_depthwise(half, stride),
                                     *_pointwise(half, half))

    def forward(self, x):
        if self.stride == 1:
            left, right = x.chunk(2, dim=1)
            made = weft.cat((left, self.branch2(right)), 1)
        else:
            made = weft.cat((self.branch1(x), self.branch2(x)), 1)
        return channel_shuffle(made, 2)


class ShuffleNetV2(nn.Module):
    """Three stages of blocks: (N, 3, H, W) to (N, num_classes).

    >>> import weft
    >>> weft.vision.models.ShuffleNetV2([1, 1, 1], [8, 16, 32, 64, 128], num_classes=5)(weft.rand(2, 3, 32, 32)).shape
    torch.Size([2, 5])
    """

    def __init__(self, stages_repeats, stages_out_channels, num_classes=1000, inverted_residual=InvertedResidual):
        super().__init__()
        if len(stages_repeats) != 3 or len(stages_out_channels) != 5:
            raise ValueError("stages_repeats must have 3 numbers, stages_out_channels 5")
        first, *widths, last = stages_out_channels
        self.conv1 = nn.Sequential(nn.Conv2d(3, first, 3, 2, 1, bias=False), nn.BatchNorm2d(first),
                                   nn.ReLU(inplace=True))
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        channels = first
        for i, (repeats, width) in enumerate(zip(stages_repeats, widths)):
            blocks = [inverted_residual(channels, width, 2)]
            blocks += [inverted_residual(width, width, 1) for _ in range(repeats - 1)]
            setattr(self, f"stage{i + 2}", nn.Sequential(*blocks))
            channels = width
        self.conv5 = nn.Sequential(*_pointwise(channels, last))
        self.fc = nn.Linear(last, num_classes)

    def forward(self, x):
        x = self.stage4(self.stage3(self.stage2(self.maxpool(self.conv1(x)))))
        return self.fc(self.conv5(x).mean([2, 3]))


def _named(size, widths, parameters):
    return builder(f"shufflenet_v2_x{size}", functools.partial(ShuffleNetV2, [4, 8, 4], widths),
                   f"ShuffleNet v2, {size.replace('_', '.')} times as wide.", parameters)


shufflenet_v2_x0_5 = _named("0_5", [24, 48, 96, 192, 1024], 1366792)
shufflenet_v2_x1_0 = _named("1_0", [24, 116, 232, 464, 1024], 2278604)
shufflenet_v2_x1_5 = _named("1_5", [24, 176, 352, 704, 1024], 3503624)
shufflenet_v2_x2_0 = _named("2_0", [24, 244, 488, 976, 2048], 7393996)
