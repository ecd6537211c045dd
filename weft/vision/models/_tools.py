"""What several models share."""
from collections import OrderedDict

from weft import nn


def make_divisible(value, divisor=8, least=None):
    """The nearest multiple of divisor, not more than 10 % below."""
    least = divisor if least is None else least
    made = max(least, int(value + divisor / 2) // divisor * divisor)
    return made + divisor if made < 0.9 * value else made


def kaiming(module, linear="normal"):
    """Weights of convolutions by He's rule, of norms 1 and 0, of linear layers small."""
    for layer in module.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.kaiming_normal_(layer.weight, mode="fan_out")
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
        elif isinstance(layer, (nn.BatchNorm2d, nn.GroupNorm)):
            nn.init.ones_(layer.weight)
            nn.init.zeros_(layer.bias)
        elif isinstance(layer, nn.Linear):
            if linear == "normal":
                nn.init.normal_(layer.weight, 0, 0.01)
            else:
                bound = 1.0 / layer.out_features ** 0.5
                nn.init.uniform_(layer.weight, -bound, bound)
            nn.init.zeros_(layer.bias)


class IntermediateLayerGetter(nn.ModuleDict):
    """The results of some of a model's direct children: {its name: the name of the result}.

    >>> import weft
    >>> from weft.vision.models._utils import IntermediateLayerGetter
    >>> get = IntermediateLayerGetter(weft.vision.models.resnet18(), {"layer1": "fine"})
    >>> get(weft.rand(1, 3, 32, 32))["fine"].shape
    torch.Size([1, 64, 8, 8])
    """

    def __init__(self, model, return_layers):
        missing = set(return_layers) - {name for name, _ in model.named_children()}
        if missing:
            raise ValueError(f"return_layers are not present in model: there is no {', '.join(sorted(missing))}")
        kept, waiting = OrderedDict(), set(return_layers)
        for name, layer in model.named_children():
            kept[name] = layer
            waiting.discard(name)
            if not waiting:
                break
        super().__init__(kept)
        self.return_layers = dict(return_layers)

    def forward(self, x):
        out = OrderedDict()
        for name, layer in self.items():
            x = layer(x)
            if name in self.return_layers:
                out[self.return_layers[name]] = x
        return out
