"""FCN (Long et al. 2015), DeepLab v3 (Chen et al. 2017) and LR-ASPP (Howard et al. 2019)."""
from collections import OrderedDict

import weft
from weft import nn
from weft.nn import functional as F
from weft.vision.models import mobilenetv3, resnet
from weft.vision.models._registry import WeightsEnum, choose, own, register, state_of
from weft.vision.models._tools import IntermediateLayerGetter

__all__ = ["FCN", "DeepLabV3", "LRASPP", "fcn_resnet50", "fcn_resnet101", "deeplabv3_resnet50", "deeplabv3_resnet101",
           "deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large"]


class _SimpleSegmentationModel(nn.Module):
    """A backbone that gives {"out": ..., "aux": ...}, and a classifier for each of them."""

    def __init__(self, backbone, classifier, aux_classifier=None):
        super().__init__()
        self.backbone, self.classifier, self.aux_classifier = backbone, classifier, aux_classifier

    def forward(self, x):
        size, maps = x.shape[-2:], self.backbone(x)
        result = OrderedDict(out=self._grown(self.classifier(maps["out"]), size))
        if self.aux_classifier is not None:
            result["aux"] = self._grown(self.aux_classifier(maps["aux"]), size)
        return result

    @staticmethod
    def _grown(x, size):
        return F.interpolate(x, size=tuple(size), mode="bilinear", align_corners=False)


class FCN(_SimpleSegmentationModel):
    """A backbone and a classifier of its map: (N, 3, H, W) to {"out": (N, classes, H, W)}.

    >>> import weft
    >>> with weft.device("meta"):       # shapes only, no values
    ...     model = weft.vision.models.segmentation.fcn_resnet50(weights_backbone=None, num_classes=3).eval()
    ...     print(model(weft.rand(1, 3, 32, 32))["out"].shape)
    torch.Size([1, 3, 32, 32])
    """


class DeepLabV3(_SimpleSegmentationModel):
    """A backbone and a classifier that looks at several scales: (N, 3, H, W) to {"out": (N, classes, H, W)}.

    >>> import weft
    >>> make = weft.vision.models.segmentation.deeplabv3_mobilenet_v3_large
    >>> with weft.device("meta"):       # shapes only, no values
    ...     print(make(weights_backbone=None, num_classes=3).eval()(weft.rand(1, 3, 32, 32))["out"].shape)
    torch.Size([1, 3, 32, 32])
    """


