"""ResNet, ResNeXt and Wide ResNet (He et al. 2015, Xie et al. 2017, Zagoruyko and Komodakis 2016)."""
import functools

import weft
from weft import nn
from weft.vision.models._registry import builder

__all__ = ["ResNet", "BasicBlock", "Bottleneck", "resnet18", "resnet34", "resnet50", "resnet101", "resnet152",
           "resnext50_32x4d", "resnext101_32x8d", "resnext101_64x4d", "wide_resnet50_2", "wide_resnet101_2"]


def conv3x3(in_planes, out_planes, stride=1, groups=1, dilation=1):
    """A convolution of 3 x 3 that keeps the size.

    >>> from weft.vision.models.resnet import conv3x3
    >>> conv3x3(2, 4).padding
    (1, 1)
    """
    return nn.Conv2d(in_planes, out_planes, 3, stride, dilation, dilation, groups, bias=False)


def conv1x1(in_planes, out_planes, stride=1):
    """A convolution of 1 x 1.

    >>> from weft.vision.models.resnet import conv1x1
    >>> conv1x1(2, 4).kernel_size
    (1, 1)
    """
    return nn.Conv2d(in_planes, out_planes, 1, stride, bias=False)


class BasicBlock(nn.Module):
    """Two convolutions of 3 x 3 beside a short cut: (N, C, H, W) to (N, planes, h, w).

    >>> import weft
    >>> from weft.vision.models.resnet import BasicBlock
    >>> BasicBlock(4, 4)(weft.rand(1, 4, 8, 8)).shape
    torch.Size([1, 4, 8, 8])
    """

    expansion = 1

    def __init__(self, inplanes, planes, stride=1, downsample=None, groups=1, base_width=64, dilation=1,
                 norm_layer=None):
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2d
        if groups != 1 or base_width != 64:
            raise ValueError("BasicBlock has groups=1 and base_width=64 only\n  fix: use Bottleneck")
        if dilation > 1:
            raise NotImplementedError("BasicBlock has no dilation\n  fix: use Bottleneck")
        self.conv1, self.bn1 = conv3x3(inplanes, planes, stride), norm_layer(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2, self.bn2 = conv3x3(planes, planes), norm_layer(planes)
        self.downsample, self.stride = downsample, stride

    def forward(self, x):
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)


class Bottleneck(nn.Module):
    """Convolutions of 1 x 1, 3 x 3 and 1 x 1 beside a short cut: (N, C, H, W) to (N, 4 * planes, h, w).

    >>> import weft
    >>> from weft.vision.models.resnet import Bottleneck
    >>> Bottleneck(8, 2)(weft.rand(1, 8, 8, 8)).shape
    torch.Size([1, 8, 8, 8])
    """

    expansion = 4

    def __init__(self, inplanes, planes, stride=1, downsample=None, groups=1, base_width=64, dilation=1,
                 norm_layer=None):
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2d
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1, self.bn1 = conv1x1(inplanes, width), norm_layer(width)
        self.conv2, self.bn2 = conv3x3(width, width, stride, groups, dilation), norm_layer(width)
        self.conv3, self.bn3 = conv1x1(width, planes * self.expansion), norm_layer(planes * self.expansion)
        self.relu = nn.ReLU(inplace=True)
        self.downsample, self.stride = downsample, stride

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)


class ResNet(nn.Module):
    """Four stages of blocks: (N, 3, H, W) to (N, num_classes). layers: how many blocks each stage has.

    >>> import weft
    >>> from weft.vision.models.resnet import BasicBlock
    >>> weft.vision.models.ResNet(BasicBlock, [1, 1, 1, 1], num_classes=5)(weft.rand(2, 3, 32, 32)).shape
    torch.Size([2, 5])
    """

    def __init__(self, block, layers, num_classes=1000, zero_init_residual=False, groups=1, width_per_group=64,
                 replace_stride_with_dilation=None, norm_layer=None):
        super().__init__()
        self._norm_layer = norm_layer or nn.BatchNorm2d
        self.inplanes, self.dilation, self.groups, self.base_width = 64, 1, groups, width_per_group
        dilate = replace_stride_with_dilation or (False, False, False)
        if len(dilate) != 3:
            raise ValueError(f"replace_stride_with_dilation has {len(dilate)} values, not 3")
        self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False)
        self.bn1 = self._norm_layer(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = self._make_layer(block, 64, layers[0])
        self.layer2 = self._make_layer(block, 128, layers[1], 2, dilate[0])
        self.layer3 = self._make_layer(block, 256, layers[2], 2, dilate[1])
        self.layer4 = self._make_layer(block, 512, layers[3], 2, dilate[2])
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512 * block.expansion, num_classes)
        for layer in self.modules():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(layer, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.constant_(layer.weight, 1)
                nn.init.constant_(layer.bias, 0)
        for layer in self.modules() if zero_init_residual else ():
            last = {Bottleneck: "bn3", BasicBlock: "bn2"}.get(type(layer))
            if last and getattr(layer, last).weight is not None:
                nn.init.constant_(getattr(layer, last).weight, 0)

    def _make_layer(self, block, planes, blocks, stride=1, dilate=False):
        before, norm = self.dilation, self._norm_layer
        if dilate:
            self.dilation, stride = self.dilation * stride, 1
        downsample, width = None, planes * block.expansion
        if stride != 1 or self.inplanes != width:
            downsample = nn.Sequential(conv1x1(self.inplanes, width, stride), norm(width))
        made = [block(self.inplanes, planes, stride, downsample, self.groups, self.base_width, before, norm)]
        self.inplanes = width
        made += [block(width, planes, groups=self.groups, base_width=self.base_width, dilation=self.dilation,
                       norm_layer=norm) for _ in range(1, blocks)]
        return nn.Sequential(*made)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(weft.flatten(self.avgpool(x), 1))


def _named(name, block, layers, sentence, parameters, **fixed):
    return builder(name, functools.partial(ResNet, block, layers, **fixed), sentence, parameters)


resnet18 = _named("resnet18", BasicBlock, [2, 2, 2, 2], "ResNet with 18 layers.", 11689512)
resnet34 = _named("resnet34", BasicBlock, [3, 4, 6, 3], "ResNet with 34 layers.", 21797672)
resnet50 = _named("resnet50", Bottleneck, [3, 4, 6, 3], "ResNet with 50 layers.", 25557032)
resnet101 = _named("resnet101", Bottleneck, [3, 4, 23, 3], "ResNet with 101 layers.", 44549160)
resnet152 = _named("resnet152", Bottleneck, [3, 8, 36, 3], "ResNet with 152 layers.", 60192808)
resnext50_32x4d = _named("resnext50_32x4d", Bottleneck, [3, 4, 6, 3], "ResNeXt with 50 layers, 32 groups of 4.",
                         25028904, groups=32, width_per_group=4)
resnext101_32x8d = _named("resnext101_32x8d", Bottleneck, [3, 4, 23, 3], "ResNeXt with 101 layers, 32 groups of 8.",
                          88791336, groups=32, width_per_group=8)
resnext101_64x4d = _named("resnext101_64x4d", Bottleneck, [3, 4, 23, 3], "ResNeXt with 101 layers, 64 groups of 4.",
                          83455272, groups=64, width_per_group=4)
wide_resnet50_2 = _named("wide_resnet50_2", Bottleneck, [3, 4, 6, 3], "ResNet with 50 layers, twice as wide.", 68883240,
                         width_per_group=128)
wide_resnet101_2 = _named("wide_resnet101_2", Bottleneck, [3, 4, 23, 3], "ResNet with 101 layers, twice as wide.",
                          126886696, width_per_group=128)
