"""VGG: convolutions of 3 x 3, one after the other (Simonyan and Zisserman 2014)."""
import functools

import weft
from weft import nn
from weft.vision.models._registry import builder

__all__ = ["VGG", "vgg11", "vgg11_bn", "vgg13", "vgg13_bn", "vgg16", "vgg16_bn", "vgg19", "vgg19_bn"]

# channels of the convolutions between the poolings
STAGES = {11: ((64,), (128,), (256,) * 2, (512,) * 2, (512,) * 2),
          13: ((64,) * 2, (128,) * 2, (256,) * 2, (512,) * 2, (512,) * 2),
          16: ((64,) * 2, (128,) * 2, (256,) * 3, (512,) * 3, (512,) * 3),
          19: ((64,) * 2, (128,) * 2, (256,) * 4, (512,) * 4, (512,) * 4)}


def layers(depth, batch_norm=False):
    """The convolutions of a VGG."""
    made, channels = [], 3
    for stage in STAGES[depth]:
        for width in stage:
            made.append(nn.Conv2d(channels, width, 3, padding=1))
            made += [nn.BatchNorm2d(width)] if batch_norm else []
            made.append(nn.ReLU(inplace=True))
            channels = width
        made.append(nn.MaxPool2d(2, 2))
    return nn.Sequential(*made)


class VGG(nn.Module):
    """Convolutions `features` and three linear layers: (N, 3, H, W) to (N, num_classes).

    >>> import weft
    >>> with weft.device("meta"):       # shapes only, no values
    ...     model = weft.vision.models.VGG(weft.nn.Conv2d(3, 512, 3), num_classes=5)
    ...     print(model(weft.rand(1, 3, 32, 32)).shape)
    torch.Size([1, 5])
    """

    def __init__(self, features, num_classes=1000, init_weights=True, dropout=0.5):
        super().__init__()
        self.features = features
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096), nn.ReLU(True), nn.Dropout(dropout),
            nn.Linear(4096, 4096), nn.ReLU(True), nn.Dropout(dropout), nn.Linear(4096, num_classes))
        for layer in self.modules() if init_weights else ():
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
                if layer.bias is not None:
                    nn.init.constant_(layer.bias, 0)
            elif isinstance(layer, nn.BatchNorm2d):
                nn.init.constant_(layer.weight, 1)
                nn.init.constant_(layer.bias, 0)
            elif isinstance(layer, nn.Linear):
                nn.init.normal_(layer.weight, 0, 0.01)
                nn.init.constant_(layer.bias, 0)

    def forward(self, x):
        return self.classifier(weft.flatten(self.avgpool(self.features(x)), 1))


def _vgg(depth, batch_norm, loaded=False, **kwargs):
    if loaded:
        kwargs["init_weights"] = False
    return VGG(layers(depth, batch_norm), **kwargs)


def _named(depth, batch_norm, parameters):
    return builder(f"vgg{depth}" + "_bn" * batch_norm, functools.partial(_vgg, depth, batch_norm),
                   f"VGG with {depth} layers{' and batch normalisation' * batch_norm}.", parameters, ("loaded",))


vgg11, vgg11_bn = _named(11, False, 132863336), _named(11, True, 132868840)
vgg13, vgg13_bn = _named(13, False, 133047848), _named(13, True, 133053736)
vgg16, vgg16_bn = _named(16, False, 138357544), _named(16, True, 138365992)
vgg19, vgg19_bn = _named(19, False, 143667240), _named(19, True, 143678248)