class FCNHead(nn.Sequential):
    """A convolution of 3 x 3, then classes.

    >>> import weft
    >>> from weft.vision.models.segmentation.nets import FCNHead
    >>> FCNHead(16, 3)(weft.rand(2, 16, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    def __init__(self, in_channels, channels):
        inter = in_channels // 4
        super().__init__(nn.Conv2d(in_channels, inter, 3, padding=1, bias=False), nn.BatchNorm2d(inter), nn.ReLU(),
                         nn.Dropout(0.1), nn.Conv2d(inter, channels, 1))


class ASPPPooling(nn.Sequential):
    """The mean of the whole map, everywhere."""

    def __init__(self, in_channels, out_channels):
        super().__init__(nn.AdaptiveAvgPool2d(1), nn.Conv2d(in_channels, out_channels, 1, bias=False),
                         nn.BatchNorm2d(out_channels), nn.ReLU())

    def forward(self, x):
        return F.interpolate(super().forward(x), size=tuple(x.shape[-2:]), mode="bilinear", align_corners=False)


def _conv(i, o, kernel=1, dilation=1):
    return [nn.Conv2d(i, o, kernel, padding=dilation if kernel > 1 else 0, dilation=dilation, bias=False),
            nn.BatchNorm2d(o), nn.ReLU()]


class ASPP(nn.Module):
    """Kernels of several widths side by side."""

    def __init__(self, in_channels, atrous_rates, out_channels=256):
        super().__init__()
        wide = (nn.Sequential(*_conv(in_channels, out_channels, 3, rate)) for rate in atrous_rates)
        self.convs = nn.ModuleList([nn.Sequential(*_conv(in_channels, out_channels)), *wide,
                                    ASPPPooling(in_channels, out_channels)])
        self.project = nn.Sequential(*_conv(len(self.convs) * out_channels, out_channels), nn.Dropout(0.5))

    def forward(self, x):
        return self.project(weft.cat([conv(x) for conv in self.convs], dim=1))


class DeepLabHead(nn.Sequential):
    """Several scales, then classes.

    >>> import weft
    >>> from weft.vision.models.segmentation.nets import DeepLabHead
    >>> DeepLabHead(16, 3)(weft.rand(2, 16, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    def __init__(self, in_channels, num_classes, atrous_rates=(12, 24, 36)):
        super().__init__(ASPP(in_channels, atrous_rates), *_conv(256, 256, 3), nn.Conv2d(256, num_classes, 1))


class LRASPPHead(nn.Module):
    """A coarse map weighted by its mean, joined with a finer one."""

    def __init__(self, low_channels, high_channels, num_classes, inter_channels):
        super().__init__()
        self.cbr = nn.Sequential(nn.Conv2d(high_channels, inter_channels, 1, bias=False),
                                 nn.BatchNorm2d(inter_channels), nn.ReLU(inplace=True))
        self.scale = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(high_channels, inter_channels, 1, bias=False),
                                   nn.Sigmoid())
        self.low_classifier = nn.Conv2d(low_channels, num_classes, 1)
        self.high_classifier = nn.Conv2d(inter_channels, num_classes, 1)

    def forward(self, input):
        low, high = input["low"], input["high"]
        x = self.cbr(high) * self.scale(high)
        x = F.interpolate(x, size=tuple(low.shape[-2:]), mode="bilinear", align_corners=False)
        return self.low_classifier(low) + self.high_classifier(x)


class LRASPP(nn.Module):
    """A light network for every pixel's class; the backbone gives {"low": ..., "high": ...}.

    >>> import weft
    >>> make = weft.vision.models.segmentation.lraspp_mobilenet_v3_large
    >>> make(weights_backbone=None, num_classes=3).eval()(weft.rand(1, 3, 32, 32))["out"].shape
    torch.Size([1, 3, 32, 32])
    """

    def __init__(self, backbone, low_channels, high_channels, num_classes, inter_channels=128):
        super().__init__()
        self.backbone = backbone
        self.classifier = LRASPPHead(low_channels, high_channels, num_classes, inter_channels)

    def forward(self, input):
        out = self.classifier(self.backbone(input))
        return OrderedDict(out=F.interpolate(out, size=tuple(input.shape[-2:]), mode="bilinear", align_corners=False))


def _resnet(name, weights, aux):
    net = getattr(resnet, name)(weights=weights, replace_stride_with_dilation=[False, True, True])
    layers = {"layer4": "out", **({"layer3": "aux"} if aux else {})}
    return IntermediateLayerGetter(net, layers), 2048, 1024


def _mobilenet(weights, names):
    """The features of MobileNet v3, and the channels of the last map and of the one four stages before."""
    features = mobilenetv3.mobilenet_v3_large(weights=weights, dilated=True).features
    stages = [0] + [i for i, layer in enumerate(features) if getattr(layer, "_is_cn", False)] + [len(features) - 1]
    last, early = stages[-1], stages[-4]
    picked = {str(place): name for place, name in ((last, names[0]), (early, names[1])) if name}
    return IntermediateLayerGetter(features, picked), features[last].out_channels, features[early].out_channels


def _builder(name, make, sentence, parameters, auxiliary=True):
    def function(*, weights=None, progress=True, num_classes=None, aux_loss=None, weights_backbone="IMAGENET1K_V1",
                 **kwargs):
        chosen = choose(name, weights, kwargs)
        if isinstance(chosen, WeightsEnum):
            known = {"num_classes": num_classes} if num_classes is not None else {}
            own(known, "num_classes", chosen.meta["num_classes"])
            num_classes, aux_loss = known["num_classes"], auxiliary
        model = make(21 if num_classes is None else num_classes, aux_loss,
                     None if chosen is not None else weights_backbone, **kwargs)
        if chosen is not None:
            model.load_state_dict(state_of(chosen))
        return model

    return register(function, name, sentence, parameters, __name__)


def _fcn(net):
    def make(classes, aux, weights):
        backbone, last, early = _resnet(net, weights, aux)
        return FCN(backbone, FCNHead(last, classes), FCNHead(early, classes) if aux else None)
    return make


def _deeplab(net):
    def make(classes, aux, weights):
        if net.startswith("resnet"):
            backbone, last, early = _resnet(net, weights, aux)
        else:
            backbone, last, early = _mobilenet(weights, ("out", "aux" if aux else None))
        return DeepLabV3(backbone, DeepLabHead(last, classes), FCNHead(early, classes) if aux else None)
    return make


def _lraspp(classes, aux, weights, inter_channels=128):
    backbone, high, low = _mobilenet(weights, ("high", "low"))
    return LRASPP(backbone, low, high, classes, inter_channels)


fcn_resnet50 = _builder("fcn_resnet50", _fcn("resnet50"), "FCN on ResNet-50.", 32957013)
fcn_resnet101 = _builder("fcn_resnet101", _fcn("resnet101"), "FCN on ResNet-101.", 51949141)
deeplabv3_resnet50 = _builder("deeplabv3_resnet50", _deeplab("resnet50"), "DeepLab v3 on ResNet-50.", 39638869)
deeplabv3_resnet101 = _builder("deeplabv3_resnet101", _deeplab("resnet101"), "DeepLab v3 on ResNet-101.",
                               58630997)
deeplabv3_mobilenet_v3_large = _builder("deeplabv3_mobilenet_v3_large", _deeplab("mobilenet_v3_large"),
                                        "DeepLab v3 on MobileNet v3.", 11025477)
lraspp_mobilenet_v3_large = _builder("lraspp_mobilenet_v3_large", _lraspp, "LR-ASPP on MobileNet v3.", 3221538,
                                     auxiliary=None)
