"""Networks that give maps of several sizes."""
from weft import nn
from weft.vision.models import mobilenetv3, resnet
from weft.vision.models._tools import IntermediateLayerGetter
from weft.vision.ops.feature_pyramid_network import FeaturePyramidNetwork, LastLevelMaxPool
from weft.vision.ops.misc import FrozenBatchNorm2d


class BackboneWithFPN(nn.Module):
    """A network's layers and a feature pyramid of their maps.

    >>> import weft
    >>> from weft.vision.models.detection.backbone_utils import resnet_fpn_backbone
    >>> maps = resnet_fpn_backbone(backbone_name="resnet18", weights=None)(weft.rand(1, 3, 64, 64))
    >>> list(maps), maps["3"].shape
    (['0', '1', '2', '3', 'pool'], torch.Size([1, 256, 2, 2]))
    """

    def __init__(self, backbone, return_layers, in_channels_list, out_channels, extra_blocks=None, norm_layer=None):
        super().__init__()
        self.body = IntermediateLayerGetter(backbone, return_layers)
        self.fpn = FeaturePyramidNetwork(in_channels_list, out_channels, extra_blocks or LastLevelMaxPool(), norm_layer)
        self.out_channels = out_channels

    def forward(self, x):
        return self.fpn(self.body(x))


def resnet_fpn_backbone(*, backbone_name, weights, norm_layer=FrozenBatchNorm2d, trainable_layers=3,
                        returned_layers=None, extra_blocks=None):
    """A ResNet with a feature pyramid; the first 5 - trainable_layers of its five parts are fixed.

    >>> from weft.vision.models.detection.backbone_utils import resnet_fpn_backbone
    >>> resnet_fpn_backbone(backbone_name="resnet18", weights=None).out_channels
    256
    """
    net = getattr(resnet, backbone_name)(weights=weights, norm_layer=norm_layer)
    return resnet_fpn(net, trainable_layers, returned_layers, extra_blocks)


def resnet_fpn(net, trainable_layers, returned_layers=None, extra_blocks=None, norm_layer=None):
    """A ResNet with a feature pyramid."""
    if not 0 <= trainable_layers <= 5:
        raise ValueError(f"trainable_layers is {trainable_layers}, it must be from 0 to 5")
    train = ["layer4", "layer3", "layer2", "layer1", "conv1"][:trainable_layers]
    train += ["bn1"] if trainable_layers == 5 else []
    for name, parameter in net.named_parameters():
        if all(not name.startswith(part) for part in train):
            parameter.requires_grad_(False)
    returned = returned_layers or [1, 2, 3, 4]
    layers = {f"layer{k}": str(i) for i, k in enumerate(returned)}
    first = net.inplanes // 8
    return BackboneWithFPN(net, layers, [first * 2 ** (k - 1) for k in returned], 256, extra_blocks, norm_layer)


def mobilenet_stages(features):
    """Where the map gets smaller, and the last layer."""
    return [0] + [i for i, layer in enumerate(features) if getattr(layer, "_is_cn", False)] + [len(features) - 1]


def mobilenet_backbone(*, backbone_name, weights, fpn=True, norm_layer=FrozenBatchNorm2d, trainable_layers=2,
                       returned_layers=None, extra_blocks=None):
    """A MobileNet v3 with a feature pyramid.

    >>> from weft.vision.models.detection.backbone_utils import mobilenet_backbone
    >>> mobilenet_backbone(backbone_name="mobilenet_v3_large", weights=None).out_channels
    256
    """
    features = getattr(mobilenetv3, backbone_name)(weights=weights, norm_layer=norm_layer).features
    stages = mobilenet_stages(features)
    if not 0 <= trainable_layers <= len(stages):
        raise ValueError(f"trainable_layers is {trainable_layers}, it must be from 0 to {len(stages)}")
    fixed = len(features) if trainable_layers == 0 else stages[len(stages) - trainable_layers]
    for layer in features[:fixed]:
        for parameter in layer.parameters():
            parameter.requires_grad_(False)
    if not fpn:
        made = nn.Sequential(features, nn.Conv2d(features[-1].out_channels, 256, 1))
        made.out_channels = 256
        return made
    returned = [len(stages) - 2, len(stages) - 1] if returned_layers is None else returned_layers
    layers = {str(stages[k]): str(i) for i, k in enumerate(returned)}
    widths = [features[stages[k]].out_channels for k in returned]
    return BackboneWithFPN(features, layers, widths, 256, extra_blocks)


def trainable(is_trained, wanted, most, default):
    """How many parts of a backbone are trained: all of one that has no weights."""
    if not is_trained:
        return most
    wanted = default if wanted is None else wanted
    if not 0 <= wanted <= most:
        raise ValueError(f"trainable_backbone_layers is {wanted}, it must be from 0 to {most}")
    return wanted
